"""The graph above `__torch_dispatch__`: a call on wrappers that require a gradient is recorded, and its backward is a program of calls on wrappers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.autograd.inplace import rejoin
from rushlight.core import engine
from rushlight.core import tensor as _core
from rushlight.core.dispatch import SAVED_HOOKS, Operator, is_special_number
from rushlight.core.tensor import Tensor
from rushlight.library.programs import run_program
from rushlight.operators._define import TABLE, trace
from rushlight.operators._node_names import node_name


class _Backward:
    """The reverse of one call: what it needs besides inputs and plain results is computed again, since a wrapper's results may be of any kind."""

    def __init__(self, derivative: Any, ints: list[int], inputs: list[Any], edges: dict[int, Any], results: list[Any]) -> None:
        # An alias: a result leads to this node, which may not lead to it.
        wanted = {i for source, i in derivative.residuals if source == "output"}
        self.results: list[Any] = [_core.alias_of(y) if type(y) is Tensor and i in wanted else None for i, y in enumerate(results)]
        self.derivative, self.ints, self.inputs, self.edges = derivative, ints, inputs, edges
        self.versions = [x._version if isinstance(x, Tensor) else 0 for x in inputs]
        self.result_versions = [0 if y is None else y._version for y in self.results]
        self.unpack: Any = None
        if SAVED_HOOKS:
            pack, self.unpack = SAVED_HOOKS[-1]
            self.inputs = [pack(x) if isinstance(x, Tensor) else x for x in inputs]
            self.tensors = [isinstance(x, Tensor) for x in inputs]
            self.results = [None if y is None else pack(y) for y in self.results]

    def kept(self) -> list[Any]:
        """The inputs as they were; RuntimeError where one was written to since."""
        if self.unpack is None:
            if any(isinstance(x, Tensor) and x._version != n for x, n in zip(self.inputs, self.versions, strict=True)):
                raise RuntimeError("a value that was saved for the backward was modified by an inplace operation")
            return self.inputs
        found = [self.unpack(x) if tensor else x for x, tensor in zip(self.inputs, self.tensors, strict=True)]
        return [rejoin(x, *self.edges[i]) if i in self.edges else x for i, x in enumerate(found)]

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
        again = any(source == "extra" or source == "output" and self.results[i] is None for source, i in d.residuals)
        forward = run_program(d.forward, self.ints, inputs) if again else []
        n = len(d.outputs)
        residuals = [inputs[i] if source == "input" else forward[i if source == "output" else n + i] if again else self.result(i) for source, i in d.residuals]
        given = list(grads)
        for k, g in enumerate(given):
            if g is None:
                like = (forward or run_program(d.forward, self.ints, inputs))[d.cotangent_outputs[k]]
                given[k] = TABLE["zeros_like"](like)
        found = run_program(d.backward, self.ints, [*residuals, *given, *(inputs[i] for i in d.scalars)])
        return [None if g is None else found[g] for g in d.grads]

    def release(self) -> None:
        """Forget what was kept."""
        self.derivative, self.inputs, self.results = None, [], []


class _Derivative:
    """A derivative's programs, and the outputs of the call itself."""

    def __init__(self, found: Any, outputs: Sequence[Any]) -> None:
        self.outputs = outputs
        self.forward, self.backward, self.residuals, self.grads, self.scalars = found.forward, found.backward, found.residuals, found.grads, found.scalars
        self.cotangent_outputs = found.cotangent_outputs


def inputs_of(op: Operator, values: Sequence[Any]) -> list[Any]:
    """What a traced program of this call takes: its tensors, then its numbers."""
    tensors = [t for v in values for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, Tensor)]
    numbers = [v for p, v in zip(op.params, values, strict=True) if p.kind in (2, 6) and not isinstance(v, Tensor) and v is not None
               and not (v is p.default and not p.required) and not (p.specialize and is_special_number(v))]
    return [*tensors, *numbers]


def by_program(op: Operator, values: Sequence[Any]) -> Any:
    """A call of an operator that stands for a program of its own (a derivative, a batched form), primitive by primitive."""
    program, _, structure = trace(op, values)
    found = run_program(program, list(program.env.hints), inputs_of(op, values))
    return found[0] if structure is None else structure(found)


def recorded(op: Operator, values: Sequence[Any], result: Any) -> Any:
    """The result of a call that was done for wrappers, with its place in the graph."""
    from rushlight import transforms

    outputs = [result] if isinstance(result, Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    if not outputs or any(not isinstance(y, Tensor) or y.grad_fn is not None for y in outputs) or any(y is x for y in outputs for x in values):
        return result
    program, args, _ = trace(op, values, True)
    if not args.active or len(program.outputs) != len(outputs):
        return result
    found = transforms.vjp(program, args.active, [i for i, v in enumerate(program.outputs) if v.dtype.kind in "fc"])
    if not found.cotangent_outputs:
        return result
    inputs = inputs_of(op, values)
    if len(inputs) != len(program.inputs):
        raise RuntimeError(f"{op.name}(): the call cannot be recorded above __torch_dispatch__: it has {len(inputs)} tensors and numbers, its program {len(program.inputs)}")
    edges = {i: engine.edge_of(inputs[i]) for i in args.active}
    backward = _Backward(_Derivative(found, program.outputs), list(program.env.hints), inputs, edges, outputs)
    node = engine.CallbackNode(node_name(op, values), backward, list(edges.values()), len(found.cotangent_outputs))
    for k, i in enumerate(found.cotangent_outputs):
        engine.set_history(outputs[i], node, k)
    return result


def due(values: Sequence[Any]) -> bool:
    """Whether a call on these arguments is to be recorded."""
    return _core.is_grad_enabled() and any(isinstance(t, Tensor) and t.requires_grad for v in values for t in (v if isinstance(v, (tuple, list)) else (v,)))
