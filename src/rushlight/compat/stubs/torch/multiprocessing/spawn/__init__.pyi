# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.multiprocessing.spawn import ProcessContext as ProcessContext
from rushlight.multiprocessing.spawn import ProcessContext as _of_SpawnContext
from rushlight.multiprocessing.spawn import ProcessException as ProcessException
from rushlight.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from rushlight.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from rushlight.multiprocessing.spawn import spawn as spawn
from rushlight.multiprocessing.spawn import start_processes as start_processes

SpawnContext = _of_SpawnContext
