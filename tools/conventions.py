"""Write a C file with the digest of sources: `python tools/conventions.py OUTPUT SOURCE...`. Whoever writes a trace of
a package and whoever runs it must have been made of the same (src/rushlight/core/native/trace.h).
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def digest(sources: list[Path]) -> str:
    """Of what the files hold, in this order."""
    found = hashlib.blake2b(digest_size=16)
    for source in sources:
        found.update(source.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    output, *sources = map(Path, sys.argv[1:])
    output.write_text(f'extern const char rl_conventions[];\nconst char rl_conventions[] = "{digest(sources)}";\n')
