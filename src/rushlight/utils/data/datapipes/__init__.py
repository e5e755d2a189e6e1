"""Pipelines of data: sources and steps that are put one behind the other by methods."""

from __future__ import annotations

from . import iter, map
from .datapipe import DataChunk, IterDataPipe, MapDataPipe, functional_datapipe

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe", "iter", "map"]
