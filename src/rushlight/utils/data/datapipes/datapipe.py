"""The classes of pipes, to iterate over or with an index, whose steps are methods."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from rushlight.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "column", "functional_datapipe", "name_classes", "with_column"]

_Class = TypeVar("_Class", bound=type)


def sources(kind: type, given: tuple[Any, ...], none: str, others: str) -> tuple[Any, ...]:
    """The sources of a pipe, in the words of its errors.

    Raises:
        ValueError: there are none. TypeError: one is no pipe of the kind.
    """
    if not given:
        raise ValueError(none)
    if not all(isinstance(d, kind) for d in given):
        raise TypeError(others)
    return given


class _Steps:
    """A pipe whose attributes are also the steps that were registered, waiting for their other arguments.

    The hooks are of all pipes of a kind: what they are pickled by (in whole, or their state), and their texts.
    """

    functions: ClassVar[dict[str, Callable[..., Any]]]
    getstate_hook: ClassVar[Callable[..., Any] | None] = None
    reduce_ex_hook: ClassVar[Callable[..., Any] | None] = None
    str_hook: ClassVar[Callable[..., Any] | None] = None
    repr_hook: ClassVar[Callable[..., Any] | None] = None

    def __getattr__(self, attribute_name: str) -> Any:
        step = type(self).functions.get(attribute_name)
        if step is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}'")
        return functools.partial(step, self)

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Let pipes have a method that calls `function(pipe, ...)`."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable[..., Any], enable_df_api_tracing: bool = False
    ) -> None:
        """Let pipes have a method that makes a pipe of another class.

        Raises:
            Exception: pipes have one of that name.
        """
        if function_name in cls.functions:
            raise Exception(
                f"register_datapipe_as_function(): 'function_name' must be new; found {function_name!r}, which is "
                "taken by another datapipe"
            )
        cls.functions[function_name] = cls_to_register

    @classmethod
    def _kind_(cls) -> type[_Steps]:
        """The class that holds the steps and the hooks of all pipes of this kind."""
        return next(c for c in cls.__mro__ if "functions" in vars(c))

    @classmethod
    def _set_hook_(cls, name: str, hook_fn: Callable[..., Any] | None) -> None:
        kind = cls._kind_()
        if hook_fn is not None and getattr(kind, name) is not None:
            raise RuntimeError(f"set_{name}(): {name} must be None before another is set; found one")
        setattr(kind, name, hook_fn)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Let `hook_fn(attributes)` be the state that pipes are pickled with; None takes it away.

        Raises:
            RuntimeError: there is one.
        """
        cls._set_hook_("getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Let pipes be pickled as `hook_fn(pipe)` says, or as usual where it raises NotImplementedError; None takes it
        away.

        Raises:
            RuntimeError: there is one.
        """
        cls._set_hook_("reduce_ex_hook", hook_fn)

    def __getstate__(self) -> Any:
        hook = self._kind_().getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        hook = self._kind_().reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                return super().__reduce_ex__(protocol)
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return type(self).__qualname__ if self.repr_hook is None else self.repr_hook(self)

    def __str__(self) -> str:
        return type(self).__qualname__ if self.str_hook is None else self.str_hook(self)


class IterDataPipe(_Steps, IterableDataset[Any]):
    """A pipe to iterate over: its subclasses have `__iter__`, and steps as methods (`pipe.map(f).batch(2)`)."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def reset(self) -> None:
        """Go back to the first element; nothing to do, where iteration begins there."""


class MapDataPipe(_Steps, Dataset[Any]):
    """A pipe with an index: its subclasses have `__getitem__` and `__len__`, and steps as methods."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


class functional_datapipe:
    """Decorate a class of pipes so that other pipes have it as a method.

    Args:
        name: of the method.
        enable_df_api_tracing: accepted; there are no pipes of data frames.
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls: _Class) -> _Class:
        base = next((b for b in (IterDataPipe, MapDataPipe) if issubclass(cls, b)), None)
        if base is None:
            raise TypeError(
                f"functional_datapipe(): the class must derive from IterDataPipe or MapDataPipe; found {cls.__name__}"
            )
        base.register_datapipe_as_function(self.name, cls)
        return cls


class DataChunk(list[Any]):
    """A batch of a pipe's elements, a list.

    Args:
        items: the elements.
    """

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The elements as text."""
        return indent + "[" + ", ".join(map(str, self)) + "]"

    def raw_iterator(self) -> Iterator[Any]:
        """The elements, one by one."""
        yield from self.items


class Batches:
    """A pipe of batches of consecutive elements.

    Args:
        datapipe: the source.
        batch_size: how many are a batch.
        drop_last: whether to leave out a last batch that is smaller.
        wrapper_class: what a batch is.
    """

    def __init__(self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError(f"batch(): Batch size is required to be larger than 0; found {batch_size}")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __len__(self) -> int:
        n = len(self.datapipe)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def column(fn: Callable[..., Any], data: Any, input_col: Any) -> Any:
    """What a function makes of an element: of the whole, or of those parts that the columns name."""
    if input_col is None:
        return fn(data)
    if isinstance(input_col, (list, tuple)):
        return fn(*(data[c] for c in input_col))
    return fn(data[input_col])


def with_column(data: Any, result: Any, input_col: Any, output_col: Any) -> Any:
    """An element with the result of a function in its place: that of the input's column, or of `output_col`, -1 for one
    more at the end.
    """
    if input_col is None:
        if output_col is not None:
            raise ValueError(f"map(): 'output_col' must be None where 'input_col' is; found {output_col!r}")
        return result
    was_tuple = isinstance(data, tuple)
    data = list(data) if was_tuple else data.copy()
    if isinstance(output_col, (list, tuple)):
        if len(output_col) != 1:
            raise ValueError(f"map(): 'output_col' must name one column; found {len(output_col)}")
        (output_col,) = output_col
    if output_col is None:
        if isinstance(input_col, (list, tuple)):
            data[input_col[0]] = result
            for c in sorted(input_col[1:], reverse=True):
                del data[c]
        else:
            data[input_col] = result
    elif output_col == -1:
        data.append(result)
    else:
        data[output_col] = result
    return tuple(data) if was_tuple else data


def name_classes(namespace: dict[str, Any], names: Iterable[str], kind: str) -> None:
    """Pipes have PyTorch's names, which end in their kind; a module holds them by these too, for pickles."""
    for made in [namespace[name] for name in names]:
        made.__name__ = made.__qualname__ = f"{made.__name__}{kind}"
        namespace[made.__name__] = made
