# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules._hooks import (
    HookDict as HookDict, HooksMixin as HooksMixin, global_buffer_registration_hooks as global_buffer_registration_hooks,
    global_module_registration_hooks as global_module_registration_hooks,
    global_parameter_registration_hooks as global_parameter_registration_hooks,
    register_module_backward_hook as register_module_backward_hook,
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
    register_module_forward_hook as register_module_forward_hook,
    register_module_forward_pre_hook as register_module_forward_pre_hook,
    register_module_full_backward_hook as register_module_full_backward_hook,
    register_module_full_backward_pre_hook as register_module_full_backward_pre_hook,
    register_module_module_registration_hook as register_module_module_registration_hook,
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
    run_registration_hooks as run_registration_hooks, state as state,
)
from rushlight.nn.modules._state_dict import StateDictMixin as StateDictMixin, _IncompatibleKeys as _IncompatibleKeys
from rushlight.nn.modules.module import Module as Module, T as T, _Kind as _Kind
from rushlight.nn.parameter import Buffer as Buffer, Parameter as Parameter
