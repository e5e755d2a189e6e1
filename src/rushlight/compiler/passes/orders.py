"""Which operands decide the order of dimensions of a pointwise result, and where its dimensions are theirs."""

from __future__ import annotations

from collections.abc import Iterator

from rushlight.compiler.plan import Like
from rushlight.prims.base import literally
from rushlight.program.ir import Var
from rushlight.program.sym import Int, same

# Of each dimension of the result, the dimension of a value that it is; None where that is repeated along it.
_Places = tuple[int | None, ...]


def likes_of(numbers: dict[Var, int], var: Var, indexed: bool = False) -> tuple[Like, ...]:
    """The inputs that lay a pointwise result, in their order; none, where something else than pointwise operations and
    views makes a value of its sizes: that lies row by row. (A sum that is repeated, say, has no say.)

    numbers: of the inputs. indexed: an element that is looked up counts as well, as the operand that it is looked up
    in and then the places.
    """
    work: list[tuple[Var, _Places, bool, bool]] = [(var, tuple(range(var.ndim)), False, False)]
    seen, found = set[tuple[Var, _Places]](), list[Like]()
    while work:
        v, places, sized, dense = work.pop(0)
        if (v, places) in seen or all(d is None for d in places):
            continue
        seen.add((v, places))
        if v.kind == "tensor":
            found.append(Like(numbers[v], places, sized, dense))
            continue
        if v.eqn is None:
            continue
        prim, inputs = v.eqn.prim, v.eqn.inputs
        if prim.kind == "pointwise":
            # (integers that become floats are copied before anything is computed)
            copied = prim.name == "convert" and inputs[0].dtype.kind in "biu" and v.dtype.kind in "fc"
            work += [(x, places, sized, dense or copied) for x in inputs]
        elif (x := prim.in_order_of(v)) is not None:
            work.append((x, places, True, dense))  # (the core compares the sizes at each launch)
        elif indexed and prim.name == "gather":
            work += [(x, at, sized, dense) for x, at in _looked_up(v, places)]
        elif (through := _through(v, None in places)) is not None:
            work.append((inputs[0], tuple(None if d is None else through[d] for d in places), sized, dense))
        elif None not in places and not prim.orderless:
            return ()
    return _settled(found, numbers)


def _settled(found: list[Like], numbers: dict[Var, int]) -> tuple[Like, ...]:
    """The operands in the order of the inputs; dense: which of them PyTorch converts first, since dtypes differ."""
    dtypes = {k: v.dtype for v, k in numbers.items()}
    mixed = len({dtypes[x.input] for x in found}) > 1
    widest = max((dtypes[x.input] for x in found), key=lambda d: ("buifc".index(d.kind), d.itemsize), default=None)
    found.sort(key=lambda x: x.input)
    return tuple([Like(x.input, x.dims, x.sized, x.dense or mixed and dtypes[x.input] is not widest) for x in found])


def _through(v: Var, repeated: bool) -> list[int | None] | None:
    """Of each dimension of a view, the dimension of what it is a view of; None: it is no view that keeps dimensions.

    repeated: of a value that is repeated an operand may have lost its sizes of 1; another reshape is of a reduction
    over a size of 1, say, which lies row by row.
    """
    assert v.eqn is not None
    if not v.eqn.inputs:
        return None
    x, params = v.eqn.inputs[0], v.eqn.params
    match v.eqn.prim.name:
        case "broadcast_in_dim":
            found: list[int | None] = [None] * v.ndim
            for d, at in enumerate(params["dims"]):
                if literally(v.shape[at], 1) or not literally(x.shape[d], 1):
                    found[at] = d
            return found
        case "permute":
            return list(params["perm"])
        case "reshape" if repeated:
            return _but_for_ones(x.shape, v.shape)
        case "slice" if all(step is None or literally(step, 1) for step in params["steps"]):
            return list(range(v.ndim))
    return None


def _but_for_ones(old: tuple[Int, ...], new: tuple[Int, ...]) -> list[int | None] | None:
    """Of each dimension of a shape, the dimension of another, where sizes of 1 are all that they differ in."""
    rest: Iterator[int] = (d for d, n in enumerate(old) if not literally(n, 1))
    found: list[int | None] = [None if literally(n, 1) else next(rest, None) for n in new]
    fits = [d is not None and same(old[d], n) for d, n in zip(found, new, strict=True) if not literally(n, 1)]
    return found if all(fits) and next(rest, None) is None else None


def _looked_up(v: Var, places: _Places) -> list[tuple[Var, _Places]]:
    """The operands of a gather: what elements are looked up in, along what is not looked up; and the places."""
    assert v.eqn is not None
    x, *index = v.eqn.inputs
    rest = [d for d in range(x.ndim) if d not in v.eqn.params["dims"]]
    n = v.ndim - len(rest)
    along = tuple([None if d is None or d < n else rest[d - n] for d in places])
    of_places = tuple([d if d is not None and d < n else None for d in places])
    return [(x, along), *((i, of_places) for i in index)]
