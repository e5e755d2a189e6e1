"""Arguments of wrong types, and destinations that share memory with themselves: the same for every operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import find

import rushlight as rl
from rushlight.core.flatten import Kind
from rushlight.operators.table import arguments as _arguments
from rushlight.operators.table.define import METHODS
from rushlight.testing.samples import REGISTRY, load

load()


class Odd:
    """Nothing that any operator takes."""

    def __repr__(self) -> str:
        return "<odd>"


def notes_of(op: Any) -> dict[str, Any]:
    """The annotations of an operator's body."""
    fn = op.definition.body
    return getattr(fn, "__wrapped__", fn).__annotations__  # type: ignore[no-any-return]


def checked(op: Any) -> list[tuple[int, Any]]:
    """The parameters that take tensors, numbers, ints, or something whose type is known."""
    notes = notes_of(op)

    def known(p: Any) -> bool:
        note = str(notes.get(p.name, "Any")).partition(" | ")[0]
        return p.kind != Kind.P_STATIC or note in _arguments.TYPES or (note == "Any" and p.name in _arguments.NAMED)

    return [(i, p) for i, p in enumerate(op.params) if not p.varargs and known(p)]


@pytest.mark.parametrize("name", sorted(n for n in REGISTRY if getattr(find(n), "eager", True) is None))
def test_a_wrong_type_is_named(name: str) -> None:
    op, spec = find(name), REGISTRY[name]
    good = spec.samples(spec.dtypes[0])
    if not good:
        pytest.skip("every call of it is an error")
    for i, p in checked(op):
        args, kwargs = list(good[0].args), dict(good[0].kwargs)
        if p.keyword_only or i >= len(args):
            kwargs[p.name] = Odd()
        else:
            args[i] = Odd()
        with pytest.raises(TypeError, match=rf"^{op.name}\(\): argument '{p.name}' \(position {i + 1}\) must be .*Odd"):
            op(*args, **kwargs)


def of_real_numbers() -> list[tuple[str, str]]:
    """Names of operators with samples, and of those of their parameters that are real numbers."""
    return [
        (name, p.name)
        for name in sorted(REGISTRY)
        for p in getattr(find(name), "params", ())
        if p.kind == Kind.P_REAL and str(notes_of(find(name)).get(p.name)).startswith("float")
    ]


@pytest.mark.parametrize(("name", "parameter"), of_real_numbers())
def test_a_real_number_is_not_complex(name: str, parameter: str) -> None:
    """Whatever the imaginary part, as a number, as NumPy's and as a tensor of one: it would be lost."""
    op, spec = find(name), REGISTRY[name]
    good = spec.samples(spec.dtypes[0])
    if not good:
        pytest.skip("every call of it is an error")
    i = op.index[parameter]
    for wrong in (1e-5 + 0j, np.complex128(1e-5), rl.tensor(1e-5 + 0j), rl.tensor([1 + 1j])):
        args, kwargs = list(good[0].args), dict(good[0].kwargs)
        if op.params[i].keyword_only or i >= len(args):
            kwargs[parameter] = wrong
        else:
            args[i] = wrong
        with pytest.raises(TypeError, match=rf"argument '{parameter}' \(position {i + 1}\) must be float, not "):
            op(*args, **kwargs)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: rl.add(x, x, alpha=1j), RuntimeError, "'alpha' must be a real number where the tensors hold such"),
        (lambda x: rl.sub(x.long(), 1, alpha=1j), RuntimeError, "'alpha' must be an integer where"),
        (lambda x: rl.quantile(x, 0.5 + 0j), TypeError, "argument 'q' must be float or Tensor, not complex"),
        (
            lambda x: rl.nn.functional.cross_entropy(x, rl.tensor([0, 1]), ignore_index=1.0),
            TypeError,
            "argument 'ignore_index' must be int, not float",
        ),
        (
            lambda x: rl.nn.functional.nll_loss(x, rl.tensor([0, 1]), ignore_index=rl.tensor(1 + 0j)),
            TypeError,
            "argument 'ignore_index' must be int, not complex",
        ),
    ],
)
def test_a_number_of_another_kind_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(rl.ones(2, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.max(0, keepdim={}).values + 1, r"argument 'keepdim' \(position 3\) must be bool, not dict"),
        (lambda x: x.clone(memory_format=slice(0)), r"argument 'memory_format' must be memory_format, not slice"),
        (lambda x: rl.combinations(x[0], {}), r"argument 'r' \(position 2\) must be int, not dict"),
        (
            lambda x: rl.unravel_index(rl.tensor(3), 1j),
            r"'shape' must be an integer or a sequence of integers; found 1j",
        ),
        (lambda x: rl.empty_permuted(2, 2), r"empty_permuted\(\): 'int' object is not iterable \(called with int, int"),
    ],
)
def test_the_argument_of_an_eager_operator_is_named(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(rl.ones(2, 3))


def test_an_error_of_a_primitive_names_the_operator() -> None:
    c = rl.ones(2, dtype=rl.complex64)
    with pytest.raises(NotImplementedError, match=r"^hinge_embedding_loss\(\): not defined for dtype torch.complex64$"):
        rl.nn.functional.hinge_embedding_loss(c, c)


def test_errors_that_are_not_the_arguments_stay_as_they_are() -> None:
    class Mine(rl.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise ValueError("the user's own")

    with pytest.raises(ValueError, match=r"^the user's own$"):
        rl.add(rl.ones(2).as_subclass(Mine), 1)
    with pytest.raises(RuntimeError, match=r"^the map's own$"):
        rl.func.vmap(lambda x: (_ for _ in ()).throw(RuntimeError("the map's own")))(rl.ones(3))


OVERLAP = "the destination must keep every element in a place of its own"


@pytest.mark.parametrize("name", ["add_", "mul_", "clamp_", "copy_", "uniform_", "masked_fill_", "sin_"])
def test_writing_to_an_expanded_tensor_is_an_error(name: str) -> None:
    x = rl.ones(1, 3)
    args = {
        "add_": (1,),
        "mul_": (2.0,),
        "clamp_": (0,),
        "copy_": (rl.ones(2, 3),),
        "masked_fill_": (rl.ones(2, 3) > 0, 1),
    }.get(name, ())
    with pytest.raises(RuntimeError, match=OVERLAP):
        METHODS[name](x.expand(2, 3), *args)
    assert x.tolist() == [[1, 1, 1]]
    # a size of 1 repeats nothing
    METHODS[name](x.expand(1, 3), *(a[:1] if isinstance(a, rl.Tensor) else a for a in args))


def test_out_may_not_be_an_expanded_tensor() -> None:
    x = rl.zeros(1)
    with pytest.raises(RuntimeError, match=OVERLAP):
        rl.add(rl.ones(3), 1, out=x.expand(3))
    with pytest.raises(RuntimeError, match=OVERLAP):
        rl.sort(rl.ones(3), out=(x.expand(3), rl.empty(3, dtype=rl.int64)))
    assert x.tolist() == [0]


def test_a_constant_may_be_written_to_an_expanded_tensor() -> None:
    x = rl.zeros(1, 3)
    x.expand(2, 3).fill_(5)
    assert x.tolist() == [[5, 5, 5]]
    x.expand(2, 3).zero_()
    assert x.tolist() == [[0, 0, 0]]


def test_ints_beyond_64_bits() -> None:
    x = rl.ones(2, 3, 4)
    x.softmax(2)
    # its hash is that of 2
    with pytest.raises(IndexError, match=r"'dim' must be in \[-3, 2\] for a 3-d tensor; found 4611686018427387904"):
        x.softmax(2**62)
    with pytest.raises(ValueError, match=r"^topk\(\): argument 'k' must fit into 64 bits; found 18446744073709551616$"):
        x.topk(2**64)
    with pytest.raises(TypeError, match=r"^view\(\): argument 'size' must fit into 64 bits"):
        x.view(2**64, 1)
    with pytest.raises(RuntimeError, match=r"^zeros\(\): a size, stride or offset must be a number of 64 bits"):
        rl.zeros(2**64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rl.randperm(2**62),
        lambda: rl.arange(2**62),
        lambda: rl.ones(4).repeat(2**62),
        lambda: rl.ones(2, 2).tile(2**40, 2**40),
        lambda: rl.ones(3, 1).expand(3, 2**61) + 1,
        lambda: rl.eye(2**32, 2**31),
        lambda: rl.ones(2).to("meta").repeat(2**62),
        lambda: rl.full((2**62,), 1.0),
        lambda: rl.nn.functional.max_unpool1d(rl.ones(1, 1, 8), rl.zeros(1, 1, 8, dtype=rl.int64), 2**62),
    ],
    ids=range(9),
)
def test_sizes_that_do_not_fit_into_64_bits(call: Any) -> None:
    """No size comes round to a small one, for which memory would be found."""
    with pytest.raises(RuntimeError, match=r"64 bits|2\*\*63 bytes|overflowed"):
        call()


def test_a_size_that_does_not_fit_is_no_harm_without_elements() -> None:
    assert rl.zeros(2**62, 4, 0).shape == (2**62, 4, 0)
    assert rl.ones(0, 4).repeat(1, 2**60).numel() == 0
