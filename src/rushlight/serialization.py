"""PyTorch's name for saving and loading."""
from rushlight.compat.checkpoint import get_unsafe_globals_in_checkpoint, load, save
from rushlight.compat.unpickler import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "safe_globals", "save"]
