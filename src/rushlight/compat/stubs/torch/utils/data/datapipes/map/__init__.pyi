# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk as DataChunk, IterDataPipe as IterDataPipe, MapDataPipe as MapDataPipe, functional_datapipe as functional_datapipe,
    name_classes as name_classes,
)
from rushlight.utils.data.datapipes.map import (
    Batcher as Batcher, Concater as Concater, Mapper as Mapper, SequenceWrapper as SequenceWrapper, Shuffler as Shuffler,
    Zipper as Zipper, drawn as drawn,
)
