"""PyTorch's name for the graph node of a call: that of the overload that was called, or of the last step where the call
is a composition in PyTorch.

The name is part of a compiled call: it is found once for each kind of call, when that is compiled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor


class Values(dict[str, Any]):
    """The arguments of a call by name; None for one that this operator lacks."""

    def __missing__(self, name: str) -> None:
        return None


_PREFIXED = ("linalg", "special")


def camel(name: str) -> str:
    """A name as PyTorch writes it in a node's: "max_pool2d" is MaxPool2D."""
    words = "".join(w[:1].upper() + w[1:] for w in name.strip("_").split("_"))
    return re.sub(r"\d[a-z]", lambda m: m[0].upper(), words)


def usual_name(name: str, namespace: str | None) -> str:
    """The node's name where the operator has one overload: AddBackward0, LinalgQrBackward0, PermuteBackward0_copy."""
    copied = name.endswith("_copy") and name.strip("_") not in _NO_VIEW_COPIED
    prefix = namespace.capitalize() if namespace in _PREFIXED and name not in _UNPREFIXED else ""
    return f"{prefix}{camel(name.removesuffix('_copy') if copied else name)}Backward0{'_copy' if copied else ''}"


# Copies that are not those of a view.
_NO_VIEW_COPIED = frozenset({"to_copy", "index_copy", "narrow_copy"})
# In `special` here; PyTorch's name lacks that part.
_UNPREFIXED = frozenset(
    {
        "digamma",
        "erf",
        "erfc",
        "erfinv",
        "exp2",
        "expit",
        "expm1",
        "i0",
        "igamma",
        "igammac",
        "lgamma",
        "log1p",
        "logit",
        "logsumexp",
        "mvlgamma",
        "polygamma",
        "sinc",
        "softmax",
        "log_softmax",
        "xlogy",
    }
)


def node_name(op: Operator, values: Sequence[Any]) -> str:
    """The name of the node of this call of an operator."""
    label: str = op.definition.label
    space, name = op.definition.namespace, op.definition.name.strip("_")
    rule = _RULES.get(f"{space}.{name}") or _RULES.get(name)
    if rule is None:
        return label
    if name == "copy" and op.inplace:
        return "torch::autograd::CopyBackwards"
    return _full(
        rule if isinstance(rule, str) else rule(Values((p.name, v) for p, v in zip(op.params, values, strict=True)))
    )


def _full(short: str) -> str:
    """Sum1 -> SumBackward1, Select0_copy -> SelectBackward0_copy."""
    stem, number, rest = re.fullmatch(r"(.*?)(\d)(_copy)?", short).groups()  # type: ignore[union-attr]
    return f"{stem}Backward{number}{rest or ''}"


Rule = str | Callable[[Values], str]


def _tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def _numbered(stem: str, arguments: str, *, tensor: bool) -> Rule:
    """Overload 1 where one of the arguments is a tensor (or, tensor=False, a number), else 0."""
    names = arguments.split()

    def rule(v: Values) -> str:
        return f"{stem}{int(any(v[n] is not None and _tensor(v[n]) == tensor for n in names))}"

    return rule


def _given(stem: str, argument: str) -> Rule:
    """Overload 1 where an argument is given, else 0."""
    return lambda v: f"{stem}{int(v[argument] is not None)}"


def _two(stem: str, first: str, second: str) -> Rule:
    """Overload 0 of two tensors; 1 where the first is a number, 2 where the second is."""
    return lambda v: f"{stem}{0 if _tensor(v[first]) and _tensor(v[second]) else 1 if _tensor(v[second]) else 2}"


def _reduced(none: Rule) -> Rule:
    """The node of a loss: that of its reduction, or of the elements' losses."""

    def rule(v: Values) -> str:
        how = v["reduction"]
        last = {"mean": "Mean0", 1: "Mean0", "sum": "Sum0", 2: "Sum0"}.get(how)
        return last or (none if isinstance(none, str) else none(v))

    return rule


def _rank(v: Values, name: str = "input") -> int:
    return v[name].ndim if _tensor(v[name]) else 0


def _convolution(spatial: int) -> Rule:
    return lambda v: "Squeeze1" if _rank(v) == spatial + 1 else "Convolution0"


def _matmul(v: Values) -> str:
    a, b = _rank(v), _rank(v, "other")
    if a <= 2 and b <= 2:
        return {(1, 1): "Dot0", (2, 2): "Mm0", (2, 1): "Mv0"}.get((a, b), "Squeeze1")
    return "UnsafeView0"


def _linear(v: Values) -> str:
    rank = _rank(v)
    if v["bias"] is not None:
        return "Addmm0" if rank == 2 else "View0"
    return {1: "Squeeze4", 2: "Mm0"}.get(rank, "UnsafeView0")


def _pow(v: Values) -> str:
    return "Pow2" if not _tensor(v["input"]) else "Pow1" if _tensor(v["exponent"]) else "Pow0"


def _pad(v: Values) -> str:
    spatial = len(v["pad"]) // 2 if isinstance(v["pad"], (tuple, list)) else 1
    kinds = {
        "constant": "ConstantPadNd0",
        "reflect": f"ReflectionPad{spatial}D0",
        "replicate": f"ReplicationPad{spatial}D0",
    }
    return kinds.get(v["mode"], "ConstantPadNd0")


def _interpolate(v: Values) -> str:
    spatial = _rank(v) - 2
    if v["mode"] == "area":
        return {1: "Squeeze1"}.get(spatial, f"AdaptiveAvgPool{spatial}D0")
    return f"Upsample{camel(str(v['mode']).replace('-', '_').replace('nearest_exact', 'nearestExact'))}{spatial}D0"


def _basic_index(v: Values) -> str:
    """x[...]: the last of the views that make it, an int's, a slice's or None's."""
    kind = next((k for k in reversed(v["kinds"]) if k != ":"), ":")
    return {"i": "Select0", "n": "Unsqueeze0", ":": "Alias0"}.get(kind, "Slice0")


def _attention(v: Values) -> str:
    whole = _rank(v, "query") == 4 and v["query"].shape[-1] == v["value"].shape[-1]
    return "ScaledDotProductFlashAttentionForCpu0" if whole else "UnsafeView0"


def _cross_entropy(v: Values) -> str:
    if v["label_smoothing"]:
        return "Add0"
    if v["target"].is_floating_point():
        return _reduced("Neg0")(v).replace("Mean0", "Div1").replace("Sum0", "Neg0")  # type: ignore[operator]
    return "NllLoss2D0" if _rank(v) > 2 else "NllLoss0"


def _squeeze(v: Values) -> str:
    return "Squeeze0" if v.get("dim") is None else "Squeeze2" if isinstance(v["dim"], (tuple, list)) else "Squeeze1"


def _to_adaptive(spatial: int) -> Rule:
    """PyTorch computes a pool to a single place as a mean."""

    def rule(v: Values) -> str:
        size = v["output_size"]
        return (
            "Mean1"
            if size == 1 or isinstance(size, (tuple, list)) and set(size) == {1}
            else f"AdaptiveAvgPool{spatial}D0"
        )

    return rule


def _lp_pool(spatial: int) -> Rule:
    """For an infinite order it is a maximum pool, preceded by a sign for the least value."""
    greatest = "Squeeze1" if spatial == 1 else f"MaxPool{spatial}DWithIndices0"
    return lambda v: {math.inf: greatest, -math.inf: "Neg0"}.get(v["norm_type"], "Pow0")


# The argument that is a tensor, or a number, in the second overload of an operator.
_BY_TENSOR = {
    "clamp_max": "max",
    "clamp_min": "min",
    "fill": "value",
    "fmod": "other",
    "index_fill": "value",
    "lerp": "weight",
    "masked_fill": "value",
    "remainder": "other",
}
_BY_NUMBER = {"clamp": "min max", "copysign": "other", "rsub": "other", "scatter": "src"}
_RULES: dict[str, Rule] = {
    "index_by_masks": "Index0",
    # Overloads.
    **{
        name: _numbered(name.title().replace("_", ""), arguments, tensor=tensor)
        for tensor, row in ((True, _BY_TENSOR), (False, _BY_NUMBER))
        for name, arguments in row.items()
    },
    "div": lambda v: "Div0" if v["rounding_mode"] is None else "Div2",
    "mean": _given("Mean", "dim"),
    "median": _given("Median", "dim"),
    "nanmedian": _given("Nanmedian", "dim"),
    "prod": _given("Prod", "dim"),
    "sum": _given("Sum", "dim"),
    "sort": lambda v: f"Sort{int(bool(v['stable']))}",
    "round": lambda v: f"Round{int(v['decimals'] != 0)}",
    "squeeze": _squeeze,
    "squeeze_copy": lambda v: _squeeze(v) + "_copy",
    "pow": _pow,
    "float_power": _pow,
    "xlogy": _two("Xlogy", "input", "other"),
    "special.xlog1py": _two("SpecialXlog1Py", "input", "other"),
    "special.zeta": _two("SpecialZeta", "input", "other"),
    "max_all": "Max1",
    "max_dim": "Max0",
    "min_all": "Min1",
    "min_dim": "Min0",
    # One operator of PyTorch's under another name.
    "affine_grid": "AffineGridGenerator0",
    "broadcast_to": "Expand0",
    "cross": "LinalgCross0",
    "linalg.cross": "LinalgCross0",
    "det": "LinalgDet0",
    "diagflat": "DiagEmbed0",
    "diag": lambda v: "DiagEmbed0" if _rank(v) == 1 else "Diagonal0_copy",
    "fliplr": "Flip0",
    "flipud": "Flip0",
    "grid_sampler_2d": "GridSampler2D0",
    "grid_sampler_3d": "GridSampler3D0",
    "grid_sample": lambda v: f"GridSampler{_rank(v) - 2}D0",
    "grid_sampler": lambda v: f"GridSampler{_rank(v) - 2}D0",
    "group_norm": "NativeGroupNorm0",
    "layer_norm": "NativeLayerNorm0",
    "batch_norm_train": "NativeBatchNorm0",
    "inverse": "LinalgInvEx0",
    "linalg.inv": "LinalgInvEx0",
    "linalg.inv_ex": "LinalgInvEx0",
    "linalg.cholesky": "LinalgCholeskyEx0",
    "linalg.eigvals": "LinalgEig0",
    "linalg.eigvalsh": "LinalgEigh0",
    "linalg.lu_factor": "LinalgLuFactorEx0",
    "linalg.solve": "LinalgSolveEx0",
    "linalg.svdvals": "LinalgSvd0",
    "lu_solve": "LinalgLuSolve0",
    "matrix_exp": "LinalgMatrixExp0",
    "orgqr": "LinalgHouseholderProduct0",
    "pinverse": "LinalgPinv0",
    "qr": "LinalgQr0",
    "slogdet": "LinalgSlogdet0",
    "svd": "LinalgSvd0",
    "linalg.det": "LinalgDet0",
    "logsigmoid": "LogSigmoid0",
    "movedim": "Permute0",
    "moveaxis": "Permute0",
    "msort": "Sort0",
    "narrow": "Slice0",
    "swapaxes": "Transpose0",
    "swapdims": "Transpose0",
    "tile": "Repeat0",
    "prelu": "PreluKernel0",
    "take_along_dim": "Gather0",
    "fold": "Col2Im0",
    "nn.functional.unfold": "Im2Col0",
    "selu": "Elu0",
    "relu6": "Hardtanh0",
    "softmin": "Softmax0",
    "square": "Pow0",
    "roll": "Roll0",
    "fft.fftshift": "Roll0",
    "fft.ifftshift": "Roll0",
    "max_pool2d": "MaxPool2DWithIndices0",
    "max_pool3d": "MaxPool3DWithIndices0",
    "adaptive_max_pool2d_with_indices": "AdaptiveMaxPool2D0",
    "adaptive_max_pool3d_with_indices": "AdaptiveMaxPool3D0",
    "fractional_max_pool2d_with_indices": "FractionalMaxPool2D0",
    "fractional_max_pool3d_with_indices": "FractionalMaxPool3D0",
    "pad": _pad,
    "interpolate": _interpolate,
    "vector_norm": "LinalgVectorNorm0",
    "adaptive_avg_pool2d": _to_adaptive(2),
    "adaptive_avg_pool3d": _to_adaptive(3),
    "mT": "Transpose0",
    "T": "Permute0",
    "expand_as": "Expand0",
    "view_as": "View0",
    "rdiv": "Mul0",
    "true_divide": "Div0",
    "copy": "Clone0",
    "flatten": "View0",
    "linalg.diagonal": "Diagonal0",
    "lstsq": "LinalgLstsq0",
    "norm": "LinalgVectorNorm0",
    "slice_view": _basic_index,
    "masked_prod": "Prod1",
    # Transforms: PyTorch has one operator for each pair of number kinds.
    "fft.fft": lambda v: "FftC2C0" if v["input"].is_complex() else "FftR2C0",
    "fft.ifft": lambda v: "FftC2C0" if v["input"].is_complex() else "Conj0",
    **dict.fromkeys(("fft.fft2", "fft.fftn", "fft.ifft2", "fft.ifftn"), "FftC2C0"),
    **dict.fromkeys(("fft.rfft", "fft.rfft2", "fft.rfftn"), "FftR2C0"),
    **dict.fromkeys(("fft.irfft", "fft.irfft2", "fft.irfftn", "fft.hfft", "fft.hfft2", "fft.hfftn"), "FftC2R0"),
    "fft.ihfft": "Conj0",
    "fft.ihfft2": "FftC2C0",
    "fft.ihfftn": "FftC2C0",
    # Compositions in PyTorch: the last step's node.
    **dict.fromkeys(
        (
            "adaptive_avg_pool1d",
            "adaptive_max_pool1d_with_indices",
            "avg_pool1d",
            "max_pool1d",
            "max_pool1d_with_indices",
            "max_unpool1d",
        ),
        "Squeeze1",
    ),
    **{f"lp_pool{n}d": _lp_pool(n) for n in (1, 2, 3)},
    **{f"conv{n}d": _convolution(n) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolution(n) for n in (1, 2, 3)},
    "matmul": _matmul,
    "linear": _linear,
    "bilinear": lambda v: "View0" if v["bias"] is None else "Add0",
    "corrcoef": lambda v: "Div0" if _rank(v) < 2 else "Clamp1",
    "cosine_similarity": "Sum1",
    "cov": "Squeeze0",
    "diff": "Sub0",
    "gru_cell": "Add0",
    "gru_gates": "Add0",
    "lstm_cell": "Mul0",
    "lstm_gates": "Mul0",
    "lstm_layer": lambda v: "MkldnnRnnLayer0" if v["w_hr"] is None else "Stack0",
    "recurrent_layer": "Stack0",
    "rnn_relu_cell": "Relu0",
    "rnn_tanh_cell": "Tanh0",
    "inner": lambda v: "View0" if _rank(v) and _rank(v, "other") else "Mul0",
    "instance_norm": "View0",
    "kron": "UnsafeView0",
    "local_response_norm": "Div0",
    "logdet": "Where0",
    "nanmean": "Div0",
    "normalize": "Div0",
    "masked.normalize": "Div0",
    "nuclear_norm": "Sum1",
    "pairwise_distance": "Norm1",
    "quantile": "Squeeze4",
    "repeat_interleave": "View0",
    "reshape": "UnsafeView0",
    "rms_norm": "Mul0",
    "softsign": "Div0",
    "tanhshrink": "Sub0",
    "tensordot": "View0",
    "special.ndtr": "Mul1",
    "linalg.multi_dot": "View0",
    "linalg.tensorsolve": "View0",
    "linalg.tensorinv": "ReshapeAlias0",
    "linalg.vecdot": lambda v: "Vdot0" if _rank(v, "x") == 1 else "Sum1",
    "trapezoid": lambda v: "Mul1" if v["x"] is None else "Div1",
    "trapz": lambda v: "Mul1" if v["x"] is None else "Div1",
    "masked.mean": "Div0",
    "masked.std": "Sqrt0",
    "masked.var": "Div0",
    "masked.sum": "Sum1",
    "masked.softmin": "Softmax0",
    "cumulative_trapezoid": lambda v: "Cumsum0" if v["x"] is None else "Div1",
    "linalg.matrix_norm": "LinalgVectorNorm0",
    "linalg.norm": "LinalgVectorNorm0",
    "cosine_embedding_loss": _reduced("Add0"),
    "hinge_embedding_loss": _reduced("Add0"),
    "l1_loss": _reduced("Abs0"),
    "margin_ranking_loss": _reduced("ClampMin0"),
    "triplet_margin_loss": _reduced("ClampMin0"),
    "kl_div": _reduced(lambda v: "Mul0" if v["log_target"] else "Sub0"),
    "multilabel_soft_margin_loss": _reduced("Div0"),
    "poisson_nll_loss": _reduced(lambda v: "Sub0" if v["log_input"] and not v["full"] else "Add0"),
    "ctc_loss": _reduced("CtcLoss0"),
    "cross_entropy": _cross_entropy,
    "dropout": "Mul0",
    "outer": "Mul0",
    "einsum": "View0",
    "scaled_dot_product_attention": _attention,
    "attention": _attention,
    "matrix_power": "UnsafeView0",
    "sum_to_size": lambda v: "View0" if v["size"] else "Sum0",
}
