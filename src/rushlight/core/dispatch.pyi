# What dispatch.pyx offers to Python.
from collections.abc import Callable
from inspect import Signature
from types import TracebackType
from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.core.engine import Node
from rushlight.core.execute import Executable
from rushlight.core.tensor import OperatorBase, Tensor

KIND_NAMES: dict[str, int]
SAVED_HOOKS: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]]

class Param:
    name: str
    kind: int
    default: Any
    required: bool
    optional: bool
    keyword_only: bool
    varargs: bool
    specialize: bool
    def __init__(
        self, name: str, kind: str, default: Any, required: bool, optional: bool, keyword_only: bool, varargs: bool = False, specialize: bool = False,
    ) -> None: ...

class CompiledCall:
    executable: Executable
    wrap: Any
    derivative: Derivative | None
    n_outputs: int
    program: Any

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
    params: list[Param]
    index: dict[str, int]
    definition: Any
    eager: Callable[..., Any] | None
    inplace: bool
    is_view: bool
    takes_out: bool
    implementations: dict[str, Callable[..., Any]]
    overridden: Callable[..., Any] | None
    functional: Operator  # set on in-place variants by the operator table
    def __init__(
        self, name: str, params: list[Param], definition: Any = None, eager: Callable[..., Any] | None = None, inplace: bool = False,
        is_view: bool = False, takes_out: bool = False,
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

class Named(OperatorBase):
    __name__: str
    op: Operator
    name: str
    namespace: str
    shown: Any
    def __init__(self, op: Operator, name: str, namespace: str) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

class Method(Named): ...

class Stream:
    _seed: int
    _offset: int
    def advance(self, n: int) -> tuple[int, int]: ...

def default_dtype_is(d: dtype) -> None: ...
def refuse_drawing(function: Callable[[], object] | None) -> Callable[[], object] | None: ...
def plain_draw(op: Operator, stream: Stream, size: Any, dtype: Any, numbers: tuple[Any, ...], requires_grad: bool) -> Tensor | None: ...
def plain_redraw(op: Operator, stream: Stream, t: Tensor, numbers: tuple[Any, ...]) -> bool: ...
def hide_frames(hide: bool) -> bool: ...
def frames_are_hidden() -> bool: ...
def visible(tb: TracebackType | None) -> TracebackType | None: ...
def is_special_number(v: object) -> bool: ...
def line_of(code: Any, lasti: int) -> str: ...
def writer_of(t: Tensor, version: int) -> str | None: ...
