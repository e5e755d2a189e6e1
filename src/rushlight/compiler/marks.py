"""The names of `torch.compiler`: marks on functions, and how `torch.compile` runs them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from rushlight.core.nesting import mapped
from rushlight.core.tensor import Tensor, is_grad_enabled

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

# The names that PyTorch's programs pass; which one is named makes no difference.
BACKENDS = (
    "inductor",
    "eager",
    "aot_eager",
    "cudagraphs",
    "onnxrt",
    "openxla",
    "tvm",
    "aot_eager_decomp_partition",
    "ts",
)
# What programs have registered beside them, with their tags (rushlight/_dynamo/backends/registry.py).
REGISTERED: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {}
_DEBUG, _EXPERIMENTAL = frozenset(("debug",)), frozenset(("experimental",))
_TAGS = {"eager": _DEBUG, "aot_eager": _DEBUG, "aot_eager_decomp_partition": _DEBUG, "ts": _EXPERIMENTAL}
_STANCES = (
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
    "aot_eager_then_compile",
)
_default: list[Any] = ["inductor"]


def is_compiling() -> bool:
    """Whether a compiler runs this function in Python's place: never, Python runs it as it is written."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


# Of rushlight.jit.recording, by itself: records nothing in a block.
paused: list[Callable[[str], AbstractContextManager[None]]] = []


def disable(fn: Callable[..., Any] | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function that runs operator by operator, inside of compiled ones too. A decorator, with or without arguments;
    modules and classes are returned as they are.
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if isinstance(fn, type) or not hasattr(fn, "__name__"):
        return fn

    @functools.wraps(fn)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        if not paused:
            return fn(*args, **kwargs)
        with paused[0](reason or "torch.compiler.disable()"):
            return fn(*args, **kwargs)

    return disabled


def allow_in_graph(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return fn


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself."""
    return fn


def substitute_in_graph(
    original_fn: Callable[..., Any], **kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that returns the function itself: Python runs `original_fn`."""
    return lambda fn: fn


def nested_compile_region(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """The function itself. A decorator, with or without arguments."""
    return (lambda f: f) if fn is None else fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors that calls `fn`, a function of NumPy arrays: the arrays lie on the tensors' memory, and the
    arrays and NumPy numbers that it returns, also in containers, become tensors.

    Args:
        fn: takes and returns arrays, numbers, and containers of these.

    Returns:
        The function. It raises a RuntimeError for a tensor that requires grad while gradients are recorded: NumPy
        computes none.
    """

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        import numpy as np

        def array_of(x: Any) -> Any:
            if not isinstance(x, Tensor):
                return x
            if x.requires_grad and is_grad_enabled():
                raise RuntimeError(
                    "wrap_numpy(): a tensor must not require grad, as NumPy computes no gradients; found one that "
                    "does. Pass x.detach() or write the function with tensors"
                )
            return x.detach().numpy()

        def tensor_of(x: Any) -> Any:
            return Tensor().__array_wrap__(np.asarray(x)) if isinstance(x, (np.ndarray, np.generic)) else x

        own_args, own_kwargs = mapped((args, kwargs), array_of)
        return mapped(fn(*own_args, **own_kwargs), tensor_of)

    return wrapped


def reset() -> None:
    """Forget what whole-program compilation has kept: nothing."""


def cudagraph_mark_step_begin() -> None:
    """Marks the start of an iteration for CUDA graphs: there are none."""


def list_backends(exclude_tags: tuple[str, ...] | None = ("debug", "experimental")) -> list[str]:
    """The names that `torch.compile(backend=...)` takes, but for those that have one of the tags."""
    tags = {b: _TAGS.get(b, frozenset()) for b in BACKENDS} | {b: own for b, (_, own) in REGISTERED.items()}
    return sorted(b for b, own in tags.items() if own.isdisjoint(exclude_tags or ()))


def get_default_backend() -> Any:
    """What `torch.compile` takes where no backend is named."""
    return _default[0]


def set_default_backend(backend: str | Callable[..., Any]) -> None:
    """Set what `torch.compile` takes where no backend is named; None: "inductor". TypeError: neither a name nor a
    function.
    """
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(
            f"set_default_backend(): 'backend' must be a name, a function or None; found {type(backend).__name__}"
        )
    _default[0] = backend or "inductor"


said: list[str] = ["default"]  # what `set_stance` has said


def stance() -> str:
    """What `set_stance` has said."""
    return said[0]


class set_stance:
    """Set how compiled functions run from now on, or in a with block, or in a function that it decorates: "force_eager"
    records nothing; the other stances make no difference.

    Raises:
        RuntimeError: no such stance.
    """

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: str | Callable[..., Any] | None = None,
    ) -> None:
        if stance not in _STANCES:
            raise RuntimeError(f"set_stance(): 'stance' must be one of {', '.join(_STANCES)}; found {stance!r}")
        self.stance, self.before = stance, said[0]
        said[0] = stance

    def __enter__(self) -> None:
        said[0] = self.stance

    def __exit__(self, *exc: object) -> None:
        said[0] = self.before

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        said[0] = self.before

        @functools.wraps(fn)
        def run(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return run
