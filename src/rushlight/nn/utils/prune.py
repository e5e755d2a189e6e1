"""Pruning: parameters of which a mask leaves only some entries."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn.modules.module import Module

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


def _hooks_of(module: Module) -> Iterator[tuple[int, BasePruningMethod]]:
    """The pruning hooks of a module, with their keys."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod):
            yield key, hook


def _hook_on(module: Module, name: str) -> tuple[int, BasePruningMethod] | None:
    """The hook that prunes the parameter of that name, with its key."""
    return next((found for found in _hooks_of(module) if found[1]._tensor_name == name), None)


def _scores_for(what: str, t: Tensor, scores: Tensor | None) -> Tensor:
    """What entries of `t` are ranked by: the scores given, which must have its shape, or `t` itself."""
    if scores is None:
        return t
    if scores.shape != t.shape:
        raise AssertionError(f"{what}: importance_scores must have shape {tuple(t.shape)}; found {tuple(scores.shape)}")
    return scores


class BasePruningMethod(ABC):
    """The hook that puts ``name_orig * name_mask`` in the place of a parameter before each forward.

    A method of one's own is a subclass with ``PRUNING_TYPE`` (``"unstructured"``, ``"structured"`` or ``"global"``) and
    ``compute_mask``.
    """

    PRUNING_TYPE: str
    _tensor_name: str | None = None

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, str(self._tensor_name), self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask for a tensor (or its importance scores), of which ``default_mask`` has removed some
        already.
        """

    def _parts_(self, module: Module) -> tuple[str, Tensor, Tensor]:
        """The parameter's name, its original and its mask; AssertionError before `apply`."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"{type(self).__name__}: this method prunes no parameter; call apply() first")
        return name, getattr(module, f"{name}_orig"), getattr(module, f"{name}_mask")

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter with its mask applied."""
        _, orig, mask = self._parts_(module)
        return orig * mask.to(orig.dtype)

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
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

        Raises:
            AssertionError: the scores have another shape than the parameter.
        """
        hook: BasePruningMethod = cls(*args, **kwargs)
        hook._tensor_name = name
        t = getattr(module, name)
        scores = _scores_for(f"{cls.__name__}.apply() on {name!r}", t, importance_scores).detach()
        # The module is touched only when the mask is there: a failing method leaves it as it was.
        if found := _hook_on(module, name):
            key, earlier = found
            hook = PruningContainer(*(earlier if isinstance(earlier, PruningContainer) else [earlier]), hook)
            old_mask = getattr(module, f"{name}_mask")
            setattr(module, f"{name}_mask", hook.compute_mask(scores, default_mask=old_mask.detach().clone()))
            del module._forward_pre_hooks[key]
        else:
            mask = hook.compute_mask(scores, default_mask=rushlight.ones_like(t))
            module.register_buffer(f"{name}_mask", mask)
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        hook(module, ())
        module.register_forward_pre_hook(hook)
        return hook

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor with this method's mask applied, without any module.

        Raises:
            AssertionError: the scores have another shape than ``t``.
        """
        scores = _scores_for(f"{type(self).__name__}.prune()", t, importance_scores)
        return t * self.compute_mask(scores, rushlight.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruned values the parameter's own, and forget mask and original; AssertionError before `apply`."""
        name, orig, _ = self._parts_(module)
        orig.data = self.apply_mask(module).detach()
        for gone in (name, f"{name}_orig", f"{name}_mask"):
            delattr(module, gone)
        module.register_parameter(name, orig)


def _remaining(method: Any, mask: Tensor) -> Any:
    """The index of the entries or slices that a method may still prune, according to the mask so far."""
    match method.PRUNING_TYPE:
        case "unstructured":
            return mask != 0
        case "structured":
            axis = method.dim % mask.dim()
            return (*[slice(None)] * axis, (mask != 0).movedim(axis, 0).flatten(1).any(1))
        case "global":
            return ...
    raise ValueError(
        f"PruningContainer: {type(method).__name__}.PRUNING_TYPE must be 'unstructured', 'structured' or 'global', "
        f"found {method.PRUNING_TYPE!r}"
    )


def _refined(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Tensor:
    """The mask so far, in which a method has decided upon what was remaining."""
    refined = mask.to(t.dtype, copy=True)
    left = _remaining(method, refined)
    refined[left] = method.compute_mask(t[left], default_mask=refined[left]).to(t.dtype)
    return refined


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter, one after the other.

    Args:
        args: the methods, or one iterable of them.
    """

    def __init__(self, *args: Any) -> None:
        self._methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1 and isinstance(args[0], Iterable):
            (args,) = args
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same parameter; TypeError when it is none, ValueError for another parameter."""
        if method is None:
            return
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"add_pruning_method(): method must be a BasePruningMethod; found {type(method).__name__}")
        if self._tensor_name is None:
            self._tensor_name = method._tensor_name
        if method._tensor_name != self._tensor_name:
            raise ValueError(
                f"add_pruning_method(): this PruningContainer prunes {self._tensor_name!r}; the method "
                f"{type(method).__name__} prunes {method._tensor_name!r}"
            )
        self._methods = (*self._methods, method)

    def __len__(self) -> int:
        return len(self._methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The newest method's mask for what the others have left, combined with theirs."""
        return _refined(self._methods[-1], t, default_mask)


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask and the original."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far."""
        return default_mask


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far times the mask given; AssertionError when their shapes differ."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"CustomFromMask: mask must have shape {tuple(default_mask.shape)}; found {tuple(self.mask.shape)}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


class _Ranked(BasePruningMethod):
    """Prunes what ranks lowest: single entries, or slices along ``dim`` when a subclass sets it."""

    amount: Any
    dim: int | None = None

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"{type(self).__name__}: amount must be an int or a float; found {type(amount).__name__}")
        if float(amount) < 0 or (not isinstance(amount, numbers.Integral) and float(amount) > 1):
            raise ValueError(
                f"{type(self).__name__}: amount must be a count (an int of 0 or more) or a share (a float from 0 to "
                "1); "
                f"found {amount!r}"
            )
        self.amount = amount

    def _rank(self, t: Tensor) -> Tensor:
        """One value for each entry, in a row, or for each slice."""
        raise NotImplementedError

    def _number(self, places: int) -> int:
        """How many of that many places `amount` means; ValueError when there are not so many."""
        n = int(self.amount) if isinstance(self.amount, numbers.Integral) else round(float(self.amount) * places)
        if n > places:
            raise ValueError(
                f"{type(self).__name__}: amount must be at most {places}, all there is; found {self.amount}"
            )
        return n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, without the lowest in rank.

        Raises:
            ValueError: ``amount`` is more than there is; ``t`` has no slices (it is a vector or a scalar).
            IndexError: ``t`` has no such ``dim``.
        """
        shape = list(t.shape)
        if self.dim is not None:
            if t.dim() < 2:
                raise ValueError(f"{type(self).__name__}: the tensor must have 2 dimensions or more; found {t.dim()}")
            if not -t.dim() <= self.dim < t.dim():
                raise IndexError(
                    f"{type(self).__name__}: dim must be in [{-t.dim()}, {t.dim() - 1}] for a {t.dim()}-d tensor; "
                    f"found {self.dim}"
                )
            shape = [1] * t.dim()
            shape[self.dim] = t.size(self.dim)
        places = t.numel() if self.dim is None else t.size(self.dim)
        kept = default_mask.new_ones(places)
        if n := self._number(places):
            kept[self._rank(t).topk(n, largest=False).indices] = 0
        return default_mask * kept.reshape(shape)


class RandomUnstructured(_Ranked):
    """Prunes entries at random: a number of them, or a fraction."""

    PRUNING_TYPE = "unstructured"

    def _rank(self, t: Tensor) -> Tensor:
        return -rushlight.rand(t.numel())  # the largest go, as in PyTorch, whose numbers these are


class L1Unstructured(_Ranked):
    """Prunes the entries of least magnitude: a number of them, or a fraction."""

    PRUNING_TYPE = "unstructured"

    def _rank(self, t: Tensor) -> Tensor:
        return t.abs().flatten()


class _RankedSlices(_Ranked):
    PRUNING_TYPE = "structured"
    dim: int

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim


class RandomStructured(_RankedSlices):
    """Prunes whole slices along a dimension at random."""

    def _rank(self, t: Tensor) -> Tensor:
        return rushlight.rand(t.size(self.dim))


class LnStructured(_RankedSlices):
    """Prunes the slices along a dimension with the least n-norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _rank(self, t: Tensor) -> Tensor:
        # The Frobenius norm of a slice is the 2-norm of its entries.
        order = 2.0 if self.n == "fro" else self.n
        return rushlight.linalg.vector_norm(t.movedim(self.dim, 0).flatten(1), order, dim=1)


def _pruned(method: type[BasePruningMethod], module: Module, name: str, *args: Any, **kwargs: Any) -> Any:
    method.apply(module, name, *args, **kwargs)
    return module


def identity(module: Module, name: str) -> Any:
    """Give a parameter a mask of ones; returns the module."""
    return _pruned(Identity, module, name)


def random_unstructured(module: Module, name: str, amount: Any) -> Any:
    """Prune entries of a parameter at random: a number, or a fraction; returns the module."""
    return _pruned(RandomUnstructured, module, name, amount)


def l1_unstructured(module: Module, name: str, amount: Any, importance_scores: Tensor | None = None) -> Any:
    """Prune a parameter's entries of least magnitude (or score): a number, or a fraction; returns the module."""
    return _pruned(L1Unstructured, module, name, amount, importance_scores=importance_scores)


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Any:
    """Prune slices of a parameter along a dimension at random; returns the module."""
    return _pruned(RandomStructured, module, name, amount, dim)


def ln_structured(
    module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prune a parameter's slices of least n-norm along a dimension; returns the module."""
    return _pruned(LnStructured, module, name, amount, n, dim=dim, importance_scores=importance_scores)


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Any:
    """Prune a parameter by a mask; returns the module."""
    return _pruned(CustomFromMask, module, name, mask)


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
    for argument, value, kind in (
        ("parameters", parameters, Iterable),
        ("importance_scores", {} if importance_scores is None else importance_scores, dict),
    ):
        if not isinstance(value, kind):
            raise TypeError(
                f"global_unstructured(): {argument} must be of type {kind.__name__}; found {type(value).__name__}"
            )
    if (found := getattr(pruning_method, "PRUNING_TYPE", None)) != "unstructured":
        raise TypeError(
            f"global_unstructured(): pruning_method must have the PRUNING_TYPE 'unstructured', found {found!r} in "
            f"{pruning_method!r}"
        )
    scores, masks = [], []
    pairs = list(parameters)
    for module, name in pairs:
        t = getattr(module, name).detach()
        scores.append((importance_scores or {}).get((module, name), t).detach())
        masks.append(getattr(module, f"{name}_mask", rushlight.ones_like(t)))
    joined = (rushlight.cat([t.flatten() for t in tensors]) for tensors in (scores, masks))
    whole = _refined(pruning_method(**kwargs), *joined)
    for (module, name), mask, part in zip(pairs, masks, whole.split([m.numel() for m in masks]), strict=True):
        custom_from_mask(module, name, part.view(mask.shape))


def remove(module: Module, name: str) -> Any:
    """Make a pruned parameter an ordinary one, with the pruned entries 0; returns the module.

    Raises:
        ValueError: it is not pruned.
    """
    found = _hook_on(module, name)
    if found is None:
        raise ValueError(f"remove(): {name!r} of {type(module).__name__} is not pruned")
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Module) -> bool:
    """Whether a module, or one below it, has a pruned parameter."""
    return any(True for part in module.modules() for _ in _hooks_of(part))
