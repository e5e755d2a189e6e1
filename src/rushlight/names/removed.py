"""Functions that PyTorch has taken away, and keeps as names that say what to use."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["eig", "lstsq", "matrix_rank", "solve", "symeig"]


def _gone(name: str, instead: str) -> RuntimeError:
    return RuntimeError(f"{name}(): the function was removed from PyTorch after version 1.9; use {instead}")


def eig(self: object, eigenvectors: bool = False, *, e: object = None, v: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.eig."""
    raise _gone("eig", "torch.linalg.eig(A), or torch.linalg.eigvals(A)")


def lstsq(input: object, A: object, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.lstsq, whose arguments stand the other way round."""
    raise _gone("lstsq", "torch.linalg.lstsq(A, B), whose arguments stand the other way round")


def matrix_rank(input: object, tol: object = None, symmetric: bool = False, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.matrix_rank."""
    raise _gone("matrix_rank", "torch.linalg.matrix_rank(A, tol, hermitian=symmetric)")


def solve(input: object, A: object, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.solve, whose arguments stand the other way round."""
    raise _gone("solve", "torch.linalg.solve(A, B), whose arguments stand the other way round")


def symeig(input: object, eigenvectors: bool = False, upper: bool = True, *, out: object = None) -> NoReturn:
    """Refused: RuntimeError; use linalg.eigh, whose default is the other triangle."""
    raise _gone("symeig", "torch.linalg.eigh(A, UPLO='U' if upper else 'L'), or torch.linalg.eigvalsh")
