# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk as DataChunk, IterDataPipe as IterDataPipe, MapDataPipe as MapDataPipe, functional_datapipe as functional_datapipe,
)
from torch.utils.data.datapipes import datapipe as datapipe, iter as iter, map as map
