"""First values of parameters. Each function fills its tensor in place, records no gradient, and returns the tensor."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Container
from typing import Any, ParamSpec, TypeAlias

import rushlight
from rushlight import Generator, Tensor
from rushlight.core.checks import check_that
from rushlight.core.naming import named
from rushlight.core.tensor import modes_in_force
from rushlight.core.warning import warn
from rushlight.operators.table.overrides import handle_torch_function, has_torch_function

_P = ParamSpec("_P")
_Generator: TypeAlias = Generator | None

_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the factor by which weights grow to make up for a nonlinearity.

    Args:
        nonlinearity: the name of a function of ``nn.functional``.
        param: the negative slope, for ``"leaky_relu"`` (0.01 unless given).

    Raises:
        ValueError: the name or the slope is not known.
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"calculate_gain(): param must be a number, the negative slope; found {param!r}")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity not in _GAINS:
        known = ", ".join(["leaky_relu", *_GAINS])
        raise ValueError(f"calculate_gain(): nonlinearity must be one of {known}; found {nonlinearity!r}")
    return _GAINS[nonlinearity]


def _check_rank(name: str, tensor: Tensor, ranks: Container[int], words: str) -> None:
    check_that(tensor.dim() in ranks, name, "the tensor", f"have {words} dimensions", lambda: tensor.dim(), ValueError)


def _one_call(fill: Callable[_P, Tensor]) -> Callable[_P, Tensor]:
    """Let modes and classes with `__torch_function__` see a call as a whole, with every argument by its name, as they
    do in PyTorch.
    """
    parameters = inspect.signature(fill)

    @functools.wraps(fill)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> Tensor:
        tensor = args[0] if args else kwargs.get("tensor")
        if (
            modes_in_force()
            or not isinstance(tensor, Tensor)
            or type(tensor).__torch_function__ is not Tensor.__torch_function__
        ) and has_torch_function((tensor,)):
            bound = parameters.bind(*args, **kwargs)
            bound.apply_defaults()
            return handle_torch_function(call, (tensor,), **bound.arguments)  # type: ignore[no-any-return]
        return fill(*args, **kwargs)

    return call


@_one_call
@rushlight.no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: _Generator = None) -> Tensor:
    """Draw from uniform(a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@_one_call
@rushlight.no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: _Generator = None) -> Tensor:
    """Draw from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@rushlight.no_grad()
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: _Generator = None
) -> Tensor:
    """Draw from the normal distribution restricted to [a, b], by rejection: of normal numbers, or of uniform ones where
    few of those would lie inside.
    """
    if not a - 2 * std <= mean <= b + 2 * std:
        warnings.warn(
            f"trunc_normal_(): mean={mean} is farther than 2 std={std} from [{a}, {b}]: so far out in the tail the "
            "values "
            "drawn are inexact",
            stacklevel=2,
        )
    low, high = ((bound - mean) / std for bound in (a, b))
    if (math.erf(high / math.sqrt(2.0)) - math.erf(low / math.sqrt(2.0))) / 2 > 0.3:
        tensor.normal_(mean, std, generator=generator)
        outside = (tensor < a) | (tensor > b)
        while outside.any():
            rushlight.where(
                outside, rushlight.empty_like(tensor).normal_(mean, std, generator=generator), tensor, out=tensor
            )
            outside = (tensor < a) | (tensor > b)
        return tensor
    highest = min(max(mean, a), b)  # where the density is
    missing = rushlight.ones_like(tensor, dtype=rushlight.bool)
    while missing.any():
        proposed = rushlight.empty_like(tensor).uniform_(a, b, generator=generator)
        density = (((highest - mean) ** 2 - (proposed - mean) ** 2) / (2 * std * std)).exp()
        # NaN is no reason to go on for ever
        accepted = missing & ~(rushlight.empty_like(tensor).uniform_(generator=generator) > density)
        rushlight.where(accepted, proposed, tensor, out=tensor)
        missing &= ~accepted
    return tensor


@_one_call
@rushlight.no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a number."""
    return tensor.fill_(val)


@rushlight.no_grad()
def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return tensor.fill_(1.0)


@rushlight.no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return tensor.zero_()


@rushlight.no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Fill a 2-d tensor with the identity matrix.

    Raises:
        ValueError: the tensor is not 2-d.
    """
    _check_rank("eye_()", tensor, (2,), "2")
    return tensor.copy_(rushlight.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@rushlight.no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a 3, 4 or 5-d convolution weight so that it passes its input channels on.

    Raises:
        ValueError: the rank is another, or the first dimension is not divisible by ``groups``.
    """
    _check_rank("dirac_()", tensor, (3, 4, 5), "3, 4 or 5")
    if tensor.size(0) % groups:
        raise ValueError(f"dirac_(): groups must divide the {tensor.size(0)} output channels; found {groups}")
    out = tensor.size(0) // groups
    channels = rushlight.arange(min(out, tensor.size(1)), device=tensor.device)
    centre = [size // 2 for size in tensor.shape[2:]]
    tensor.zero_()
    for group in range(groups):
        tensor[(channels + group * out, channels, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Connections into and out of one unit of a linear or convolution weight."""
    _check_rank("fan_in and fan_out", tensor, range(2, 65), "2 or more")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str, name: str = "_calculate_correct_fan") -> int:
    """Connections into ("fan_in") or out of ("fan_out") one unit of a weight."""
    modes = ("fan_in", "fan_out")
    check_that(mode.lower() in modes, f"{name}()", "mode", "be 'fan_in' or 'fan_out'", repr(mode), ValueError)
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def _warn_of_nothing(name: str, tensor: Tensor) -> None:
    warn(f"{name}(): the tensor of shape {tuple(tensor.shape)} has no values to set")


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: _Generator = None) -> Tensor:
    """Draw from uniform(-a, a), a = gain sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    a = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: _Generator = None) -> Tensor:
    """Draw from the normal distribution of std gain sqrt(2 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _kaiming_std(name: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """gain / sqrt(fan): the values' standard deviation; 0, with a warning, for a tensor without values."""
    if tensor.numel() == 0:
        _warn_of_nothing(name, tensor)
        return 0.0
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode, name))


@_one_call
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: _Generator = None
) -> Tensor:
    """Draw from uniform(-b, b), b = gain sqrt(3 / fan) (He et al. 2015, arXiv:1502.01852)."""
    half_width = math.sqrt(3.0) * _kaiming_std("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -half_width, half_width, generator) if half_width else tensor


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: _Generator = None
) -> Tensor:
    """Draw from the normal distribution of std gain / sqrt(fan) (He et al. 2015, arXiv:1502.01852)."""
    std = _kaiming_std("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator) if std else tensor


def _qr(a: Tensor) -> tuple[Tensor, Tensor]:
    """Q and R of a matrix, by NumPy: an initialiser needs no derivative and runs once."""
    import numpy as np

    q, r = np.linalg.qr(a.double().numpy())
    return rushlight.from_numpy(q).to(a.dtype), rushlight.from_numpy(r).to(a.dtype)


@rushlight.no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: _Generator = None) -> Tensor:
    """Fill with a random (semi-)orthogonal matrix times ``gain`` (Saxe et al. 2013, arXiv:1312.6120).

    Raises:
        ValueError: the tensor has fewer than 2 dimensions.
    """
    _check_rank("orthogonal_()", tensor, range(2, 65), "2 or more")
    if tensor.numel() == 0:
        return tensor
    wide = tensor.flatten(1).shape[0] < tensor.flatten(1).shape[1]
    noise = rushlight.empty_like(tensor.flatten(1)).normal_(generator=generator)
    q, r = _qr(noise.t() if wide else noise)
    # QR alone prefers some rotations; with the signs of R's diagonal the result is uniform (Mezzadri 2007).
    q = q * r.diagonal().sign()
    return tensor.copy_((q.t() if wide else q).reshape(tensor.shape)).mul_(gain)


@rushlight.no_grad()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: _Generator = None) -> Tensor:
    """Draw a 2-d tensor from normal(0, std), then zero that fraction of each column (Martens 2010).

    Raises:
        ValueError: the tensor is not 2-d.
    """
    _check_rank("sparse_()", tensor, (2,), "2")
    tensor.normal_(0, std, generator=generator)
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    for column in range(columns):
        tensor[rushlight.randperm(rows, generator=generator)[:zeros], column] = 0.0
    return tensor


_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


def _deprecated(name: str) -> Any:
    new: Callable[..., Tensor] = globals()[name + "_"]

    def old(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(f"nn.init.{name}() is deprecated: call {name}_()", FutureWarning, stacklevel=2)
        return new(*args, **kwargs)

    return named(old, name, f"Deprecated: use :func:`{name}_`.")


uniform, normal, constant, eye, dirac, sparse, orthogonal = map(
    _deprecated, "uniform normal constant eye dirac sparse orthogonal".split()
)
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _deprecated, "xavier_uniform xavier_normal kaiming_uniform kaiming_normal".split()
)
