# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.cuda.nvtx import mark as mark
from rushlight.cuda.nvtx import range as range
from rushlight.cuda.nvtx import range_end as range_end
from rushlight.cuda.nvtx import range_pop as range_pop
from rushlight.cuda.nvtx import range_push as range_push
from rushlight.cuda.nvtx import range_start as range_start
from rushlight.utils._absent import refused_by as refused_by
