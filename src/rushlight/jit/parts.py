"""Writes to pending results: each is noted as the same call out of place, for whose result the tensor stands from then
on.

A write to a view, or to some of the elements, gives a whole tensor in which that part is new. One operator is made for
each call that writes and each way from a tensor to its view (`Through`): it takes the part out, computes what is
written, and puts that in its place, as primitives that a kernel makes without a copy. Where calls are made one by one,
that one is the call in place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import prims
from rushlight.core import dtypes as dt
from rushlight.core import engine, locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.errors import is_of_library
from rushlight.core.flatten import Kind, Param
from rushlight.core.tape import Place, Tape
from rushlight.core.tensor import Tensor
from rushlight.jit.calls import DETACH, LAST_USES, MAKERS, ONE_BY_ONE, kept_by, results_of, supplied
from rushlight.operators.table import define
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import Tracer, constant, tracer
from rushlight.prims.base import literally, zeros_like
from rushlight.prims.emit import trace
from rushlight.program.ir import Eqn, Var
from rushlight.program.sym import same

__all__ = ["Rewriter"]

_CLONE = define.METHODS["clone"]
_PENDING = _core.get_keys_flag_mask()["PENDING"]
_MOST = 8  # writes to parts of one tensor: a kernel that makes them all looks at each of them for every element
_OVERWRITE = frozenset(("copy", "fill"))  # calls whose result does not depend on what is written to
_MOST_PARAMETERS = 20  # of an operator
_NODE = "torch::autograd::CopySlices"
_ONE_TO_ONE = frozenset(("slice", "reshape", "permute", "diagonal"))  # primitives that show each element once

_View = tuple[Operator, int | None]  # an operator, and which of its results


class Through:
    """An operator that gives a tensor after a write to a view of it.

    Args:
        pure: the call that writes, out of place.
        views: those that lead to the view.
    """

    def __init__(self, pure: Operator, views: tuple[_View, ...]) -> None:
        self.pure, self.views = pure, views
        params = [Param("input", Kind.P_TENSOR)]
        for i, op in enumerate([*[op for op, _ in views], pure]):
            params += [
                Param(f"{p.name}{i}", p.kind, None, True, True, specialize=p.specialize, by_sign=p.by_sign)
                for p in op.params[1:]
            ]
        name = f"{pure.name}_through"
        kind = "pointwise" if pure.definition.shape_class == "pointwise" else "other"
        found = Definition(name, self.body, None, kind, _NODE, memory_format="kept", runs_once=True, of_calls=True)
        self.op: Operator = Operator(name, params, found)
        twin = define.IN_PLACE[pure]
        where = Definition(name, self.in_place, None, "internal")
        ONE_BY_ONE[self.op] = Operator(name, params, where, eager=lambda *given: self.in_place(twin, False, *given))
        if pure.name in _OVERWRITE:
            LAST_USES[self.op] = Operator(name, params, where, eager=lambda *given: self.in_place(twin, True, *given))

    def in_words(self, word: Callable[[Any], Any]) -> Any:
        """All that the body depends on, each of it in words (operators/table/kept.py)."""
        return word(self.pure), [(word(op), which) for op, which in self.views]

    def seen(self, x: Any, given: list[Any], call: Callable[[Operator, list[Any]], Any]) -> Any:
        """The view of a tensor. given: the arguments, from which those of the views are taken."""
        for op, which in self.views:
            n = len(op.params) - 1
            x = call(op, [x, *given[:n]])
            x = x if which is None else x[which]
            del given[:n]
        return x

    def body(self, input: Tracer, *given: Any) -> Tracer:
        """The tensor after the write."""

        def view(x: Var) -> Var:
            found: Tracer = self.seen(tracer(x), list(given), lambda op, values: _dispatch.inline(op, values, None))
            return found.var

        way = _Way(view, input.var)
        inside, outside = way.apart(input.var)
        rest = given[sum(len(op.params) - 1 for op, _ in self.views) :]
        new = _dispatch.inline(self.pure, [tracer(inside), *rest], None)
        return tracer(way.joined(outside, new.var))

    def in_place(self, twin: Operator, last: bool, input: Tensor, *given: Any) -> Tensor:
        """The write itself, to a copy that has the input's place in the graph: a call that was interrupted is made
        again. last: no later call takes the input, and what is written does not depend on what was there, so the
        input's own memory is written where nothing else, such as a graph or a view, refers to it.
        """
        rest = list(given)
        if last and _raw.has_own_memory(input):
            own = input
        else:
            own = _CLONE(DETACH(input))
            if input.grad_fn is not None:
                engine.set_history(own, input.grad_fn, input.output_nr)

        def call(op: Operator, values: list[Any]) -> Any:
            args, kwargs = _dispatch.arguments(op, values)
            return op(*args, **kwargs)

        call(twin, [self.seen(own, rest, call), *rest])
        return own


class _Way:
    """The way from a value to a part of it.

    Args:
        view: makes the part of the value.
        base: the value.

    Raises:
        RuntimeError: the view shows an element more than once, or makes others of them.
    """

    def __init__(self, view: Callable[[Var], Var], base: Var) -> None:
        # (Of an operand of which nothing else is known: a part of a constant is made in another way.)
        program = trace(view, [base])
        self.way: list[Eqn] = []
        part = program.outputs[0]
        while part is not program.inputs[0]:
            e = part.eqn
            if e is None or e.prim.name not in _ONE_TO_ONE:
                raise RuntimeError(f"a view by {'nothing' if e is None else e.prim.name} is no part of a tensor")
            self.way.append(e)
            part = e.inputs[0]

    def seen(self, x: Var) -> tuple[Var, Var]:
        """The part of a value, and the value."""
        part = x
        for e in reversed(self.way):
            part = e.prim(part, **e.params)
        return part, x

    def joined(self, outside: Var, inside: Var) -> Var:
        """A value with another one in the place of the part."""
        where: Tracer | None = None  # the elements that belong to the part; None: all
        for e in self.way:
            if where is not None:
                where = tracer(_placed(where.var, e))
            within = _within(e)
            where = within if where is None else where if within is None else where & within
            inside = _placed(inside, e)
        return inside if where is None else prims.select(where.var, inside, outside)

    def apart(self, x: Var) -> tuple[Var, Var]:
        """The part of a value, and the value, of which only what is around the part is used. (The gradients of both
        are put together without a sum, which would make 0.0 of -0.0.)
        """

        def tangents(
            inputs: Sequence[Var], outputs: Sequence[Var], given: Sequence[Var | None]
        ) -> tuple[Var | None, ...]:
            return (None, None) if given[0] is None else self.apart(given[0])

        def cotangent(inputs: Sequence[Any], given: Sequence[Var | None]) -> tuple[Var | None]:
            inside, outside = given
            if inside is None:
                return (outside,)
            return (self.joined(zeros_like(x) if outside is None else outside, inside),)

        found: Any = prims.custom_call(x, body=self.seen, jvp=tangents, name="part", transpose=cotangent)
        return found[0], found[1]


def _placed(part: Var, e: Eqn) -> Var:
    """What a view shows, in the place where it lies; anything stands around it."""
    x = e.inputs[0]
    if e.prim.name == "reshape":
        return prims.reshape(part, shape=x.shape)
    if e.prim.name == "permute":
        perm = e.params["perm"]
        return prims.permute(part, perm=tuple([perm.index(d) for d in range(len(perm))]))
    like, params = constant(0, x.shape, part.dtype).var, e.params
    if e.prim.name == "diagonal":
        return _transposed(part, e, like, params)
    # One element stands everywhere along its dimension: that is read faster than what has other elements around it.
    one = [literally(n, 1) for n in params["sizes"]]
    like = constant(0, tuple([1 if o else n for o, n in zip(one, x.shape, strict=True)]), part.dtype).var
    starts = tuple([0 if o else s for o, s in zip(one, params["starts"], strict=True)])
    steps = tuple([1 if o else s for o, s in zip(one, params["steps"], strict=True)])
    part = _transposed(part, e, like, {**params, "starts": starts, "steps": steps})
    return prims.broadcast_in_dim(part, shape=x.shape, dims=tuple(range(x.ndim)))


def _transposed(part: Var, e: Eqn, like: Var, params: dict[str, Any]) -> Var:
    (found,) = e.prim.transpose((part,), (like,), **params)
    assert found is not None
    return found


def _within(e: Eqn) -> Tracer | None:
    """Which elements a view shows; None: all."""
    x = e.inputs[0]
    if e.prim.name in ("reshape", "permute"):
        return None
    if e.prim.name == "diagonal" or any(not literally(s, 1) for s in e.params["steps"]):
        like, truth = (constant(v, y.shape, dt.bool_).var for v, y in ((False, x), (True, e.outputs[0])))
        return tracer(_transposed(truth, e, like, e.params))
    found: Tracer | None = None
    for d, (start, size) in enumerate(zip(e.params["starts"], e.params["sizes"], strict=True)):
        if same(size, x.shape[d]):
            continue
        at = prims.iota(shape=x.shape, dim=d, dtype=dt.int64)
        first, last = (constant(n, x.shape, dt.int64).var for n in (start, start + size - 1))
        if literally(size, 1):
            within = [prims.eq(at, first)]
        else:
            within = [prims.ge(at, first), prims.le(at, last)]
        for w in within:
            found = tracer(w) if found is None else found & tracer(w)
    return found


_made: dict[tuple[Operator, tuple[_View, ...]], Operator] = {}


def _through(pure: Operator, views: tuple[_View, ...]) -> Operator | None:
    """The operator of a write to a view; None where there is none."""
    key = pure, views
    if key not in _made:
        others = [p for op in (*[op for op, _ in views], pure) for p in op.params[1:]]
        if pure not in define.IN_PLACE or len(others) >= _MOST_PARAMETERS or any(p.like >= 0 for p in others):
            return None
        _made[key] = Through(pure, views).op
    return _made[key]


def _shown_by(place: Place) -> int:
    """The number of what the results of a view are views of."""
    assert place.view is not None
    return place.view[0]


def _shown(v: Any, wants: Callable[[Tensor], bool]) -> Any:
    """An argument with meta tensors in the place of tensors."""
    if isinstance(v, Tensor):
        return _raw.empty_meta(v.dtype, tuple(v.shape)).requires_grad_(wants(v) and v.dtype.kind in "fc")
    return type(v)([_shown(x, wants) for x in v]) if type(v) in (list, tuple) else v


class Rewriter(Tape, _dispatch.CallMode):
    """A tape whose pending results can be written to."""

    def __init__(self, roots: dict[Any, Place]) -> None:
        self._based: dict[int, int] = {}  # the pending views: the number of the value that each lies on
        self._looked: Place | None = None  # the place up to which `_based` is filled
        self._parts: dict[int, int] = {}  # how many writes to parts of it a pending result has taken in
        self.lock = threading.RLock()
        super().__init__(roots)

    def clear(self) -> None:
        """Forget all."""
        self._based, self._looked, self._parts = {}, None, {}
        super().clear()

    @property
    def path(self) -> list[Place]:
        """The places of the tree from the first call to the last."""
        return [] if self.place is None else self.place.path()

    def keeps(self, numbers: set[int]) -> bool:
        """Whether the graph keeps one of these values for a backward, where a write to it would be an error."""
        return not self.ended and any(not numbers.isdisjoint(p.kept) for p in self.path)

    def aliases(self) -> dict[int, int]:
        """For each pending view the number of the value that it lies on."""
        at, fresh = self.place, []
        while at is not None and at is not self._looked:
            fresh.append(at)
            at = at.before
        self._looked = self.place
        for p in reversed(fresh):
            if p.view is not None:
                self._based.update(dict.fromkeys(results_of(p.call), self._based.get(p.view[0], p.view[0])))
        return self._based

    def on_meta(self, op: Operator, shown: list[Any]) -> Any:
        """The result of a call for meta tensors; None where it raises: the call itself will raise the error again."""
        args, kwargs = _dispatch.arguments(op, shown)
        try:
            with locks.left(self):
                return op(*args, **kwargs)
        except Exception as error:
            if not is_of_library(error):
                raise
            return None

    def rewritten(self, pure: Operator, values: list[Any]) -> bool:
        """Let a pending result that is written to stand for the result of a call out of place, where no graph keeps
        either, and where the tensors that lie on the same memory can follow. False: the call must be made.
        """
        t = values[0]
        based, own = self.aliases(), self.slot(t)
        root = based.get(own, own)
        lying = {root, *[k for k, base in based.items() if base == root]}
        held = [k for k in lying if k not in (root, own) and self.is_held(k)]
        others = _dispatch.tensors_in(values[1:])
        if self.keeps(lying) or any(x._keys_ & _PENDING and x.dtype.kind in "iu" for x in (t, *others)):
            return False
        if any(x is not t and self.holds(x) and self.slot(x) in lying for x in others):
            return False
        base, count = self.values[root], self._parts.get(root, 0)
        grad = _core.is_grad_enabled() and not self.ended and any(x.requires_grad for x in (base, *others))
        path = self._path_to(own)
        if grad and (held or any(which is not None or op is DETACH for op, which, _ in path)):
            return False  # (eager mode refuses these writes, or gives the views another place in the graph)
        op, given = pure, values
        if own != root:
            ways = [(op, which) for op, which, _ in path if op is not DETACH]
            # (A product has memory in any case: the write itself is less work than a copy.)
            many = count >= _MOST or self._place_of(root).call.op.definition.shape_class == "contraction"
            found = None if many else _through(pure, tuple(ways))
            if found is None or not self._fits_in(pure, values, grad):
                return False
            op, given = found, [base, *[x for view, _, rest in path if view is not DETACH for x in rest], *values[1:]]
        if base.requires_grad and not self._flows(op, given):
            return False
        args, kwargs = _dispatch.arguments(op, given)
        try:
            y = op(*args, **kwargs)
        except Exception as error:
            if not is_of_library(error):
                raise
            return False  # the call that writes says what is wrong
        if type(y) is not Tensor or y is base or not self.holds(y):
            return False
        self._parts[self.slot(y)] = count + (own != root)
        again = {root: y}
        lying_on = [*held, own] if own != root else held
        # (All at once: an interrupt in between would leave views of what is no more.)
        return self.stand_for([(base, y), *[(self.values[k], self._again(k, again)) for k in lying_on]])

    def makes_now(self, tensors: Sequence[Tensor]) -> bool:
        """Give pending results of factories their memory, where no view of them waits; whether none of the tensors
        waits then. So what needs such a tensor alone ends no segment.
        """
        for t in tensors:
            if t._keys_ & _PENDING and self.n_calls and self.holds(t) and not self.busy:
                with self.lock:
                    at = self.slot(t)
                    call = self._place_of(at).call
                    if call.op in MAKERS and at not in self.aliases().values():
                        values = [supplied(v, {}, self.ints, self.numbers) for v in call.values]
                        args, kwargs = _dispatch.arguments(call.op, values)
                        with locks.below(0):
                            made = call.op(*args, **kwargs)
                        self.make_now(t, made)
        return not any(t._keys_ & _PENDING for t in tensors)

    def _path_to(self, k: int) -> list[tuple[Operator, int | None, list[Any]]]:
        """The views that lead to a value: the operator, which of its results, and its arguments behind the first."""
        found: list[tuple[Operator, int | None, list[Any]]] = []
        while k in self.aliases():
            place = self._place_of(k)
            call = place.call
            which = call.results.index(k) if isinstance(call.results, tuple) else None
            rest = [supplied(v, {}, self.ints, self.numbers) for v in call.values[1:]]
            found.append((call.op, which, rest))
            k = _shown_by(place)
        return found[::-1]

    def _place_of(self, k: int) -> Place:
        """The place of the call that has made a value."""
        place = self.place
        while place is not None and place.before is not None:
            if k in results_of(place.call):
                return place
            place = place.before
        raise RuntimeError(f"value {k} is no result of a call that waits")

    def _again(self, k: int, made: dict[int, Tensor]) -> Tensor:
        """A view once more, of what has been made again. made: that, by the numbers of what it replaces."""
        if k not in made:
            place = self._place_of(k)
            call, of = place.call, _shown_by(place)
            values = [self._again(of, made), *[supplied(v, {}, self.ints, self.numbers) for v in call.values[1:]]]
            args, kwargs = _dispatch.arguments(call.op, values)
            found = call.op(*args, **kwargs)
            made.update(zip(results_of(call), found if isinstance(call.results, tuple) else [found], strict=True))
        return made[k]

    def _fits_in(self, pure: Operator, values: list[Any], grad: bool) -> bool:
        """Whether the result of a call is what its first operand can hold, by the call on meta tensors; and whether no
        node keeps it: a program would keep it elsewhere, and not see that it is written to. grad: a graph is recorded.
        """
        t = values[0]
        found = self.on_meta(pure, self._shown(values, lambda x: grad and (x.requires_grad or x is t)))
        if not isinstance(found, Tensor) or found.dtype is not t.dtype or found.shape != t.shape:
            return False
        own = len(_dispatch.tensors_in(values))
        return own not in kept_by(pure, [found], list(range(own)), own)

    def _flows(self, op: Operator, values: list[Any]) -> bool:
        """Whether a gradient flows to the first operand of a call; to that of one that writes there is always one, of
        zeros where it is overwritten.
        """
        found = self.on_meta(op, self._shown(values, lambda t: t is values[0]))
        return isinstance(found, Tensor) and found.requires_grad

    def _shown(self, values: list[Any], wants: Callable[[Tensor], bool]) -> list[Any]:
        """Arguments with meta tensors in the place of tensors. wants: whether the one for a tensor requires grad."""
        with locks.left(self):
            return [_shown(v, wants) for v in values]
