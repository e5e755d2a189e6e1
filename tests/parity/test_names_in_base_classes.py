"""What programs derive from has no names that PyTorch's class lacks but those that end in an underscore: a program's
own `_step` or `_table` must not replace one of the library's.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

SPACES = (
    "nn optim optim.lr_scheduler optim.swa_utils utils.data distributions distributions.transforms "
    "distributions.constraints autograd nn.parallel fx"
).split()
# Of what a program does not derive from, and what every tensor has (operators that PyTorch keeps to itself).
TENSORS = frozenset({"_bump_version", "_generator", "_index_put_"})
# PyTorch's own, which it sets later than we do, or has in another class of the kind.
THEIRS = frozenset({"_cached_x_y", "_flat_weights", "_flat_weights_names", "_forward_cls", "_new"})
OTHERS = TENSORS | THEIRS
APART = frozenset({"fx.Graph", "fx.Node", "fx.PH", "autograd.Variable", "distributions.constraints.dependent_property"})


def names() -> dict[str, list[str]]:
    """Of each public class its names, and those that an object has when it is made."""
    import torch
    import torch.fx
    import torch.optim.swa_utils

    found = {"Tensor": sorted(set(dir(torch.Tensor)) | set(dir(torch.ones(1))))}
    for space in SPACES:
        module: Any = torch
        for part in space.split("."):
            module = getattr(module, part)
        for name in dir(module):
            cls = getattr(module, name)
            if isinstance(cls, type) and not name.startswith("_"):
                held = set(dir(cls))
                for arguments in ((), (2,), (2, 2), (2, 2, 2)):
                    try:
                        held |= set(vars(cls(*arguments)))
                        break
                    except Exception:  # it wants others: its class alone is compared then
                        continue
                found[f"{space}.{name}"] = sorted(held)
    return found


def seen_by(*command: str) -> dict[str, list[str]]:
    from processes import printed  # the file is a program as well, which does not find it

    found: dict[str, list[str]] = json.loads(printed(*command, __file__).splitlines()[-1])
    return found


def test_no_name_in_the_way() -> None:
    pytest.importorskip("torch", reason="the reference")
    theirs, ours = seen_by(), seen_by("-m", "rushlight")
    shared = [name for name in theirs if name in ours and name not in APART]
    assert len(shared) > 300
    extra = {name: [a for a in ours[name] if a not in theirs[name] and a not in OTHERS] for name in shared}
    in_the_way = {
        name: [a for a in found if a.startswith("_") and not a.endswith("_")] for name, found in extra.items()
    }
    assert {name: found for name, found in in_the_way.items() if found} == {}
    # A tensor has no public ones either: programs ask hasattr(x, "keys").
    public = [a for a in extra["Tensor"] if not a.startswith("_")]
    assert public == ["grad_fn_"], "an attribute of our own ends in an underscore, an operator is no method"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(names()))
