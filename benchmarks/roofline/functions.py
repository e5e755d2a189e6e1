"""What an elementary function costs at least: the vector instructions of its code, in operations of the roofline.

A function is written out for a group of vectors and optimised, as in a kernel, and the instructions on vectors are
counted on the way that all elements go: what a branch keeps for rare ones is left out. A processor that does two
multiply-adds at once does two of any of them, so each counts as much as one, which is two operations a lane. Divisions
and roots occupy one of the two units for longer.
"""

from __future__ import annotations

import functools
import re

from rushlight.compiler import vecmath
from rushlight.compiler.llvm import ir, machine

LANES = 16
# Operators whose elements take one of a function that is called otherwise.
WITHIN = {
    "gelu": "erf", "softmax": "exp", "log_softmax": "exp", "logsumexp": "exp", "silu": "sigmoid", "elu": "expm1",
    "__pow__": "pow", "__rpow__": "pow",
}  # fmt: skip
# In multiply-adds, of a vector of 512 and of 256 bits.
DEAR = {"fdiv": (32, 10), "@llvm.sqrt.": (40, 12)}
_FREE = ("phi", "load", "store", "bitcast", "shufflevector", "insertelement", "extractelement", "getelementptr", "br")
_TYPE = re.compile(r"<(\d+) x (i1|i8|i16|i32|i64|half|float|double)>")
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "half": 16, "float": 32, "double": 64}
_RARE = ("needed", "rare", "lane.")


def function_of(operator: str) -> str | None:
    """The function of `vecmath` that an operator computes of each of its elements, or None."""
    name = operator.removeprefix("special_").removesuffix("_")
    name = WITHIN.get(operator, name)
    return name if name in vecmath.FUNCTIONS else None


@functools.cache
def operations(name: str, dtype: str) -> float:
    """Operations of `dtype`, float32 or float64, an element of the function `name`."""
    element = ir.F64 if dtype == "float64" else ir.F32
    data = ir.vector(element, LANES)
    module = ir.Module()
    n = vecmath.arity(name)
    function = ir.Function(module, ir.VOID, [ir.PTR] * (n + 1), "k")
    b = ir.IRBuilder(function)
    given = [b.load(p, data, align=4) for p in function.args[:n]]
    b.store(vecmath.emit(name, b, given), function.args[n], align=4)
    b.ret_void()
    lanes = (512 if machine.masks() else 256) // element.width
    return 2 * lanes * _instructions(str(machine.optimised(module))) / LANES


def _instructions(text: str) -> float:
    """Instructions on whole registers, in multiply-adds, of a module's text outside of its rare blocks."""
    wide = machine.masks()
    register = 512 if wide else 256
    total, rare = 0.0, False
    for line in text.splitlines():
        if label := re.match(r"([\w.]+):", line):
            rare = label[1].startswith(_RARE)
        operation = re.match(r"\s+%\S+ = (?:tail )?(\w+)", line)
        types = _TYPE.findall(line)
        if rare or operation is None or operation[1] in _FREE or not types:
            continue
        bits = max(int(n) * _BITS[kind] for n, kind in types)
        found = next((weights for name, weights in DEAR.items() if name in line.partition("(")[0]), (1, 1))
        total += found[0 if wide else 1] * max(1.0, bits / register)
    return total
