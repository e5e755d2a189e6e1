# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._hooks import HookDict as HookDict
from rushlight.nn.modules._hooks import HooksMixin as HooksMixin
from rushlight.nn.modules._hooks import global_buffer_registration_hooks as global_buffer_registration_hooks
from rushlight.nn.modules._hooks import global_module_registration_hooks as global_module_registration_hooks
from rushlight.nn.modules._hooks import global_parameter_registration_hooks as global_parameter_registration_hooks
from rushlight.nn.modules._hooks import register_module_backward_hook as register_module_backward_hook
from rushlight.nn.modules._hooks import (
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
)
from rushlight.nn.modules._hooks import register_module_forward_hook as register_module_forward_hook
from rushlight.nn.modules._hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from rushlight.nn.modules._hooks import register_module_full_backward_hook as register_module_full_backward_hook
from rushlight.nn.modules._hooks import register_module_full_backward_pre_hook as register_module_full_backward_pre_hook
from rushlight.nn.modules._hooks import (
    register_module_module_registration_hook as register_module_module_registration_hook,
)
from rushlight.nn.modules._hooks import (
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from rushlight.nn.modules._hooks import run_registration_hooks as run_registration_hooks
from rushlight.nn.modules._hooks import state as state
from rushlight.nn.modules._state_dict import StateDictMixin as StateDictMixin
from rushlight.nn.modules._state_dict import _IncompatibleKeys as _IncompatibleKeys
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.module import T as T
from rushlight.nn.modules.module import _Kind as _Kind
from rushlight.nn.modules.module import shown as shown
from rushlight.nn.parameter import Buffer as Buffer
from rushlight.nn.parameter import Parameter as Parameter
