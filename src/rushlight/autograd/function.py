"""`Function`: an operation whose derivative its author writes."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.autograd.grad_mode import enable_grad, no_grad
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.engine import Node
from rushlight.core.lines import writer_of
from rushlight.core.record import SAVED_HOOKS
from rushlight.core.tensor import Tensor
from rushlight.core.views import mark_as_custom_view
from rushlight.core.warning import warn
from rushlight.func.levels import Batched, Dual, Level, Wrapper, batched, dual
from rushlight.operators.table.define import METHODS, ROOT, TABLE

_TRACE = _core.get_keys_flag_mask()["TRACE"]

__all__ = ["Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction", "once_differentiable"]


def _tensors_or_none(owner: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    for i, value in enumerate(values):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"{owner}(): argument {i} must be a Tensor or None; found {type(value).__name__}")
    return values


def _unwritten(cls: str, method: str, what: str) -> NotImplementedError:
    return NotImplementedError(f"{cls}.{method}: a Function must define it {what}; found none")


class _CtxMeta(type):
    """The node of a Function shows what is on its context, and stands for it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or cls is FunctionCtx and isinstance(instance, BackwardCFunction)


def _given(attribute: str, method: str) -> property:
    return property(lambda ctx: getattr(ctx, attribute) or None, doc=f"What `{method}` was given; None before.")


class FunctionCtx(metaclass=_CtxMeta):
    """What `forward` leaves for `backward`."""

    materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._versions: list[int | None] = []
        self._unpack: Any = None
        self._outputs: dict[int, int] = {}  # position among the saved -> output number
        self._freed = False
        self._forward_saved: tuple[Any, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._node: Any = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, where they are `ctx.saved_tensors`; None is allowed.

        Raises:
            TypeError: for anything else.
        """
        self._saved = _tensors_or_none("save_for_backward", tensors)

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`, where they are `ctx.saved_tensors`."""
        self._forward_saved = _tensors_or_none("save_for_forward", tensors)

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs `forward` has changed in place; they must be returned."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (default) or None for an output without a gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of `save_for_backward`. RuntimeError when one was modified in place since, or the graph has been
        freed.
        """
        if self._freed:
            engine.raise_freed()
        out = []
        for i, (t, version) in enumerate(zip(self._saved, self._versions or [None] * len(self._saved), strict=True)):
            if self._unpack is not None and t is not None:
                t = self._unpack(t)
            elif isinstance(t, Tensor) and version is not None and t._version != version:
                raise RuntimeError(
                    f"{self._name_()}: a value that was saved for the backward was modified by an inplace operation: "
                    f"the tensor {t.dtype} of shape {tuple(t.shape)} is at version {t._version}, and was at version "
                    f"{version}. It was overwritten by the "
                    f"in-place call at {writer_of(t, version) or 'a line that is no longer remembered'}"
                )
            if i in self._outputs and self._node is not None and isinstance(t, Tensor):
                node = self._node()
                if node is not None:
                    new = _raw.alias_of(t)
                    engine.set_history(new, node, self._outputs[i])
                    t = new
            out.append(t)
        return tuple(out)

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of `saved_tensors`."""
        warn("saved_variables is the old name of saved_tensors", DeprecationWarning)
        return self.saved_tensors

    to_save = _given("_saved", "save_for_backward")
    saved_for_forward = _given("_forward_saved", "save_for_forward")
    dirty_tensors = _given("_dirty", "mark_dirty")
    non_differentiable = _given("_non_differentiable", "mark_non_differentiable")

    @property
    def requires_grad(self) -> bool:
        """Whether the call is recorded: an input requires grad."""
        return any(self.needs_input_grad)

    def _of_node_(self, name: str) -> Any:
        node = None if self._node is None else self._node()
        if node is None:
            raise RuntimeError(
                f"{self._name_()}.{name}: must be asked once the call is recorded; there is no node in the graph"
            )
        return getattr(node, name)

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """The node's edges; none while `forward` runs."""
        return () if self._node is None or self._node() is None else self._of_node_("next_functions")

    @property
    def metadata(self) -> dict[Any, Any]:
        """The node's dictionary, in which programs may keep values; it stays with the context while there is no
        node.
        """
        if self._node is not None and self._node() is not None:
            found: dict[Any, Any] = self._of_node_("metadata")
            return found
        return self.__dict__.setdefault("_metadata", {})  # type: ignore[no-any-return]

    def register_hook(self, hook: Any) -> Any:
        """The node's register_hook: called with (grad_inputs, grad_outputs) after its backward."""
        return self._of_node_("register_hook")(hook)

    def register_prehook(self, hook: Any) -> Any:
        """The node's register_prehook: called with the grad_outputs before its backward."""
        return self._of_node_("register_prehook")(hook)

    def name(self) -> str:
        """What the node is called."""
        return self._name_()

    def maybe_clear_saved_tensors(self) -> None:
        """Let go of what was saved, if the class says `clear_saved_tensors_on_access`."""
        if getattr(self._forward_cls, "clear_saved_tensors_on_access", False):
            self._release_()

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Gone since PyTorch 0.4: views are known without it. Warns."""
        warnings.warn(
            "mark_shared_storage is deprecated, and without effect: which tensors share memory is known",
            FutureWarning,
            stacklevel=2,
        )

    _forward_cls: Any = None

    def _release_(self) -> None:
        """The graph has been run, and is not kept. A context that has saved nothing may be asked again."""
        if self._saved:
            self._saved, self._versions, self._freed = (), [], True

    def _name_(self) -> str:
        return type(self).__name__


class BackwardCFunction(engine.CallbackNode):
    """The node of a Function: its class has the Function's name, and it shows what `forward` put on the context."""

    def __getattr__(self, name: str) -> Any:
        ctx = getattr(engine.CallbackNode.function.__get__(self), "ctx", None)  # type: ignore[union-attr]
        if ctx is None or name.startswith("__"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(ctx, name)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {hex(id(self))}>"


class FunctionMeta(_CtxMeta):
    """Gives every Function class a context class of its own, which is what `ctx` is."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        graph_name = f"{name}Backward"
        where = f"{ROOT[0]}.autograd.function"
        cls._node_class_ = type(graph_name, (BackwardCFunction,), {"__module__": where})
        cls._ctx_class_ = type(graph_name, (FunctionCtx,), {"_forward_cls": cls, "__module__": where})


class Function(FunctionCtx, metaclass=FunctionMeta):
    """A differentiable operation: subclass it, write `forward` and `backward` as static methods, call `apply`.

    forward(ctx, *args), or forward(*args) together with setup_context(ctx, inputs, output); backward(ctx, *grads)
    returns a gradient per argument of forward, None for those that have none. jvp(ctx, *tangents) and vmap(info,
    in_dims, *args) are optional; with generate_vmap_rule = True the latter is derived.
    """

    generate_vmap_rule = False
    boxed_grads_call = False
    clear_saved_tensors_on_access = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self).__name__}: a Function should not be instantiated; its methods are static, and apply() is "
            "of the class",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{type(self).__name__}: a Function must be called by apply() of its class; found an instance that is "
            "called"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The operation; to be written by the subclass."""
        raise _unwritten("Function", "forward", "to be applied")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What `backward` needs is put on `ctx` here when `forward` takes no ctx."""
        raise _unwritten("Function", "setup_context", "when forward takes no ctx")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs from those of the outputs; to be written by the subclass."""
        raise _unwritten("Function", "backward", "(or vjp) for a backward")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs from those of the inputs (None where there is none)."""
        raise _unwritten("Function", "jvp", "for forward mode")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """(output, out_dims) of a batch of calls."""
        raise _unwritten("Function", "vmap", "for vmap, unless generate_vmap_rule is True,")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Do the operation and record it. Returns what ``forward`` gives, with this class in its graph."""
        if kwargs:
            args = _by_place(cls, args, kwargs)
        level = max((t.level for t in args if isinstance(t, Wrapper)), key=lambda v: v.number, default=None)
        if level is not None:
            return _apply_batched(cls, args, level) if level.kind == "vmap" else _apply_dual(cls, args, level)
        return _apply(cls, args)


class InplaceFunction(Function):
    """A Function of old programs that keeps whether it works in place: its one argument, `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function; kept for programs that name it."""


def _places(values: Sequence[Any]) -> list[int]:
    """Where the tensors are."""
    return [place for place, value in enumerate(values) if isinstance(value, Tensor)]


def _by_place(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of `apply`, those given by name in the places that `forward` gives them."""
    before: tuple[Any, ...] = () if _split_forward(cls) else (None,)  # forward's ctx
    bound = inspect.signature(cls.forward).bind(*before, *args, **kwargs)
    if bound.kwargs:
        raise TypeError(
            f"{cls.__name__}.apply(): each argument must have a place, and those before it must be given; found "
            f"{', '.join(bound.kwargs)}"
        )
    return bound.args[len(before) :]


def _split_forward(cls: type[Function]) -> bool:
    return cls.setup_context is not Function.setup_context


def _call_forward(cls: type[Function], ctx: FunctionCtx, args: Sequence[Any]) -> Any:
    if _split_forward(cls):
        result = cls.forward(*args)
        cls.setup_context(ctx, tuple(args), result)
        return result
    return cls.forward(ctx, *args)


def _apply(cls: type[Function], args: tuple[Any, ...]) -> Any:
    if any(isinstance(t, Tensor) and t._keys_ & _TRACE for t in args):
        raise RuntimeError(
            f"{cls.__name__}.apply(): a Function has a backward in Python, which a traced program cannot call; apply "
            "it outside"
        )
    ctx = cls._ctx_class_()
    recording = _core.is_grad_enabled()
    ctx.needs_input_grad = tuple(isinstance(t, Tensor) and t.requires_grad for t in args)
    due = recording and any(ctx.needs_input_grad)
    with no_grad():
        result = _call_forward(cls, ctx, args)
    single = not isinstance(result, tuple)  # (a list is one output that is no tensor, as a dict is)
    outputs = [result] if single else list(result)
    dirty = {id(t) for t in ctx._dirty}
    if not dirty <= set(map(id, outputs)):
        raise RuntimeError(
            f"{cls.__name__}.forward: what ctx.mark_dirty() names must be returned, too; found "
            f"{len(dirty - set(map(id, outputs)))} that are not"
        )
    if not _places(outputs):
        return result  # numbers, strings and the like have no gradient
    if due and not dirty <= set(map(id, args)):
        warn(f"{cls.__name__}: ctx.mark_dirty() is for inputs that forward has changed; found another tensor")
    for t in args:
        if isinstance(t, Tensor) and id(t) in dirty:
            t._bump_version()
    if not due:
        outputs = [
            _raw.alias_of(y) if isinstance(y, Tensor) and id(y) not in dirty and any(y is a for a in args) else y
            for y in outputs
        ]
        return outputs[0] if single else tuple(outputs)
    for t in args:
        if isinstance(t, Tensor) and id(t) in dirty:
            _core_check_inplace(cls.__name__, t)
    excluded = {id(t) for t in ctx._non_differentiable}
    inputs = _places(args)
    edges = [engine.edge_of(args[i]) if ctx.needs_input_grad[i] else (None, 0) for i in inputs]
    node = cls._node_class_(cls.__name__ + "Backward", list, edges, len(outputs))
    shapes = [(tuple(y.shape), y.dtype, y) if isinstance(y, Tensor) else None for y in outputs]
    likes = [None if s is None else (s[0], s[1]) for s in shapes]
    expected = [(tuple(args[i].shape), args[i].dtype, args[i].device) for i in inputs]
    node.function = _Backward(cls, ctx, inputs, len(args), likes, expected, edges)
    node.about = {"saved": {}, "results": [None if s is None else (s[0], s[1], s[2].device) for s in shapes]}
    final: list[Any] = []
    for i, y in enumerate(outputs):
        if not isinstance(y, Tensor) or id(y) in excluded or y.dtype.kind not in "fc":
            final.append(y)
            continue
        if y.is_inference() and not any(isinstance(a, Tensor) and _raw.same_memory(y, a) for a in args):
            final.append(y)  # made in inference mode: it takes no part in a graph
            continue
        if id(y) in dirty:
            from rushlight.autograd.inplace import rebase

            rebase(
                y, node, i, next((k for k, at in enumerate(inputs) if args[at] is y and edges[k][0] is not None), None)
            )
        else:
            view_of = y if any(y is a for a in args) else y._base
            if view_of is not None or y.requires_grad:
                y = _raw.alias_of(y)
                if view_of is not None:
                    mark_as_custom_view(y, view_of)
            engine.set_history(y, node, i)
        final.append(y)
    _keep(ctx, outputs, node)
    return final[0] if single else tuple(final)


def _core_check_inplace(name: str, t: Tensor) -> None:
    from rushlight.autograd.inplace import check_inplace

    if t.requires_grad:
        check_inplace(name, t)


def _keep(ctx: FunctionCtx, outputs: Sequence[Any], node: Node) -> None:
    """Fix what was saved: versions, and outputs as aliases, so that the node does not own itself."""
    import weakref

    saved = list(ctx._saved)
    for i, t in enumerate(saved):
        if isinstance(t, Tensor) and t.is_inference():
            raise RuntimeError(
                f"{ctx._name_()}: a tensor made in inference_mode() cannot be saved for the backward; found one in "
                "save_for_backward(). "
                "clone() makes an ordinary tensor of it"
            )
        for nr, y in enumerate(outputs):
            if t is not None and t is y:
                # other tensors have no place in the graph
                if y.dtype.kind in "fc" and not any(y is d for d in ctx._non_differentiable):
                    ctx._outputs[i] = nr
                saved[i] = _raw.alias_of(t)
    ctx._node = weakref.ref(node)
    ctx._versions = [t._version if isinstance(t, Tensor) else None for t in saved]
    if SAVED_HOOKS:
        pack, ctx._unpack = SAVED_HOOKS[-1]
        saved = [None if t is None else pack(t) for t in saved]
    ctx._saved = tuple(saved)


class _Backward:
    """Calls the author's backward: a function from a list of cotangents to another one, with one per tensor
    argument."""

    def __init__(
        self,
        cls: type[Function],
        ctx: FunctionCtx,
        inputs: list[int],
        n_args: int,
        likes: list[Any],
        expected: list[Any],
        edges: list[Any],
    ) -> None:
        self.cls, self.ctx, self.inputs, self.n_args, self.likes, self.expected, self.edges = (
            cls,
            ctx,
            inputs,
            n_args,
            likes,
            expected,
            edges,
        )

    def __call__(self, grads: list[Any]) -> list[Any]:
        cls, ctx = self.cls, self.ctx
        if ctx.materialize_grads:
            grads = [
                TABLE["zeros"](like[0], dtype=like[1]) if g is None and like is not None else g
                for g, like in zip(grads, self.likes, strict=True)
            ]
        fn = cls.vjp if cls.vjp is not Function.vjp else cls.backward
        result = fn(ctx, *grads)
        found = list(result) if isinstance(result, (tuple, list)) else [result]
        while len(found) > self.n_args and found[-1] is None:
            found.pop()
        if len(found) != self.n_args:
            raise RuntimeError(
                f"{cls.__name__}.backward: must return a gradient for each of the {self.n_args} arguments of "
                f"forward; found {len(found)}"
            )
        for i, g in enumerate(found):
            if i not in self.inputs and g is not None:
                raise RuntimeError(
                    f"{cls.__name__}.backward: gradient {i} must be None, for argument {i} of forward is no Tensor; "
                    f"found {type(g).__name__}"
                )
        return [self.fit(k, found[i]) if self.edges[k][0] is not None else None for k, i in enumerate(self.inputs)]

    def release(self) -> None:
        """Forget what `forward` saved."""
        self.ctx._release_()

    def fit(self, k: int, g: Any) -> Any:
        """A returned gradient in the shape and dtype of its input."""
        if g is None:
            return None
        if not isinstance(g, Tensor):
            raise RuntimeError(
                f"{self.cls.__name__}.backward: gradient {k} must be a Tensor or None; found {type(g).__name__}"
            )
        shape, dtype, device = self.expected[k]
        if g.device != device:
            raise RuntimeError(
                f"{self.cls.__name__}.backward: gradient {k} must be on the device {device} of its input; found "
                f"{g.device}"
            )
        if g.dtype.kind == "c" and dtype.kind != "c":
            raise RuntimeError(
                f"{self.cls.__name__}.backward: gradient {k} must be real as its input is; found the dtype {g.dtype}"
            )
        if tuple(g.shape) != shape:
            ok = len(g.shape) >= len(shape) and all(b in (1, a) for a, b in zip(reversed(g.shape), reversed(shape)))
            if not ok:
                raise RuntimeError(
                    f"{self.cls.__name__}.backward: gradient {k} must have the shape {shape} of its input, or one "
                    f"that sums to it; found {tuple(g.shape)}"
                )
            g = METHODS["sum_to_size"](g, shape)
        if g.dtype is not dtype:
            g = METHODS["to"](g, dtype)
        return g


# ----------------------------------------------------------------------------------------------------------- transforms
class VmapInfo(tuple[Any, ...]):
    """What a vmap rule is given: batch_size and randomness."""

    def __new__(cls, batch_size: int, randomness: str) -> VmapInfo:
        return super().__new__(cls, (batch_size, randomness))

    batch_size = property(lambda self: self[0])
    randomness = property(lambda self: self[1])


def _apply_batched(cls: type[Function], args: tuple[Any, ...], level: Level) -> Any:
    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        raise RuntimeError(f"{cls.__name__}: a Function must define vmap or set generate_vmap_rule=True; found both")
    if own:
        dims = tuple(0 if isinstance(t, Batched) and t.level is level else None for t in args)
        plain = [t.value if isinstance(t, Batched) and t.level is level else t for t in args]
        result = cls.vmap(VmapInfo(level.size, level.randomness), dims, *plain)
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(f"{cls.__name__}.vmap: must return (output, out_dims); found {type(result).__name__}")
        output, where = result
        if isinstance(output, (tuple, list)):
            places = where if isinstance(where, (tuple, list)) else [where] * len(output)
            return tuple(_wrap(y, d, level) for y, d in zip(output, places, strict=True))
        return _wrap(output, where, level)
    if not cls.generate_vmap_rule:
        raise RuntimeError(
            f"{cls.__name__}: to run under vmap, a Function must define vmap or set generate_vmap_rule=True; found "
            "neither"
        )
    return _through(cls, args)


def _wrap(y: Any, d: int | None, level: Level) -> Any:
    return y if d is None or not isinstance(y, Tensor) else batched(METHODS["movedim"](y, d, 0), level)


def _through(cls: type[Function], args: tuple[Any, ...]) -> Tensor | tuple[Tensor, ...]:
    """The forward on wrapped tensors, with the author's backward in the place of its derivative.

    The graph lives on plain tensors, so the call is recorded there: physical arguments in, physical results out, and
    each direction wraps them again for the author's functions.
    """
    from rushlight.func.levels import in_force, put_together, take_apart

    levels = list(in_force())
    none: frozenset[int] = frozenset()
    tensors = _places(args)
    physical = [take_apart(args[i], levels)[none] for i in tensors]
    extra: dict[str, Any] = {}

    class Inner(Function):
        @staticmethod
        def forward(ctx: Any, *xs: Any) -> tuple[Tensor, ...]:
            inner = cls._ctx_class_()
            inner.needs_input_grad = tuple(
                i in tensors and ctx.needs_input_grad[tensors.index(i)] for i in range(len(args))
            )
            full = list(args)
            for i, x in zip(tensors, xs, strict=True):
                full[i] = put_together({none: x}, levels)
            result = _call_forward(cls, inner, full)
            extra["single"] = not isinstance(result, (tuple, list))
            outs = [result] if extra["single"] else list(result)
            ctx.inner, ctx.names = inner, levels
            return tuple(take_apart(y, levels)[none] for y in outs)

        @staticmethod
        def backward(ctx: Any, *gs: Any) -> tuple[Tensor | None, ...]:
            with _alive(levels):
                found = cls.backward(ctx.inner, *[put_together({none: g}, levels) for g in gs])
                found = list(found) if isinstance(found, (tuple, list)) else [found]
                return tuple(None if found[i] is None else take_apart(found[i], levels)[none] for i in tensors)

    Inner.__name__ = cls.__name__
    result = Inner.apply(*physical)
    wrapped = [put_together({none: y}, levels) for y in result]
    return wrapped[0] if extra["single"] else tuple(wrapped)


@contextmanager
def _alive(levels: list[Level]) -> Iterator[None]:
    """The levels of a recorded call again in force while its backward runs."""
    from rushlight.func.levels import in_force

    stack = in_force()
    added, old = [v for v in levels if v not in stack], list(stack)
    were = [v.alive for v in added]
    stack[:] = sorted({*stack, *added}, key=lambda v: v.number)
    for v in added:
        v.alive = True
    try:
        yield
    finally:
        in_force()[:] = old
        for v, was in zip(added, were, strict=True):
            v.alive = was


def _apply_dual(cls: type[Function], args: tuple[Any, ...], level: Level) -> Any:
    def mine(t: Any) -> bool:
        return isinstance(t, Dual) and t.level is level

    if cls.jvp is Function.jvp:
        raise _unwritten(cls.__name__, "jvp", "for forward mode")
    primals = [t.primal if mine(t) else t for t in args]
    tangents = [t.tangent if mine(t) else None for t in args]
    outputs = cls.apply(*primals)
    ctx = cls._ctx_class_()
    ctx.needs_input_grad = tuple(mine(t) for t in args)
    with enable_grad() if _core.is_grad_enabled() else no_grad():
        _call_forward(cls, ctx, primals)
        if ctx._forward_saved:
            ctx._saved = ctx._forward_saved
        found = cls.jvp(ctx, *tangents)
    if not isinstance(outputs, tuple):
        return dual(outputs, found, level)
    if not isinstance(found, (tuple, list)) or len(found) != len(outputs):
        raise RuntimeError(
            f"{cls.__name__}.jvp: must return a tangent for each of {len(outputs)} outputs; found "
            f"{len(found) if isinstance(found, (tuple, list)) else type(found).__name__}"
        )
    return tuple(dual(y, t, level) if isinstance(y, Tensor) else y for y, t in zip(outputs, found, strict=True))


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a `backward` that is not differentiable itself: differentiating through it is an error."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            result = fn(ctx, *args)
        if not _core.is_grad_enabled() or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return result

        def refuse(grads: list[Any]) -> list[Any]:
            raise RuntimeError(
                f"{fn.__qualname__}: is marked with once_differentiable, and must not be differentiated again"
            )

        single = not isinstance(result, (tuple, list))
        outs = [result] if single else list(result)
        marked = []
        for y in outs:
            if isinstance(y, Tensor) and y.dtype.kind in "fc":
                y = _raw.alias_of(y)
                engine.set_history(y, engine.CallbackNode("DelayedError", refuse, [], 1), 0)
            marked.append(y)
        return marked[0] if single else tuple(marked)

    return wrapper
