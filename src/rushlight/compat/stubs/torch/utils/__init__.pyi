# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.utils import (
    benchmark as benchmark, bottleneck as bottleneck, checkpoint as checkpoint, collect_env as collect_env, data as data,
    dlpack as dlpack, flop_counter as flop_counter, hooks as hooks, model_zoo as model_zoo, selective as selective,
    serialization as serialization, throughput_benchmark as throughput_benchmark,
)
