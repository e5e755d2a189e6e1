"""Calls that PyTorch's dispatcher passes on under inner names: factorizations and the check of their success, Fourier
transforms by the kind of their input, attention, batch normalization.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.errors import LinAlgError
from rushlight.core.held import held
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.dispatch import below
from rushlight.operators.table.node_names import Values
from rushlight.operators.table.types import Device, DType


class Step:
    """step(name of the overload, *args, **kwargs) hands a call on; "default" where the name says no overload.

    recorded: the whole call is on tensors that require grad. body: runs the operator's own body, handing on what it
    calls.
    """

    def __init__(self, hand: Callable[..., Any], recorded: bool, body: Callable[[], Any]) -> None:
        self._hand, self.recorded, self.body = hand, recorded, body

    def __call__(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._hand(name, args, kwargs)


_F = "nn.functional."


# ----------------------------------------------------------------------------------------- how the inner calls are done
def _solve_ex(a: Any, b: Any, *, left: bool = True, check_errors: bool = False) -> tuple[Any, ...]:
    """(X, LU, pivots, info)."""
    found, info = TABLE["linalg.solve_ex"](a, b, left=left, check_errors=check_errors)
    factors = TABLE["linalg.lu_factor_ex"](a)
    return found, factors[0], factors[1], info


def _det(a: Any) -> tuple[Any, ...]:
    """(determinant, LU, pivots)."""
    return (TABLE["linalg.det"](a), *TABLE["linalg.lu_factor_ex"](a)[:2])


def _slogdet(a: Any) -> tuple[Any, ...]:
    """(sign, logarithm, LU, pivots)."""
    return (*TABLE["linalg.slogdet"](a), *TABLE["linalg.lu_factor_ex"](a)[:2])


def _eigh(a: Any, UPLO: str = "L", compute_v: bool = True) -> tuple[Any, Any]:
    found = TABLE["linalg.eigh"](a, UPLO)
    return found[0], found[1]


def _svd(a: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> tuple[Any, ...]:
    return tuple(TABLE["linalg.svd"](a, full_matrices, driver=driver))


def _check_errors(info: Any, api_name: str, *, is_matrix: bool) -> None:
    """LinAlgError where a factorization has not succeeded."""
    if not bool((info != 0).any()):
        return
    place = 0 if is_matrix else int((info.reshape(-1) != 0).nonzero()[0])
    k = int(info.reshape(-1)[place])
    batch = "" if is_matrix else f"(Batch element {place}): "
    what = (
        (
            "The factorization could not be completed because the input is not positive-definite (the leading minor of "
            f"order {k} is not positive-definite)."
        )
        if "cholesky" in api_name
        else (
            f"The diagonal element {k} is zero, the computation could not be completed because the input matrix is "
            "singular."
        )
    )
    raise LinAlgError(f"{api_name}: {batch}{what}")


_NORMS = ("backward", "ortho", "forward")  # of the forward transform: nothing, 1 / sqrt(n), 1 / n
_INVERSE = ("forward", "ortho", "backward")


def _r2c(x: Any, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    return TABLE["fft.rfftn" if onesided else "fft.fftn"](x, dim=tuple(dim), norm=_NORMS[normalization])


def _c2c(x: Any, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    names = _NORMS if forward else _INVERSE
    return TABLE["fft.fftn" if forward else "fft.ifftn"](x, dim=tuple(dim), norm=names[normalization])


def _c2r(x: Any, dim: Sequence[int], normalization: int, last_dim_size: int) -> Tensor:
    sizes = [*(x.shape[d] for d in dim[:-1]), last_dim_size]
    return TABLE["fft.irfftn"](x, s=tuple(sizes), dim=tuple(dim), norm=_INVERSE[normalization])


def _flash(
    q: Any, k: Any, v: Any, dropout_p: float = 0.0, is_causal: bool = False, *, attn_mask: Any = None, scale: Any = None
) -> tuple[Any, Any]:
    """(attention, the logarithms of its weights' sums)."""
    found = TABLE[_F + "scaled_dot_product_attention"](q, k, v, attn_mask, dropout_p, is_causal, scale=scale)
    scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        hidden = TABLE["ones"](scores.shape[-2:], dtype=dt.bool_, device=q.device).triu(1)
        scores = scores.masked_fill(hidden, float("-inf"))
    return found, (scores if attn_mask is None else scores + attn_mask).logsumexp(-1)


def _native_batch_norm(*args: Any) -> tuple[Tensor, Tensor, Tensor]:
    import rushlight

    return rushlight.native_batch_norm(*args)


def _ctc(
    log_probs: Any, targets: Any, inputs: Any, lengths: Any, blank: int = 0, zero_infinity: bool = False
) -> tuple[Tensor, Tensor]:
    """(losses, and a stand-in for the value that PyTorch keeps for its backward)."""
    losses = TABLE["ctc_loss"](log_probs, targets, inputs, lengths, blank, 0, zero_infinity)
    return losses, TABLE["empty"](0, dtype=log_probs.dtype)


def _scalar_tensor(
    value: Any, *, dtype: DType = None, layout: Any = None, device: Device = None, **rest: Any
) -> Tensor:
    return TABLE["full"]((), value, dtype=dtype, device=device)


# The name of an inner call -> (an operator of the table whose name errors show, how it is done).
INNER: dict[str, tuple[str, Callable[..., Any]]] = {
    "_linalg_solve_ex": ("linalg.solve_ex", _solve_ex),
    "_linalg_det": ("linalg.det", _det),
    "_linalg_slogdet": ("linalg.slogdet", _slogdet),
    "_linalg_eigh": ("linalg.eigh", _eigh),
    "_linalg_svd": ("linalg.svd", _svd),
    "_linalg_check_errors": ("linalg.inv_ex", _check_errors),
    "linalg_inv_ex": ("linalg.inv_ex", lambda a, *, check_errors=False: TABLE["linalg.inv_ex"](a)),
    "linalg_cholesky_ex": (
        "linalg.cholesky_ex",
        lambda a, *, upper=False, check_errors=False: TABLE["linalg.cholesky_ex"](a, upper=upper),
    ),
    "linalg_lu_factor_ex": (
        "linalg.lu_factor_ex",
        lambda a, *, pivot=True, check_errors=False: TABLE["linalg.lu_factor_ex"](a, pivot=pivot),
    ),
    "linalg_ldl_factor_ex": (
        "linalg.ldl_factor_ex",
        lambda a, *, hermitian=False, check_errors=False: TABLE["linalg.ldl_factor_ex"](a, hermitian=hermitian),
    ),
    "linalg_eig": ("linalg.eig", lambda a: TABLE["linalg.eig"](a)),
    "_fft_r2c": ("fft.rfftn", _r2c),
    "_fft_c2c": ("fft.fftn", _c2c),
    "_fft_c2r": ("fft.irfftn", _c2r),
    "_conj_physical": ("conj_physical", lambda x: METHODS["conj_physical"](x)),
    "_conj": ("conj", lambda x: METHODS["conj"](x)),
    "_scaled_dot_product_flash_attention_for_cpu": (_F + "scaled_dot_product_attention", _flash),
    "native_batch_norm": (_F + "batch_norm", _native_batch_norm),
    "_ctc_loss": ("ctc_loss", _ctc),
    "zero": ("zeros_like", lambda x: TABLE["zeros_like"](x)),
    "copy": ("clone", lambda x, src, non_blocking=False: METHODS["copy_"](TABLE["empty_like"](x), src)),
    "scalar_tensor": ("full", _scalar_tensor),
}


# ---------------------------------------------------------------------------------------- what a call consists of there
def _checked(name: str, shown: str, *options: str, first: int = 1) -> Callable[[Values, Step], Any]:
    """A factorization that tells of its success, and the check; the result is its first part, or parts."""

    def chain(v: Values, step: Step) -> Any:
        a = v["A"] if v["input"] is None else v["input"]
        given = {k: v[k] for k in options if v[k] is not None and v[k] != {"pivot": True}.get(k, False)}
        found = step(name, a, **given)
        step("_linalg_check_errors", found[-1], shown, is_matrix=a.ndim == 2)
        return found[0] if first == 1 else tuple(found[:first])

    return chain


def _solve(v: Values, step: Step) -> Any:
    kwargs = {} if v["left"] in (None, True) else {"left": False}
    found = step("_linalg_solve_ex", v["A"], v["B"], **kwargs)
    step("_linalg_check_errors", found[3], "torch.linalg.solve", is_matrix=v["A"].ndim == 2)
    return found[0]


def _operand(v: Values) -> Any:
    return v["A"] if v["input"] is None else v["input"]


def _logdet(v: Values, step: Step) -> Any:
    sign, logarithm, *_ = step("_linalg_slogdet", v["input"])
    negative = step("eq.Scalar", sign, -1)
    kind = {"dtype": logarithm.dtype, "layout": dt.strided, "device": logarithm.device}
    return step("where.self", negative, step("scalar_tensor", float("nan"), **kind), logarithm)


def _spectral(v: Values, step: Step) -> Any:
    shown = () if v["UPLO"] in (None, "L") else (v["UPLO"],)
    return step("_linalg_eigh", v["A"], *shown)


def _singular(v: Values, step: Step) -> Any:
    kwargs = {} if v["driver"] is None else {"driver": v["driver"]}
    return step("_linalg_svd", v["A"], *((True,) if v["full_matrices"] else ()), **kwargs)


def _resized(x: Any, dims: Sequence[int], sizes: Sequence[int | None], step: Step) -> Any:
    """The tensor with these sizes: cut, then padded with zeros."""
    pads = [0] * (2 * x.ndim)
    padded = False
    for d, n in zip(dims, sizes, strict=True):
        if n is None or n == x.shape[d]:
            continue
        if n < x.shape[d]:
            x = step("slice.Tensor", x, d, 0, n)
        else:
            pads[2 * (x.ndim - 1 - d) + 1] = n - x.shape[d]
            padded = True
    return step("constant_pad_nd", x, pads) if padded else x


def _floating(x: Any, step: Step, into_complex: bool = False) -> Any:
    if into_complex and x.dtype.kind != "c":
        return step("_to_copy", x, dtype=dt.complex_of(x.dtype if x.dtype.kind == "f" else dt.default[0]))
    return step("_to_copy", x, dtype=dt.default[0]) if x.dtype.kind in "biu" else x


def _norm_code(norm: str | None, inverse: bool) -> int:
    return (_INVERSE if inverse else _NORMS).index(norm or "backward")


def _fft(inverse: bool) -> Callable[[Values, Step], Any]:
    def chain(v: Values, step: Step) -> Any:
        d = v["dim"] % v["input"].ndim
        x = _resized(_floating(v["input"], step), [d], [v["n"]], step)
        code = _norm_code(v["norm"], inverse)
        if x.dtype.kind == "c":
            return step("_fft_c2c", x, [d], code, not inverse)
        found = step("_fft_r2c", x, [d], code, False)
        return step("_conj", found) if inverse else found

    return chain


def _rfft(inverse: bool) -> Callable[[Values, Step], Any]:
    def chain(v: Values, step: Step) -> Any:
        d = v["dim"] % v["input"].ndim
        x = _resized(_floating(v["input"], step), [d], [v["n"]], step)
        found = step("_fft_r2c", x, [d], _norm_code(v["norm"], inverse), True)
        return step("_conj", found) if inverse else found

    return chain


def _irfft(v: Values, step: Step) -> Any:
    d = v["dim"] % v["input"].ndim
    x = _floating(v["input"], step, True)
    n = 2 * (x.shape[d] - 1) if v["n"] is None else v["n"]
    return step("_fft_c2r", _resized(x, [d], [n // 2 + 1], step), [d], _norm_code(v["norm"], True), n)


def _hfft(v: Values, step: Step) -> Any:
    d = v["dim"] % v["input"].ndim
    x = _floating(v["input"], step, True)
    n = 2 * (x.shape[d] - 1) if v["n"] is None else v["n"]
    x = step("clone", step("_conj", _resized(x, [d], [n // 2 + 1], step)))
    return step("_fft_c2r", x, [d], _norm_code(v["norm"], False), n)


def _dims_and_sizes(v: Values) -> tuple[list[int], list[int | None]]:
    x, s, dim = v["input"], v["s"], v["dim"]
    if dim is None:
        count = x.ndim if s is None else len(s)
        dims = list(range(x.ndim - count, x.ndim))
    else:
        dims = [d % x.ndim for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    sizes: list[int | None] = [None] * len(dims) if s is None else [None if n == -1 else n for n in s]
    return dims, sizes


def _fftn(inverse: bool) -> Callable[[Values, Step], Any]:
    def chain(v: Values, step: Step) -> Any:
        dims, sizes = _dims_and_sizes(v)
        if not dims:
            return None
        x = _resized(_floating(v["input"], step, True), dims, sizes, step)
        return step("_fft_c2c", x, dims, _norm_code(v["norm"], inverse), not inverse)

    return chain


def _rfftn(v: Values, step: Step) -> Any:
    dims, sizes = _dims_and_sizes(v)
    x = _resized(_floating(v["input"], step), dims, sizes, step)
    return step("_fft_r2c", x, dims, _norm_code(v["norm"], False), True)


def _irfftn(v: Values, step: Step) -> Any:
    dims, sizes = _dims_and_sizes(v)
    x = _floating(v["input"], step, True)
    last = sizes[-1]
    n = 2 * (x.shape[dims[-1]] - 1) if last is None else last
    x = _resized(x, dims, [*sizes[:-1], n // 2 + 1], step)
    return step("_fft_c2r", x, dims, _norm_code(v["norm"], True), n)


def _attention(v: Values, step: Step) -> Any:
    q, k, value, mask = v["query"], v["key"], v["value"], v["attn_mask"]
    if q.ndim != 4 or q.shape[-1] != value.shape[-1] or v["enable_gqa"] or q.dtype.kind != "f" or not q.numel():
        return None
    kwargs: dict[str, Any] = {}
    if mask is not None:
        if mask.dtype is dt.bool_:
            hidden = step("scalar_tensor", float("-inf"), dtype=q.dtype, device=q.device)
            mask = step(
                "where.self",
                mask,
                step("scalar_tensor", 0.0, dtype=q.dtype, layout=dt.strided, device=q.device),
                hidden,
            )
        kwargs["attn_mask"] = mask
    if v["scale"] is not None:
        kwargs["scale"] = v["scale"]
    return step(
        "_scaled_dot_product_flash_attention_for_cpu", q, k, value, *((0.0, True) if v["is_causal"] else ()), **kwargs
    )[0]


class _Statistics(threading.local):
    """The running mean and variance, and the momentum, of the batch normalization that is being recorded; None outside
    of one."""

    given: tuple[Any, Any, float] | None = None


_statistics = _Statistics()


def keeps_statistics() -> bool:
    """Whether the call that is handed on moves the running statistics itself, so that no other code must."""
    return _statistics.given is not None


def _batch_norm(v: Values, step: Step) -> Any:
    given = v["running_mean"], v["running_var"], v["momentum"]
    if not step.recorded:
        return _normalized(step, v["input"], v["weight"], v["bias"], given, bool(v["training"]), v["eps"])[0]
    with held(_statistics, "given", given):
        return step.body()


def _normalized(
    step: Step, x: Any, weight: Any, bias: Any, given: tuple[Any, Any, float], training: bool, eps: float
) -> Any:
    step("empty.memory_format", [0], dtype=dt.uint8, layout=dt.strided, device=x.device)
    return step("native_batch_norm", x, weight, bias, *given[:2], training, given[2], eps)


def _batch_norm_train(v: Values, step: Step) -> Any:
    """Its program's results: the normalized input, mean and unbiased variance."""
    x, given = v["input"], _statistics.given
    if given is None:
        return None
    y, mean, rstd = _normalized(step, x, v["weight"], v["bias"], given, True, v["eps"])
    if type(x) is not Tensor:  # of wrappers the backward computes what it needs again
        return y, mean, rstd
    return y, mean, below(TABLE["var"], (x, [d for d in range(x.ndim) if d != 1]), {})


def _batch_norm_eval(v: Values, step: Step) -> Any:
    momentum = 0.1 if _statistics.given is None else _statistics.given[2]
    given = v["running_mean"], v["running_var"], momentum
    return _normalized(step, v["input"], v["weight"], v["bias"], given, False, v["eps"])[0]


# The key of a call (with its namespace) -> chain(values, step), which returns the result; None: it is handed on as it
# is.
CHAINS: dict[str, Callable[[Values, Step], Any]] = {
    "linalg_inv": _checked("linalg_inv_ex", "linalg.inv"),
    "inverse": _checked("linalg_inv_ex", "linalg.inv"),
    "linalg_cholesky": _checked("linalg_cholesky_ex", "linalg.cholesky", "upper"),
    "linalg_lu_factor": _checked("linalg_lu_factor_ex", "torch.linalg.lu_factor", "pivot", first=2),
    "linalg_ldl_factor": _checked("linalg_ldl_factor_ex", "torch.linalg.ldl_factor", "hermitian", first=2),
    "linalg_solve": _solve,
    "linalg_solve_ex": lambda v, step: (
        (lambda found: (found[0], found[3]))(
            step("_linalg_solve_ex", v["A"], v["B"], **({} if v["left"] in (None, True) else {"left": False}))
        )
        if not v["check_errors"]
        else None
    ),
    "linalg_det": lambda v, step: step("_linalg_det", _operand(v))[0],
    "det": lambda v, step: step("_linalg_det", _operand(v))[0],
    "linalg_slogdet": lambda v, step: tuple(step("_linalg_slogdet", _operand(v))[:2]),
    "slogdet": lambda v, step: tuple(step("_linalg_slogdet", _operand(v))[:2]),
    "logdet": _logdet,
    "linalg_eigh": _spectral,
    "linalg_eigvalsh": lambda v, step: _spectral(v, step)[0],
    "linalg_eigvals": lambda v, step: step("linalg_eig", v["A"])[0],
    "linalg_svd": _singular,
    "linalg_svdvals": lambda v, step: _singular(v, step)[1],
    "fft_fft": _fft(False),
    "fft_ifft": _fft(True),
    "fft_rfft": _rfft(False),
    "fft_ihfft": _rfft(True),
    "fft_irfft": _irfft,
    "fft_hfft": _hfft,
    **{f"fft_fft{n}": _fftn(False) for n in ("2", "n")},
    **{f"fft_ifft{n}": _fftn(True) for n in ("2", "n")},
    **{f"fft_rfft{n}": _rfftn for n in ("2", "n")},
    **{f"fft_irfft{n}": _irfftn for n in ("2", "n")},
    "attention": _attention,
    "batch_norm": _batch_norm,
    "batch_norm_train": _batch_norm_train,
    "batch_norm_eval": _batch_norm_eval,
}
