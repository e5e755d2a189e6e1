"""Calls at the edge of what has a meaning are refused as in PyTorch, or have its result: operands that are all
numbers, indices in dimensions without elements, kernels without elements, losses that broadcast, orders of memory,
files that are none, capsules, and subclasses.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import pickle
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

Fact = Callable[[Any], Any]


def shown(x: Any) -> Any:
    """A result in words: the values, dtype, shape and strides of tensors."""
    if hasattr(x, "untyped_storage"):
        strides = x.stride() if x.numel() else None
        values = x.detach().tolist()
        return type(x).__name__, str(x.dtype), tuple(x.shape), strides, x.requires_grad, values
    if isinstance(x, (tuple, list)):
        return [shown(v) for v in x]
    return x


def outcome(lib: Any, fact: Fact) -> Any:
    """The result, or the exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(fact(lib))
    except Exception as error:
        return error


def agree(fact: Fact) -> None:
    """The same result, or an exception of PyTorch's class."""
    found, wanted = outcome(rushlight, fact), outcome(torch, fact)
    if isinstance(wanted, Exception):
        assert isinstance(found, type(wanted)), (found, wanted)
    elif isinstance(wanted, list) and wanted and isinstance(found, list):
        assert str(found) == str(wanted)
    else:
        assert not isinstance(found, Exception), found
        assert found == pytest.approx(wanted) if isinstance(wanted, float) else str(found) == str(wanted)


# -------------------------------------------------------------------------------------------------------- numbers alone
TWO = """add sub mul div eq ne lt le gt ge not_equal greater greater_equal less less_equal maximum minimum fmax pow
remainder fmod floor_divide true_divide atan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift logical_and hypot
copysign xlogy isclose gcd heaviside float_power ldexp multiply subtract divide rsub logaddexp lerp result_type
special.xlogy special.zeta special.xlog1py""".split()
NUMBERS: list[tuple[Any, ...]] = [(2, 3), (2.5, 0.5), (2,)]


def public(lib: Any, name: str) -> Any:
    for part in name.split("."):
        lib = getattr(lib, part)
    return lib


@pytest.mark.parametrize("name", TWO)
def test_operands_that_are_all_numbers(name: str) -> None:
    for args in NUMBERS:
        agree(lambda lib, args=args: public(lib, name)(*args))
    agree(lambda lib: public(lib, name)(3, lib.tensor(2)))
    agree(lambda lib: public(lib, name)(lib.tensor(2), 3))


@pytest.mark.parametrize("args", [(2, 3), (2.5, 1), ([1], [2]), (None, 2)])
@pytest.mark.parametrize("name", "can_cast promote_types result_type is_signed get_device broadcast_shapes".split())
def test_what_is_no_dtype_and_no_tensor(name: str, args: tuple[Any, ...]) -> None:
    if name == "broadcast_shapes" and None in args:
        return  # which PyTorch takes for no shape at all
    agree(lambda lib: str(public(lib, name)(*(args if name not in ("is_signed", "get_device") else args[:1]))))


@pytest.mark.parametrize("size", [(3,), (2, 3), ()])
@pytest.mark.parametrize("weight", "float32 float64 bfloat16 float16 int64 bool complex64".split())
@pytest.mark.parametrize("target", "float32 float64 bfloat16 int64".split())
@pytest.mark.parametrize("of", "float32 float64 bfloat16".split())
def test_a_weight_promotes_the_loss(of: str, target: str, weight: str, size: tuple[int, ...]) -> None:
    agree(
        lambda lib: str(
            lib.nn.functional.multilabel_soft_margin_loss(
                lib.ones(2, 3, dtype=getattr(lib, of)),
                lib.ones(2, 3, dtype=getattr(lib, target)),
                weight=lib.ones(size, dtype=getattr(lib, weight)),
            ).dtype
        ).rpartition(".")[2]
    )


@pytest.mark.parametrize(
    "dtype, shape", [("float32", (2, 4)), ("int64", (2, 4)), ("int32", (2, 5)), ("int32", (8,)), ("int32", (2, 4))]
)
def test_destinations_of_integer_products(dtype: str, shape: tuple[int, ...]) -> None:
    def product(lib: Any) -> Any:
        a, b = lib.ones(2, 3, dtype=lib.int8), lib.ones(3, 4, dtype=lib.int8)
        return lib._int_mm(a, b, out=lib.zeros(shape, dtype=getattr(lib, dtype)))

    agree(product)
    if (dtype, shape) != ("int32", (2, 4)):
        assert "_int_mm(): 'out'" in str(outcome(rushlight, product))


# ------------------------------------------------------------------------------- indices in dimensions without elements
INDEXED: dict[str, Callable[[Any, Any, int, Any], Any]] = {
    "x[i]": lambda lib, x, d, i: x[(slice(None),) * d + (i,)],
    "x[list]": lambda lib, x, d, i: x[(slice(None),) * d + (i.tolist(),)],
    "x[i] = 1": lambda lib, x, d, i: x.__setitem__((slice(None),) * d + (i,), 1.0),
    "index_select": lambda lib, x, d, i: x.index_select(d, i),
    "index_reduce": lambda lib, x, d, i: x.index_reduce(d, i, _as_many(lib, x, d, i), "amax"),
    "gather": lambda lib, x, d, i: x.gather(d, _along(lib, x, d, i)),
    "scatter": lambda lib, x, d, i: x.scatter(d, _along(lib, x, d, i), 1.0),
    "take": lambda lib, x, d, i: x.take(i),
    "embedding": lambda lib, x, d, i: lib.nn.functional.embedding(i, _as_rows(x)),
    "embedding_bag": lambda lib, x, d, i: lib.nn.functional.embedding_bag(
        i, _as_rows(x), lib.zeros(1, dtype=lib.int64), mode=("sum", "mean", "max")[d]
    ),
}


def _as_rows(x: Any) -> Any:
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def _as_many(lib: Any, x: Any, d: int, i: Any) -> Any:
    return lib.ones([len(i) if k == d else n for k, n in enumerate(x.shape)])


def _along(lib: Any, x: Any, d: int, i: Any) -> Any:
    return lib.full([len(i) if k == d else n for k, n in enumerate(x.shape)], i[0].item() if len(i) else 0)


@pytest.mark.parametrize("how", INDEXED)
def test_indices_where_there_are_no_elements(how: str) -> None:
    for shape in ((0,), (0, 0), (0, 3), (3, 0), (2, 0, 0)):
        for d, given in itertools.product(range(len(shape)), ([0], [1], [-1], [])):
            rows = shape[0 if how.startswith("embedding") else d]
            if rows and how in ("index_select", "index_reduce", "embedding", "embedding_bag") and given == [-1]:
                continue  # an index that no element is at, of a dimension that has some: no kernel looks at it here

            def fact(lib: Any, shape: Any = shape, d: int = d, given: Any = given) -> Any:
                return INDEXED[how](lib, lib.zeros(shape), d, lib.tensor(given, dtype=lib.int64))

            agree(fact)


@pytest.mark.parametrize("n", (1, 2, 3))
def test_kernels_without_elements(n: int) -> None:
    for transposed, bias in itertools.product((False, True), repeat=2):

        def fact(lib: Any, transposed: bool = transposed, bias: bool = bias) -> Any:
            f = getattr(lib.nn.functional, f"conv{'_transpose' * transposed}{n}d")
            channels = (2, 3) if transposed else (3, 2)
            return f(lib.ones(1, 2, *(4,) * n), lib.ones(*channels, *(0,) * n), lib.ones(3) if bias else None)

        agree(fact)


# --------------------------------------------------------------------------------------------------------------- losses
SHAPES = [((3, 4), (3, 4)), ((3, 4), (1, 4)), ((3, 1), (3, 4)), ((1, 4), (3, 4)), ((4,), (4,)), ((3, 4), (4,))]


@pytest.mark.parametrize("reduction", ("none", "mean", "sum"))
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_losses_that_broadcast(first: tuple[int, ...], second: tuple[int, ...], reduction: str) -> None:
    def filled(lib: Any, shape: tuple[int, ...]) -> Any:
        return lib.arange(1.0, 1 + int(np.prod(shape)), dtype=lib.float64).reshape(shape)

    def close(fact: Fact) -> None:
        found, wanted = outcome(rushlight, fact), outcome(torch, fact)
        if isinstance(wanted, Exception):
            assert isinstance(found, type(wanted)), (found, wanted)
        else:
            assert found[:4] == wanted[:4]
            np.testing.assert_allclose(found[5], wanted[5], rtol=1e-12)

    for target in ((3,), (1,), ()):
        close(
            lambda lib, target=target: lib.nn.functional.cosine_embedding_loss(
                filled(lib, first), filled(lib, second), lib.ones(target, dtype=lib.float64), reduction=reduction
            )
        )
    for weight in (None, (4,), (3, 4), (3, 1)):
        close(
            lambda lib, weight=weight: lib.nn.functional.multilabel_soft_margin_loss(
                filled(lib, first),
                lib.ones(second, dtype=lib.float64),
                None if weight is None else filled(lib, weight),
                reduction=reduction,
            )
        )
    close(
        lambda lib: lib.nn.functional.gaussian_nll_loss(
            filled(lib, first), filled(lib, second), lib.ones((), dtype=lib.float64), reduction=reduction
        )
    )


# ----------------------------------------------------------------------------------------------------- orders of memory
TENSORS: dict[str, Fact] = {
    "rows": lambda lib: lib.arange(6.0).reshape(2, 3),
    "columns": lambda lib: lib.arange(6.0).reshape(2, 3).T,
    "expanded": lambda lib: lib.arange(2.0).reshape(2, 1).expand(2, 3),
    "stepped": lambda lib: lib.arange(12.0).reshape(2, 6)[:, ::2],
    "channels last": lambda lib: lib.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=lib.channels_last),
    "part of channels last": lambda lib: (
        lib.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=lib.channels_last)[:, :, ::2]
    ),
    "permuted": lambda lib: lib.arange(120.0).reshape(2, 3, 4, 5).permute(3, 1, 0, 2),
}


@pytest.mark.parametrize("order", ("contiguous_format", "preserve_format", "channels_last"))
@pytest.mark.parametrize("kind", TENSORS)
def test_orders_of_memory(kind: str, order: str) -> None:
    def of(call: Callable[[Any, Any], Any]) -> Fact:
        def fact(lib: Any) -> Any:
            x = TENSORS[kind](lib)
            y = call(x, getattr(lib, order))
            return y, y is x, not isinstance(y, bool) and y.data_ptr() == x.data_ptr()

        return fact

    agree(of(lambda x, order: x.to(memory_format=order)))
    agree(of(lambda x, order: x.to("cpu", memory_format=order)))
    agree(of(lambda x, order: x.to(memory_format=order, copy=True)))
    agree(of(lambda x, order: x.float(memory_format=order)))
    agree(of(lambda x, order: x.double(memory_format=order)))
    agree(of(lambda x, order: x.contiguous(memory_format=order)))
    agree(of(lambda x, order: x.is_contiguous(memory_format=order)))
    agree(of(lambda x, order: x.clone(memory_format=order)))


# -------------------------------------------------------------------------------------------------- files that are none
def written(lib: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    lib.save({"a": lib.arange(10.0), "b": [1, "x"]}, file, **options)
    return file.getvalue()


@pytest.mark.parametrize("weights_only", (True, False))
@pytest.mark.parametrize("old", (False, True))
def test_files_that_are_cut_short(old: bool, weights_only: bool) -> None:
    """UnpicklingError, EOFError or RuntimeError, as PyTorch raises; its others are accidents of its reader."""
    whole = written(torch, _use_new_zipfile_serialization=not old)
    for end in (0, 1, 2, 5, 9, 20, len(whole) // 3, len(whole) // 2, len(whole) - 50, len(whole) - 1):
        fact = lambda lib, end=end: lib.load(io.BytesIO(whole[:end]), weights_only=weights_only)
        wanted, found = outcome(torch, fact), outcome(rushlight, fact)
        assert isinstance(found, (pickle.UnpicklingError, EOFError, RuntimeError))
        if isinstance(wanted, (pickle.UnpicklingError, EOFError, RuntimeError)):
            assert isinstance(found, type(wanted)), (end, found, wanted)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.pt")
            with open(path, "wb") as file:
                file.write(whole[:end])
            assert type(outcome(rushlight, lambda lib, path=path: lib.load(path, weights_only=weights_only))) is type(
                found
            )


# ------------------------------------------------------------------------------------------------------ other libraries
CAPSULES: dict[str, Fact] = {
    "a capsule twice": lambda lib: (lambda c: (lib.from_dlpack(c), lib.from_dlpack(c)))(
        lib.utils.dlpack.to_dlpack(lib.ones(2))
    ),
    "a number": lambda lib: lib.from_dlpack(3),
    "None": lambda lib: lib.from_dlpack(None),
    "a result that requires grad": lambda lib: lib.from_dlpack(lib.ones(2, requires_grad=True)),
    "the capsule of one that requires grad": lambda lib: lib.from_dlpack(
        lib.utils.dlpack.to_dlpack(lib.ones(2, requires_grad=True))
    ),
    "the device": lambda lib: [str(part) for part in lib.ones(2).__dlpack_device__()],
    "the device of meta": lambda lib: lib.ones(2, device="meta").__dlpack_device__(),
}


@pytest.mark.parametrize("name", CAPSULES)
def test_capsules(name: str) -> None:
    __import__("rushlight.utils.dlpack")
    agree(CAPSULES[name])


# ----------------------------------------------------------------------------------------------------------- subclasses
def _classes(lib: Any) -> tuple[Any, Any, list[str]]:
    calls: list[str] = []

    class Sub(lib.Tensor):  # type: ignore[name-defined, misc]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    class Other(lib.Tensor):  # type: ignore[name-defined, misc]
        pass

    return Sub, Other, calls


SUBCLASSES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "two unrelated classes": lambda lib, x, y: x + y,
    "tensor() of one": lambda lib, x, y: lib.tensor(x),
    "as_tensor() of one": lambda lib, x, y: lib.as_tensor(x),
    "isinstance": lambda lib, x, y: isinstance(x, lib.FloatTensor),
    "autograd.grad": lambda lib, x, y: (lambda z: lib.autograd.grad((z * z).sum(), z))(x.detach().requires_grad_()),
    "a plain tensor": lambda lib, x, y: x + lib.ones(3),
}


@pytest.mark.parametrize("name", SUBCLASSES)
def test_subclasses(name: str) -> None:
    def fact(lib: Any) -> Any:
        sub, other, calls = _classes(lib)
        x, y = lib.arange(3.0).as_subclass(sub), lib.ones(3).as_subclass(other)
        calls.clear()
        return SUBCLASSES[name](lib, x, y), calls

    agree(fact)


# --------------------------------------------------------------------------------------------------------------- copies
def test_a_copied_result_is_a_leaf_that_requires_grad() -> None:
    import copy

    for way in (copy.copy, lambda x: pickle.loads(pickle.dumps(x))):
        agree(lambda lib, way=way: way(lib.ones(2, requires_grad=True) * 2))


def test_storages_have_a_number_of_their_own() -> None:
    def fact(lib: Any) -> Any:
        x, y = lib.ones(4), lib.ones(4)
        numbers = [v.untyped_storage()._cdata for v in (x, x[2:], y)]
        return [a == b for a, b in itertools.combinations(numbers, 2)]

    agree(fact)


# --------------------------------------------------------------------------------------------- gradients and generators
def _without_jvp(lib: Any) -> Any:
    class Double(lib.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        return Double.apply(forward_ad.make_dual(lib.ones(2), lib.ones(2)))


def _forked(lib: Any, **options: Any) -> Any:
    lib.manual_seed(0)
    with lib.random.fork_rng(**options):
        first = lib.rand(1)
    return bool((first == lib.rand(1)).all())


REFUSED: dict[str, Fact] = {
    "outputs that are no tensors": lambda lib: lib.autograd.grad([3], [lib.ones(1)]),
    "text": lambda lib: lib.autograd.grad("a", "b"),
    "inputs that are no tensors": lambda lib: lib.autograd.grad(2 * lib.ones(1, requires_grad=True), [3]),
    "no inputs": lambda lib: lib.autograd.grad(2 * lib.ones(1, requires_grad=True), []),
    "neither": lambda lib: lib.autograd.grad([], []),
    "a Function without jvp": _without_jvp,
    "fork_rng": lambda lib: _forked(lib),
    "fork_rng of nothing": lambda lib: _forked(lib, enabled=False, devices=[0]),
    "fork_rng of no devices": lambda lib: _forked(lib, devices=[]),
    "fork_rng of devices": lambda lib: _forked(lib, devices=[0]),
    "fork_rng of devices by another name": lambda lib: _forked(lib, device_type="foo"),
    "fork_rng of nothing by another name": lambda lib: _forked(lib, enabled=False, device_type="foo"),
    "fork_rng of meta": lambda lib: _forked(lib, device_type="meta"),
    "fork_rng of no devices in turn": lambda lib: _forked(lib, devices=iter([])),
    "fork_rng of devices in turn": lambda lib: _forked(lib, devices=iter([0])),
    "fork_rng of a number": lambda lib: _forked(lib, devices=5),
    **{f"the seed {n}": lambda lib, n=n: lib.manual_seed(n).initial_seed() for n in (2**64, -(2**63) - 1, 2**63, -1)},
    "padding on no side": lambda lib: lib.nn.utils.rnn.pad_sequence([lib.ones(2), lib.ones(1)], padding_side="up"),
    "a number for Gamma": lambda lib: lib.distributions.Gamma(lib.tensor([2.0]), lib.tensor([1.0])).log_prob(1.5),
    "a number for Chi2": lambda lib: lib.distributions.Chi2(lib.tensor([2.0])).log_prob(1.5),
    "a number for Beta": lambda lib: lib.distributions.Beta(lib.tensor([2.0]), lib.tensor([1.0])).log_prob(0.5),
    "grad mode in words": lambda lib: repr(lib.set_grad_enabled(True)).rpartition(".")[2],
}


@pytest.mark.parametrize("name", REFUSED)
def test_gradients_and_generators(name: str) -> None:
    for module in ("distributions", "nn.utils.rnn", "random", "autograd.forward_ad"):
        __import__(f"rushlight.{module}")
    if name.startswith("a number for"):
        found, wanted = outcome(rushlight, REFUSED[name]), outcome(torch, REFUSED[name])
        if not isinstance(wanted, Exception):
            assert found[5] == pytest.approx(wanted[5], rel=1e-6)
            return
    agree(REFUSED[name])


def test_what_is_no_mode_is_named() -> None:
    from rushlight.core import locks

    with pytest.raises(TypeError, match=r"enter_mode\(\): 'mode' must be a mode of calls.* found int"):
        locks.enter_mode(3)
