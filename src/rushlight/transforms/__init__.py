"""Transforms: Program -> Program."""

from rushlight.transforms.inline import inline_calls
from rushlight.transforms.jvp import jvp
from rushlight.transforms.linearize import Linearization, linearize
from rushlight.transforms.partition import Partition, partition
from rushlight.transforms.simplify import simplify
from rushlight.transforms.transpose import transpose
from rushlight.transforms.vjp import Derivative, vjp, with_zeros
from rushlight.transforms.vmap import vmap

__all__ = [
    "Derivative",
    "Linearization",
    "Partition",
    "inline_calls",
    "jvp",
    "linearize",
    "partition",
    "simplify",
    "transpose",
    "vjp",
    "vmap",
    "with_zeros",
]
