# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.anomaly_mode import (
    detect_anomaly as detect_anomaly, is_anomaly_enabled as is_anomaly_enabled, set_detect_anomaly as set_detect_anomaly,
)
from rushlight.autograd.function import Function as Function, NestedIOFunction as NestedIOFunction
from rushlight.autograd.grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode, no_grad as no_grad, set_grad_enabled as set_grad_enabled,
    set_multithreading_enabled as set_multithreading_enabled,
)
from rushlight.autograd.gradcheck import gradgradcheck as gradgradcheck
from rushlight.autograd.running import backward as backward, grad as grad
from rushlight.autograd.variable import Variable as Variable
from rushlight.core.tensor import is_grad_enabled as is_grad_enabled, is_inference_mode_enabled as is_inference_mode_enabled
from torch.autograd import (
    anomaly_mode as anomaly_mode, forward_ad as forward_ad, function as function, functional as functional,
    grad_mode as grad_mode, gradcheck as gradcheck, graph as graph, inplace as inplace, profiler as profiler,
    profiler_util as profiler_util, running as running, variable as variable,
)
