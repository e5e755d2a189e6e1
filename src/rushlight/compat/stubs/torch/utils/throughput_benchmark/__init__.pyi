# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils._checks import check_argument as check_argument
from rushlight.utils.throughput_benchmark import (
    ExecutionStats as ExecutionStats, ThroughputBenchmark as ThroughputBenchmark, format_time as format_time,
)
