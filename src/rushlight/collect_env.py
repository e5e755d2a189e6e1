"""`python -m rushlight.collect_env`: what a report of a fault must say of the machine."""

from __future__ import annotations

from rushlight.utils.collect_env import main

if __name__ == "__main__":
    main()
