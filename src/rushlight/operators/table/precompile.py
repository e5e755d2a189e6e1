"""Calls for which other values of an argument need programs of their own: the first such call makes all of these.

Orders of norms, paddings and the like have a few classes, each with a program (`Definition.precompile` lists them for a
call). When the first call of an operator is compiled, the others are made on tensors like its own, so that a
new value later on waits for no compiler; their derivatives are made when the first one's is first asked for.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import engine
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.record import SAVED_HOOKS, CompiledCall
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.define import METHODS

Calls = Callable[[Operator, Sequence[Any]], list[list[Any]]]
_ORDERS = (2.5, 2.0, 1.0, math.inf, 0.0, -math.inf)  # 2.5 stands for all that have no formula of their own
# Elements of a call's tensors up to which others like them are made. A larger call computes longer than another value
# waits for the compiler, and its copies would be of a size that no call needs.
_MOST = 1 << 20


class _State(threading.local):
    making = False  # within the calls that are made here, whose own classes are being made already


_state = _State()


def orders(name: str) -> Calls:
    """The norms of other orders, for a call with an order `name` that is not the default."""

    def calls(op: Operator, values: Sequence[Any]) -> list[list[Any]]:
        k = op.index[name]
        given, default = values[k], op.params[k].default
        if given is default or type(given) not in (int, float):
            return []
        found = [v for v in _ORDERS if v != given]
        return [[*values[:k], v, *values[k + 1 :]] for v in (*found, *([default] if default is not None else []))]

    return calls


def precompile(op: Operator, values: Sequence[Any], call: CompiledCall) -> None:
    """Make the programs of a call's other classes, after its own."""
    if _state.making or SAVED_HOOKS:
        return
    others = op.definition.precompile(op, values)
    tensors = [t for v in others[0] for t in _tensors(v)] if others else []
    if not others or sum(t.numel() for t in tensors) > _MOST or any(t.device.type != "cpu" for t in tensors):
        return
    specs = [[_spec(v) for v in other] for other in others]
    _make(op, specs, False)
    if call.derivative is not None:
        call.derivative.precompile = lambda: _make(op, specs, True)


class _Spec:
    """What a tensor was: its sizes, strides, dtype, and whether it needs a gradient."""

    def __init__(self, t: Tensor) -> None:
        self.shape, self.strides, self.dtype, self.grad = tuple(t.shape), tuple(t.stride()), t.dtype, t.requires_grad

    def tensor(self) -> Tensor:
        from rushlight.operators.creation.creation import empty_strided

        t: Tensor = METHODS["zero_"](empty_strided(self.shape, self.strides, dtype=self.dtype))
        return t.requires_grad_(self.grad)


def _tensors(v: Any) -> list[Tensor]:
    return [t for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, Tensor)]


def _spec(v: Any) -> Any:
    if isinstance(v, Tensor):
        return _Spec(v)
    return [_spec(x) for x in v] if isinstance(v, (tuple, list)) and _tensors(v) else v


def _made(v: Any) -> Any:
    if isinstance(v, _Spec):
        return v.tensor()
    return [_made(x) for x in v] if isinstance(v, list) and any(isinstance(x, _Spec) for x in v) else v


def _make(op: Operator, specs: list[list[Any]], backward: bool) -> None:
    before = _core.is_grad_enabled()
    try:
        _state.making = True
        for spec in specs:
            # A refused call (the greatest of no elements) has no program. Nobody has made this call yet; whoever makes
            # it later gets its error.
            with contextlib.suppress(RuntimeError, IndexError, ValueError, ZeroDivisionError, MemoryError):
                if backward:
                    _core.set_grad_enabled_raw(True)
                _run(op, [_made(v) for v in spec], backward)
    finally:
        _state.making = False
        _core.set_grad_enabled_raw(before)


def _run(op: Operator, values: list[Any], backward: bool) -> None:
    positional = [v for v, p in zip(values, op.params, strict=True) if not p.keyword_only]
    named = {p.name: v for v, p in zip(values, op.params, strict=True) if p.keyword_only}
    y = op(*positional, **named)
    leaves = [t for v in values for t in _tensors(v) if t.requires_grad]
    tops = [t for t in _tensors(y) if t.requires_grad]
    if backward and leaves and tops:
        from rushlight.operators.creation.creation import ones_like

        engine.run_backward(tops, [ones_like(METHODS["detach"](t)) for t in tops], False, False, leaves, False)


upcalls.precompile = precompile
