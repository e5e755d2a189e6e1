# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.collect_env import (
    SystemEnv as SystemEnv, get_env_info as get_env_info, get_pretty_env_info as get_pretty_env_info,
    library_versions as library_versions, main as main, pretty_str as pretty_str, processor as processor,
)
