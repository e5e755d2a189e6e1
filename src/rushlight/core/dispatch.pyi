# What dispatch.pyx offers to Python.
from collections.abc import Callable, Sequence
from enum import IntEnum
from inspect import Signature
from types import TracebackType
from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.core.engine import Node
from rushlight.core.execute import Executable
from rushlight.core.tensor import OperatorBase, Tensor

SAVED_HOOKS: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]]

class Kind(IntEnum):
    P_TENSOR = 0
    P_TENSORS = 1
    P_SCALAR = 2
    P_INT = 3
    P_INTS = 4
    P_STATIC = 5
    P_OPERAND = 6
    P_REAL = 7
    P_SIZES = 8

class Param:
    name: str
    kind: int
    default: Any
    required: bool
    optional: bool
    keyword_only: bool
    varargs: bool
    specialize: frozenset[float]
    by_sign: bool
    like: int
    fixed: bool
    def __init__(
        self,
        name: str,
        kind: int,
        default: Any = None,
        required: bool = True,
        optional: bool = False,
        keyword_only: bool = False,
        varargs: bool = False,
        specialize: frozenset[float] = ...,
        by_sign: bool = False,
        like: int = -1,
    ) -> None: ...

class CompiledCall:
    executable: Executable
    wrap: Any
    derivative: Derivative | None
    n_outputs: int
    warned: list[tuple[str, type[Warning], str | None]] | None
    program: Any
    def valid_for(self, found: list[tuple[int, str, float, int, bool]]) -> None: ...

class Derivative:
    label: str
    residuals: list[tuple[int, int]]
    active: list[int]
    cotangent_outputs: list[int]
    scalars: list[int]
    grads: list[int | None]
    n_own: int
    keeps_number: bool
    own_scalars: list[int]
    backward: Any
    compiled: CompiledCall | None
    operator: Operator | None
    n_syms: int
    again: Any
    origin: Any
    precompile: Callable[[], None] | None
    operator_again: Operator | None
    old: dict[int, int] | None

class PlanNode(Node):
    derivative: Derivative
    @property
    def line(self) -> str | None: ...
    def kept(self, i: int) -> Tensor: ...
    def hook_kept(self, i: int, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]) -> None: ...
    def ints(self) -> list[int]: ...
    def number(self, i: int) -> Any: ...
    @property
    def saved_tensors(self) -> tuple[Tensor, ...]: ...

# Its __get__, which returns the operator itself, is left out: an attribute declared as an Operator would be read as a method.
class Operator(OperatorBase):
    __name__: str
    __dict__: dict[str, Any]
    name: str
    params: tuple[Param, ...]
    index: dict[str, int]
    definition: Any
    eager: Callable[..., Any] | None
    inplace: bool
    is_view: bool
    takes_out: bool
    implementations: dict[str, Callable[..., Any]]
    functional: Operator | None
    def __init__(
        self,
        name: str,
        params: list[Param],
        definition: Any = None,
        *,
        eager: Callable[..., Any] | None = None,
        inplace: bool = False,
        functional: Operator | None = None,
        is_view: bool = False,
        takes_out: bool = False,
    ) -> None: ...
    @property
    def __signature__(self) -> Signature: ...
    @property
    def shape_class(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def goes_to(self, direct: Operator, contiguous: bool = False) -> None: ...
    def register(self, key: str, function: Callable[..., Any]) -> Callable[..., Any]: ...
    def compiled_calls(self) -> int: ...
    def cached(self) -> list[CompiledCall]: ...
    def signature_text(self) -> str: ...

class Form:
    params: tuple[Param, ...]
    twin: Operator | None
    converters: dict[str, Callable[[str, Any], object]]
    same: dict[str, str]
    def __init__(
        self,
        op: Operator,
        params: list[Param],
        twin: Operator | None = None,
        convert: dict[str, Callable[[str, Any], object]] = ...,
        none: dict[str, object] = ...,
        same: dict[str, str] = ...,
    ) -> None: ...

class Named(OperatorBase):
    __name__: str
    op: Operator
    name: str
    namespace: str
    form: Form | None
    shown: Any
    params: tuple[Param, ...]
    index: dict[str, int]
    takes_out: bool
    def __init__(self, op: Operator, name: str, namespace: str, form: Form | None = None) -> None: ...
    def signature_text(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

class Method(Named): ...

class Stream:
    counter: bool
    _seed: int
    _offset: int
    def restart(self, seed: int) -> None: ...
    def twister_state(self) -> tuple[bytes, int, bool, float | None]: ...
    def set_twister_state(self, words: bytes, used: int, fresh: bool, kept: float | None) -> None: ...

def default_dtype_is(d: dtype) -> None: ...
class Draw:
    op: Operator
    blocks: Operator | None
    def __init__(self, op: Operator, source: str, blocks: Operator | None = ...) -> None: ...

def set_counter_words(function: Callable[[int, int, int], Tensor]) -> None: ...
def draw_vector(draw: Draw, stream: Stream, n: int, dtype: Any, numbers: tuple[Any, ...], blocks: bool = ...) -> Tensor: ...
def draw_bernoulli(stream: Stream, n: int, p: float) -> Tensor: ...
def plain_mask(stream: Stream, t: Tensor, p: float) -> Tensor | None: ...
def draw_permutation(stream: Stream, n: int) -> Tensor: ...
def draw_poisson(stream: Stream, rate: Tensor) -> Tensor: ...
def draw_binomial(stream: Stream, count: Tensor, p: Tensor) -> Tensor: ...
def draw_gamma(stream: Stream, shape: Tensor, logarithm: bool) -> Tensor: ...
def draw_places(stream: Stream, weights: Tensor, count: int, single: bool) -> Tensor: ...
def refuse_drawing(function: Callable[[], object] | None) -> Callable[[], object] | None: ...
def plain_draw(draw: Draw, stream: Stream, size: Any, dtype: Any, numbers: tuple[Any, ...], requires_grad: bool) -> Tensor | None: ...
def plain_redraw(draw: Draw, stream: Stream, t: Tensor, numbers: tuple[Any, ...]) -> bool: ...
def hide_frames(hide: bool) -> bool: ...
def frames_are_hidden() -> bool: ...
def visible(tb: TracebackType | None) -> TracebackType | None: ...
def is_special_number(p: Param, v: object) -> bool: ...
def line_of(code: Any, lasti: int) -> str: ...
def writer_of(t: Tensor, version: int) -> str | None: ...
def join(
    tensors: Sequence[Tensor], dim: int, stacked: bool, dtype: dtype | None = None,
) -> Tensor | list[Tensor] | int | None: ...
def needs_history(tensors: Sequence[Tensor]) -> bool: ...
def part(whole: Tensor, dim: int, ends: list[int], stacked: bool) -> list[Tensor] | None: ...
