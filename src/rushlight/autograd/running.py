"""Running the graph: `backward`, `grad`, and the methods of Tensor that have to do with it."""
from __future__ import annotations

import contextlib
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import engine
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.ops._define import METHODS, TABLE
from rushlight.ops._dispatch import RemovableHandle

TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


class GradientEdge(tuple):
    """A place in the graph: (node, output_nr); stands for a tensor in `inputs` of `grad` and `backward`."""

    def __new__(cls, node: Any, output_nr: int, ownership_token: Any = None) -> GradientEdge:
        self = super().__new__(cls, (node, output_nr, ownership_token))
        return self

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])
    ownership_token = property(lambda self: self[2])


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the gradient of `tensor` is computed; RuntimeError for one that requires none."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, nr = engine.edge_of(tensor)
    if isinstance(node, Tensor):
        node = engine.accumulator_of(node)
    return GradientEdge(node, nr)


def _as_tensor(x: Any) -> Any:
    """The tensor that an entry of `inputs` or `outputs` names: a GradientEdge becomes a tensor at its place."""
    if isinstance(x, GradientEdge):
        node, nr = x.node, x.output_nr
        if isinstance(node, engine.AccumulateGrad):
            return node.variable
        from rushlight.core import dtypes as dt
        stand_in = _core.empty_meta(dt.float32, ())
        engine.set_history(stand_in, node, nr)
        return stand_in
    return x


def _sequence(x: Any) -> list[Any]:
    return [x] if isinstance(x, (Tensor, GradientEdge)) else list(x)


def make_grads(outputs: Sequence[Any], grads: Sequence[Any], batched: bool) -> list[Any]:
    """The cotangents to start with: those given, checked; ones for a scalar output where none is given."""
    new: list[Any] = []
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        edge = isinstance(out, GradientEdge)
        if g is None:
            if edge:
                raise RuntimeError("grad can be implicitly created only for tensors, not for a GradientEdge: give its gradient")
            if not out.requires_grad:
                new.append(None)         # `run` names the output that has no graph
                continue
            if out.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if out.dtype.kind != "f":
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out.dtype}")
            new.append(TABLE["ones_like"](out.detach()))
            continue
        if not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        if not edge:
            shape = tuple(g.shape)[1:] if batched else tuple(g.shape)
            if shape != tuple(out.shape):
                what = "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. " if batched else ""
                raise RuntimeError(f"{what}Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {out.shape}.")
            if (out.dtype.kind == "c") != (g.dtype.kind == "c"):
                raise RuntimeError(f"For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
                                   f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {out.dtype}.")
        new.append(g)
    return new


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False, grad_variables: Any = None,
             inputs: Any = None) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves of their graph.

    Args:
        tensors: a tensor or a sequence of them. grad_tensors: a cotangent for each; None is 1 for a scalar.
        retain_graph: keep what the graph has saved, for another run (default: create_graph). create_graph: record the
        backward itself. inputs: accumulate into these tensors only.
    Errors: RuntimeError for a tensor without a graph, a non-scalar without a cotangent, a cotangent of another shape.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    outputs = _sequence(tensors)
    if inputs is not None and not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    given = [None] * len(outputs) if grad_tensors is None else _sequence(grad_tensors)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    run(outputs, make_grads(outputs, given, False), create_graph if retain_graph is None else retain_graph, create_graph,
        None if inputs is None else _sequence(inputs), True)


watchers: list[Callable[[Sequence[Tensor]], Any]] = []     # contexts around every run, given its outputs; see autograd/profiler.py


def run(outputs: Sequence[Any], grads: Sequence[Any], keep: bool, create: bool, inputs: Sequence[Any] | None, accumulate: bool) -> Any:
    """Check that every output has a graph and hand over to the engine."""
    for i, out in enumerate(outputs):
        if not isinstance(out, GradientEdge) and not out.requires_grad:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    if inputs is not None:
        for x in inputs:
            if not isinstance(x, GradientEdge) and not x.requires_grad:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
        inputs = [_as_tensor(x) for x in inputs]
    tensors = [_as_tensor(o) for o in outputs]
    if not watchers:
        return engine.run_backward(tensors, list(grads), bool(keep), bool(create), inputs, accumulate)
    with contextlib.ExitStack() as stack:
        for watch in watchers:
            stack.enter_context(watch(tensors))
        return engine.run_backward(tensors, list(grads), bool(keep), bool(create), inputs, accumulate)


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True,
         allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`, summed over outputs.

    Args:
        outputs, inputs: a tensor or a sequence. grad_outputs: a cotangent per output; None is 1 for a scalar.
        retain_graph, create_graph: as for `backward`. allow_unused: give None for an input that was not used instead of
        an error. is_grads_batched: cotangents have a leading batch dimension, and so have the results.
        materialize_grads: zeros instead of None for unused inputs.
    Returns: a tuple with a gradient per input.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of the graph, "
                      "please use torch.autograd.backward.", FutureWarning, stacklevel=2)
    outs, ins = _sequence(outputs), _sequence(inputs)
    given = [None] * len(outs) if grad_outputs is None else _sequence(grad_outputs)
    if len(given) != len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(given)} gradients")
    keep = create_graph if retain_graph is None else retain_graph
    starts = make_grads(outs, given, is_grads_batched)
    if is_grads_batched:
        from rushlight.func import vmap

        def one(*gs: Any) -> Any:
            found = run(outs, gs, True, create_graph, ins, False)
            used[:] = [g is not None for g in found]
            return tuple(g for g in found if g is not None)
        used: list[bool] = []
        answers = iter(vmap(one, randomness="different")(*starts))
        result = [next(answers) if u else None for u in used]
    else:
        result = run(outs, starts, keep, create_graph, ins, False)
    if not allow_unused:
        for i, g in enumerate(result):
            if g is None:
                raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                                   "Set allow_unused=True if this is the desired behavior.")
    if materialize_grads:
        result = [TABLE["zeros_like"](x) if g is None else g for g, x in zip(result, ins, strict=True)]
    return tuple(result)


# ------------------------------------------------------------------------------------------------------ Tensor's methods
def tensor_backward(self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
    """Add the gradient of this tensor to the `.grad` of the leaves of its graph; see `autograd.backward`."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call `hook(grad)` whenever the gradient of this tensor is computed; a tensor that it returns replaces the gradient."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is None:
        meta = self._meta
        if meta.hooks is None:
            meta.hooks = OrderedDict()
        return RemovableHandle(meta.hooks, hook)
    node = self.grad_fn
    if node.pre_hooks is None:
        node.pre_hooks = {}
    return RemovableHandle(node.pre_hooks.setdefault(self.output_nr, OrderedDict()), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook(self)` after a gradient has been added to this leaf's `.grad`."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    meta = self._meta
    if meta.post_hooks is None:
        meta.post_hooks = OrderedDict()
    return RemovableHandle(meta.post_hooks, hook)


def retain_grad(self: Tensor) -> None:
    """Let this result of an operation keep its gradient in `.grad`; nothing to do for a leaf."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is None or self.retains_grad:
        return
    import weakref
    if node.retain is None:
        node.retain = {}
    node.retain[self.output_nr] = weakref.ref(self)
    self._meta.retains_grad = True


def detach_(self: Tensor) -> Tensor:
    """Cut this tensor off from its graph, in place; RuntimeError for a view."""
    if self._is_view() and self._base is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
                           "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients.")
    self.grad_fn_ = None
    self.output_nr = 0
    self.requires_grad = False
    return self


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same memory as an instance of `cls`, a subclass of Tensor; gradients flow through."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of Tensor, got {cls!r}")
    new = Tensor._make_subclass(cls, self)
    if self.requires_grad and _core.is_grad_enabled():
        engine.set_history(new, engine.CallbackNode("AliasBackward0", list, [engine.edge_of(self)], 1), 0)
    return new


def attach() -> None:
    """Give Tensor its autograd methods."""
    for name, fn in {"backward": tensor_backward, "register_hook": register_hook, "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
                     "retain_grad": retain_grad, "detach_": detach_, "as_subclass": as_subclass}.items():
        _core.attach(name, fn)
    METHODS.setdefault("detach_", detach_)  # type: ignore[arg-type]

