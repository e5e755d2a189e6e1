# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.data.datapipes.datapipe import DataChunk as DataChunk
from rushlight.utils.data.datapipes.datapipe import IterDataPipe as IterDataPipe
from rushlight.utils.data.datapipes.datapipe import MapDataPipe as MapDataPipe
from rushlight.utils.data.datapipes.datapipe import functional_datapipe as functional_datapipe
from torch.utils.data.datapipes import datapipe as datapipe
from torch.utils.data.datapipes import iter as iter
from torch.utils.data.datapipes import map as map
