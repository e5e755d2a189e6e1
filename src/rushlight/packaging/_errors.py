"""What may be wrong with a package."""

from __future__ import annotations


class PackageError(RuntimeError):
    """A file that cannot be loaded: it is damaged, of another version, or has no code for this processor."""
