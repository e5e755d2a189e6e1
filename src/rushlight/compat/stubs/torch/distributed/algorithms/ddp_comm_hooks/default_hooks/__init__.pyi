# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.parallel.communication import allreduce_hook as allreduce_hook
from rushlight.nn.parallel.communication import bf16_compress_hook as bf16_compress_hook
from rushlight.nn.parallel.communication import fp16_compress_hook as fp16_compress_hook
