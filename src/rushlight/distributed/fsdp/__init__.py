"""Names of `torch.distributed.fsdp`: its settings, which are plain values, and what rushlight lacks, which says so when
it is used.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from rushlight.core.dtypes import dtype as _dtype
from rushlight.distributed._lacking import lacking
from rushlight.nn.modules.batchnorm import _BatchNorm

_LACKING = lacking(
    __name__,
    "FSDPModule FullyShardedDataParallel UnshardHandle",
    "fully_shard register_fsdp_forward_method share_comm_ctx",
)
globals().update(_LACKING)


class ShardingStrategy(enum.Enum):
    """What is divided among processes: parameters, gradients, the optimizer's state."""

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    NO_SHARD = enum.auto()
    HYBRID_SHARD = enum.auto()
    _HYBRID_SHARD_ZERO2 = enum.auto()


class BackwardPrefetch(enum.Enum):
    """When the next parameters are asked for in a backward pass."""

    BACKWARD_PRE = enum.auto()
    BACKWARD_POST = enum.auto()


class StateDictType(enum.Enum):
    """Which parameters a state dict holds: whole ones, or this process's."""

    FULL_STATE_DICT = enum.auto()
    LOCAL_STATE_DICT = enum.auto()
    SHARDED_STATE_DICT = enum.auto()


class OptimStateKeyType(enum.Enum):
    """What an optimizer's state is keyed by."""

    PARAM_NAME = enum.auto()
    PARAM_ID = enum.auto()


@dataclass
class CPUOffload:
    """Whether parameters that are not in use lie on the CPU."""

    offload_params: bool = False


@dataclass
class MixedPrecision:
    """The dtypes to compute and to exchange in."""

    param_dtype: _dtype | None = None
    reduce_dtype: _dtype | None = None
    buffer_dtype: _dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Any = (_BatchNorm,)


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes that `fully_shard` computes and exchanges in."""

    param_dtype: _dtype | None = None
    reduce_dtype: _dtype | None = None
    output_dtype: _dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Where `fully_shard` keeps parameters that are not in use: where they are."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """On the CPU."""

    pin_memory: bool = True


@dataclass
class DataParallelMeshDims:
    """Which dims of a mesh of devices divide the parameters, and which repeat them."""

    shard: Any = None
    replicate: Any = None

    def __post_init__(self) -> None:
        if self.shard is None and self.replicate is None:
            raise ValueError("DataParallelMeshDims(): 'shard' or 'replicate' must be given; found neither")


@dataclass
class StateDictConfig:
    """How a state dict of parameters is made."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Of whole parameters."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Of this process's parameters."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Of each process's parameters."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """How a state dict of an optimizer is made."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Of the state of whole parameters."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Of the state of this process's parameters."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Of the state of each process's parameters."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """Which state dicts are made, and how."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig


__all__ = [
    *_LACKING,
    "BackwardPrefetch",
    "CPUOffload",
    "CPUOffloadPolicy",
    "DataParallelMeshDims",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "OptimStateDictConfig",
    "OptimStateKeyType",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]
