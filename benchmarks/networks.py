"""Networks forward and backward: `python -m benchmarks --only ^networks/ --threads 1 --processor`."""

from __future__ import annotations

import functools
from typing import Any

from benchmarks.blocks import gpt_block, resnet18
from benchmarks.cases import Run, case
from benchmarks.vision import CASES

__all__ = ["CASES"]


def _forward_and_backward(model: Any, x: Any) -> Run:
    def run() -> None:
        model.zero_grad()
        model(x).sum().backward()

    return run


def _gpt_block(dtype: str, T: Any) -> Run:
    """A block of a small GPT: 8 x 256 tokens, 6 heads of 64."""
    d = getattr(T, dtype)
    return _forward_and_backward(gpt_block(T, 384, 6).to(d), T.randn(8, 256, 384).to(d))


for _dtype in ("float32", "bfloat16"):
    case(f"networks/gpt_block_{_dtype}", 0.6)(functools.partial(_gpt_block, _dtype))


@case("networks/resnet18_64", 0.6)
def _resnet18(T: Any) -> Run:
    """ResNet-18 on 8 images of 64 x 64."""
    return _forward_and_backward(resnet18(T), T.randn(8, 3, 64, 64))


@case("networks/lstm_256", 0.6)
def _lstm(T: Any) -> Run:
    """An LSTM of width 256 on 32 sequences of 64."""

    class Last(T.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = T.nn.LSTM(256, 256, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.net(x)[0]

    return _forward_and_backward(Last(), T.randn(32, 64, 256))
