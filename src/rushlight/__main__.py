"""`python -m rushlight script.py`: see rushlight.compat.launcher."""

from __future__ import annotations

import sys

from rushlight.compat.launcher import main

if __name__ == "__main__":
    sys.exit(main())
