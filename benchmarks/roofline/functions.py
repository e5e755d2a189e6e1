"""What an elementary function costs at least: the vector instructions of its code, in operations of the roofline.

A function is written out for a group of vectors and optimised, as in a kernel, and the instructions on vectors are
counted on the way that all elements go: what is for rare ones is left out, be it behind a branch or chosen at the end.
A processor that does two multiply-adds at once does two of any of them, so each counts as much as one, which is two
operations a lane. Divisions and roots occupy one of the two units for longer.
"""

from __future__ import annotations

import functools
import re

from rushlight.compiler.emit import pointwise as table
from rushlight.compiler.llvm import ir, machine
from rushlight.core import dtypes

LANES = 16
# In multiply-adds, of a vector of 512 and of 256 bits.
DEAR = {"fdiv": (32, 10), "@llvm.sqrt.": (40, 12)}
# What moves, what loads do besides, and signs, which multiply-adds take in either way.
_FREE = "phi load store bitcast shufflevector insertelement extractelement getelementptr br fneg".split()
_TYPE = re.compile(r"<(\d+) x (i1|i8|i16|i32|i64|half|float|double)>")
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "half": 16, "float": 32, "double": 64}
_RARE = ("needed", "rare", "lane.")


def has_code(name: str, kind: str) -> bool:
    """Whether the pointwise primitive is written out in a kernel for dtypes of this kind. Those that are not are sums
    of as many terms as their operands ask for.
    """
    return (name, kind) in table._LOWERINGS


@functools.cache
def operations(name: str, dtype: str, arity: int = 1) -> float:
    """Operations an element of the pointwise primitive `name`.

    Args:
        name: the primitive.
        dtype: float32, float64, or the complex dtype of such parts.
        arity: how many operands it has.
    """
    d = getattr(dtypes, dtype)
    real = d.to_real() if d.kind == "c" else d
    element, parts = ir.F64 if real.itemsize == 8 else ir.F32, 1 + (d.kind == "c")
    data = ir.vector(element, LANES)
    module = ir.Module()
    function = ir.Function(module, ir.VOID, [ir.PTR] * (arity + 1) * parts, "k")
    b = ir.IRBuilder(function)
    given = [b.load(p, data, align=4) for p in function.args[: arity * parts]]
    out = table.pointwise(b, name, [given[parts * i : parts * (i + 1)] for i in range(arity)], d, d)
    for value, place in zip(out, function.args[arity * parts :], strict=False):
        b.store(value, place, align=4)
    b.ret_void()
    lanes = (512 if machine.masks() else 256) // element.width
    return 2 * lanes * _instructions(str(machine.optimised(module))) / LANES


def _instructions(text: str) -> float:
    """Instructions on whole registers, in multiply-adds, of a module's text outside of its rare blocks."""
    wide = machine.masks()
    register = 512 if wide else 256
    lines = _lines_of_all_elements(text)
    total = 0.0
    for line in lines:
        operation = re.match(r"\s+%\S+ = (?:tail )?(\w+)", line)
        types = _TYPE.findall(line)
        if operation is None or operation[1] in _FREE or not types:
            continue
        bits = max(int(n) * _BITS[kind] for n, kind in types)
        found = next((weights for name, weights in DEAR.items() if name in line.partition("(")[0]), (1, 1))
        total += found[0 if wide else 1] * max(1.0, bits / register)
    return total


def _lines_of_all_elements(text: str) -> list[str]:
    """The instructions that values of all elements need: not those of rare blocks, and not those whose value is the
    rarer one of two that a single bit chooses between, which is how the optimiser writes a short rare block.
    """
    usual, rare = [], False
    for line in text.splitlines():
        if label := re.match(r"([\w.]+):", line):
            rare = label[1].startswith(_RARE)
        elif not rare and line.startswith(" "):
            usual.append(line)
    made = {name[1]: line for line in usual if (name := re.match(r"\s+(%\S+) = ", line))}
    wanted = [line for line in usual if not re.match(r"\s+%\S+ = ", line)]
    reached = dict.fromkeys(wanted)
    while wanted:
        line = wanted.pop()
        chosen = re.match(r".* = select i1 (%\S+), <[^>]*> %\S+, (.*)", line)
        for name in re.findall(r"%[\w.]+", f"{chosen[1]} {chosen[2]}" if chosen else line):
            if name in made and made[name] not in reached:
                reached[made[name]] = None
                wanted.append(made[name])
    return list(reached)
