"""Switches for future behaviour of `nn.Module`; none can be turned on here."""

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
    """Set whether conversions of modules make new parameters; only False is accepted."""
    _refuse("overwrite_module_params_on_conversion", value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions of modules make new parameters: always False."""
    return False


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether conversions of modules swap parameters; only False is accepted."""
    _refuse("swap_module_params_on_conversion", value)


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions of modules swap parameters: always False."""
    return False
