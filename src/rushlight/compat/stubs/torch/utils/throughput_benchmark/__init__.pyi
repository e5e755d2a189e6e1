# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.throughput_benchmark import ExecutionStats as ExecutionStats
from rushlight.utils.throughput_benchmark import ThroughputBenchmark as ThroughputBenchmark
from rushlight.utils.throughput_benchmark import format_time as format_time
from rushlight.utils.throughput_benchmark import seconds_together as seconds_together
