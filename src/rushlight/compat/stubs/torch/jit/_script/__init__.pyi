# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.jit import Attribute as Attribute, interface as interface, script as script
from rushlight.jit.scripted import ScriptModule as ScriptModule
