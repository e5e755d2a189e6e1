"""Connectionist temporal classification: the loss of a sequence whose alignment with its labels is unknown."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.nn.loss import mode_of, reduced
from rushlight.operators.table.body import has_values, refuse_kinds, wide, with_rule
from rushlight.operators.table.checks import check_argument, check_kind
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, filled
from rushlight.operators.table.types import Sizes


def _labels(targets: Tensor, lengths: Tensor, blank: Any) -> tuple[Tracer, Tracer]:
    """What a sequence passes through: its labels, blanks before, between and after them; and where it may leave out a
    blank.

    Args:
        targets: (N, S) int64.
        lengths: (N).

    Returns:
        Labels (2S + 1, N) int64; bools, true at a label that is not the one before.
    """
    n, s = targets.var.shape
    shape = (2 * s + 1, n)
    place, item = (P.iota(shape=shape, dim=d, dtype=dt.int64) for d in (0, 1))
    blanks = filled(blank, place)
    if s == 0:
        return blanks, blanks != blanks
    number = P.floordiv(place, filled(2, place))
    given = (P.rem(place, filled(2, place)) != 0) & (number < P.broadcast_in_dim(lengths, shape=shape, dims=(1,)))

    def label(where: Any, at: Any) -> Tracer:
        return P.select(where, P.gather(targets, item, P.select(where, at, 0), dims=(0, 1)), blanks)

    labels = label(given, number)
    later = given & (number > 0)
    return labels, later & (labels != label(later, number - 1))


def _either(x: Tracer, y: Tracer) -> Tracer:
    """log(exp(x) + exp(y)); where both are -inf, so is the result, with derivative 0."""

    def body(x: Any, y: Any) -> Tracer:
        high = P.max(x, y)
        base = P.select(high == -math.inf, 0, high)
        return P.log(P.exp(x - base) + P.exp(y - base)) + base

    def jvp(xs: Any, out: Any, ts: Any) -> Tracer:
        base = P.select(out == -math.inf, 0, out)
        parts: list[Tracer] = [P.exp(v - base) * t for v, t in zip(xs, ts, strict=True) if t is not None]
        return functools.reduce(Tracer.__add__, parts)

    return with_rule(body, jvp, x, y, name="either")


@operator(namespace=None, method=False, out=False, shape_class="reduction")
def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: Sizes,
    reduction: str,
    zero_infinity: bool,
) -> Tensor:
    """ctc_loss of checked arguments: log_probs (T, N, C), targets (N, S), lengths (N); int64.

    One recurrence over time and label: alpha[t, s], the log probability of all ways to be at label s at time t, comes
    from alpha[t-1] at s, at s-1 and, past a blank between two labels that differ, at s-2.

    Source:
        Graves et al., "Connectionist temporal classification", 2006, equations 6 to 8.
    """
    refuse_kinds(log_probs, "biuc", "ctc_loss")
    x = wide(log_probs)
    steps, n, _ = x.var.shape
    labels, skips = _labels(targets, target_lengths, blank)
    places = labels.var.shape[0]
    shape = (steps, places, n)
    item = P.iota(shape=(places, n), dim=1, dtype=dt.int64)
    # (Gathered along time in whole, so that the derivative scatters along time in parallel.)
    said = P.permute(P.gather(x, item, labels, dims=(1, 2)), perm=(2, 0, 1))
    step, place = (P.iota(shape=shape, dim=d, dtype=dt.int64) for d in (0, 1))
    never = filled(-math.inf, said)
    # Values behind the end of a sequence do not count: they may be anything, NaN too.
    said = P.select(step < P.broadcast_in_dim(input_lengths, shape=shape, dims=(2,)), said, never)
    first = (step == 0) & (place < 2)
    skipped = P.select(P.broadcast_in_dim(skips, shape=shape, dims=(1, 2)), said, never)
    alpha = P.logbandrec(P.select(first, said, never), said, said, skipped, dims=(0, 1), reverse=False)
    zero, one = filled(0, input_lengths), filled(1, input_lengths)
    end, last = P.max(input_lengths - one, zero), target_lengths + target_lengths
    which = P.iota(shape=(n,), dim=0, dtype=dt.int64)
    blank_last = P.gather(alpha, end, last, which, dims=(0, 1, 2))
    label_last = P.gather(alpha, end, P.max(last - one, zero), which, dims=(0, 1, 2))
    nothing = filled(-math.inf, blank_last)
    empty = target_lengths == zero
    likelihood = _either(blank_last, P.select(empty, nothing, label_last))
    likelihood = P.select(input_lengths > zero, likelihood, P.select(empty, 0, nothing))
    loss = -likelihood
    if zero_infinity:
        loss = P.select(loss == math.inf, 0, loss)
    if reduction == "mean":
        loss = loss / convert(P.max(target_lengths, one), loss.dtype)
    return reduced(loss, reduction, log_probs.dtype)


def _lengths(given: Any, n: int, most: int, name: str, like: Tensor) -> tuple[Tensor, list[int] | None]:
    """Lengths of n sequences as an int64 tensor and as numbers, each in [0, most]; None for numbers that nobody knows
    yet.
    """
    from rushlight.operators.tensors.interop import tensor

    if not isinstance(given, Tensor):
        given = tensor([given] if isinstance(given, int) else list(given), dtype=dt.int64)
    check_kind("ctc_loss", name, given, "iu")
    if given.ndim == 0:
        given = given.reshape(1)
    if tuple(given.shape) != (n,):
        raise RuntimeError(
            f"ctc_loss(): '{name}' must have one element a sequence, the shape ({n},); found {tuple(given.shape)}"
        )
    given = given.to(device=like.device, dtype=dt.int64)
    if not has_values(given):
        return given, None
    values = given.tolist()
    for v in values:
        if not 0 <= v <= most:
            bound = f"at least 0; found {v}" if v < 0 else f"at most {most}; found {v}"
            raise RuntimeError(f"ctc_loss(): each element of '{name}' must be {bound}")
    return given, values


def _padded(targets: Tensor, lengths: Tensor, values: Sequence[int] | None) -> Tensor:
    """Targets written one after another as one row each, as long as any might be; what follows a row's end is
    arbitrary.
    """
    from rushlight.operators.creation.sequences import arange

    longest = targets.shape[0] if values is None else max(values, default=0)
    if longest == 0:
        return targets.reshape(lengths.shape[0], 0)
    starts = lengths.cumsum(0) - lengths
    at = starts.unsqueeze(1) + arange(longest, device=targets.device)
    return targets[at.clamp(max=targets.shape[0] - 1)]


@eager(namespace="nn.functional", method=False, shape_class="reduction")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability that a sequence, blanks and repetitions taken out, spells its target: over all
    alignments.

    Args:
        log_probs: log probabilities of the classes at each step, (T, N, C) or (T, C).
        targets: class indices, (N, S), or (S) and (sum of the lengths): all targets one after another.
        input_lengths, target_lengths: a tensor or sequence of N ints.
        blank: the class that says nothing.
        reduction: "mean" divides each loss by its target's length first.
        zero_infinity: 0, with derivative 0, in place of inf where a target is too long for its input.

    Returns:
        (N) for "none" (() without a batch), otherwise ().

    Raises:
        RuntimeError: for lengths that do not fit.
        IndexError: for a target that is no class.

    Source:
        Graves et al., "Connectionist temporal classification", ICML 2006.
    """
    mode = mode_of(None, None, reduction, "ctc_loss")
    if log_probs.ndim not in (2, 3):
        raise RuntimeError(
            f"ctc_loss(): 'log_probs' must be of 3 dimensions (T, N, C), or 2 without a batch; found {log_probs.ndim}"
        )
    single = log_probs.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
        targets = targets.reshape(1, -1) if targets.ndim == 1 else targets
    steps, n, classes = log_probs.shape
    if log_probs.numel() == 0:
        raise RuntimeError(f"ctc_loss(): 'log_probs' must have elements; found the shape {tuple(log_probs.shape)}")
    if not 0 <= blank < classes:
        raise RuntimeError(f"ctc_loss(): 'blank' must be one of the labels, in [0, {classes}); found {blank}")
    check_argument(
        targets.dtype.kind in "iuf", "ctc_loss()", "targets", "be of an integral or floating point dtype", targets.dtype
    )
    check_argument(
        targets.ndim in (1, 2), "ctc_loss()", "targets", "be of 1 dimension (concatenated) or 2 (padded)", targets.ndim
    )
    longest = targets.shape[-1]
    times, _ = _lengths(input_lengths, n, steps, "input_lengths", log_probs)
    lengths, values = _lengths(target_lengths, n, longest, "target_lengths", log_probs)
    targets = targets.to(dt.int64)
    if targets.ndim == 1:
        if values is not None and sum(values) != longest:
            raise RuntimeError(
                f"ctc_loss(): concatenated 'targets' must have {sum(values)} elements, as 'target_lengths' say; "
                f"found {longest}"
            )
        targets = _padded(targets, lengths, values)
    elif targets.shape[0] != n:
        raise RuntimeError(f"ctc_loss(): padded 'targets' must have {n} rows, one a sequence; found {targets.shape[0]}")
    loss: Tensor = _ctc_loss(log_probs, targets, times, lengths, blank, mode, zero_infinity)
    return loss.squeeze(0) if single and mode == "none" else loss


@eager(name="ctc_loss", method=False, shape_class="reduction")
def torch_ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """nn.functional.ctc_loss with the reduction as a number: 0 none, 1 mean, 2 sum."""
    if reduction not in (0, 1, 2):
        raise ValueError(f"ctc_loss(): 'reduction' must be 0 (none), 1 (mean) or 2 (sum); found {reduction}")
    return TABLE["nn.functional.ctc_loss"](
        log_probs, targets, input_lengths, target_lengths, blank, ("none", "mean", "sum")[reduction], zero_infinity
    )
