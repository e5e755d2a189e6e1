"""The older names of `library`, which some packages import."""

from __future__ import annotations

from rushlight.library import custom_op, get_ctx, impl, impl_abstract

__all__ = ["custom_op", "get_ctx", "impl", "impl_abstract"]
