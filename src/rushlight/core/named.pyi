# What named.pyx offers to Python.
from collections.abc import Callable
from typing import Any

from rushlight.core.base import OperatorBase
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Param

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
        choice: str = "inplace",
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
