# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import Attribute as Attribute
from rushlight.jit import interface as interface
from rushlight.jit import script as script
from rushlight.jit.scripted import ScriptModule as ScriptModule
