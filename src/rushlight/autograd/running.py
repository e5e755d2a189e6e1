"""Running the graph: `backward`, `grad`, and the methods of Tensor that have to do with it."""

# Annotations are not postponed here: a NamedTuple compiles those that are text, which costs more than the rest of it.
import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from rushlight.core import engine, views
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.dispatch import RemovableHandle
from rushlight.operators.table.overrides import handle_torch_function, has_torch_function

_P = ParamSpec("_P")
_R = TypeVar("_R")

TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]
_TRACE = _core.get_keys_flag_mask()["TRACE"]
PENDING = _core.get_keys_flag_mask()["PENDING"]


class GradientEdge(NamedTuple):
    """A place in the graph: (node, output_nr); stands for a tensor in `inputs` of `grad` and `backward`."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the gradient of `tensor` is computed; RuntimeError for one that requires none."""
    if not tensor.requires_grad:
        raise RuntimeError("get_gradient_edge(): 'tensor' must require grad; found one that has no place in a graph")
    node, nr = engine.edge_of(tensor)
    if isinstance(node, Tensor):
        node = engine.accumulator_of(node)
    return GradientEdge(engine.shown_node(node), nr)


def _as_tensor(x: Any) -> Any:
    """The tensor that an entry of `inputs` or `outputs` names: a GradientEdge becomes a tensor at its place."""
    if isinstance(x, GradientEdge):
        node, nr = x.node, x.output_nr
        if isinstance(node, engine.AccumulateGrad):
            return node.variable
        from rushlight.core import dtypes as dt

        stand_in = _raw.empty_meta(dt.float32, ())
        engine.set_history(stand_in, node, nr)
        return stand_in
    return x


def _sequence(x: Any) -> list[Any]:
    return [x] if isinstance(x, (Tensor, GradientEdge)) else list(x)


def make_grads(outputs: Sequence[Any], grads: Sequence[Any], batched: bool) -> list[Any]:
    """The cotangents to start with: those given, checked; ones for a scalar output where none is given."""
    return [
        _ones_for(out) if g is None else _fitting(i, out, g, batched)
        for i, (out, g) in enumerate(zip(outputs, grads, strict=True))
    ]


def _ones_for(out: Any) -> Tensor | None:
    if isinstance(out, GradientEdge):
        raise RuntimeError("backward(): the gradient of a GradientEdge must be given; found None")
    if not out.requires_grad:
        return None  # `run` names the output that has no graph
    if out.numel() != 1:
        raise RuntimeError(
            f"grad can be implicitly created only for scalar outputs; found the shape {tuple(out.shape)}: give its "
            "gradient"
        )
    if out.dtype.kind != "f":
        raise RuntimeError(
            f"backward(): the gradient of an output that is not real must be given; found the dtype {out.dtype}"
        )
    one = _raw.one_like(out)
    if one is None and watchers:  # a watcher of runs is a mode as well
        one = watchers[-1].one_like(out)
    return TABLE["ones_like"](out.detach()) if one is None else one


def _fitting(i: int, out: Any, g: Tensor, batched: bool) -> Tensor:
    """A cotangent that was given, of the shape of its output (with a batch dimension in front), complex when that
    is.
    """
    if not isinstance(out, GradientEdge):
        shape, wanted = tuple(g.shape), tuple(out.shape)
        if shape[batched:] != wanted or len(shape) != len(wanted) + batched:
            what = " after the dimension of the batch, for is_grads_batched=True" if batched else ""
            raise RuntimeError(
                f"backward(): gradient {i} must have the shape {wanted} of its output{what}; found {shape}"
            )
        if (out.dtype.kind == "c") != (g.dtype.kind == "c"):
            raise RuntimeError(
                f"backward(): gradient {i} must be complex exactly when its output is, of dtype {out.dtype}; found "
                f"{g.dtype}"
            )
        if g.device != out.device:
            raise RuntimeError(
                f"backward(): gradient {i} must be on the device {out.device} of its output; found {g.device}"
            )
        if g.dtype is not out.dtype:
            g = METHODS["to"](g, out.dtype)
    return g


def _cotangents(owner: str, outputs: Sequence[Any], given: Any, batched: bool) -> list[Any]:
    grads = [None] * len(outputs) if given is None else _sequence(given)
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"{owner}(): gradient {i} must be a Tensor or None; found {type(g).__name__}")
    if len(grads) != len(outputs):
        raise RuntimeError(
            f"{owner}(): there must be a gradient for each of {len(outputs)} outputs; found {len(grads)}"
        )
    return make_grads(outputs, grads, batched)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves of their graph.

    Args:
        tensors: a tensor or a sequence of them.
        grad_tensors: a cotangent for each; None is 1 for a scalar.
        retain_graph: keep what the graph has saved, for another run (default: create_graph).
        create_graph: record the backward itself.
        inputs: accumulate into these tensors only.

    Raises:
        RuntimeError: for a tensor without a graph, a non-scalar without a cotangent, a cotangent of another shape.
    """
    outputs = _sequence(tensors)
    if grad_variables is not None:
        warnings.warn("backward(): 'grad_variables' is the old name of 'grad_tensors'", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "backward(): 'grad_tensors' and 'grad_variables', its old name, exclude each other; found both"
            )
        grad_tensors = grad_variables
    targets = None if inputs is None else _sequence(inputs)
    if targets == []:
        raise RuntimeError("backward(): 'inputs' must hold at least one tensor; found none")
    if has_torch_function(outputs):
        handle_torch_function(
            backward,
            outputs,
            tuple(outputs),
            grad_tensors=grad_tensors,
            retain_graph=retain_graph,
            create_graph=create_graph,
            inputs=None if targets is None else tuple(targets),
        )
        return
    starts = _cotangents("backward", outputs, grad_tensors, False)
    if create_graph:
        warn(
            "backward(): with create_graph=True a parameter and its gradient refer to each other and keep each other's "
            "memory; call autograd.grad(), or set .grad to None when done",
            once="backward with create_graph",
        )
    for x in targets or ():
        if isinstance(x, Tensor) and x.requires_grad:
            x.retain_grad()
    keep = create_graph if retain_graph is None else retain_graph
    run(outputs, starts, keep, create_graph, targets, True, grad_tensors is not None)


class Asked(NamedTuple):
    """What a run of the graph is to do. given: whether the program has made one of the cotangents."""

    keep: bool
    create: bool
    inputs: Sequence[Any] | None
    accumulate: bool
    given: bool


class Done(Exception):
    """A run of the graph has been made, and this is what it gives."""

    def __init__(self, found: Any) -> None:
        self.found = found


# Set by rushlight.jit.backward. Where a run begins at pending tensors, and the pending calls are differentiated as a
# whole, it returns the tensors at which the run goes on, their cotangents and order; else what it was given.
of_recorders: list[Callable[[list[Any], list[Any], Asked], tuple[list[Any], list[Any], list[int] | None]]] = []

# called at every run, by `begin_backward()` and, with what that gave, `end_backward`, and asked for its ones; by
# `begin_range(name)` and `end_range` at what `in_range` names; see autograd/profiler.py
watchers: list[Any] = []


def in_range(name: Callable[[Any], str]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator of a method: while profiles are in force its calls are a range in them, named by `name(self)`."""

    def decorate(method: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(method)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if not watchers or not args:
                return method(*args, **kwargs)
            begun = [(watch, watch.begin_range(name(args[0]))) for watch in watchers]
            try:
                return method(*args, **kwargs)
            finally:
                for watch, token in reversed(begun):
                    watch.end_range(token)

        return call

    return decorate


def run(
    outputs: Sequence[Any],
    grads: Sequence[Any],
    keep: bool,
    create: bool,
    inputs: Sequence[Any] | None,
    accumulate: bool,
    given: bool,
) -> Any:
    """Check that every output has a graph and hand over to the engine. given: see `Asked`."""
    for i, out in enumerate(outputs):
        if not isinstance(out, GradientEdge) and not out.requires_grad:
            if out._keys_ & _TRACE:
                raise RuntimeError(
                    f"element {i} of tensors is a value that is being traced, and has no graph; differentiate the "
                    "traced function, or what it returns"
                )
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    if inputs is not None:
        for x in inputs:
            if not isinstance(x, GradientEdge) and not x.requires_grad:
                raise RuntimeError("grad(): each of 'inputs' must require grad; found one that does not")
        inputs = [_as_tensor(x) for x in inputs]
    tensors, starts, order = [_as_tensor(o) for o in outputs], list(grads), None
    if _core.modes_in_force():
        for begin in of_recorders:
            try:
                asked = Asked(bool(keep), bool(create), inputs, accumulate, given)
                tensors, starts, order = begin(tensors, starts, asked)
            except Done as done:
                return done.found
    if not watchers:
        return engine.run_backward(tensors, starts, bool(keep), bool(create), inputs, accumulate, order)
    begun = [(watch, watch.begin_backward()) for watch in watchers]
    try:
        return engine.run_backward(tensors, starts, bool(keep), bool(create), inputs, accumulate, order)
    finally:
        for watch, token in reversed(begun):
            watch.end_backward(token)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of `outputs` with respect to `inputs`, summed over outputs.

    Args:
        outputs, inputs: a tensor or a sequence.
        grad_outputs: a cotangent per output; None is 1 for a scalar.
        retain_graph, create_graph: as for `backward`.
        allow_unused: give None for an input that was not used instead of an error.
        is_grads_batched: cotangents have a leading batch dimension, and so have the results.
        materialize_grads: zeros instead of None for unused inputs.

    Returns:
        A tuple with a gradient per input.
    """
    given = _sequence(outputs), _sequence(inputs)
    if not given[1]:
        raise RuntimeError("grad(): 'inputs' must name at least one tensor; found none")
    for argument, kind, values in (("outputs", AssertionError, given[0]), ("inputs", RuntimeError, given[1])):
        for x in values:
            if not isinstance(x, (Tensor, GradientEdge)):
                raise kind(
                    f"grad(): '{argument}' must be tensors or edges of the graph; found {type(x).__name__} among them"
                )
    if has_torch_function((*given[0], *given[1])):
        found: tuple[Tensor, ...] = handle_torch_function(
            grad,
            (*given[0], *given[1]),
            outputs,
            inputs,
            grad_outputs=grad_outputs,
            retain_graph=retain_graph,
            create_graph=create_graph,
            only_inputs=only_inputs,
            allow_unused=allow_unused,
            is_grads_batched=is_grads_batched,
            materialize_grads=materialize_grads,
        )
        return found
    if materialize_grads and allow_unused is False:
        raise ValueError("grad(): 'allow_unused' must not be False with materialize_grads=True; found False")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn(
            "grad(): 'only_inputs' has no effect any more; autograd.backward adds to the gradients of all leaves",
            FutureWarning,
            stacklevel=2,
        )
    outs, ins = given
    keep = create_graph if retain_graph is None else retain_graph
    starts = _cotangents("grad", outs, grad_outputs, is_grads_batched)
    if is_grads_batched:
        from rushlight.func import vmap

        def one(*gs: Any) -> tuple[Tensor, ...]:
            found = run(outs, gs, True, create_graph, ins, False, True)
            used[:] = [g is not None for g in found]
            return tuple(g for g in found if g is not None)

        used: list[bool] = []
        answers = iter(vmap(one, randomness="different")(*starts))
        result = [next(answers) if u else None for u in used]
    else:
        result = run(outs, starts, keep, create_graph, ins, False, grad_outputs is not None)
    unused = [i for i, g in enumerate(result) if g is None]
    if unused and not allow_unused:
        raise RuntimeError(
            f"grad(): the outputs must depend on every input; input {unused[0]} was not used in the graph. "
            "allow_unused=True gives None for it"
        )
    if materialize_grads:
        result = [TABLE["zeros_like"](x) if g is None else g for g, x in zip(result, ins, strict=True)]
    # None for what is not used, which few callers ask for: PyTorch's annotation
    return tuple(result)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------- Tensor's methods
def tensor_backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add the gradient of this tensor to the `.grad` of the leaves of its graph; see `autograd.backward`."""
    if gradient is None and inputs is None and not create_graph:  # what nearly every program says
        run([self], [_ones_for(self)], bool(retain_graph), False, None, True, False)
    else:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Call `hook(grad)` whenever the gradient of this tensor is computed; a tensor that it returns replaces the
    gradient.
    """
    _check_hookable(self, "register_hook")
    node = self.grad_fn
    if node is None:
        return _hooked(self._meta_, "hooks", hook)
    if node.pre_hooks is None:
        node.pre_hooks = {}
    return RemovableHandle(node.pre_hooks.setdefault(self.output_nr, OrderedDict()), hook)


def _hooks_of(self: Tensor) -> Any:
    """The hooks of `register_hook` by handle, None where there were never any."""
    node = self.grad_fn
    if node is None:
        return self._meta_.hooks
    return None if node.pre_hooks is None else node.pre_hooks.get(self.output_nr)


def _set_hooks(self: Tensor, hooks: Any) -> None:
    if hooks is not None and not isinstance(hooks, dict):
        raise TypeError(f"_backward_hooks: must be a dictionary of hooks, or None; found {type(hooks).__name__}")
    node = self.grad_fn
    if node is None:
        self._meta_.hooks = hooks
    elif hooks is not None:
        node.pre_hooks = {**(node.pre_hooks or {}), self.output_nr: hooks}
    elif node.pre_hooks is not None:
        node.pre_hooks.pop(self.output_nr, None)


def _check_hookable(t: Tensor, method: str) -> None:
    if not t.requires_grad:
        raise RuntimeError(f"{method}(): the tensor must require grad; found one whose gradient is never computed")


def _hooked(meta: Any, table: str, hook: Callable[..., Any]) -> RemovableHandle:
    """Add a hook to a table of a leaf's, made when the first comes."""
    if getattr(meta, table) is None:
        setattr(meta, table, OrderedDict())
    return RemovableHandle(getattr(meta, table), hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook(self)` after a gradient has been added to this leaf's `.grad`."""
    _check_hookable(self, "register_post_accumulate_grad_hook")
    if self.grad_fn is not None:
        raise RuntimeError(
            "register_post_accumulate_grad_hook(): the tensor must be a leaf; found the result of an operation"
        )
    return _hooked(self._meta_, "post_hooks", hook)


def retain_grad(self: Tensor) -> None:
    """Let this result of an operation keep its gradient in `.grad`; nothing to do for a leaf."""
    if not self.requires_grad:
        raise RuntimeError("retain_grad(): the tensor must require grad; found requires_grad=False")
    node = self.grad_fn
    if node is None or self.retains_grad:
        return
    import weakref

    if node.retain is None:
        node.retain = {}
    node.retain[self.output_nr] = weakref.ref(self)
    self._meta_.retains_grad = True


def detach_(self: Tensor) -> Tensor:
    """Cut this tensor off from its graph, in place; RuntimeError for a view."""
    if self._is_view() and self._base is not None:
        raise RuntimeError(
            "detach_(): the tensor must not be a view, which follows its base; detach() makes a tensor of its own"
        )
    engine.cut_history(self)
    return self


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same memory as an instance of `cls`, a subclass of Tensor; gradients flow through."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"as_subclass(): 'cls' must be derived from Tensor; found {cls!r}")
    new = Tensor._make_subclass(cls, self)
    edge = engine.edge_of(self)
    if edge[0] is not None and _core.is_grad_enabled():
        engine.set_history(new, engine.CallbackNode("AliasBackward0", list, [edge], 1), 0)
    if not _raw.no_storage(self):
        views.mark_as_view(new, self)
    return new


def attach() -> None:
    """Give Tensor its autograd methods."""
    for name, fn in {
        "backward": tensor_backward,
        "register_hook": register_hook,
        "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
        "retain_grad": retain_grad,
        "detach_": detach_,
        "as_subclass": as_subclass,
    }.items():
        fn.__name__, fn.__qualname__ = name, f"Tensor.{name}"
        _core.attach(name, fn)
    _core.attach("_backward_hooks", property(_hooks_of, _set_hooks, doc=_hooks_of.__doc__))
    METHODS.setdefault("detach_", detach_)  # type: ignore[arg-type]


upcalls.as_subclass = as_subclass
