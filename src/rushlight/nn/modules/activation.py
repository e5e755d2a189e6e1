"""Elementwise activations and the softmax family, as modules."""

from __future__ import annotations

import warnings
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn.parameter import Parameter

from .attention import MultiheadAttention as MultiheadAttention  # programs ask for it here, too
from .module import Module


def _flag(name: str, value: bool) -> str:
    return f"{name}=True" if value else ""


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


class Threshold(Module):
    """x where x > ``threshold``, ``value`` elsewhere."""

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return _join(f"threshold={self.threshold}, value={self.value}", _flag("inplace", self.inplace))


class ReLU(Module):
    """max(x, 0)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return _flag("inplace", self.inplace)


class RReLU(Module):
    """x where x >= 0, else a x with a drawn from [``lower``, ``upper``] in training, their mean in evaluation."""

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, training=self.training, inplace=self.inplace)

    def extra_repr(self) -> str:
        return _join(f"lower={self.lower}, upper={self.upper}", _flag("inplace", self.inplace))


class Hardtanh(Module):
    """x held within [``min_val``, ``max_val``].

    Raises:
        AssertionError: ``max_val`` does not exceed ``min_val``.
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for old, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                warnings.warn(
                    f"Hardtanh: {old} is deprecated, the argument is {old[:7]} now", FutureWarning, stacklevel=2
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"Hardtanh: max_val must exceed min_val, got max_val={self.max_val}, min_val={self.min_val}"
            )

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return _join(f"min_val={self.min_val}, max_val={self.max_val}", _flag("inplace", self.inplace))


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return _flag("inplace", self.inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        return rushlight.sigmoid(input)


class Hardsigmoid(Module):
    """x / 6 + 1 / 2, held within [0, 1]."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        return rushlight.tanh(input)


class SiLU(Module):
    """x sigmoid(x), also called swish."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return _flag("inplace", self.inplace)


class Mish(Module):
    """x tanh(softplus(x)) (Misra 2019, arXiv:1908.08681)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return _flag("inplace", self.inplace)


class Hardswish(Module):
    """x hardsigmoid(x) (Howard et al. 2019, arXiv:1905.02244)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class ELU(Module):
    """x where x > 0, ``alpha`` (exp(x) - 1) elsewhere (Clevert et al. 2015, arXiv:1511.07289)."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _join(f"alpha={self.alpha}", _flag("inplace", self.inplace))


class CELU(Module):
    """x where x >= 0, ``alpha`` (exp(x / ``alpha``) - 1) elsewhere (Barron 2017, arXiv:1704.07483)."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _join(f"alpha={self.alpha}", _flag("inplace", self.inplace))


class SELU(Module):
    """The self-normalizing ELU (Klambauer et al. 2017, arXiv:1706.02515)."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        return _flag("inplace", self.inplace)


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


class Hardshrink(Module):
    """x where abs(x) > ``lambd``, 0 elsewhere."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class LeakyReLU(Module):
    """x where x >= 0, ``negative_slope`` x elsewhere."""

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return _join(f"negative_slope={self.negative_slope}", _flag("inplace", self.inplace))


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


class Softshrink(Module):
    """x moved towards 0 by ``lambd``, 0 where abs(x) <= ``lambd``."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class PReLU(Module):
    """x where x >= 0, a x elsewhere with a learned a (He et al. 2015, arXiv:1502.01852).

    Args:
        num_parameters: 1, or the number of channels (dimension 1 of the input).
        init: the first value of a.
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
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
    dim: int | None = None  # modules pickled long ago have none of their own

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(_OverDim):
    """softmax(-x) along ``dim``."""

    __constants__ = ["dim"]

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_OverDim):
    """exp(x) over its sum along ``dim``."""

    __constants__ = ["dim"]

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
        raise ValueError(f"Softmax2d: the input must be (N, C, H, W) or (C, H, W), got a {input.dim()}-d one")


class LogSoftmax(_OverDim):
    """log(softmax(x)) along ``dim``."""

    __constants__ = ["dim"]

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)
