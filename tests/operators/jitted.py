"""Every operator as a traced function: `rushlight.jit` of its call gives the bits of the call, in results, arguments that
it writes to, and gradients; and what shares memory without it does so with it.
"""

from __future__ import annotations

from typing import Any

from support import call, copy, differentiable, find, flat, inputs_of, map_tensors, plain, same_bits

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.testing.samples import OperatorSamples, Sample

# What cannot be traced, and why.
DATA, _ORDER = "decides by the values of its tensors", "sums in another order where sizes are numbers, not symbols"
_RANDOM, _SIZES = "draws random numbers", "computes with sizes as with numbers of Python"
BY_VALUES = (
    "_convert_indices_from_csr_to_coo",
    "_grouped_mm",
    "allclose",
    "argwhere",
    "bincount",
    "equal",
    "histogram",
    "histogramdd",
    "masked_select",
    "nn.functional.grouped_mm",
    "nonzero",
    "nonzero_static",
    "unique",
    "unique_consecutive",
)
NOT_TRACED = {
    **dict.fromkeys((*BY_VALUES, "nn.functional.one_hot"), DATA),
    **dict.fromkeys(
        ("as_strided_", "detach_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"),
        "changes what a tensor is, and no value",
    ),
    **dict.fromkeys(("as_strided", "as_strided_copy", "as_strided_scatter"), "depends on strides"),
    **dict.fromkeys(("istft", "nn.functional.local_response_norm", "stft"), _ORDER),
    "linalg.lstsq": _SIZES,
    "lobpcg": _RANDOM,
}


def jitted(spec: OperatorSamples) -> None:
    """A traced function that makes the call has its bits."""
    from checks import Inapplicable, label, pick

    op = find(spec.name)
    if spec.name in NOT_TRACED:
        raise Inapplicable(NOT_TRACED[spec.name])
    samples = spec.samples(pick(spec, dt.float32)[0])
    for s in samples[:: max(1, len(samples) - 1)]:  # the first and the last
        theirs, grad = _copied(s, True), True
        try:
            expected = call(op, theirs)
        except RuntimeError as error:
            if "leaf" not in str(error):
                raise
            theirs, grad = _copied(s, False), False  # it writes to its argument
            expected = call(op, theirs)
        mine = _copied(s, grad)
        got = rl.jit(lambda args, kwargs: op(*args, **kwargs))(list(mine.args), dict(mine.kwargs))
        assert plain(got) == plain(expected), f"{label(s)}: got {plain(got)}, expected {plain(expected)}"
        _compare(flat(got), flat(expected), label(s))
        _compare(inputs_of(mine), inputs_of(theirs), f"{label(s)}: its arguments")
        _gradients(got, mine, expected, theirs, label(s))


def jitted_writes(spec: OperatorSamples) -> None:
    """What is written to a result reaches the arguments that share its memory, as it does without jit, or is refused: in
    a function that copies its arguments, lying row by row and otherwise, calls the operator, and writes to all it gave.
    """
    from checks import Inapplicable, label, pick

    op = find(spec.name)
    if spec.name in NOT_TRACED or spec.name.rpartition(".")[2].endswith("_"):
        raise Inapplicable(NOT_TRACED.get(spec.name, "it writes itself"))
    compared = 0
    for dtype in pick(spec, dt.float32, dt.complex64):
        samples = spec.samples(dtype)
        for s in samples[:: max(1, len(samples) - 1)]:
            for turned in (False, True):
                mine, theirs = (_lying(_copied(s, False), turned) for _ in range(2))
                try:
                    expected = _written(op, list(theirs.args), dict(theirs.kwargs))
                except (RuntimeError, TypeError, NotImplementedError, ValueError):
                    continue  # the results are not to be written to
                try:
                    got = rl.jit(_written)(op, list(mine.args), dict(mine.kwargs))
                except RuntimeError as error:
                    assert "may share memory" in str(error) or "may share a place" in str(error), error
                    continue
                _compare(flat(got), flat(expected), f"{label(s)}: written to")
                compared += 1
    if not compared:
        raise Inapplicable("nothing that it gives can be written to, or all is refused")


def _lying(s: Sample, turned: bool) -> Sample:
    """The sample; with matrices that lie column by column where `turned`."""
    found: Sample = map_tensors(lambda t: t.mT.contiguous().mT if turned and t.ndim > 1 else t, s)
    return found


def _written(op: Any, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments and results of a call on copies, after one is added to each result."""
    args, kwargs = (
        map_tensors(lambda t: t.clone(), args),
        {k: map_tensors(lambda t: t.clone(), v) for k, v in kwargs.items()},
    )
    result = op(*args, **kwargs)
    for y in flat(result):
        y.add_(1)
    return [*flat(args), *flat(list(kwargs.values())), *flat(result)]


def _copied(s: Sample, grad: bool) -> Sample:
    copied: Sample = map_tensors(lambda t: copy(t, grad and differentiable(t)), s)
    return copied


def _compare(got: list[Any], expected: list[Any], what: str) -> None:
    for g, e in zip(got, expected, strict=True):
        same_bits(g.detach(), e.detach(), what)


def _gradients(got: Any, mine: Sample, expected: Any, theirs: Sample, what: str) -> None:
    """Gradients are the same; where a call has zeros, the traced one may have none."""
    pairs = [(g, e) for g, e in zip(flat(got), flat(expected), strict=True) if e.requires_grad and e.dtype.kind in "fc"]
    leaves = [(x, y) for x, y in zip(inputs_of(mine), inputs_of(theirs), strict=True) if y.requires_grad and y.is_leaf]
    if not pairs or not leaves:
        assert not any(g.requires_grad for g in flat(got)), f"{what}: a result requires grad"
        return
    due = [e for _, e in pairs]
    try:
        wanted = rl.autograd.grad(due, [y for _, y in leaves], [rl.ones_like(e) for e in due], allow_unused=True)
    except RuntimeError as error:
        if "derivative is not implemented" in str(error):
            return
        raise
    given = [g for g, _ in pairs if g.requires_grad]
    found: tuple[Any, ...] = (None,) * len(leaves)
    if given:
        found = rl.autograd.grad(given, [x for x, _ in leaves], [rl.ones_like(g) for g in given], allow_unused=True)
    for g, e in zip(found, wanted, strict=True):
        if g is None and e is not None:
            assert not e.count_nonzero(), f"{what}: no gradient, expected {e}"
        elif g is not None:
            same_bits(g, rl.zeros_like(g) if e is None else e, f"{what}: a gradient")
