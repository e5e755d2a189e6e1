# ruff: noqa
"""State dicts by the parameters' names (torch.distributed.checkpoint.state_dict), of one process: what is printed is
compared."""

import dataclasses
import warnings

import torch
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)

warnings.simplefilter("ignore")


def plain(v):
    return [f"{x:.3g}" for x in v.flatten().tolist()] if isinstance(v, torch.Tensor) else v


print([(f.name, f.default) for f in dataclasses.fields(StateDictOptions)])
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class M(torch.nn.Module):
    def __init__(s):
        super().__init__()
        s.a = torch.nn.Linear(2, 2)
        s.b = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
        s.b[1].bias.requires_grad_(False)

    def forward(s, x):
        return s.b(s.a(x))


m = M()
m.b[0].eval()
for mk in (
    lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9),
    lambda ps: torch.optim.Adam(ps, lr=0.01),
    lambda ps: torch.optim.SGD(ps, lr=0.1),
):
    ps = [p for p in m.parameters() if p.requires_grad]
    o = mk([{"params": ps[:2]}, {"params": ps[2:], "lr": 0.5}])
    m(torch.tensor([[1.0, 2.0], [-1.0, 3.0], [0.5, -2.0]])).sub(torch.tensor([[1.0], [3.0], [-2.0]])).pow(
        2
    ).sum().backward()
    o.step()

    def show(d, ind=1):
        for k, v in d.items():
            if isinstance(v, dict):
                print(" " * ind + str(k))
                show(v, ind + 2)
            elif isinstance(v, list):
                print(
                    " " * ind + str(k),
                    [
                        (
                            sorted((a, b) if not isinstance(b, torch.Tensor) else (a, plain(b)) for a, b in x.items())
                            if isinstance(x, dict)
                            else x
                        )
                        for x in v
                    ],
                )
            else:
                print(" " * ind + str(k), type(v).__name__, plain(v))

    for opt in (
        None,
        StateDictOptions(full_state_dict=True),
        StateDictOptions(ignore_frozen_params=True),
        StateDictOptions(flatten_optimizer_state_dict=True),
        StateDictOptions(cpu_offload=True),
        StateDictOptions(full_state_dict=True, cpu_offload=True),
    ):
        print(opt)
        show(get_model_state_dict(m, options=opt))
        try:
            show(get_optimizer_state_dict(m, o, options=opt))
        except Exception as e:
            print(type(e).__name__)
    ms, os_ = get_state_dict(m, o)
    m2 = M()
    o2 = mk(
        [
            {"params": [p for p in m2.parameters() if p.requires_grad][:2]},
            {"params": [p for p in m2.parameters() if p.requires_grad][2:]},
        ]
    )
    print(set_state_dict(m2, o2, model_state_dict=ms, optim_state_dict=os_))
    print(
        all(torch.equal(a, b) for a, b in zip(m.parameters(), m2.parameters())),
        o2.param_groups[1]["lr"],
        [{k: plain(v) for k, v in s.items()} for s in o2.state.values()][:1],
    )
    flat = get_optimizer_state_dict(m, o, options=StateDictOptions(flatten_optimizer_state_dict=True))
    o3 = mk(
        [
            {"params": [p for p in m2.parameters() if p.requires_grad][:2]},
            {"params": [p for p in m2.parameters() if p.requires_grad][2:]},
        ]
    )
    set_optimizer_state_dict(m2, o3, flat, options=StateDictOptions(flatten_optimizer_state_dict=True))
    print(o3.param_groups[1]["lr"], len(o3.state))
for k in ("submodules", "x"):
    try:
        print(
            sorted(get_model_state_dict(m, submodules={m.b})),
            sorted(get_model_state_dict(m, submodules={m.b}, options=StateDictOptions(keep_submodule_prefixes=False))),
        )
    except Exception as e:
        print(type(e).__name__)
try:
    print(set_model_state_dict(m, {"a.weight": torch.ones(2, 2)}))
except Exception as e:
    print(type(e).__name__)
try:
    print(set_model_state_dict(m, {"foo": torch.ones(2, 2)}, options=StateDictOptions(strict=False)))
except Exception as e:
    print(type(e).__name__)
print(m.a.weight)
try:
    print(
        set_model_state_dict(m, {m.a: {"weight": torch.zeros(2, 2)}}, options=StateDictOptions(strict=False)),
        m.a.weight,
    )
except Exception as e:
    print(type(e).__name__)

fresh = torch.optim.Adam(m.parameters())  # has no state yet
show(get_optimizer_state_dict(m, fresh))
print(len(fresh.state), fresh.param_groups[0]["lr"], m.a.weight.grad)
try:
    get_optimizer_state_dict(M(), torch.optim.SGD(m.parameters(), lr=0.1))
except Exception as e:
    print("refused")
