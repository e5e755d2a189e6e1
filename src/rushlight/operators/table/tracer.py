"""Tracers: tensors that stand for the values of a program while an operator's body is read."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rushlight import prims as _prims
from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.devices import Size
from rushlight.core.flatten import default_dtype_is
from rushlight.core.held import held
from rushlight.core.tensor import Tensor
from rushlight.core.warning import noting, warn
from rushlight.program.ir import Builder, Var
from rushlight.program.sym import Int, Sym, hint

_TRACE = _core.get_keys_flag_mask()["TRACE"]


class attended:
    """Inside the block, the class's `by` is the given object; afterwards it is what it was before.

    (A trace has its lock, so there is one at a time.)
    """

    by: Any = None

    def __init__(self, by: Any) -> None:
        self.to, self.before = by, type(self).by

    def __enter__(self) -> None:
        type(self).by = self.to

    def __exit__(self, *exc: object) -> None:
        type(self).by = self.before


class watched(attended):
    """Inside, a function's own code runs on tracers, and `by` sees each of its calls: arithmetic of tensors goes
    through operators. Arithmetic with numbers of the trace is emitted directly, and reported to `by`: of each operand
    before (`by.used`), of the result after (`by.emitted`). None: nothing is reported, and all arithmetic is emitted
    directly.
    """


locks.tracing.keeps(watched, "by")


def _direct(name: str, prim: str, kinds: str, swap: bool = False) -> Callable[[Any, Any], Tracer]:
    """The method `name` of arithmetic: it emits the primitive at once where the operands are of one dtype and shape, or
    one is a number that the dtype holds. Promotion and broadcasting are left to the operator.
    """
    general: Callable[[Any, Any], Tracer] = getattr(Tensor, f"__{name}__")

    def method(self: Tracer, other: Any) -> Tracer:
        by = watched.by
        if by is not None:
            if not self.number and (isinstance(other, (int, float, complex)) or _is_tensor(other)):
                return general(self, other)
            by.used(self)
            if isinstance(other, Tracer):
                by.used(other)
        x: Var | None = self.var
        y = _beside(self, other, kinds)
        if y is None and isinstance(other, Tracer):
            x, y = _beside(other, self, kinds), other.var
        if x is None or y is None:
            return general(self, other)
        emit = getattr(_prims, prim)
        made = tracer(emit(y, x) if swap else emit(x, y))
        return made if by is None else by.emitted(made)

    return method


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tracer) and not x.number


def _beside(x: Tracer, y: Any, kinds: str) -> Var | None:
    """y as a value of x's dtype and shape, where it is one or is a number; None where that takes more."""
    v = x.var
    kind = v.dtype.kind
    if x.number or kind not in kinds:
        return None
    if not isinstance(y, Tracer):
        held = isinstance(y, _HELD[kind]) and type(y) is not bool
        return _prims.full_like(v, y) if held else None
    w = y.var
    if not y.number:
        return w if v.dtype is w.dtype and len(v.shape) == len(w.shape) and v.shape == w.shape else None
    return filled(y, x).var if w.dtype.kind in {"f": "iuf", "c": "iufc"}.get(kind, "") else None


# By the kind of a tensor's dtype, the classes of numbers with which the tensor keeps its dtype.
_HELD: dict[str, tuple[type, ...]] = {
    "b": (),
    "u": (int,),
    "i": (int,),
    "f": (int, float, Sym),
    "c": (int, float, complex, Sym),
}


class Tracer(Tensor):
    """A value of the program being traced; `number` marks a Python number given at launch (it promotes weakly)."""

    _dispatch_keys = _TRACE
    var: Var
    number: bool
    below_zero = False  # an int of a parameter `by_sign`
    given: tuple[Any, int, list[Any]] | None = None  # of a number: value, place among the call's, comparisons so far

    @property
    def shape(self) -> Size:  # not by the core's way round: bodies ask for it all the time
        return tuple.__new__(Size, self.var.shape)

    def _special_shape(self) -> tuple[Int, ...]:
        return self.var.shape

    def _special_stride(self) -> tuple[Int, ...]:
        strides: list[Int] = []
        step: Int = 1
        for s in reversed(self.var.shape):
            strides.append(step)
            step = step * s
        return tuple(reversed(strides))

    def _special_item(self) -> Any:
        raise RuntimeError(
            "item(): a value that is being traced has no number yet; what needs data to decide cannot be traced: "
            "choose elements by where(), or decide outside"
        )

    _special_tolist = _special_item

    def __repr__(self) -> str:
        return f"Tracer({self.var})"

    __add__, __radd__ = _direct("add", "add", "iufc"), _direct("radd", "add", "iufc", swap=True)
    __sub__, __rsub__ = _direct("sub", "sub", "iufc"), _direct("rsub", "sub", "iufc", swap=True)
    __mul__, __rmul__ = _direct("mul", "mul", "iufc"), _direct("rmul", "mul", "iufc", swap=True)
    __truediv__, __rtruediv__ = _direct("truediv", "div", "fc"), _direct("rtruediv", "div", "fc", swap=True)
    __and__, __or__, __xor__ = _direct("and", "and_", "biu"), _direct("or", "or_", "biu"), _direct("xor", "xor", "biu")
    __lt__, __le__ = _direct("lt", "lt", "buif"), _direct("le", "le", "buif")
    __gt__, __ge__ = _direct("gt", "gt", "buif"), _direct("ge", "ge", "buif")
    __eq__, __ne__ = _direct("eq", "eq", "buifc"), _direct("ne", "ne", "buifc")
    __hash__ = Tensor.__hash__  # (a class with an __eq__ has no other)

    def __neg__(self) -> Tensor:
        direct = not self.number and self.var.dtype.kind != "b" and watched.by is None
        return tracer(_prims.neg(self.var)) if direct else Tensor.__neg__(self)


def tracer(var: Var, number: bool = False) -> Tracer:
    """The tensor that stands for `var`."""
    t = Tracer.__new__(Tracer)
    t.var, t.number = var, number
    _raw.set_keys(t, _TRACE, var.dtype)
    return t


def _of_numbers(name: str, python: Callable[[Any, Any], Any], turned: bool = False) -> Callable[[Any, Any], Any]:
    """The method of arithmetic of a RealNumber that emits the primitive `name`."""
    return lambda self, other: self._with(name, other, python, turned)


def _decided(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: self._is(op, other)


class RealNumber(Tracer):
    """A real number that is given at launch, in the place of one: arithmetic with numbers is that of Python's floats,
    at launch.

    A comparison with a number, or with another one of the call, is answered by the call that is traced, and recorded:
    the program is valid for all numbers of which each has the same answer. `float()` of one, and whatever needs its
    value, pins the program to it.
    """

    value: float
    place: int | None  # which number of the call it is; None for one that was computed from numbers
    found: list[tuple[int, str, float, int, bool]]

    @classmethod
    def of(
        cls, var: Var, value: float, place: int | None, found: list[tuple[int, str, float, int, bool]]
    ) -> RealNumber:
        t = cls.__new__(cls)
        t.var, t.number, t.value, t.place, t.found = var, True, value, place, found
        if place is not None:
            t.given = value, place, found
        _raw.set_keys(t, _TRACE, var.dtype)
        return t

    def _with(self, name: str, other: Any, python: Callable[[Any, Any], Any], turned: bool) -> Any:
        if isinstance(other, Tracer) and not isinstance(other, RealNumber):
            return NotImplemented
        if not isinstance(other, (int, float, RealNumber)):
            return NotImplemented
        a, b = (other, self) if turned else (self, other)
        x, y = (v.value if isinstance(v, RealNumber) else float(v) for v in (a, b))
        try:
            value = python(x, y)
        except (ZeroDivisionError, OverflowError):
            if name == "div" and y == 0:
                float(b)  # raises Python's error for this number
                raise
            value = float("nan")
        return type(self).of(
            getattr(_prims, name)(convert(a, dt.float64).var, convert(b, dt.float64).var), value, None, self.found
        )

    __add__, __radd__ = _of_numbers("add", operator.add), _of_numbers("add", operator.add, turned=True)
    __sub__, __rsub__ = _of_numbers("sub", operator.sub), _of_numbers("sub", operator.sub, turned=True)
    __mul__, __rmul__ = _of_numbers("mul", operator.mul), _of_numbers("mul", operator.mul, turned=True)
    __truediv__, __rtruediv__ = (
        _of_numbers("div", operator.truediv),
        _of_numbers("div", operator.truediv, turned=True),
    )

    def __pow__(self, other: Any) -> Any:
        return self * self if other == 2 else self._with("pow", other, operator.pow, False)

    def __neg__(self) -> RealNumber:
        return type(self).of(_prims.neg(self.var), -self.value, None, self.found)

    def _is(self, op: str, other: Any) -> Any:
        if isinstance(other, Tracer) and not isinstance(other, RealNumber):
            return NotImplemented  # a program's value can't decide anything here: it does the comparison itself
        x, y = self.value, other.value if isinstance(other, RealNumber) else other
        answer = {"==": x == y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "is": True}[op]
        places = (self.place, other.place if isinstance(other, RealNumber) else -1)
        if places[0] is None or places[1] is None:
            raise TypeError(
                "a traced operator compares what it has computed of a number; only the number itself can be compared"
            )
        fact = (places[0], op, 0.0 if places[1] >= 0 else float(y), places[1], answer)
        if fact not in self.found:
            self.found.append(fact)
        return answer

    def __eq__(self, other: object) -> Any:
        return self._is("==", other) if isinstance(other, (int, float, Tracer)) else False

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __lt__, __le__ = _decided("<"), _decided("<=")
    __gt__, __ge__ = _decided(">"), _decided(">=")  # (of NaN neither > nor <= holds)

    def __bool__(self) -> bool:
        return not self._is("==", 0.0)

    __hash__ = Tracer.__hash__

    def __float__(self) -> float:
        self._is("is", self.value)  # the same bits: NaN equals nothing, and -0.0 equals 0.0
        return float(self.value)  # (an int is a number as well)

    def __int__(self) -> int:
        return int(float(self))

    def __repr__(self) -> str:
        return repr(self.value)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)


def pinned(x: Any) -> Any:
    """The value in this call of a number given at launch, to which this pins the program; anything else as it is."""
    if not isinstance(x, RealNumber):
        return x
    float(x)
    return x.value


def like_number(x: Tracer, var: Var) -> Tracer:
    """A tracer for `var` that stands for the same number of the call as `x` does, if it does."""
    return RealNumber.of(var, x.value, x.place, x.found) if isinstance(x, RealNumber) else tracer(var, x.number)


def var_of(x: Any) -> Var:
    """The program value of a tracer, or a constant for a Python number."""
    if isinstance(x, Tracer):
        return x.var
    if isinstance(x, Var):
        return x
    if isinstance(x, Sym):
        return _prims.constant(value=x, dtype=dt.int64)
    if isinstance(x, (int, float, complex)):
        return _prims.constant(value=x, dtype=dt.dtype_of_number(x, dt.float64))
    raise TypeError(f"a traced operator must be given values of the program; found a {type(x).__name__}")


class _Lifted:
    """The primitives as functions of tracers: `P.exp(x)`, `P.reduce_sum(x, dims=(0,))`."""

    # the primitives of several results
    attention: Callable[..., tuple[Tracer, ...]]
    attention_grad: Callable[..., tuple[Tracer, ...]]
    boxes_keep: Callable[..., tuple[Tracer, ...]]
    cholesky: Callable[..., tuple[Tracer, ...]]
    custom_call: Callable[..., tuple[Tracer, ...]]
    eig: Callable[..., tuple[Tracer, ...]]
    eigh: Callable[..., tuple[Tracer, ...]]
    geqrf: Callable[..., tuple[Tracer, ...]]
    ldl: Callable[..., tuple[Tracer, ...]]
    lstsq: Callable[..., tuple[Tracer, ...]]
    lu: Callable[..., tuple[Tracer, ...]]
    phase_check: Callable[..., tuple[Tracer, ...]]
    phases: Callable[..., tuple[Tracer, ...]]
    qr: Callable[..., tuple[Tracer, ...]]
    recurrence: Callable[..., tuple[Tracer, ...]]
    region_largest: Callable[..., tuple[Tracer, ...]]
    sort: Callable[..., tuple[Tracer, ...]]
    svd: Callable[..., tuple[Tracer, ...]]

    def __getattr__(self, name: str) -> Callable[..., Tracer]:
        # Looked up by the first call: tables of operators may mention primitives without loading them.
        prim, pointwise, first = None, False, int(name == "select")

        def call(*inputs: Any, **params: Any) -> Any:
            nonlocal prim, pointwise
            if prim is None:
                prim = getattr(_prims, name)
                pointwise = prim.kind == "pointwise"
            operands = _alike(inputs, first) if pointwise else [var_of(x) for x in inputs]
            out = prim(*operands, **params)
            return tuple(tracer(v) for v in out) if isinstance(out, (tuple, list)) else tracer(out)

        call.__name__ = name
        vars(call)["in_words"] = "primitive", name  # (kept.py: what it closes over changes at its first call)
        setattr(self, name, call)
        return call


def _alike(inputs: Sequence[Any], first: int) -> list[Any]:
    """The operands of a pointwise primitive: numbers given at launch, from operand `first` on, become values of the
    shape and dtype of the others. (The primitive itself does so with Python's numbers.)
    """
    for number in inputs[first:]:
        if isinstance(number, Tracer) and number.number:
            beside = [x for x in inputs[first:] if isinstance(x, Tracer) and not x.number]
            if beside:
                given = [filled(x, beside[-1]) if isinstance(x, Tracer) and x.number else x for x in inputs[first:]]
                inputs = (*inputs[:first], *given)
            break
    return [x.var if isinstance(x, Tracer) else x for x in inputs]


P = _Lifted()


# ---------------------------------------------------------------------------------------------- promotion, broadcasting
def is_number(x: Any) -> bool:
    """Whether an operand promotes weakly: a Python number, or the tracer of one."""
    return isinstance(x, (bool, int, float, complex, Sym)) or (isinstance(x, Tracer) and x.number)


def dtype_of(x: Any) -> dt.dtype:
    """The dtype of a tensor or number (numbers: bool, int64, the default float dtype, its complex counterpart)."""
    if isinstance(x, Tensor):
        if isinstance(x, Tracer) and x.number:
            kind = x.var.dtype.kind
            return {
                "b": dt.bool_,
                "i": dt.int64,
                "u": dt.int64,
                "f": default_dtype(),
                "c": default_dtype().to_complex(),
            }[kind]
        return x.dtype
    if isinstance(x, Sym):
        return dt.int64
    return dt.dtype_of_number(x, default_dtype())


def default_dtype() -> dt.dtype:
    """The dtype of floating point results that no tensor decides."""
    return dt.default[0]


def set_default(d: dt.dtype) -> None:
    """Set the default floating point dtype."""
    dt.default[0] = d
    default_dtype_is(d)


class with_default(locks.Block[None]):
    """A block in which this is the default floating point dtype."""

    def __init__(self, d: dt.dtype) -> None:
        self.dtype = d

    def _before_(self) -> dt.dtype:
        return default_dtype()

    def _begin_(self) -> None:
        set_default(self.dtype)

    def _end_(self, before: dt.dtype) -> None:
        set_default(before)


def wide_numbers() -> AbstractContextManager[None]:
    """Inside, arithmetic among numbers alone keeps their full precision (float64) in the trace in progress, as in
    Python.
    """
    return held(Builder.current(), "wide_numbers", True)


_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def result_type(*operands: Any) -> dt.dtype:
    """PyTorch's type promotion: tensors with dimensions decide, then 0-d tensors, then numbers, each only by a higher
    category.
    """
    best: list[dt.dtype | None] = [None, None, None]
    for x in operands:
        if isinstance(x, Tracer) and not x.number:
            level, d = int(not x.var.shape), x.var.dtype
        else:
            level, d = 2 if is_number(x) else (0 if isinstance(x, Tensor) and x.ndim else 1), dtype_of(x)
        have = best[level]
        best[level] = d if have is None else dt.promote_types(have, d)
    if best[0] is None and best[1] is None and Builder.active() and Builder.current().wide_numbers:
        return max(
            (
                x.var.dtype
                if isinstance(x, Tracer)
                else {bool: dt.bool_, int: dt.int64, float: dt.float64, complex: dt.complex128}[type(x)]
                for x in operands
            ),
            key=lambda d: _CATEGORY[d.kind],
        )
    current: dt.dtype | None = None
    for found in best:
        if found is None:
            continue
        if current is None:
            current = found
        elif _CATEGORY[found.kind] > _CATEGORY[current.kind]:
            current = combine(current, found)
    assert current is not None
    return current


def combine(strong: dt.dtype, weak: dt.dtype) -> dt.dtype:
    """The dtype when `weak` is of a higher category: its category, in the width that `strong` asks for."""
    if weak.kind == "c" and strong.kind == "f":
        return strong.to_complex()
    return weak


def broadcast_shapes(*shapes: Iterable[Int]) -> tuple[Int, ...]:
    """The common shape by broadcasting; RuntimeError when there is none."""
    lists = [tuple(s) for s in shapes]
    if len(lists) == 1:
        return lists[0]
    n = max(map(len, lists), default=0)
    out: list[Int] = []
    for d in range(n):
        size: Int = 1
        for s in lists:
            i = d - (n - len(s))
            if i < 0:
                continue
            x = s[i]
            if x is size or isinstance(x, int) and x == 1:
                continue
            if isinstance(size, int) and size == 1:
                size = x
            elif size != x and not (x == 1):
                if size == 1:
                    size = x
                    continue
                raise RuntimeError(
                    f"sizes that differ must be 1 in one of the tensors; found {hint(size)} and {hint(x)} in "
                    f"dimension {d} of the broadcast "
                    "shape"
                )
        out.append(size)
    return tuple(out)


def expand_to(x: Any, shape: tuple[Int, ...]) -> Tracer:
    """Broadcast a tracer (or number) to `shape`."""
    v = x.var if isinstance(x, Tracer) else var_of(x)
    if v.shape is shape or (
        len(v.shape) == len(shape)
        and all(a is b or (type(a) is type(b) is int and a == b) for a, b in zip(v.shape, shape))
    ):
        return x if isinstance(x, Tracer) else tracer(v)
    first = len(shape) - len(v.shape)
    return tracer(_prims.broadcast_in_dim(v, shape=shape, dims=tuple(range(first, len(shape)))))


def convert(x: Any, dtype: dt.dtype) -> Tracer:
    """Cast a tracer or number to `dtype`."""
    if isinstance(x, Tracer) and x.var.dtype is dtype:
        return tracer(x.var)
    if isinstance(x, (bool, int, float, complex)):
        if dtype.kind == "b":
            x = bool(x)
        elif dtype.kind in "iu" and not isinstance(x, complex):
            x = int(x)
        elif dtype.kind == "f" and not isinstance(x, complex):
            x = float(x)
        elif dtype.kind == "c":
            x = complex(x)
        return tracer(_prims.constant(value=x, dtype=dtype))
    v = var_of(x)
    if v.dtype.kind == "c" and dtype.kind not in "cb" and noting() and all(n != 0 for n in v.shape):
        warn("a complex tensor becomes a real one: its imaginary part is lost", once="complex to real")
    return tracer(v) if v.dtype is dtype else tracer(_prims.convert(v, dtype=dtype))


def constant(value: Any, shape: Iterable[Int], dtype: dt.dtype) -> Tracer:
    """A number or size as a value of the given shape and dtype."""
    return P.broadcast_in_dim(convert(value, dtype), shape=tuple(shape), dims=())


def filled(value: Any, x: Tensor) -> Tracer:
    """A number or size as a value of x's shape and dtype."""
    return constant(value, x.var.shape, x.dtype)


def align_beside(d: dt.dtype, *operands: Any, wide: Iterable[int]) -> list[Tracer]:
    """Operands in the dtype d and a common shape. Where an operand in places `wide` is a number, or the second is a 0-d
    tensor beside one with dimensions, they are in the wider dtype of d's arithmetic: a half type would round that
    operand first, which PyTorch's products and quotients do not.
    """
    rank = max((x.ndim for x in operands if isinstance(x, Tensor)), default=0)
    alone = [i for i in wide if is_number(operands[i]) or (i == 1 and operands[i].ndim == 0 and rank)]
    if d.compute is d or not alone:
        return align(*operands, dtype=d)
    return align(*[x if i in alone else convert(x, d) for i, x in enumerate(operands)], dtype=d.compute)


def align(*operands: Any, dtype: dt.dtype | None = None) -> list[Tracer]:
    """Promote (or cast to `dtype`) and broadcast operands to a common dtype and shape."""
    d = result_type(*operands) if dtype is None else dtype
    shape = broadcast_shapes(
        *[x.var.shape if isinstance(x, Tracer) else x.shape for x in operands if isinstance(x, Tensor)]
    )
    return [expand_to(convert(x, d), shape) for x in operands]
