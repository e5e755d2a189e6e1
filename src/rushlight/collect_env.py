"""`python -m rushlight.collect_env` prints what a bug report should say about the machine."""

from __future__ import annotations

from rushlight.utils.collect_env import main

if __name__ == "__main__":
    main()
