"""Exported programs made of others: `move_to_device_pass`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from rushlight.core.tensor import Tensor, device
from rushlight.export.exported_program import ExportedProgram
from rushlight.nn.parameter import Parameter

__all__ = ["move_to_device_pass"]


def move_to_device_pass(ep: ExportedProgram, location: Any) -> ExportedProgram:
    """The program with its tensors, and those that it makes, on another device.

    Args:
        ep: the program, which stays as it is.
        location: a device, or a dict of devices by those that are to be left.
    """

    def moved(where: Any) -> Any:
        if isinstance(location, Mapping):
            found = location.get(str(where), location.get(where.type))
            return where if found is None else device(found)
        return device(location)

    def place(t: Any) -> Any:
        if not isinstance(t, Tensor):
            return t
        there = t.detach().to(moved(t.device))
        return Parameter(there, t.requires_grad) if isinstance(t, Parameter) else there

    made = copy.deepcopy(ep)
    for table in (made.state_dict, made.constants):
        for path, t in table.items():
            table[path] = place(t)
    for node in made.graph.nodes:
        if isinstance(node.kwargs.get("device"), device):
            node.kwargs = {**node.kwargs, "device": moved(node.kwargs["device"])}
        node.args = tuple(moved(x) if isinstance(x, device) else x for x in node.args)
    made.graph_module.recompile()
    return made
