"""Pruning: parameters of which a mask leaves only some entries."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """The hook that puts ``name_orig * name_mask`` in the place of a parameter before each forward.

    A method of one's own is a subclass with ``PRUNING_TYPE`` (``"unstructured"``, ``"structured"`` or ``"global"``) and
    ``compute_mask``.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask for a tensor (or its importance scores), of which ``default_mask`` has removed some already."""

    def apply_mask(self, module: Any) -> Tensor:
        """The parameter with its mask applied."""
        name = self._tensor_name
        mask = getattr(module, name + "_mask")
        orig = getattr(module, name + "_orig")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter, in addition to what was pruned of it before.

        Args:
            module: whose parameter.
            name: its name.
            args: the method's arguments.
            importance_scores: what the mask is computed from; None: the parameter.
            kwargs: the method's arguments.

        Returns:
            The hook: this method, or a container of the methods so far.
        """
        old = None
        for key, hook in list(module._forward_pre_hooks.items()):
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
                old = hook
                del module._forward_pre_hooks[key]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        orig = getattr(module, name)
        if importance_scores is not None:
            if importance_scores.shape != orig.shape:
                raise AssertionError(
                    f"importance_scores should have the same shape as parameter {name} of {module}: expected "
                    f"{tuple(orig.shape)}, got {tuple(importance_scores.shape)}"
                )
        else:
            importance_scores = orig
        hook_to_use: BasePruningMethod = method
        if old is not None:
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            hook_to_use = container
            default_mask = getattr(module, name + "_mask").detach().clone(memory_format=rushlight.contiguous_format)
        else:
            default_mask = rushlight.ones_like(orig)
        if old is None:
            module.register_parameter(name + "_orig", orig)
            del module._parameters[name]
        mask = hook_to_use.compute_mask(importance_scores.detach(), default_mask=default_mask)
        if old is None:
            module.register_buffer(name + "_mask", mask)
        else:
            setattr(module, name + "_mask", mask)
        setattr(module, name, hook_to_use.apply_mask(module))
        module.register_forward_pre_hook(hook_to_use)
        return hook_to_use

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """A tensor with this method's mask applied, without any module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = rushlight.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the pruned values the parameter's own, and forget mask and original."""
        name = self._tensor_name
        if name is None:
            raise AssertionError("Module has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters[name + "_orig"]
        orig.data = pruned.detach()
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._methods: tuple[BasePruningMethod, ...] = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        first = None
        for method in methods:
            if first is None:
                self._tensor_name = method._tensor_name
                first = method
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same parameter; TypeError when it is none, ValueError for another parameter."""
        if method is None:
            return
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._methods and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._methods += (method,)

    def __len__(self) -> int:
        return len(self._methods)

    def __iter__(self) -> Any:
        return iter(self._methods)

    def __getitem__(self, index: int) -> Any:
        return self._methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The newest method's mask for what the others have left, combined with theirs."""
        method = self._methods[-1]
        kind = method.PRUNING_TYPE
        mask = default_mask.to(dtype=t.dtype)
        if kind == "unstructured":
            where: Any = mask == 1
        elif kind == "structured":
            axis = method.dim % t.dim()  # type: ignore[attr-defined]
            kept = mask.sum(dim=[d for d in range(t.dim()) if d != axis]) != 0
            where = (*([slice(None)] * axis), kept)
        elif kind == "global":
            where = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        new = mask.clone()
        new[where] = method.compute_mask(t[where], default_mask=mask[where]).to(mask.dtype)
        return new


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, numbers.Integral) and amount < 0) or (
        not isinstance(amount, numbers.Integral) and not 0.0 <= float(amount) <= 1.0
    ):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _number_of(amount: Any, size: int) -> int:
    """How many of `size` entries an amount, a number or a fraction, means; ValueError when there are not so many."""
    n = int(amount) if isinstance(amount, numbers.Integral) else round(float(amount) * size)
    if n > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return n


def _check_dim(t: Tensor, dim: int) -> None:
    if not -t.dim() <= dim < t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _check_structured(t: Tensor) -> None:
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask and the original."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far."""
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """Prunes entries at random: a number of them, or a fraction."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, without as many entries again."""
        n = _number_of(self.amount, t.numel())
        mask = default_mask.clone(memory_format=rushlight.contiguous_format)
        if n:
            mask.view(-1)[rushlight.rand(t.numel()).topk(k=n).indices] = 0
        return mask


class L1Unstructured(BasePruningMethod):
    """Prunes the entries of least magnitude: a number of them, or a fraction."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, without the least entries."""
        n = _number_of(self.amount, t.numel())
        mask = default_mask.clone(memory_format=rushlight.contiguous_format)
        if n:
            mask.view(-1)[t.abs().reshape(-1).topk(k=n, largest=False).indices] = 0
        return mask


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"
    amount: Any
    dim: int

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, without the indices of ``dim`` with the least scores."""
        _check_structured(t)
        _check_dim(t, self.dim)
        axis = self.dim % t.dim()
        n = _number_of(self.amount, t.size(axis))
        if not n:
            return default_mask
        kept = rushlight.ones(t.size(axis), dtype=t.dtype, device=t.device)
        kept[self._scores(t).topk(k=n, largest=False).indices] = 0
        return default_mask * kept.reshape([-1 if d == axis else 1 for d in range(t.dim())]).to(default_mask.dtype)


class RandomStructured(_Structured):
    """Prunes whole slices along a dimension at random."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount, self.dim = amount, dim

    def _scores(self, t: Tensor) -> Tensor:
        return rushlight.rand(t.size(self.dim))


class LnStructured(_Structured):
    """Prunes the slices along a dimension with the least n-norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def _scores(self, t: Tensor) -> Tensor:
        axis = self.dim % t.dim()
        p: Any = float(self.n) if isinstance(self.n, (int, float)) else self.n
        rows = t.movedim(axis, 0).reshape(t.size(axis), -1)
        return rushlight.linalg.vector_norm(rows, 2.0 if p == "fro" else p, dim=1)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far times the mask given."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"mask has shape {tuple(self.mask.shape)}, expected {tuple(default_mask.shape)}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask of ones; returns the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune entries of a parameter at random: a number, or a fraction; returns the module."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Tensor | None = None) -> Any:
    """Prune a parameter's entries of least magnitude (or score): a number, or a fraction; returns the module."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune slices of a parameter along a dimension at random; returns the module."""
    RandomStructured.apply(module, name, amount=amount, dim=dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune a parameter's slices of least n-norm along a dimension; returns the module."""
    LnStructured.apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune a parameter by a mask; returns the module."""
    CustomFromMask.apply(module, name, mask=mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Any, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Any, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one.

    Args:
        parameters: pairs of module and name.
        pruning_method: an unstructured method.
        importance_scores: scores by pair; missing ones: the parameters.
        kwargs: the method's arguments, such as ``amount``.

    Raises:
        TypeError: the arguments are not as described.
    """
    pairs: Sequence[tuple[Any, str]] = list(parameters) if isinstance(parameters, Iterable) else []
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores should be of type dict")
    if getattr(pruning_method, "PRUNING_TYPE", None) != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {getattr(pruning_method, 'PRUNING_TYPE', None)}"
        )
    flat_scores = rushlight.cat([scores.get((m, n), getattr(m, n)).detach().reshape(-1) for m, n in pairs])
    masks = [getattr(m, n + "_mask", None) for m, n in pairs]
    default = rushlight.cat([
        (rushlight.ones_like(getattr(m, n)) if mask is None else mask).detach().reshape(-1)
        for (m, n), mask in zip(pairs, masks, strict=True)
    ])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    final = container.compute_mask(flat_scores, default)
    at = 0
    for module, name in pairs:
        t = getattr(module, name)
        custom_from_mask(module, name, mask=final[at : at + t.numel()].view(t.shape))
        at += t.numel()


def remove(module: Any, name: str) -> Any:
    """Make a pruned parameter an ordinary one, with the pruned entries 0; returns the module.

    Raises:
        ValueError: it is not pruned.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether a module, or one below it, has a pruned parameter."""
    return any(
        isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values()
    )


