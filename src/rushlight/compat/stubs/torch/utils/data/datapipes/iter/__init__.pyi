# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.collate import default_collate as default_collate
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk as DataChunk, IterDataPipe as IterDataPipe, column as column, functional_datapipe as functional_datapipe,
    name_classes as name_classes, with_column as with_column,
)
from rushlight.utils.data.datapipes.iter import (
    Batcher as Batcher, Collator as Collator, Concater as Concater, Demultiplexer as Demultiplexer, FileLister as FileLister,
    FileOpener as FileOpener, Filter as Filter, Forker as Forker, Grouper as Grouper, IterableWrapper as IterableWrapper,
    Mapper as Mapper, Multiplexer as Multiplexer, Sampler as Sampler, ShardingFilter as ShardingFilter, Shuffler as Shuffler,
    StreamReader as StreamReader, UnBatcher as UnBatcher, Zipper as Zipper, _Branch as _Branch, _Branches as _Branches,
    _OfOne as _OfOne, _OfSeveral as _OfSeveral, _Run as _Run,
)
from rushlight.utils.data.datapipes.map import drawn as drawn
from rushlight.utils.data.sampler import SequentialSampler as SequentialSampler
from rushlight.utils.data.worker import get_worker_info as get_worker_info
