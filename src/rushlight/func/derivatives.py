"""`grad`, `vjp`, `jvp`, `jacrev`, `jacfwd`, `hessian`, `linearize`: derivatives of functions.

Reverse mode runs on the ordinary graph. The differentiated arguments are taken apart into plain tensors, given a fresh
place in the graph, and put together again; what the function returns is taken apart likewise. For dual numbers the
gradient's tangent is found by the product rule: the part of the gradient for a set S of forward levels is the sum over
subsets A of S of vjp(part A of the output, part S - A of the cotangent).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, combinations
from typing import Any

from rushlight.autograd.grad_mode import inference_mode
from rushlight.core import engine, locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.checks import check_argument, check_that
from rushlight.core.tensor import Tensor
from rushlight.func.levels import (
    TRANSFORM,
    Batched,
    Dual,
    Level,
    Parts,
    Wrapper,
    batched,
    dual,
    in_force,
    put_together,
    take_apart,
)
from rushlight.func.mapping import vmap
from rushlight.func.tree import flatten, tree_map
from rushlight.operators.table.define import METHODS, TABLE

_NONE: frozenset[int] = frozenset()


# --------------------------------------------------------------------------------------------------------- reverse mode
def _fresh(x: Tensor, kept: list[Tensor]) -> Tensor:
    """A new place in the graph on the memory of plain tensor `x`; a leaf when x has no history."""
    new = _raw.ordinary(x) if type(x) is Tensor or not x._keys_ & TRANSFORM else x
    if x.requires_grad and _core.is_grad_enabled():
        engine.set_history(
            new, engine.CallbackNode("AliasBackward0", lambda grads: list(grads), [engine.edge_of(x)], 1), 0
        )
    else:
        new.requires_grad_(True)
    kept.append(new)
    return new


def _differentiable(x: object, name: str) -> Tensor:
    if not isinstance(x, Tensor):
        kind = RuntimeError if name == "jvp" else ValueError
        raise kind(f"{name}: what is differentiated by must be a Tensor; found {type(x).__name__}")
    check_that(x.dtype.kind in "fc", name, "what is differentiated by", "be floating point or complex", x.dtype)
    return x


class _Tape:
    """One reverse-mode transform in progress: the fresh inputs, and how to pull cotangents back to them."""

    def __init__(self, inputs: Sequence[Tensor]) -> None:
        self.levels = list(in_force())
        self.outer_grad = _core.is_grad_enabled()
        self.leaves: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.parts: list[Parts] = []
        for x in inputs:
            parts = take_apart(x, self.levels)
            # Only the primal needs a place in the graph: tangents are further inputs, not functions of it.
            primal = _fresh(parts[_NONE], self.leaves)
            self.parts.append(parts)
            self.inputs.append(put_together({**parts, _NONE: primal}, self.levels))

    def pull(self, outputs: Sequence[Tensor], cotangents: Sequence[Tensor], keep: bool = False) -> list[Tensor]:
        """The gradients of the inputs, wrapped as the levels in force now ask for."""
        levels = list(in_force())
        # Cotangents may belong to levels younger than the tape (vmap over a vjp function): the graph's nodes then run
        # on wrapped tensors.
        younger = [level for level in levels if level not in self.levels and level.kind != "grad"]
        outs = [take_apart(y, self.levels) for y in outputs]
        cts = [_take_younger(c, self.levels) for c in cotangents]
        sets = sorted({a | b for y, c in zip(outs, cts, strict=True) for a in y for b in c if not a & b}, key=sorted)
        found: list[Parts] = [{} for _ in self.leaves]
        create = self.outer_grad and self._foreign([y[a] for y in outs for a in y], [c[b] for c in cts for b in c])
        pairs = {
            s: [
                (y[a], c[s - a])
                for y, c in zip(outs, cts, strict=True)
                for a in _subsets(s)
                if a in y and s - a in c and y[a].requires_grad
            ]
            for s in sets
        }
        todo = [s for s in sets if pairs[s]]
        for i, s in enumerate(todo):
            last = i == len(todo) - 1
            gs = engine.run_backward(
                [y for y, _ in pairs[s]],
                [_like(c, y) for y, c in pairs[s]],
                keep or create or not last,
                create,
                self.leaves,
                False,
            )
            assert gs is not None
            for parts, g in zip(found, gs, strict=True):
                if g is not None:
                    parts[s] = g
        return [
            _put_younger(f if _NONE in f else {**f, _NONE: TABLE["zeros_like"](p[_NONE])}, self.levels, younger)
            for f, p in zip(found, self.parts, strict=True)
        ]

    def _foreign(self, outputs: Sequence[Tensor], cotangents: Sequence[Tensor]) -> bool:
        """Whether the result depends on tensors that require grad besides the fresh inputs, so that it must be
        recorded.
        """
        if any(p.requires_grad for c in cotangents for p in take_apart_loosely(c)):
            return True
        own = {id(engine.edge_of(x)[0]) for x in self.leaves}
        seen: set[int] = set()
        stack = [engine.edge_of(y)[0] for y in outputs if y.requires_grad]
        while stack:
            node = stack.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            leaf = isinstance(node, (Tensor, engine.AccumulateGrad))
            if id(node) in own:
                if not leaf:
                    return True  # the input itself has a history outside
            elif leaf:
                return True
            else:
                stack.extend(e[0] for e in engine.edges_behind(node))
        return False

    def close(self, x: Any) -> Any:
        """A result as the outside may see it: without a place in this tape unless it depends on something outside."""
        if not isinstance(x, Tensor):
            return x
        parts = take_apart_loosely(x)
        if not any(p.requires_grad for p in parts):
            return x
        if self.outer_grad and self._foreign([p for p in parts if p.requires_grad], []):
            return x
        return METHODS["detach"](x)


def take_apart_loosely(x: Tensor) -> list[Tensor]:
    """The plain tensors inside of a wrapped one."""
    if isinstance(x, Dual):
        return take_apart_loosely(x.primal) + ([] if x.tangent is None else take_apart_loosely(x.tangent))
    return take_apart_loosely(x.value) if isinstance(x, Wrapper) else [x]  # type: ignore[attr-defined]


def _take_younger(x: Tensor, levels: list[Level]) -> Parts:
    """`take_apart` of the values inside the wrappers of younger levels. Those wrappers stay outside; their batch
    dimensions go behind those of the older levels.
    """
    if not isinstance(x, Wrapper) or x.level in levels:
        return take_apart(x, levels)
    if isinstance(x, Dual):
        primal = _take_younger(x.primal, levels)
        tangent = {} if x.tangent is None else _take_younger(x.tangent, levels)
        return {
            k: dual(primal[k] if k in primal else TABLE["zeros_like"](tangent[k]), tangent.get(k), x.level)
            for k in {*primal, *tangent}
        }
    assert isinstance(x, Batched)
    older = len([level for level in levels if level.kind == "vmap"])
    return {k: batched(METHODS["movedim"](v, older, 0), x.level) for k, v in _take_younger(x.value, levels).items()}


def _put_younger(parts: Parts, levels: list[Level], younger: Sequence[Level]) -> Tensor:
    """The inverse of `_take_younger`."""
    if not younger:
        return put_together(parts, levels)
    top, rest = younger[-1], younger[:-1]
    if not any(isinstance(v, Wrapper) and v.level is top for v in parts.values()):
        return _put_younger(parts, levels, rest)
    if top.kind == "jvp":
        primal = {k: v.primal if isinstance(v, Dual) and v.level is top else v for k, v in parts.items()}
        tangent = {
            k: v.tangent
            if isinstance(v, Dual) and v.level is top and v.tangent is not None
            else TABLE["zeros_like"](primal[k])
            for k, v in parts.items()
        }
        return dual(_put_younger(primal, levels, rest), _put_younger(tangent, levels, rest), top)
    older = len([level for level in levels if level.kind == "vmap"])
    inner = {
        k: METHODS["movedim"](v.value, 0, older)
        if isinstance(v, Batched) and v.level is top
        else METHODS["expand"](METHODS["unsqueeze"](v, older), (*v.shape[:older], top.size, *v.shape[older:]))
        for k, v in parts.items()
    }
    return batched(_put_younger(inner, levels, rest), top)


def _subsets(s: frozenset[int]) -> list[frozenset[int]]:
    return [frozenset(c) for c in chain.from_iterable(combinations(sorted(s), n) for n in range(len(s) + 1))]


def _like(c: Tensor, y: Tensor) -> Tensor:
    if c.dtype is not y.dtype:
        c = METHODS["to"](c, y.dtype)
    return c


def _selected(args: tuple[Any, ...], argnums: int | tuple[int, ...], name: str) -> tuple[tuple[int, ...], list[Any]]:
    """The positions that argnums names and the arguments there."""
    nums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    count = len(args)
    if not nums or not all(isinstance(n, int) and -count <= n < count for n in nums):
        raise RuntimeError(
            f"{name}: 'argnums' must be one or more ints in [{-count}, {count}), for {count} arguments; found "
            f"{argnums!r}"
        )
    places = [n % count for n in nums]
    check_argument(len(set(places)) >= len(places), name, "argnums", "name different arguments", lambda: repr(argnums))
    return tuple(places), [args[n] for n in places]


def _replaced(args: tuple[Any, ...], places: Sequence[int], new: Sequence[Any]) -> list[Any]:
    out = list(args)
    for n, v in zip(places, new, strict=True):
        out[n] = v
    return out


def _with_aux(name: str, result: object) -> tuple[Any, Any]:
    """The two parts of what a function with has_aux=True returns."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            f"{name}: with has_aux=True 'func' must return a pair (result, aux); found {type(result).__name__}"
        )
    return result


def _check_result(name: str, value: object) -> None:
    check_argument(isinstance(value, Tensor), name, "func", "return Tensors", type(value).__name__)


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns (gradient, value) of `func`, which must return a scalar tensor.

    Args:
        argnums: which arguments (tensors or nested containers of them) to differentiate by.
        has_aux: func returns (value, anything else); the result is then (gradient, (value, anything else)).
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        places, chosen = _selected(args, argnums, "grad")
        leaves, spec = flatten(chosen)
        with inference_mode(False):
            tape = _Tape([_differentiable(x, "grad") for x in leaves])
            with locks.restoring(), Level("grad"):
                value = func(*_replaced(args, places, spec.rebuild(tape.inputs)), **kwargs)
            value, aux = _with_aux("grad", value) if has_aux else (value, None)
            if not isinstance(value, Tensor) or value.ndim or value.dtype.kind == "c":
                what = (
                    f"{value.dtype} of shape {tuple(value.shape)}"
                    if isinstance(value, Tensor)
                    else type(value).__name__
                )
                raise RuntimeError(
                    f"grad: 'func' must return a real Tensor without dimensions; found {what}; vjp and jacrev take "
                    "functions with more results"
                )
            found = tape.pull([value], [TABLE["ones_like"](METHODS["detach"](value))])
        grads = spec.rebuild(found)
        answer = grads[0] if isinstance(argnums, int) else tuple(grads)
        value = tape.close(value)
        return (answer, (value, tree_map(tape.close, aux))) if has_aux else (answer, value)

    return wrapper


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `func`, which must return a scalar tensor; with has_aux (gradient, aux).

    Args:
        argnums: the argument, or a tuple of them, to differentiate by.
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        answer, value = both(*args, **kwargs)
        return (answer, value[1]) if has_aux else answer

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """(output, vjp_fn[, aux]): the value at `primals`, and the function that pulls cotangents back to gradients of all
    primals.
    """
    leaves, spec = flatten(primals)
    with inference_mode(False):
        tape = _Tape([_differentiable(x, "vjp") for x in leaves])
        with locks.restoring(), Level("grad"):
            result = func(*spec.rebuild(tape.inputs))
    result, aux = _with_aux("vjp", result) if has_aux else (result, None)
    outs, out_spec = flatten(result)
    for y in outs:
        _check_result("vjp", y)

    def pull(*cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> tuple[Any, ...]:
        given, given_spec = flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if given_spec != out_spec and not (len(given) == len(outs) == 1):
            raise RuntimeError(f"vjp: cotangents must come as the results did, {out_spec}; found {given_spec}")
        for c, y in zip(given, outs, strict=True):
            if tuple(c.shape) != tuple(y.shape):
                raise RuntimeError(
                    f"vjp: a cotangent must have the shape {tuple(y.shape)} of its result; found {tuple(c.shape)}"
                )
            if (c.dtype.kind == "c") != (y.dtype.kind == "c"):
                raise RuntimeError(
                    f"vjp: a cotangent must be complex exactly when its result is, of dtype {y.dtype}; found {c.dtype}"
                )
        found = tape.pull(outs, given, keep=retain_graph)
        answer = spec.rebuild(found)
        return tuple(answer)

    shown = out_spec.rebuild([tape.close(y) for y in outs])
    return (shown, pull, tree_map(tape.close, aux)) if has_aux else (shown, pull)


# --------------------------------------------------------------------------------------------------------- forward mode
def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """(output, directional derivative[, aux]) of `func` at `primals` along `tangents`.

    Args:
        primals, tangents: tuples of the same structure.
        strict: refuse an output that does not depend on the primals (default: its derivative is zeros).
    """
    check_argument(isinstance(primals, tuple), "jvp", "primals", "be a tuple, of all arguments", type(primals).__name__)
    leaves, spec = flatten(primals)
    t_leaves, t_spec = flatten(tangents)
    check_argument(spec == t_spec, "jvp", "tangents", f"come as 'primals' do, {spec}", t_spec)
    for x, t in zip(leaves, t_leaves, strict=True):
        _differentiable(x, "jvp")
        if tuple(x.shape) != tuple(t.shape):
            raise RuntimeError(
                f"jvp: a tangent must have the shape {tuple(x.shape)} of its primal; found {tuple(t.shape)}"
            )
        if t.dtype.kind not in "fc" or (t.dtype.kind == "c" and x.dtype.kind != "c"):
            raise ValueError(
                "jvp: a tangent must be floating point, or complex where its primal, of dtype "
                f"{x.dtype}, is; found {t.dtype}"
            )
    with locks.restoring(), Level("jvp") as level:
        result = func(
            *spec.rebuild(
                [
                    dual(x, t if t.dtype is x.dtype else METHODS["to"](t, x.dtype), level)
                    for x, t in zip(leaves, t_leaves, strict=True)
                ]
            )
        )
        result, aux = _with_aux("jvp", result) if has_aux else (result, None)
        outs, out_spec = flatten(result)
        values, directions = [], []
        for y in outs:
            _check_result("jvp", y)
            y, dy = _split(y, level)
            if dy is None:
                if strict:
                    raise RuntimeError(
                        "jvp: with strict=True every result of 'func' must depend on 'primals'; found one that does not"
                    )
                dy = TABLE["zeros_like"](y)
            values.append(y)
            directions.append(dy)
        aux = tree_map(lambda x: _split(x, level)[0] if isinstance(x, Tensor) else x, aux)
    answer = (out_spec.rebuild(values), out_spec.rebuild(directions))
    return (*answer, aux) if has_aux else answer


def _split(y: Tensor, level: Level) -> tuple[Tensor, Tensor | None]:
    return (y.primal, y.tangent) if isinstance(y, Dual) and y.level is level else (y, None)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """(output, jvp_fn): the value at `primals`, and the linear function from tangents to the output's tangents."""
    output = func(*primals)
    _, spec = flatten(primals)

    def jvp_fn(*tangents: Any) -> Any:
        if flatten(tangents)[1] != spec:
            raise RuntimeError(
                f"linearize: tangents must come as the primals did, {spec}; found {flatten(tangents)[1]}"
            )
        return jvp(func, primals, tuple(tangents))[1]

    return output, jvp_fn


# ------------------------------------------------------------------------------------------------------------ jacobians
def _basis(xs: Sequence[Tensor]) -> list[Tensor]:
    """One-hot tensors for every element of every x: a batch of sum(numel) examples for each x."""
    total = sum(x.numel() for x in xs)
    out = []
    for x, (at, n) in zip(xs, _places(xs), strict=True):
        rows = METHODS["eq"](METHODS["unsqueeze"](TABLE["arange"](total), 1), TABLE["arange"](at, at + n))
        out.append(METHODS["reshape"](METHODS["to"](rows, x.dtype), (total, *x.shape)))
    return out


def _places(xs: Sequence[Tensor]) -> list[tuple[int, int]]:
    """Where the elements of each x begin among those of all, and how many they are."""
    sizes = [x.numel() for x in xs]
    return list(zip(accumulate(sizes, initial=0), sizes, strict=False))


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of `func` by reverse mode: for each output and argument a tensor of shape
    (output's, argument's).
    """
    check_argument(
        chunk_size is None or chunk_size > 0,
        "jacrev",
        "chunk_size",
        "be None or a positive int",
        chunk_size,
        ValueError,
    )

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        places, chosen = _selected(args, argnums, "jacrev")

        def of_chosen(*new: Any) -> Any:
            return func(*_replaced(args, places, new))

        found = vjp(of_chosen, *chosen, has_aux=has_aux)
        output, pull = found[0], found[1]
        outs, out_spec = flatten(output)
        n_in, in_spec = flatten(tuple(chosen))

        def one(*cts: Any) -> tuple[Tensor, ...]:
            return tuple(flatten(pull(out_spec.rebuild(list(cts))))[0])

        rows = vmap(one, randomness="different", chunk_size=chunk_size)(*_basis(outs))
        per_output = []
        for y, (at, n) in zip(outs, _places(outs), strict=True):
            per_input = [
                METHODS["reshape"](METHODS["narrow"](r, 0, at, n), (*y.shape, *x.shape))
                for r, x in zip(rows, n_in, strict=True)
            ]
            tree = in_spec.rebuild(per_input)
            per_output.append(tree[0] if isinstance(argnums, int) else tree)
        answer = out_spec.rebuild(per_output)
        return (answer, found[2]) if has_aux else answer

    return wrapper


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of `func` by forward mode: for each output and argument a tensor of shape
    (output's, argument's).
    """

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        places, chosen = _selected(args, argnums, "jacfwd")
        xs, spec = flatten(tuple(chosen))
        kept: list[Any] = []

        def one(*ts: Any) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
            result = jvp(
                lambda *new: func(*_replaced(args, places, new)), tuple(chosen), spec.rebuild(list(ts)), has_aux=has_aux
            )
            outs, out_spec = flatten(result[1])
            values = flatten(result[0])[0]
            kept[:] = [out_spec, result[2] if has_aux else None]
            return tuple(outs), tuple(values)

        columns, _ = vmap(one, randomness=randomness, chunk_size=chunk_size)(*_basis(xs))
        out_spec, aux = kept
        per_output = []
        for c in columns:
            per_input = []
            for x, (at, n) in zip(xs, _places(xs), strict=True):
                part = METHODS["movedim"](METHODS["narrow"](c, 0, at, n), 0, -1)
                per_input.append(METHODS["reshape"](part, (*part.shape[:-1], *x.shape)))
            tree = spec.rebuild(per_input)
            per_output.append(tree[0] if isinstance(argnums, int) else tree)
        answer = out_spec.rebuild(per_output)
        return (answer, tree_map(_first_example, aux)) if has_aux else answer

    return wrapper


def _first_example(x: Any) -> Any:
    if isinstance(x, Wrapper) and hasattr(x, "value"):
        return METHODS["select"](x.value, 0, 0)
    return x


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of `func` (forward over reverse)."""
    return jacfwd(jacrev(func, argnums), argnums)
