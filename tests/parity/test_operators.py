"""Every operator against PyTorch: the samples beside each family, forward and backward, to PyTorch's default
tolerances.
"""

from __future__ import annotations

import functools
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.core import dtypes as dt
from rushlight.core import tensor as core
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.testing._comparison import default_tolerances
from rushlight.testing.samples import REGISTRY, OperatorSamples, Sample, load

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from checks import chosen, label  # noqa: E402
from support import array, copy, differentiable, find, flat, gradients, inputs_of, map_tensors  # noqa: E402

load()

# Where PyTorch has nothing to compare with, or is known to differ: the reason.
NOT_COMPARED: dict[str, str] = {
    "empty": "uninitialised memory",
    "empty_like": "uninitialised memory",
    "empty_strided": "uninitialised memory",
    "empty_permuted": "uninitialised memory",
    "new_empty": "uninitialised memory",
    "new_empty_strided": "uninitialised memory",
    "resize_": "uninitialised memory",
    "resize_as_": "uninitialised memory",
}
_PHASES = "vectors are determined up to their signs and phases; the conformance suite compares what is determined"
NOT_COMPARED |= dict.fromkeys(("linalg.eigh", "linalg.eig", "linalg.svd", "svd", "lobpcg"), _PHASES)
# Wider tolerances: name -> (factor, reason).
TOLERANCE: dict[str, tuple[float, str]] = {"expm1": (4, "PyTorch's own error in complex64")}
_TRIANGLE = "PyTorch's gradient has a part for the triangle that is not read"
GRADIENT_NOT_COMPARED = {
    **dict.fromkeys(
        ("cholesky", "linalg.cholesky", "linalg.cholesky_ex"), "PyTorch's gradient of complex matrices is not Hermitian"
    ),
    **dict.fromkeys(("cholesky_inverse", "cholesky_solve"), _TRIANGLE),
    "linalg.lstsq": "PyTorch's residuals have no derivative",
    "lu_unpack": "PyTorch's empty tensors require a gradient",
    "as_strided_scatter": "PyTorch's gradient of the input fails its own gradcheck",
    "nn.functional.ctc_loss": "PyTorch's is that of the logits behind log_softmax; test_ctc_gradient compares those",
    "ctc_loss": "PyTorch's is that of the logits behind log_softmax; test_ctc_gradient compares those",
}
GRADIENT_NOT_COMPARED |= dict.fromkeys(
    (
        *(
            f"special.{name}"
            for name in "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 "
            "modified_bessel_k0 "
            "modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 "
            "hermite_polynomial_h hermite_polynomial_he "
            "laguerre_polynomial_l legendre_polynomial_p".split()
        ),
        *(f"special.{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"),
    ),
    "PyTorch has no derivative of it",
)


def counterpart(name: str) -> Any:
    """The function of PyTorch that an operator's name means, or None."""
    short = name.rpartition(".")[2]
    if name in TABLE:
        try:
            return functools.reduce(getattr, name.split("."), torch)
        except AttributeError:
            pass
    return getattr(torch.Tensor, short, None) if name in METHODS or short in METHODS else None


def to_torch(x: Any) -> Any:
    """A rushlight value as PyTorch's: tensors with their strides, dtypes by name."""
    if isinstance(x, core.Tensor):
        a = array(x)
        a = np.ascontiguousarray(a).reshape(a.shape)
        if x.dtype is dt.bfloat16:  # by its bits: PyTorch's conversion gives a NaN either sign
            t = torch.from_numpy(np.asarray(a.view(np.uint32) >> 16).astype(np.uint16).view(np.int16)).view(
                torch.bfloat16
            )
        else:
            t = torch.from_numpy(np.asarray(a))
        if x.numel() and x.ndim >= 2 and not x.is_contiguous() and all(s > 0 for s in x.stride()):
            t = torch.empty_strided(tuple(x.shape), tuple(x.stride()), dtype=t.dtype).copy_(t)
        return t
    if isinstance(x, dt.dtype):
        return getattr(torch, x.name)
    if isinstance(x, (dt.layout, dt.memory_format)):
        return getattr(torch, str(x).rpartition(".")[2])
    if isinstance(x, core.device):
        return torch.device(str(x))
    if isinstance(x, (tuple, list)) and type(x) in (tuple, list, core.Size):
        return tuple(map(to_torch, x)) if isinstance(x, tuple) else [to_torch(v) for v in x]
    return x


def torch_array(t: Any) -> Any:
    """A NumPy array of a PyTorch tensor (what NumPy lacks in a wider dtype)."""
    t = t.detach().resolve_conj().resolve_neg()
    return (t.float() if t.dtype is torch.bfloat16 else t.cfloat() if t.dtype is torch.complex32 else t).numpy(
        force=True
    )


def torch_flat(result: Any) -> list[Any]:
    """The tensors of PyTorch's result, in order."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for r in result for t in torch_flat(r)] if isinstance(result, (tuple, list)) else []


def compare(got: Any, expected: Any, what: str, factor: float) -> None:
    """Assert equal dtype and shape, and values within PyTorch's default tolerances."""
    assert got.dtype.name == str(expected.dtype).rpartition(".")[2], (
        f"{what}: dtype {got.dtype}, PyTorch gives {expected.dtype}"
    )
    assert tuple(got.shape) == tuple(expected.shape), (
        f"{what}: shape {tuple(got.shape)}, PyTorch gives {tuple(expected.shape)}"
    )
    rtol, atol = default_tolerances(got.dtype)
    if got.dtype in (dt.float16, dt.bfloat16) and got.numel():
        # Every primitive rounds here, PyTorch rounds once at the end: what cancels is off by a rounding of the largest
        # value.
        finite = torch_array(expected)
        finite = np.abs(finite[np.isfinite(finite)])
        atol = max(atol, 0.5 * rtol * float(finite.max())) if finite.size else atol
    np.testing.assert_allclose(array(got), torch_array(expected), rtol * factor, atol * factor, err_msg=what)


def torch_sample(sample: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a sample for PyTorch."""
    return tuple(map(to_torch, sample.args)), {k: to_torch(v) for k, v in sample.kwargs.items()}


def torch_call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fn(*args, **kwargs)
        except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError) as error:
            return error


def parity_dtypes(spec: OperatorSamples) -> list[Any]:
    wanted = [d for d in (dt.float32, dt.bfloat16, dt.complex64, dt.int64, dt.uint8, dt.bool_) if d in spec.dtypes]
    return wanted or [spec.dtypes[0]]


NAMES = sorted(REGISTRY)


@pytest.mark.parametrize("name", NAMES)
def test_forward(name: str) -> None:
    if name in NOT_COMPARED:
        pytest.skip(NOT_COMPARED[name])
    fn, spec = counterpart(name), REGISTRY[name]
    if fn is None:
        pytest.skip("PyTorch has no function of this name")
    done, refused = 0, ""
    for dtype in parity_dtypes(spec):
        for s in chosen(spec, dtype, 8):
            args, kwargs = torch_sample(map_tensors(copy, s))
            expected = torch_call(fn, args, kwargs)
            if isinstance(expected, Exception):  # more dtypes or forms than PyTorch takes
                refused = f"{label(s)}: {expected}"
                continue
            got = find(name)(*map_tensors(copy, s).args, **map_tensors(copy, s).kwargs)
            results, wanted = flat(got), torch_flat(expected)
            assert len(results) == len(wanted), f"{label(s)}: {len(results)} tensors, PyTorch gives {len(wanted)}"
            for g, e in zip(results, wanted, strict=True):
                compare(g, e, f"{dtype} {label(s)}", spec.tolerance * TOLERANCE.get(name, (1, ""))[0])
            if not wanted and isinstance(expected, (bool, int, float)):
                assert got == expected or (math.isnan(expected) and math.isnan(got)), (
                    f"{label(s)}: {got}, PyTorch gives {expected}"
                )
            done += 1
    if not done and not refused:
        pytest.skip("it has error samples alone")
    assert done, f"PyTorch takes none of the samples: {refused}"


def compare_gradients(name: str, fn: Any, dtype: Any, s: Sample, order: int = 1) -> None:
    """Assert that a sample's gradients are PyTorch's, or those of what they add up to, where that has any."""
    spec = REGISTRY[name]
    leaves: dict[int, Any] = {}
    own = map_tensors(lambda t: leaves.setdefault(id(t), copy(t, grad=True)), s)
    args, kwargs = torch_sample(s)
    theirs: list[Any] = [*torch_flat(list(args)), *torch_flat(list(kwargs.values()))]
    for t, mine in zip(theirs, inputs_of(s), strict=True):
        if differentiable(mine):
            t.requires_grad_()
    expected = torch_call(fn, args, kwargs)
    if isinstance(expected, Exception):
        return
    outputs = flat(find(name)(*own.args, **own.kwargs))
    wanted = torch_flat(expected)
    pairs = [(o, e) for o, e in zip(outputs, wanted, strict=True) if e.requires_grad]
    if not pairs:
        assert not any(o.requires_grad for o in outputs), f"{label(s)}: requires grad, PyTorch's result does not"
        return
    assert all(o.requires_grad for o, _ in pairs), f"{label(s)}: PyTorch's result requires grad"
    random = np.random.default_rng(0)
    weights = [random.standard_normal(tuple(o.shape)) for o, _ in pairs]
    mine = [t for t in inputs_of(own) if t.requires_grad]
    # A tensor that stands twice in the sample is one leaf here and two there.
    if len({id(t) for t in mine}) != len(mine):
        return
    others = [t for t in theirs if t.requires_grad]
    if order == 2:
        compare_second_gradients(s, pairs, mine, others)
        return
    found = gradients([o for o, _ in pairs], weights, mine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            right = torch.autograd.grad(
                [e for _, e in pairs],
                others,
                [torch.from_numpy(np.asarray(w)).to(e.dtype) for w, (_, e) in zip(weights, pairs, strict=True)],
                allow_unused=True,
            )
        except (RuntimeError, NotImplementedError):
            return
    for g, e, x in zip(found, right, mine, strict=True):
        if e is None or g is None:
            rest = g if e is None else e
            zero = rest is None or not np.any(array(rest) if isinstance(rest, core.Tensor) else torch_array(rest))
            assert zero, f"{label(s)}: one gradient is missing, the other not zero"
            continue
        compare(g, e, f"{dtype} {label(s)}: gradient of {list(x.shape)}", 4 * spec.tolerance)


def compare_second_gradients(s: Sample, pairs: list[tuple[Any, Any]], mine: list[Any], others: list[Any]) -> None:
    """The same of the sum of the gradients, each element by a factor of its own; PyTorch's NaN are passed over."""

    def found(lib: Any, outputs: list[Any], inputs: list[Any]) -> list[Any] | None:
        random = np.random.default_rng(0)
        factor = lambda t: lib.from_numpy(np.asarray(random.standard_normal(tuple(t.shape)))).to(t.dtype)
        try:
            first = lib.autograd.grad(
                outputs, inputs, [factor(y) for y in outputs], create_graph=True, allow_unused=True
            )
            factors = list(map(factor, inputs))
            total = sum(((g * v).sum() for g, v in zip(first, factors, strict=True) if g is not None), 0)
            if not (isinstance(total, (torch.Tensor, core.Tensor)) and total.requires_grad):
                return None
            return list(lib.autograd.grad(total, inputs, allow_unused=True))
        except (RuntimeError, NotImplementedError):
            if lib is torch:
                return None
            raise

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = found(torch, [e for _, e in pairs], others)
        if wanted is None:
            return
        got = found(rushlight, [o for o, _ in pairs], mine) or [None] * len(mine)
    for g, e, x in zip(got, wanted, mine, strict=True):
        right = np.zeros(tuple(x.shape)) if e is None else torch_array(e)
        here = np.zeros(tuple(x.shape)) if g is None else array(g)
        there = ~np.isnan(right)
        np.testing.assert_allclose(
            here[there], right[there], 1e-6, 1e-8, err_msg=f"{label(s)}: second gradient of {list(x.shape)}"
        )


DIFFERENTIABLE = [n for n in NAMES if REGISTRY[n].grad and any(d.kind == "f" for d in REGISTRY[n].dtypes)]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_backward(name: str) -> None:
    fn, spec = counterpart(name), REGISTRY[name]
    if fn is None or name in NOT_COMPARED:
        pytest.skip("PyTorch has no function of this name")
    if name in GRADIENT_NOT_COMPARED:
        pytest.skip(GRADIENT_NOT_COMPARED[name])
    for dtype in [d for d in (dt.float32, dt.complex64) if d in spec.dtypes]:
        for s in chosen(spec, dtype, 5):
            if any(differentiable(t) for t in inputs_of(s)):
                compare_gradients(name, fn, dtype, s)


# Of several answers that are derivatives there, or limits of them, PyTorch takes another.
AT_TIES = {
    **dict.fromkeys(("det", "linalg.det"), "the minors of a singular matrix; PyTorch's is 0 where elimination ends"),
    "cdist": "p=inf: coordinates that are equally far have equal shares; PyTorch gives each the whole",
    "segment_reduce": "equal extremes have equal shares; PyTorch gives each the whole",
    "nn.functional.embedding_bag": "equal maxima have equal shares; PyTorch takes the first",
    "kl_div": "0 where the target is 0 and the gradient infinite; PyTorch's is NaN",
    "hypot": "0 at (0, 0); PyTorch's is NaN",
    **dict.fromkeys(("index_reduce", "scatter_reduce"), "docs/differences.md: ties with what is not included"),
    "nextafter": "where both are equal the result is the first; PyTorch's gradient is 0",
}


SECOND_AT_TIES = {
    **dict.fromkeys(
        ("nn.functional.celu", "nn.functional.elu", "nn.functional.selu", "celu", "selu", "prelu"),
        "at the kink itself one side's; PyTorch's is 0",
    ),
    "xlogy": "0 where both are 0; PyTorch's is infinite",
    "nn.functional.binary_cross_entropy": "the logarithms are cut off at these ends",
}


def whole(t: Any) -> Any:
    """A sample's tensor with its numbers rounded, so that many are equal, and some 0."""
    return copy(t).round_() if t.dtype.kind == "f" and not t.is_meta and t.numel() else t


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize("order", [1, 2])
def test_backward_of_whole_numbers(name: str, order: int) -> None:
    """Ties, zeros and kinks, which random numbers never are: a smooth function that is put together of parts with kinks
    loses its second derivative there.
    """
    fn, spec = counterpart(name), REGISTRY[name]
    if fn is None or name in NOT_COMPARED or name in GRADIENT_NOT_COMPARED or dt.float64 not in spec.dtypes:
        pytest.skip("as in test_backward")
    if why := AT_TIES.get(name) or (order == 2 and SECOND_AT_TIES.get(name)):
        pytest.skip(why)
    for s in chosen(spec, dt.float64, 12 if order == 1 else 5):
        if any(differentiable(t) for t in inputs_of(s)):
            compare_gradients(name, fn, dt.float64, map_tensors(whole, s), order)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    "lengths", [([7, 4, 5], [3, 0, 2]), ([7, 7, 2], [2, 3, 3])], ids=["possible", "one impossible"]
)
def test_ctc_gradient(lengths: Any, reduction: str) -> None:
    """The gradient of the logits: PyTorch's formula for it skips log_softmax, rushlight's goes through it."""
    rng = np.random.default_rng(7)
    logits, targets = rng.normal(size=(7, 3, 5)), rng.integers(1, 5, (3, 3))
    kwargs = {"reduction": reduction, "zero_infinity": True}

    def gradient(lib: Any) -> tuple[Any, Any]:
        x = lib.tensor(logits, requires_grad=True)
        y = lib.nn.functional.ctc_loss(x.log_softmax(-1), lib.tensor(targets), *map(lib.tensor, lengths), **kwargs)
        y.sum().backward()
        return y.detach().numpy(), x.grad.numpy()

    for got, expected in zip(gradient(rushlight), gradient(torch), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{"k": 2}, {"k": 3, "largest": False}, {"k": 2, "n": 4, "method": "basic"}],
    ids=["largest", "smallest", "basic"],
)
def test_lobpcg(options: Any) -> None:
    """Eigenvalues, and the gradient of what does not depend on the vectors' signs."""
    r = np.random.default_rng(3)
    a, weights = r.standard_normal((2, 16, 16)), r.standard_normal((2, 16, options["k"]))
    a = a @ a.swapaxes(-1, -2) + np.diag(np.arange(16.0))

    def found(lib: Any) -> tuple[Any, Any]:
        x = lib.tensor(a, requires_grad=True)
        e, v = lib.lobpcg(x, tol=1e-11, niter=-1, **options)
        (e.sin().sum() + (lib.tensor(weights) * v * v).sum()).backward()
        return e.detach().numpy(), x.grad.numpy()

    for got, expected in zip(found(rushlight), found(torch), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-8)


WITHOUT_GRADIENT = [
    n for n in NAMES if not REGISTRY[n].grad and not n.endswith("_") and any(d.kind == "f" for d in REGISTRY[n].dtypes)
]


@pytest.mark.parametrize("name", WITHOUT_GRADIENT)
def test_what_has_no_gradient_here_has_none_there(name: str) -> None:
    """The samples that say grad=False are of operators whose result PyTorch cannot differentiate either."""
    fn, spec = counterpart(name), REGISTRY[name]
    if fn is None:
        pytest.skip("PyTorch has no function of this name")
    dtype = next(d for d in (dt.float32, dt.float64, *spec.dtypes) if d in spec.dtypes)
    for s in chosen(spec, dtype, 3):
        args, kwargs = torch_sample(s)
        given = [t for t in (*torch_flat(list(args)), *torch_flat(list(kwargs.values()))) if t.is_floating_point()]
        for t in given:
            t.requires_grad_()
        result = torch_call(fn, args, kwargs)
        outputs = (
            []
            if isinstance(result, Exception)
            else [t for t in torch_flat(result) if t.requires_grad and not any(t is x for x in given)]
        )
        for t in outputs:
            try:
                found = torch.autograd.grad(t.sum(), given, allow_unused=True)
            except (RuntimeError, NotImplementedError):
                continue
            assert not any(g is not None and bool(g.count_nonzero()) for g in found), (
                f"{label(s)}: PyTorch has a gradient"
            )
