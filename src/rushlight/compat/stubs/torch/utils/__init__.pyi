# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.utils import (
    benchmark as benchmark, bottleneck as bottleneck, collect_env as collect_env, data as data, hooks as hooks,
)
