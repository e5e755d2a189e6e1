# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Made as _Made
from rushlight.utils.data.datapipes.datapipe import Batches as Batches
from rushlight.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from rushlight.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from rushlight.utils.data.datapipes.datapipe import functional_datapipe as functional_datapipe
from rushlight.utils.data.datapipes.datapipe import name_classes as name_classes
from rushlight.utils.data.datapipes.datapipe import sources as sources
from rushlight.utils.data.datapipes.map import Batcher as Batcher
from rushlight.utils.data.datapipes.map import Concater as Concater
from rushlight.utils.data.datapipes.map import Mapper as Mapper
from rushlight.utils.data.datapipes.map import SequenceWrapper as SequenceWrapper
from rushlight.utils.data.datapipes.map import Shuffled as Shuffled
from rushlight.utils.data.datapipes.map import Shuffler as Shuffler
from rushlight.utils.data.datapipes.map import Zipper as Zipper
from rushlight.utils.data.datapipes.map import _OfSeveral as _OfSeveral

class BatcherMapDataPipe(_Made): ...
class ConcaterMapDataPipe(_Made): ...
class MapperMapDataPipe(_Made): ...
class SequenceWrapperMapDataPipe(_Made): ...
class ShufflerIterDataPipe(_Made): ...
class ZipperMapDataPipe(_Made): ...
