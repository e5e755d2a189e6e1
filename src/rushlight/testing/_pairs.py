"""The classes of pairs of `torch.testing._comparison`, by which programs compare values in their own ways: structures
are taken apart into pairs, and each class says which inputs it takes and when they are close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NoReturn

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.testing._values import Options, get_tolerances


class UnsupportedInputs(Exception):
    """Raised by a class of pairs that does not take the inputs; the next class is asked."""


class ErrorMeta(Exception):
    """An error that a comparison has found: its type, its message, and the place of the pair in the structures."""

    def __init__(self, type: type[Exception], msg: str, *, id: tuple[Any, ...] = ()) -> None:
        super().__init__(type, msg, id)
        self.type, self.msg, self.id = type, msg, id

    def to_error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """The exception to raise; msg: another message, or a function that makes it from this one."""
        at = f" (at {''.join(f'[{i!r}]' for i in self.id)})" if self.id else ""
        text = self.msg + at
        return self.type(msg(text) if callable(msg) else text if msg is None else msg)


class Pair:
    """Two values, and how they are compared.

    Args:
        id: their place in the structures that are compared.
        unknown_parameters: options that are meant for other classes.
    """

    def __init__(self, actual: Any, expected: Any, *, id: tuple[Any, ...] = (), **unknown_parameters: Any) -> None:
        self.actual, self.expected, self.id, self._unknown_parameters = actual, expected, id, unknown_parameters

    @staticmethod
    def _inputs_not_supported() -> NoReturn:
        raise UnsupportedInputs

    @staticmethod
    def _check_inputs_isinstance(*inputs: Any, cls: type | tuple[type, ...]) -> None:
        if not all(isinstance(x, cls) for x in inputs):
            Pair._inputs_not_supported()

    def _fail(self, type: type[Exception], msg: str, *, id: tuple[Any, ...] = ()) -> NoReturn:
        raise ErrorMeta(type, msg, id=id or self.id)

    def compare(self) -> None:
        """Let `_fail` raise where the two are not close."""
        raise NotImplementedError(f"{type(self).__name__}.compare() is not written")

    def extra_repr(self) -> Sequence[str | tuple[str, Any]]:
        """The names of the attributes that `repr` shows, or pairs of names and values."""
        return ()

    def __repr__(self) -> str:
        shown = [("id", self.id), ("actual", self.actual), ("expected", self.expected)]
        shown += [(e, getattr(self, e)) if isinstance(e, str) else e for e in self.extra_repr()]
        return "\n".join([f"{type(self).__name__}(", *(f"    {k}={v!r}," for k, v in shown), ")"])


class ObjectPair(Pair):
    """Any two objects, compared by ==."""

    def compare(self) -> None:
        """Let `_fail` raise where the two are not equal."""
        try:
            equal = self.actual == self.expected
        except Exception as error:  # an object's own method may raise anything
            self._fail(ValueError, f"{self.actual} == {self.expected} failed: {type(error).__name__}: {error}")
        if not equal:
            self._fail(AssertionError, f"{self.actual} != {self.expected}")


class NonePair(Pair):
    """None and None."""

    def __init__(self, actual: Any, expected: Any, **other_parameters: Any) -> None:
        if actual is not None and expected is not None:
            self._inputs_not_supported()
        super().__init__(actual, expected, **other_parameters)

    def compare(self) -> None:
        """Let `_fail` raise where one is something else."""
        if self.actual is not self.expected:
            self._fail(AssertionError, f"'actual' must be {self.expected!r}, as 'expected' is; found {self.actual!r}")


class _Valued(Pair):
    """Values that are compared as `assert_close` compares them."""

    _options: Options

    def _compare(self, actual: Any, expected: Any) -> None:
        try:
            self._options.compare(actual, expected, "")
        except AssertionError as error:
            self._fail(AssertionError, str(error))

    def compare(self) -> None:
        """Let `_fail` raise where the two are not close."""
        self._compare(self.actual, self.expected)


def _own(x: Any) -> Any:
    """A number of NumPy as a Python number."""
    import numpy as np

    return x.item() if isinstance(x, np.generic) else x


class BooleanPair(_Valued):
    """Two bools."""

    def __init__(self, actual: Any, expected: Any, *, id: tuple[Any, ...] = (), **other_parameters: Any) -> None:
        actual, expected = _own(actual), _own(expected)
        self._check_inputs_isinstance(actual, expected, cls=bool)
        super().__init__(actual, expected, id=id, **other_parameters)
        self._options = Options(rtol=0.0, atol=0.0)


class NumberPair(_Valued):
    """Two numbers; their types must agree only with check_dtype."""

    def __init__(
        self,
        actual: Any,
        expected: Any,
        *,
        id: tuple[Any, ...] = (),
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = False,
        check_dtype: bool = False,
        **other_parameters: Any,
    ) -> None:
        actual, expected = _own(actual), _own(expected)
        self._check_inputs_isinstance(actual, expected, cls=(int, float, complex))
        super().__init__(actual, expected, id=id, **other_parameters)
        dtypes = [
            dt.complex128 if isinstance(x, complex) else dt.float64 for x in (actual, expected) if type(x) is not int
        ]
        self.rtol, self.atol = get_tolerances(*dtypes, rtol=rtol, atol=atol, id=id)
        self.equal_nan, self.check_dtype = equal_nan, check_dtype
        self._options = Options(rtol=self.rtol, atol=self.atol, equal_nan=equal_nan, check_dtype=check_dtype)

    def extra_repr(self) -> Sequence[str]:
        """What is shown besides."""
        return ("rtol", "atol", "equal_nan", "check_dtype")


class TensorLikePair(_Valued):
    """Two tensors, or values that tensors can be made of; parameters: the fields of `Options`, and options of other
    classes."""

    def __init__(self, actual: Any, expected: Any, *, id: tuple[Any, ...] = (), **parameters: Any) -> None:
        options = Options(**{f.name: parameters.pop(f.name) for f in fields(Options) if f.name in parameters})
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if not related or (not options.allow_subclasses and type(actual) is not type(expected)):
            self._inputs_not_supported()
        super().__init__(*(self._to_tensor(x) for x in (actual, expected)), id=id, **parameters)
        rtol, atol = get_tolerances(self.actual, self.expected, rtol=options.rtol, atol=options.atol, id=id)
        # Inputs of related types have become tensors by now, of whatever types.
        self._options = replace(options, allow_subclasses=True, rtol=rtol, atol=atol)
        self.__dict__.update((f.name, getattr(self._options, f.name)) for f in fields(Options)[1:])

    def _to_tensor(self, x: Any) -> Tensor:
        from rushlight import as_tensor

        if isinstance(x, Tensor):
            return x
        try:
            return as_tensor(x)
        except Exception:  # an input that is no tensor may raise anything
            self._inputs_not_supported()

    def _compare_attributes(self, actual: Tensor, expected: Tensor) -> None:
        try:
            self._options.attributes(actual, expected, "")
        except AssertionError as error:
            self._fail(AssertionError, str(error))

    def _equalize_attributes(self, actual: Tensor, expected: Tensor) -> tuple[Tensor, Tensor]:
        """Both tensors, promoted to one dtype unless the dtypes must agree."""
        from rushlight import promote_types

        if actual.dtype is not expected.dtype:
            dtype = promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(dtype), expected.to(dtype)
        return actual, expected

    def _compare_values(self, actual: Tensor, expected: Tensor) -> None:
        self._compare(actual, expected)

    def extra_repr(self) -> Sequence[str]:
        """What is shown besides."""
        return ("rtol", "atol", "equal_nan", "check_device", "check_dtype", "check_layout", "check_stride")


def originate_pairs(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[Pair]],
    sequence_types: tuple[type, ...] = (Sequence,),
    mapping_types: tuple[type, ...] = (Mapping,),
    id: tuple[Any, ...] = (),
    **options: Any,
) -> list[Pair]:
    """Take two structures apart into pairs, each of the first class that takes its inputs.

    Raises:
        ErrorMeta: the structures differ, or no class takes the inputs.
    """
    more = {"pair_types": pair_types, "sequence_types": sequence_types, "mapping_types": mapping_types, **options}
    if all(isinstance(x, sequence_types) and not isinstance(x, str) for x in (actual, expected)):
        if len(actual) != len(expected):
            raise ErrorMeta(
                AssertionError,
                f"'actual' must have the length {len(expected)} of 'expected'; found {len(actual)}",
                id=id,
            )
        keys: Sequence[Any] = range(len(actual))
    elif all(isinstance(x, mapping_types) for x in (actual, expected)):
        if set(actual) != set(expected):
            alone = sorted(map(str, set(actual) ^ set(expected)))
            raise ErrorMeta(
                AssertionError, f"'actual' must have the keys of 'expected'; found {alone} in one of them alone", id=id
            )
        keys = list(actual)
    else:
        for kind in pair_types:
            try:
                return [kind(actual, expected, id=id, **options)]
            except UnsupportedInputs:
                continue
        raise ErrorMeta(
            TypeError,
            f"'actual' and 'expected' must be of related types that {[k.__name__ for k in pair_types]} take; found "
            f"{type(actual).__name__} and {type(expected).__name__}",
            id=id,
        )
    return [pair for k in keys for pair in originate_pairs(actual[k], expected[k], id=(*id, k), **more)]


def not_close_error_metas(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[Pair]] = (ObjectPair,),
    sequence_types: tuple[type, ...] = (Sequence,),
    mapping_types: tuple[type, ...] = (Mapping,),
    **options: Any,
) -> list[ErrorMeta]:
    """The errors of all pairs of two structures that are not close.

    Raises:
        AssertionError, TypeError: the structures differ, or no class takes some inputs. RuntimeError: a comparison
        failed.
    """
    try:
        pairs = originate_pairs(
            actual,
            expected,
            pair_types=pair_types,
            sequence_types=sequence_types,
            mapping_types=mapping_types,
            **options,
        )
    except ErrorMeta as error:
        raise error.to_error() from None
    found = []
    for pair in pairs:
        try:
            pair.compare()
        except ErrorMeta as error:
            found.append(error)
        except Exception as error:  # a program's own comparison may raise anything
            raise RuntimeError(f"{type(error).__name__} while these were compared: {pair!r}") from error
    return found
