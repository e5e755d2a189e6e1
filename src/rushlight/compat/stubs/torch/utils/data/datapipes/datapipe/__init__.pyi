# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import Batches as Batches
from rushlight.utils.data.datapipes.datapipe import DataChunk as DataChunk
from rushlight.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from rushlight.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from rushlight.utils.data.datapipes.datapipe import _Steps as _Steps
from rushlight.utils.data.datapipes.datapipe import column as column
from rushlight.utils.data.datapipes.datapipe import functional_datapipe as functional_datapipe
from rushlight.utils.data.datapipes.datapipe import name_classes as name_classes
from rushlight.utils.data.datapipes.datapipe import sources as sources
from rushlight.utils.data.datapipes.datapipe import with_column as with_column
from rushlight.utils.data.dataset import Dataset as Dataset
from rushlight.utils.data.dataset import IterableDataset as IterableDataset
