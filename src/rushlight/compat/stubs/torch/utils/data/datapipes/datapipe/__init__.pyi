# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk as DataChunk, IterDataPipe as IterDataPipe, MapDataPipe as MapDataPipe, _Steps as _Steps, column as column,
    functional_datapipe as functional_datapipe, name_classes as name_classes, with_column as with_column,
)
from rushlight.utils.data.dataset import Dataset as Dataset, IterableDataset as IterableDataset
