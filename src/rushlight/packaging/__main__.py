"""`python -m rushlight.packaging`: the options of a C compiler for programs that run packages.

cc program.c $(python -m rushlight.packaging --cflags --libs) -o program
"""

from __future__ import annotations

import argparse
import shlex

from rushlight.packaging._paths import flags


def main() -> None:
    """Print the flags that are asked for, on one line."""
    parser = argparse.ArgumentParser(prog="python -m rushlight.packaging", description=__doc__)
    parser.add_argument("--cflags", action="store_true", help="to compile")
    parser.add_argument("--libs", action="store_true", help="to link")
    args = parser.parse_args()
    if not (args.cflags or args.libs):
        parser.error("ask for --cflags, --libs, or both")
    print(shlex.join(flags(args.cflags, args.libs)))


if __name__ == "__main__":
    main()
