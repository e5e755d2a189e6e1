"""torchvision's wheel on rushlight alone: it loads without PyTorch, and its operators take part in everything."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torchvision") is None, reason="torchvision is not installed")

HERE = Path(__file__).parent


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS": "1", "PYTHONPATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_loads_where_rushlight_stands_in_for_torch() -> None:
    text = (
        "import warnings; warnings.simplefilter('error'); import rushlight.compat; rushlight.compat.install();"
        "import torch, torchvision, torchvision.ops; assert torchvision.extension._has_ops();"
        "assert torch.__name__ == 'torch' and torchvision.extension._check_cuda_version() == -1;"
        "maps = open('/proc/self/maps').read(); assert 'libtorch' not in maps and 'torchvision/_C' not in maps;"
        "public = [n for n in dir(torch) if n in ('nms', 'roi_align', 'roi_pool', 'deform_conv2d', 'torchvision')];"
        "print(public, hasattr(torch.Tensor, 'roi_align'))"
    )
    assert _run("-c", text).strip() == "[] False"


def test_derivatives_of_every_kind_through_its_functions() -> None:
    _run("-m", "rushlight", str(HERE / "derivatives.py"))
