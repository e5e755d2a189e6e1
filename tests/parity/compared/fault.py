"""Runs a program on rushlight with one operator made wrong by a thousandth: `fault.py OPERATOR PROGRAM ...`; with
`gradient:OPERATOR`, its gradient.
"""

import os
import runpy
import sys

import torch
from torch.overrides import TorchFunctionMode


class Fault(TorchFunctionMode):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.kind, _, self.name = name.rpartition(":")

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        if getattr(func, "__name__", "") == self.name and isinstance(result, torch.Tensor):
            if not self.kind:
                with torch.no_grad():
                    result.data.mul_(1.001)
            elif result.requires_grad:
                result.register_hook(lambda g: g * 1.001)
        return result


if __name__ == "__main__":
    assert "rushlight" in torch.__version__
    fault, *sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(sys.argv[0])
    Fault(fault).__enter__()
    runpy.run_path(sys.argv[0], run_name="__main__")
