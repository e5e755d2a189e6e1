"""Switches of behaviour that is to come in `nn.Module`: each is read when a module is converted."""

from __future__ import annotations

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]


def _refuse(name: str, value: bool) -> None:
    if value:
        raise NotImplementedError(
            f"set_{name}(): must be False: conversions of modules write into the parameters that are there; found "
            f"{value}"
        )


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether conversions make new parameters: False alone is taken."""
    _refuse("overwrite_module_params_on_conversion", value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions make new parameters: no."""
    return False


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions swap parameters: False alone is taken."""
    _refuse("swap_module_params_on_conversion", value)


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions swap parameters: no."""
    return False
