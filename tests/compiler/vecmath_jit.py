"""A small harness: compile `emit(name)` into a loop over arrays, with L lanes, for the processor at hand."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.compiler import vecmath
from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm import ir, machine, objfile


def build(emit: Callable[[ir.IRBuilder, list[ir.Value]], list[ir.Value]], double: bool, lanes: int, inputs: int,
          outputs: int) -> ir.Module:  # fmt: skip
    """The IR of `void k(T** in, T** out, i64 n)`: n is a multiple of `lanes`."""
    module = ir.Module()
    element = ir.F64 if double else ir.F32
    i64 = ir.I64
    data = element if lanes == 1 else ir.vector(element, lanes)
    function = ir.Function(module, ir.VOID, [ir.PTR] * (inputs + outputs) + [i64], "k")
    b = ir.IRBuilder(function)
    body, done = function.append_basic_block("body"), function.append_basic_block("done")
    b.branch(body)
    entry = b.block
    b.position_at_end(body)
    i = b.phi(i64)
    i.add_incoming(i64(0), entry)
    size = 8 if double else 4
    loads = [b.load(b.gep(a, [i], data), data, align=size) for a in function.args[:inputs]]
    for a, value in zip(function.args[inputs:-1], emit(b, loads), strict=True):
        b.store(value, b.gep(a, [i], data), align=size)
    after = b.add(i, i64(1))
    i.add_incoming(after, b.block)
    count = b.udiv(function.args[-1], i64(lanes))
    b.cbranch(b.icmp_unsigned("<", after, count), body, done)
    b.position_at_end(done)
    b.ret_void()
    return module


class Compiled:
    """A compiled loop; `seconds` is what optimising and code generation took."""

    def __init__(self, module: ir.Module, double: bool, lanes: int, inputs: int, outputs: int) -> None:
        self.module = module
        started = time.perf_counter()
        code, entry, _ = objfile.flatten(machine.compile_object(module))
        self.seconds = time.perf_counter() - started
        address = cache.loader(code) + entry
        self.call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (inputs + outputs), ctypes.c_int64)(address)
        self.dtype = np.float64 if double else np.float32
        self.lanes, self.outputs = lanes, outputs

    def assembly(self) -> str:
        """The machine code as text."""
        return machine.assembly(self.module)

    def __call__(self, *arrays: Any) -> Any:
        arrays = tuple(np.ascontiguousarray(a, self.dtype) for a in arrays)
        n = arrays[0].size
        padded = -(-n // self.lanes) * self.lanes
        inputs = [np.concatenate([a, np.ones(padded - n, self.dtype)]) for a in arrays]
        outputs = [np.empty(padded, self.dtype) for _ in range(self.outputs)]
        self.call(*[a.ctypes.data for a in inputs + outputs], padded)
        results = [o[:n] for o in outputs]
        return results[0] if self.outputs == 1 else results


@functools.cache
def compiled(name: str, double: bool = False, lanes: int = 16) -> Compiled:
    """The loop over `vecmath.emit(name, ...)`."""
    inputs = vecmath.arity(name)
    module = build(lambda b, args: [vecmath.emit(name, b, args)], double, lanes, inputs, 1)
    return Compiled(module, double, lanes, inputs, 1)
