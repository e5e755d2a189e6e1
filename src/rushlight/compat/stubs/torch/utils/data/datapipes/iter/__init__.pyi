# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.utils.data.collate import default_collate as default_collate
from rushlight.utils.data.datapipes.datapipe import Batches as Batches
from rushlight.utils.data.datapipes.datapipe import DataChunk as DataChunk
from rushlight.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from rushlight.utils.data.datapipes.datapipe import column as column
from rushlight.utils.data.datapipes.datapipe import functional_datapipe as functional_datapipe
from rushlight.utils.data.datapipes.datapipe import name_classes as name_classes
from rushlight.utils.data.datapipes.datapipe import sources as sources
from rushlight.utils.data.datapipes.datapipe import with_column as with_column
from rushlight.utils.data.datapipes.iter import Batcher as Batcher
from rushlight.utils.data.datapipes.iter import Collator as Collator
from rushlight.utils.data.datapipes.iter import Concater as Concater
from rushlight.utils.data.datapipes.iter import Demultiplexer as Demultiplexer
from rushlight.utils.data.datapipes.iter import FileLister as FileLister
from rushlight.utils.data.datapipes.iter import FileOpener as FileOpener
from rushlight.utils.data.datapipes.iter import Filter as Filter
from rushlight.utils.data.datapipes.iter import Forker as Forker
from rushlight.utils.data.datapipes.iter import Grouper as Grouper
from rushlight.utils.data.datapipes.iter import IterableWrapper as IterableWrapper
from rushlight.utils.data.datapipes.iter import Mapper as Mapper
from rushlight.utils.data.datapipes.iter import Multiplexer as Multiplexer
from rushlight.utils.data.datapipes.iter import Sampler as Sampler
from rushlight.utils.data.datapipes.iter import ShardingFilter as ShardingFilter
from rushlight.utils.data.datapipes.iter import Shuffler as Shuffler
from rushlight.utils.data.datapipes.iter import StreamReader as StreamReader
from rushlight.utils.data.datapipes.iter import UnBatcher as UnBatcher
from rushlight.utils.data.datapipes.iter import Zipper as Zipper
from rushlight.utils.data.datapipes.iter import _Branch as _Branch
from rushlight.utils.data.datapipes.iter import _Branches as _Branches
from rushlight.utils.data.datapipes.iter import _OfFiles as _OfFiles
from rushlight.utils.data.datapipes.iter import _OfOne as _OfOne
from rushlight.utils.data.datapipes.iter import _OfSeveral as _OfSeveral
from rushlight.utils.data.datapipes.iter import _Run as _Run
from rushlight.utils.data.datapipes.map import Shuffled as Shuffled
from rushlight.utils.data.sampler import SequentialSampler as SequentialSampler
from rushlight.utils.data.worker import get_worker_info as get_worker_info

class BatcherIterDataPipe(_Made): ...
class CollatorIterDataPipe(_Made): ...
class ConcaterIterDataPipe(_Made): ...
DemultiplexerIterDataPipe: _Function
class FileListerIterDataPipe(_Made): ...
class FileOpenerIterDataPipe(_Made): ...
class FilterIterDataPipe(_Made): ...
ForkerIterDataPipe: _Function
class GrouperIterDataPipe(_Made): ...
class IterableWrapperIterDataPipe(_Made): ...
class MapperIterDataPipe(_Made): ...
class MultiplexerIterDataPipe(_Made): ...
class SamplerIterDataPipe(_Made): ...
class ShardingFilterIterDataPipe(_Made): ...
class ShufflerIterDataPipe(_Made): ...
class StreamReaderIterDataPipe(_Made): ...
class UnBatcherIterDataPipe(_Made): ...
class ZipperIterDataPipe(_Made): ...
