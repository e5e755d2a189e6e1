"""Fake tensors: a program runs on them as on others, for shapes and dtypes alone, on whatever device it names.

A fake tensor wraps one on the device "meta", which is where every call is done, and says that it is on another device.
"""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.core.tensor import Tensor, device
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.overrides import DisableTorchFunction, TorchFunctionMode
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils._pytree import tree_map


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that no fake one can stand for."""


class _OfValues(RuntimeError):
    """An operator that needs values, which fake tensors lack.

    Args:
        func: the operator.
    """

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(_OfValues):
    """The sizes of a result depend on values; arguments as its base."""


class DataDependentOutputException(_OfValues):
    """A number was asked for; arguments as its base."""


# What gives numbers of tensors, and where the number of results depends on values.
_NUMBERS = frozenset(("_local_scalar_dense", "item", "equal", "is_nonzero", "allclose"))
_DYNAMIC = frozenset(
    "nonzero nonzero_numpy masked_select unique _unique _unique2 unique_consecutive unique_dim argwhere".split()
)


class FakeTensor(Tensor):
    """A tensor without memory that says to be on `device`.

    Args:
        fake_mode: the mode that made it.
        elem: a tensor on the device "meta" of its sizes, strides and dtype.
        device: where it says to be.
    """

    fake_mode: FakeTensorMode
    fake_device: device
    constant: Tensor | None = None  # the real tensor of one number that it was made as

    @staticmethod
    def __new__(cls, fake_mode: FakeTensorMode, elem: Tensor, device: Any) -> FakeTensor:
        self = Tensor._make_wrapper_subclass(
            cls,
            tuple(elem.shape),
            strides=elem.stride(),
            storage_offset=elem.storage_offset(),
            dtype=elem.dtype,
            device=device,
            requires_grad=elem.requires_grad,
        )
        self._elem, self.fake_mode, self.fake_device = elem, fake_mode, self.device
        return self

    def __init__(self, *args: Any) -> None:
        """Nothing is left to do; Tensor's own would make a tensor of the arguments."""

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from rushlight.inspection.printing import tensor_repr

        return tensor_repr(self, kind="FakeTensor")

    def tolist(self) -> Any:
        """Refused, as item() is: DataDependentOutputException."""
        raise DataDependentOutputException(_number())

    def numpy(self, *, force: bool = False) -> Any:
        """Refused: RuntimeError, as for every subclass."""
        raise RuntimeError("numpy(): .numpy() is not supported for tensor subclasses; a fake tensor has no memory")

    def __deepcopy__(self, memo: dict[int, Any]) -> FakeTensor:
        elem: Tensor = self._elem.clone()  # type: ignore[attr-defined]
        made = memo[id(self)] = FakeTensor(self.fake_mode, elem, self.fake_device)
        return made.requires_grad_(self.requires_grad)

    @classmethod
    def __torch_dispatch__(cls, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        found: list[FakeTensor] = []
        tree_map(lambda x: found.append(x) if isinstance(x, FakeTensor) else None, (args, kwargs))
        return found[0].fake_mode.dispatch(func, args, kwargs or {})


def _number() -> Any:
    import rushlight

    return rushlight.ops.aten._local_scalar_dense.default


class FakeTensorMode(TorchDispatchMode):
    """Inside, every tensor that is made is fake; and the calls on fake tensors that it has made are done by it.

    Args:
        allow_fallback_kernels: accepted; no call is done on real tensors.
        allow_non_fake_inputs: whether a call may have real tensors as well as fake ones.
        shape_env: accepted; sizes are ints.
        static_shapes: accepted.
    """

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: Any = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        super().__init__()
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes, self.export = shape_env, static_shapes, export
        self._made: dict[int, tuple[Any, FakeTensor]] = {}  # by a real tensor's id, with a weak reference to it
        self._factories = _Factories(self)

    def from_tensor(
        self,
        tensor: Tensor,
        *,
        static_shapes: bool | None = None,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> FakeTensor:
        """The fake tensor that stands for a real one: the same for the same tensor. The other arguments are accepted.

        Raises:
            UnsupportedFakeTensorException: it is no plain tensor in memory.
        """
        if isinstance(tensor, FakeTensor):
            return tensor if tensor.fake_mode is self else FakeTensor(self, _meta(tensor), tensor.fake_device)
        if tensor.layout.name != "strided":
            raise UnsupportedFakeTensorException(
                f"from_tensor(): 'tensor' must be of layout torch.strided; found {tensor.layout}"
            )
        known = self._made.get(id(tensor))
        made = None if known is None or known[0]() is not tensor else known[1]
        if made is None:
            with DisableTorchFunction():  # below this mode as well
                made = FakeTensor(self, _meta(tensor), tensor.device)
                made.requires_grad_(tensor.requires_grad)
            if isinstance(tensor, Parameter):
                made._is_param = True  # isinstance(made, Parameter)
            key = id(tensor)
            self._made[key] = (weakref.ref(tensor, lambda _: self._made.pop(key, None)), made)
        return made

    def __enter__(self) -> FakeTensorMode:
        super().__enter__()
        self._factories.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._factories.__exit__(*exc)
        super().__exit__(*exc)

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do a call of an operator of aten's on fake tensors, for their shapes.

        Raises:
            AssertionError: a real tensor is among its arguments, which the mode does not allow.
            DynamicOutputShapeException, DataDependentOutputException: the result depends on values.
        """
        name = func.overloadpacket.__name__
        if name in _NUMBERS:
            constants = [x.constant for x in args if isinstance(x, FakeTensor)]
            if all(c is not None for c in constants):
                with DisableTorchFunction():
                    return func(*(x.constant if isinstance(x, FakeTensor) else x for x in args), **kwargs)
            raise DataDependentOutputException(func)
        fakes = [x for x in args if isinstance(x, FakeTensor)]
        if name.endswith("_") and fakes and fakes[0].constant is not None:
            known = all(x.constant is not None for x in fakes)
            if known:
                with DisableTorchFunction():
                    func(*(x.constant if isinstance(x, FakeTensor) else x for x in args), **kwargs)
            else:
                fakes[0].constant = None  # what is written is not known
        if name in _DYNAMIC:
            raise DynamicOutputShapeException(func)
        given: dict[int, Any] = {}
        devices: list[Any] = []

        def inner(x: Any) -> Any:
            if not isinstance(x, Tensor):
                return x
            if not isinstance(x, FakeTensor):
                if x.is_meta:
                    return x
                if not self.allow_non_fake_inputs:
                    raise AssertionError(
                        "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                        f"'allow_non_fake_inputs'; {func} found a real tensor of shape {list(x.shape)}"
                    )
                x = self.from_tensor(x)
            devices.append((x.ndim == 0, x.fake_device))
            given[id(x._elem)] = x
            return x._elem

        args, kwargs = tree_map(inner, (args, kwargs))
        devices.sort(key=lambda found: found[0])  # a tensor of one number does not say where the result is
        where = devices[0][1] if devices else device("cpu")
        if kwargs.get("device") is not None:
            where = device(kwargs["device"])
        if "device" in kwargs or not devices:
            kwargs["device"] = device("meta")
        elif name in ("to", "_to_copy"):
            where = next((device(a) for a in args[1:] if isinstance(a, (str, device))), where)
        result = func(*args, **kwargs)

        def outer(x: Any) -> Any:
            if not isinstance(x, Tensor) or isinstance(x, FakeTensor):
                return x
            return given[id(x)] if id(x) in given else FakeTensor(self, x, where)

        return tree_map(outer, result)


class _Factories(TorchFunctionMode):
    """Tensors that the table makes from numbers and arrays, and does not pass on as calls of aten, are fake, too.

    Args:
        mode: whose tensors they are.
    """

    _OF_VALUES = frozenset(("tensor", "as_tensor", "asarray", "from_numpy", "scalar_tensor", "frombuffer"))

    def __init__(self, mode: FakeTensorMode) -> None:
        super().__init__()
        self.mode = mode

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        made = func(*args, **(kwargs or {}))
        if getattr(func, "__name__", "") not in self._OF_VALUES or type(made) is not Tensor or made.is_meta:
            return made
        fake = self.mode.from_tensor(made)
        if made.numel() == 1:
            fake.constant = made
        return fake


def _meta(t: Tensor) -> Tensor:
    import rushlight

    return rushlight.empty_strided(tuple(t.shape), t.stride(), dtype=t.dtype, device="meta")


def is_fake(x: Any) -> bool:
    """Whether `x` is a fake tensor."""
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t: Any) -> FakeTensorMode | None:
    """The mode of a fake tensor, None of anything else."""
    return t.fake_mode if isinstance(t, FakeTensor) else None
