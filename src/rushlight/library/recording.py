"""The graph above `__torch_dispatch__`: a call on wrappers that require a gradient is recorded, and its backward is a
program of calls on wrappers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import enable_grad, no_grad
from rushlight.autograd.inplace import check_inplace, rebase, rejoin
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind
from rushlight.core.record import SAVED_HOOKS, each_apart
from rushlight.core.tensor import Tensor
from rushlight.library.programs import run_program
from rushlight.operators.shapes.shape import many_views
from rushlight.operators.table.define import TABLE
from rushlight.operators.table.dispatch import arguments
from rushlight.operators.table.node_names import node_name
from rushlight.operators.table.trace import cast_outputs, check_shape, numbers_given, trace


class _Backward:
    """The reverse of one call: values that it needs besides inputs and plain results are computed again, since a
    wrapper's results may be of any kind.
    """

    def __init__(self, derivative: _Derivative, results: list[Any]) -> None:
        # An alias: a result leads to this node, so this node must not lead to the result.
        wanted = {i for source, i in derivative.residuals if source == "output"}
        self.results: list[Any] = [
            _raw.alias_of(y) if type(y) is Tensor and i in wanted else None for i, y in enumerate(results)
        ]
        self.again = _again(derivative, results)
        read = _reads(derivative)
        self.inputs: list[Any] = [
            x if not isinstance(x, Tensor) or self.again or i in read else None for i, x in enumerate(derivative.inputs)
        ]
        self.derivative: Any = derivative
        self.ints, self.edges = derivative.ints, derivative.edges
        self.kinds = [(tuple(y.shape), y.dtype, y.device) for y in results]
        self.versions = [_raw.version(x) if isinstance(x, Tensor) else 0 for x in self.inputs]
        self.result_versions = [0 if y is None else y._version for y in self.results]
        self.unpack: Any = None
        if SAVED_HOOKS:
            pack, self.unpack = SAVED_HOOKS[-1]
            self.tensors = [isinstance(x, Tensor) for x in self.inputs]
            self.inputs = [pack(x) if isinstance(x, Tensor) else x for x in self.inputs]
            self.results = [None if y is None else pack(y) for y in self.results]

    def kept(self) -> list[Any]:
        """The inputs as they were; RuntimeError where one was written to since."""
        if self.unpack is None:
            if any(
                isinstance(x, Tensor) and _raw.version(x) != n for x, n in zip(self.inputs, self.versions, strict=True)
            ):
                raise RuntimeError("a value that was saved for the backward was modified by an inplace operation")
            return self.inputs
        found = [self.unpack(x) if tensor else x for x, tensor in zip(self.inputs, self.tensors, strict=True)]
        return [
            rejoin(x, *self.edges[i]) if i in self.edges and isinstance(x, Tensor) else x for i, x in enumerate(found)
        ]

    def result(self, i: int) -> Tensor:
        """Result i of the call."""
        if self.unpack is None and self.results[i]._version != self.result_versions[i]:
            raise RuntimeError("a value that was saved for the backward was modified by an inplace operation")
        found: Tensor = self.results[i] if self.unpack is None else self.unpack(self.results[i])
        return found

    def __call__(self, grads: list[Any]) -> list[Any]:
        d = self.derivative
        if d is None:
            engine.raise_freed()
        inputs = self.kept()
        forward = run_program(d.forward, self.ints, inputs) if self.again else []
        n = len(d.outputs)
        residuals = [
            inputs[i]
            if source == "input"
            else forward[i if source == "output" else n + i]
            if self.again
            else self.result(i)
            for source, i in d.residuals
        ]
        given = list(grads)
        for k, g in enumerate(given):
            if g is None:
                shape, dtype, device = self.kinds[d.cotangent_outputs[k]]
                given[k] = TABLE["zeros"](shape, dtype=dtype, device=device)
        found = run_program(d.backward, self.ints, [*residuals, *given, *(inputs[i] for i in d.scalars)])
        return each_apart(list(found), list(d.grads))

    def release(self) -> None:
        """Forget what was kept."""
        self.derivative, self.inputs, self.results = None, [], []


def _again(derivative: _Derivative, results: Sequence[Any]) -> bool:
    """Whether the backward runs the call again, for values that it cannot keep: intermediate ones, and results that are
    no plain tensors.
    """
    return any(
        source == "extra" or source == "output" and type(results[i]) is not Tensor for source, i in derivative.residuals
    )


def _reads(derivative: _Derivative) -> set[int]:
    """The inputs that the backward keeps."""
    return {i for source, i in derivative.residuals if source == "input"}


class _Derivative:
    """A derivative's programs, and the call itself: its outputs, sizes, inputs and their places in the graph."""

    def __init__(
        self, found: Any, outputs: Sequence[Any], ints: list[int], inputs: list[Any], edges: dict[int, Any]
    ) -> None:
        self.outputs, self.ints, self.inputs, self.edges = outputs, ints, inputs, edges
        self.forward, self.backward, self.residuals, self.grads, self.scalars = (
            found.forward,
            found.backward,
            found.residuals,
            found.grads,
            found.scalars,
        )
        self.cotangent_outputs = found.cotangent_outputs


def inputs_of(op: Operator, values: Sequence[Any]) -> list[Any]:
    """What a traced program of this call takes: its tensors, then its numbers."""
    tensors: list[Tensor] = []
    for p, v in zip(op.params, values, strict=True):
        if p.kind in (Kind.P_TENSOR, Kind.P_TENSORS, Kind.P_OPERAND):  # (a number may be given as a tensor)
            tensors += [t for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, Tensor)]
    return [*tensors, *numbers_given(op, values)]


def by_program(op: Operator, values: Sequence[Any]) -> Any:
    """A call of an operator that stands for a program of its own (a derivative, a batched form), primitive by
    primitive.
    """
    program, _, structure = trace(op, values)
    found = run_program(program, list(program.env.hints), inputs_of(op, values))
    return found[0] if structure is None else structure(found)


# Calls that make views of consecutive parts, as many as the tensor's size says: the node's name, and what joins the
# parts' gradients.
_PARTS = {
    "unbind": ("UnbindBackward0", "stack"),
    "split": ("SplitBackward0", "cat"),
    "chunk": ("SplitBackward0", "cat"),
    "split_with_sizes": ("SplitWithSizesBackward0", "cat"),
}


def recorded(op: Operator, values: Sequence[Any], result: Any) -> Any:
    """The result of a call that was done for wrappers, with its place in the graph."""
    outputs = [result] if isinstance(result, Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    if (
        not outputs
        or any(not isinstance(y, Tensor) or y.grad_fn is not None for y in outputs)
        or any(y is x for y in outputs for x in values)
    ):
        return result
    if op.definition.name in _PARTS:
        label, join = _PARTS[op.definition.name]
        if op.definition.name == "split" and isinstance(values[1], (tuple, list)):
            label = "SplitWithSizesBackward0"
        x, dim = values[0], next(v for p, v in zip(op.params, values, strict=True) if p.name == "dim")
        many_views(x, outputs, label, join, dim % max(1, x.ndim))
        return result
    derived = _derived(op, values)
    if derived is None or len(derived.outputs) != len(outputs):
        return result
    backward = _Backward(derived, outputs)
    node = engine.CallbackNode(
        node_name(op, values), backward, list(derived.edges.values()), len(derived.cotangent_outputs)
    )
    for k, i in enumerate(derived.cotangent_outputs):
        y = outputs[i]
        # it was made with recording off, and has a place in the graph all the same
        if y._is_view() and y._meta_.view_fn is None:
            y._meta_.view_fn = True
        engine.set_history(y, node, k)
    return result


class _BodyAgain:
    """The reverse of a call whose body reads values: the body runs again, and the gradients are those of the calls that
    it makes.
    """

    def __init__(self, op: Operator, values: Sequence[Any], active: Sequence[Tensor]) -> None:
        self.op: Operator | None = op
        self.values, self.active = list(values), list(active)
        self.versions = [_raw.version(t) for t in self.active]

    def __call__(self, grads: list[Any]) -> list[Any]:
        from rushlight.autograd.running import grad

        if self.op is None:
            engine.raise_freed()
        if [_raw.version(t) for t in self.active] != self.versions:
            raise RuntimeError("a value that was saved for the backward was modified by an inplace operation")
        again = _core.is_grad_enabled()
        with enable_grad():
            result = self.op.eager(*self.values)  # type: ignore[union-attr, misc]
            return list(grad(result, self.active, grads[0], create_graph=again, allow_unused=True))

    def release(self) -> None:
        """Forget what was kept."""
        self.op, self.values, self.active = None, [], []


def recorded_by_body(op: Operator, values: Sequence[Any], result: Tensor) -> Tensor:
    """The result of a call of a body that reads values, with its place in the graph."""
    active = [t for t in values if isinstance(t, Tensor) and t.requires_grad]
    node = engine.CallbackNode(
        node_name(op, values), _BodyAgain(op, values, active), [engine.edge_of(t) for t in active], 1
    )
    engine.set_history(result, node, 0)
    return result


class Replay:
    """How a view of a wrapper is made from its base: by calls of view operators, which are run again on gradients, and
    transposed."""

    def __init__(self, steps: Sequence[tuple[Operator, list[Any]]]) -> None:
        self.steps = steps

    def read(self, g: Tensor) -> Tensor:
        """The view of a tensor like the base."""
        for op, values in self.steps:
            args, kwargs = arguments(op, [g, *values[1:]])
            g = op(*args, **kwargs)
        return g

    def write(self, g: Tensor) -> Tensor:
        """A tensor like the base with zeros outside of the view."""
        from rushlight import transforms

        for op, values in reversed(self.steps):
            program, _, _ = trace(op, values)
            d = transforms.vjp(program, [0], [0])
            inputs = inputs_of(op, values)
            g = run_program(d.backward, list(program.env.hints), [g, *(inputs[i] for i in d.scalars)])[0]
        return g

    def split(self, g: Tensor) -> tuple[Tensor, Tensor]:
        """The gradient of the view, and the gradient with the view set to zero."""
        inside = self.read(g)
        there = TABLE["ne"](self.write(TABLE["ones_like"](inside)), 0)
        return inside, TABLE["where"](there, TABLE["zeros_like"](g), g)

    def join(self, outside: Tensor, inside: Tensor) -> Tensor:
        """A gradient that is zero in the view, with that of the view."""
        return TABLE["add"](outside, self.write(inside))


def mark_wrapped(op: Operator, values: Sequence[Any], result: Any) -> None:
    """Tell the views of a wrapper which base they have; for plain tensors, the memory shows that."""
    x = values[0]
    outputs = [result] if isinstance(result, Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    if (
        not isinstance(x, Tensor)
        or not _raw.no_storage(x)
        or any(not isinstance(y, Tensor) or y is x or y._is_view() or not _raw.no_storage(y) for y in outputs)
    ):
        return
    before: Sequence[tuple[Operator, list[Any]]] = (
        x._meta_.view_fn.steps if x._is_view() and isinstance(x._meta_.view_fn, Replay) else []
    )
    for y in outputs:
        _raw.mark_as_wrapped_view(y, x, Replay([*before, (op, list(values))]))
        if len(outputs) > 1:
            y._meta_.why_no_inplace = "many"


def recorded_in_place(
    op: Operator, values: Sequence[Any], perform: Callable[[], Any], copy: Callable[[Tensor], Tensor]
) -> Any:
    """A call that writes to its first argument, done by `perform`, with the place in the graph that the destination
    gets by it.

    copy: keeps what the destination held before, where the derivative reads it.
    """
    dest = values[0]
    check_inplace(op, dest)
    derived = _derived(op, values)
    if derived is None or derived.outputs[0].dtype.kind not in "fc":
        with no_grad():
            perform()
        return dest
    own = 0 if 0 in derived.edges else None
    if _again(derived, [dest]) or 0 in _reads(derived):
        derived.inputs[0] = copy(dest)
    version = _raw.version(dest)
    with no_grad():
        perform()
    if _raw.version(dest) == version:  # of a wrapper the handler has written to what it holds
        dest._bump_version()
    backward = _Backward(derived, [dest])
    rebase(dest, engine.CallbackNode(node_name(op, values), backward, list(derived.edges.values()), 1), 0, own)
    return dest


def _derived(op: Operator, values: Sequence[Any]) -> _Derivative | None:
    """The derivative of a call with its inputs and their places in the graph; None where it has none."""
    from rushlight import transforms

    program, args, _ = trace(op, values, True)
    if not args.active:
        return None
    if op.inplace:
        check_shape(op, values[0], program.outputs[0])
        program = cast_outputs(op, program, [values[0]])
    found = transforms.vjp(
        program,
        args.active,
        [i for i, v in enumerate(program.outputs) if v.dtype.kind in "fc"],
        op.definition.keep_results,
    )
    # (The gradient of an overwritten value is zero, not None.)
    zeros = [i for i in args.active if op.definition.zero_gradient or (op.inplace and i == 0)]
    found = transforms.with_zeros(found, program, args.active, zeros)
    if not found.cotangent_outputs:
        return None
    inputs = inputs_of(op, values)
    if len(inputs) != len(program.inputs):
        raise RuntimeError(
            f"{op.name}(): the call cannot be recorded above __torch_dispatch__: it has {len(inputs)} tensors and "
            f"numbers, its program {len(program.inputs)}"
        )
    return _Derivative(
        found, program.outputs, list(program.env.hints), inputs, {i: engine.edge_of(inputs[i]) for i in args.active}
    )


def due(values: Sequence[Any]) -> bool:
    """Whether a call on these arguments is to be recorded."""
    return _core.is_grad_enabled() and any(
        isinstance(t, Tensor) and t.requires_grad for v in values for t in (v if isinstance(v, (tuple, list)) else (v,))
    )
