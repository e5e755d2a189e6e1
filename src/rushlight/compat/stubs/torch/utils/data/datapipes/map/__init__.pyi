# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import DataChunk as DataChunk
from rushlight.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from rushlight.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from rushlight.utils.data.datapipes.datapipe import functional_datapipe as functional_datapipe
from rushlight.utils.data.datapipes.datapipe import name_classes as name_classes
from rushlight.utils.data.datapipes.map import Batcher as Batcher
from rushlight.utils.data.datapipes.map import Concater as Concater
from rushlight.utils.data.datapipes.map import Mapper as Mapper
from rushlight.utils.data.datapipes.map import SequenceWrapper as SequenceWrapper
from rushlight.utils.data.datapipes.map import Shuffler as Shuffler
from rushlight.utils.data.datapipes.map import Zipper as Zipper
from rushlight.utils.data.datapipes.map import drawn as drawn
