"""The machine code of a package: which variants of its kernels it may be asked for, made for each processor.

Variants depend on sizes and strides. Those that the plan asks for are found by running it, on sizes at the ends of
their ranges and between; beside these each kernel of a program whose sizes vary has its *general* variants, whose
operands may have any stride, so that there is code for all sizes. The bits are the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rushlight.compiler.kernels import called
from rushlight.compiler.kernels.kernel import Code, Kernel
from rushlight.compiler.llvm import machine
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.plan import Library, Plan
from rushlight.compiler.products import kernels
from rushlight.compiler.routines import fourier
from rushlight.compiler.written import calls_of
from rushlight.packaging._processors import processor_of

__all__ = ["Asked", "code_for", "fields_of", "general", "split_too"]

Key = tuple[int, int, str, str]  # kept and reduced dims, mode, classes of operands


def fields_of(kernel: Kernel) -> dict[str, Any]:
    """What the core asks of a kernel, besides its variants."""
    return {name: value for name, value in vars(kernel).items() if name[0] != "_" and name != "loops"}


class Asked:
    """A kernel that notes which variants it is asked for."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.keys: dict[Key, None] = {}
        vars(self).update(fields_of(kernel))

    def variant(self, K: int, R: int, mode: str, classes: bytes) -> Code:
        """The kernel's."""
        self.keys[K, R, mode, classes.decode("ascii")] = None
        return self.kernel.variant(K, R, mode, classes)


def split_too(keys: Iterable[Key], split: bool, wide: bool) -> list[Key]:
    """The variants, and those that take their places where more threads, or fewer, share a long reduction."""
    found: dict[Key, None] = {}
    for K, R, mode, classes in keys:
        whole = {"part": "row", "colpart": "col"}.get(mode, mode)
        part = {"row": "part", "col": "colpart" if wide else None}.get(whole)
        found[K, R, whole, classes] = None
        if split and R and part is not None:
            found[K, R, part, classes] = None
            found[K, R, "final", "s" * len(classes)] = None
    return list(found)


def general(kernel: Kernel, kept: int, reduced: int) -> Iterator[Key]:
    """The variants of a kernel for operands of any stride, where launches have at most so many dimensions. (Equal nests
    are one kernel, whatever their ranks.)
    """
    kept = max(kept, 1)
    ranks = range(1, kept + 1) if kernel.coalesce else range(kept, kept + 1)
    rows = range(1, reduced + 1) if kernel.coalesce else range(reduced, reduced + 1)
    any_stride = "s" * kernel.n_operands
    for K, R in itertools.product(ranks, rows if reduced else (0,)):
        yield K, R, "col", any_stride
        if R and not kernel.in_sequence:
            yield K, R, "row", any_stride
        if not R and kernel.coalesce and K > 1:
            yield K, R, "tile", any_stride


_ATTENTION = ("attention", "attention_grad")


def made_texts(plan: Plan, code_path: str, codelets: Sequence[str]) -> dict[str, Made]:
    """The code of the kernels that routines of a plan run, by their names in the cache, for the target in force."""
    found = {text: fourier.made_codelet(text) for text in codelets}
    for call in calls_of(plan):
        found |= _made_for(call, code_path)
    return found


def _made_for(call: Library, code_path: str) -> dict[str, Made]:
    dtype = call.args[0].dtype.name
    if call.name == "dot":
        return kernels.made_for_products(dtype, code_path, convolutions=False)
    if call.name.startswith("conv"):
        both = ("float32", "float64")  # what convolutions of other dtypes are made in
        found: dict[str, Made] = {}
        for name in dict.fromkeys((*both, dtype)):
            found |= kernels.made_for_products(name, code_path, convolutions=True)
        return found
    if call.name in _ATTENTION:
        wide = "float64" if dtype == "float64" else "float32"
        masks = {None, *(a.dtype.name for a in call.args[: call.n_in] if a.dtype.name in ("bool", dtype, wide))}
        found = kernels.made_for_products(dtype, code_path, convolutions=False)
        found |= kernels.made_for_products(wide, code_path, convolutions=False)
        for mask in masks:
            found |= kernels.made_for_attention(dtype, mask, call.name == "attention_grad", code_path)
        return found
    return {}


def code_for(
    name: str, plan: Plan, asked: Sequence[Asked], wanted: Sequence[Sequence[Key]], codelets: Sequence[str]
) -> dict[str, Any]:
    """All code for a processor: {"name", "flags", "code_path", "variants", "functions", "texts"}; code as `Made`."""
    processor, target = processor_of(name)
    with machine.made_for(target):
        variants = [[(*key, *a.kernel.made(*key)) for key in keys] for a, keys in zip(asked, wanted, strict=True)]
        texts = made_texts(plan, processor.code_path, codelets)
        functions: dict[str, Made] = {}
        left = [c for row in variants for (*_, made, _) in row for _, c in made.calls]
        left += [c for made in texts.values() for _, c in made.calls]
        while left:
            function = left.pop()
            if function not in functions:
                functions[function] = called.made(function)
                left += [c for _, c in functions[function].calls]
    return {
        "name": processor.name,
        "flags": sorted(processor.flags),
        "code_path": processor.code_path,
        "variants": variants,
        "functions": functions,
        "texts": texts,
    }
