"""`torch.ops.profiler`: the ends of a profiler's range as operators, which a graph can hold."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.profiler import record_function
from rushlight.core.tensor import Tensor
from rushlight.library.operator import define
from rushlight.library.schema import parse_schema
from rushlight.operators.table.define import TABLE


def _enter(name: str, args: str | None = None) -> Tensor:
    handle: Any = TABLE["zeros"](1)
    handle._range = record_function(name, args)
    handle._range.__enter__()
    return handle  # type: ignore[no-any-return]


def _exit(handle: Any) -> None:
    opened = handle.__dict__.pop("_range", None)
    if opened is None:
        raise RuntimeError(
            "profiler::_record_function_exit(): 'handle' must be what _record_function_enter returned, once; found "
            "another tensor, or one of a range that has ended"
        )
    opened.__exit__()


define(parse_schema("profiler::_record_function_enter(str name, str? args=None) -> Tensor")).kernels[""] = _enter
define(parse_schema("profiler::_record_function_exit(Tensor handle) -> ()")).kernels[""] = _exit
