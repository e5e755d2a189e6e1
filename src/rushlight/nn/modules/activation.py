"""Elementwise activations and the softmax family, as modules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import ClassVar

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Device, DType

from .attention import MultiheadAttention as MultiheadAttention  # programs ask for it here, too
from .module import Module

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _InPlace(Module):
    """A function that may write its result into its input's memory; ``repr`` shows some options."""

    __constants__ = ["inplace"]
    _shown_: ClassVar[tuple[str, ...]] = ()
    _function_: ClassVar[str]  # of nn.functional, where it takes nothing but an input and `inplace`

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        function: Callable[..., Tensor] = getattr(F, self._function_)
        return function(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        options = [f"{name}={getattr(self, name)}" for name in self._shown_]
        return ", ".join([*options, "inplace=True"] if self.inplace else options)


class Threshold(_InPlace):
    """x where x > ``threshold``, ``value`` elsewhere."""

    __constants__ = ["threshold", "value", "inplace"]
    _shown_ = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(_InPlace):
    """max(x, 0)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class RReLU(_InPlace):
    """x where x >= 0, else a x with a drawn from [``lower``, ``upper``] in training, their mean in evaluation."""

    __constants__ = ["lower", "upper", "inplace"]
    _shown_ = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower, self.upper = lower, upper

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, training=self.training, inplace=self.inplace)


class Hardtanh(_InPlace):
    """x held within [``min_val``, ``max_val``].

    Raises:
        AssertionError: ``max_val`` does not exceed ``min_val``.
    """

    __constants__ = ["min_val", "max_val", "inplace"]
    _shown_: ClassVar[tuple[str, ...]] = ("min_val", "max_val")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__(inplace)
        for old, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                warnings.warn(
                    f"Hardtanh: {old} is deprecated, the argument is {old[:7]} now", FutureWarning, stacklevel=2
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"Hardtanh: max_val must exceed min_val; found max_val={self.max_val}, min_val={self.min_val}"
            )

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    _shown_ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return rushlight.sigmoid(input)


class Hardsigmoid(_InPlace):
    """x / 6 + 1 / 2, held within [0, 1]."""

    _function_ = "hardsigmoid"

    def extra_repr(self) -> str:
        return ""  # as PyTorch prints it


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        return rushlight.tanh(input)


class SiLU(_InPlace):
    """x sigmoid(x), also called swish."""

    _function_ = "silu"


class Mish(_InPlace):
    """x tanh(softplus(x)) (Misra 2019, arXiv:1908.08681)."""

    _function_ = "mish"


class Hardswish(_InPlace):
    """x hardsigmoid(x) (Howard et al. 2019, arXiv:1905.02244)."""

    _function_ = "hardswish"

    def extra_repr(self) -> str:
        return ""  # as PyTorch prints it


class _Exponential(_InPlace):
    __constants__ = ["alpha", "inplace"]
    _shown_ = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha


class ELU(_Exponential):
    """x where x > 0, ``alpha`` (exp(x) - 1) elsewhere (Clevert et al. 2015, arXiv:1511.07289)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Exponential):
    """x where x >= 0, ``alpha`` (exp(x / ``alpha``) - 1) elsewhere (Barron 2017, arXiv:1704.07483)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_InPlace):
    """The self-normalizing ELU (Klambauer et al. 2017, arXiv:1706.02515)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GLU(Module):
    """a sigmoid(b), with a and b the halves of the input along ``dim``."""

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """x times the normal distribution function of x (Hendrycks & Gimpel 2016, arXiv:1606.08415).

    Args:
        approximate: ``"none"``, or ``"tanh"`` for the approximation of the same paper.
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class _Shrink(Module):
    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """x where abs(x) > ``lambd``, 0 elsewhere."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x moved towards 0 by ``lambd``, 0 where abs(x) <= ``lambd``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class LeakyReLU(_InPlace):
    """x where x >= 0, ``negative_slope`` x elsewhere."""

    __constants__ = ["inplace", "negative_slope"]
    _shown_ = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(``beta`` x)) / ``beta``; x itself where ``beta`` x > ``threshold``."""

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """x where x >= 0, a x elsewhere with a learned a (He et al. 2015, arXiv:1502.01852).

    Args:
        num_parameters: 1, or the number of channels (dimension 1 of the input).
        init: the first value of a.
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Device = None, dtype: DType = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(rushlight.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to its first value."""
        with rushlight.no_grad():
            self.weight.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + abs(x))."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class _OverDim(Module):
    __constants__ = ["dim"]

    dim: int | None = None  # modules pickled long ago have none of their own

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(_OverDim):
    """softmax(-x) along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_OverDim):
    """exp(x) over its sum along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of a (N, C, H, W) or (C, H, W) input.

    Raises:
        ValueError: the input has another rank.
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() in (3, 4):
            return F.softmax(input, -3, _stacklevel=5)
        raise ValueError(f"Softmax2d: the input must be (N, C, H, W) or (C, H, W); found a {input.dim()}-d one")


class LogSoftmax(_OverDim):
    """log(softmax(x)) along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)
