"""nn.utils.prune: which entries go, several methods in turn, going back, errors."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.nn.utils import prune


def layer(values: list[list[float]]) -> nn.Linear:
    """A linear layer with these weights."""
    weight = rushlight.tensor(values)
    made = nn.Linear(weight.shape[1], weight.shape[0])
    made.weight = nn.Parameter(weight)
    return made


WEIGHTS = [[1.0, -6.0, 3.0], [4.0, 2.0, -5.0]]


def test_pruned_parameter_is_original_times_mask() -> None:
    m = layer(WEIGHTS)
    own = m.weight
    assert prune.l1_unstructured(m, "weight", amount=2) is m
    assert m.weight.tolist() == [[0.0, -6.0, 3.0], [4.0, 0.0, -5.0]]
    assert m.weight_orig is own and m.weight_orig.tolist() == WEIGHTS
    assert m.weight_mask.tolist() == [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    assert list(m.state_dict()) == ["bias", "weight_orig", "weight_mask"]
    assert prune.is_pruned(nn.Sequential(m)) and not prune.is_pruned(nn.Linear(1, 1))
    m(rushlight.ones(1, 3)).sum().backward()
    assert own.grad.tolist() == m.weight_mask.tolist()
    with rushlight.no_grad():
        own.mul_(2)
    m(rushlight.ones(1, 3))
    assert m.weight.tolist() == [[0.0, -12.0, 6.0], [8.0, 0.0, -10.0]]


def test_remove_makes_an_ordinary_parameter() -> None:
    m = layer(WEIGHTS)
    own = m.weight
    prune.l1_unstructured(m, "weight", amount=0.5)
    assert prune.remove(m, "weight") is m
    assert m.weight is own and own.tolist() == [[0.0, -6.0, 0.0], [4.0, 0.0, -5.0]]
    assert sorted(m.state_dict()) == ["bias", "weight"] and not prune.is_pruned(m)


def test_structured_methods_remove_slices() -> None:
    m = layer([[1.0, 2.0, 9.0], [1.0, 3.0, 1.0]])
    prune.ln_structured(m, "weight", amount=1, n=2, dim=1)
    assert m.weight_mask.tolist() == [[0.0, 1.0, 1.0]] * 2
    # Of the two columns left, the second is the greater in the maximum norm of the scores.
    scores = rushlight.tensor([[50.0, 1.0, 2.0], [50.0, 1.0, 1.0]])
    prune.ln_structured(m, "weight", amount=1, n=float("inf"), dim=-1, importance_scores=scores)
    assert m.weight_mask.tolist() == [[0.0, 0.0, 1.0]] * 2
    hook = next(iter(m._forward_pre_hooks.values()))
    assert isinstance(hook, prune.PruningContainer) and len(hook) == 2 and hook[1].dim == -1


def test_random_methods_remove_as_many_as_asked_of_what_is_left() -> None:
    m = nn.Linear(10, 8)
    prune.random_unstructured(m, "weight", amount=0.25)
    assert int((m.weight_mask == 0).sum()) == 20
    prune.random_unstructured(m, "weight", amount=20)
    assert int((m.weight_mask == 0).sum()) == 40
    prune.random_structured(m, "weight", amount=3, dim=0)
    rows = m.weight_mask.sum(1)
    assert int((rows == 0).sum()) >= 3 and int((rows != 0).sum()) <= 5


def test_frobenius_norm_is_that_of_a_slice() -> None:
    m = nn.Conv2d(3, 2, 2)
    with rushlight.no_grad():
        m.weight.fill_(1.0)[:, 1] = 0.5
    prune.ln_structured(m, "weight", amount=1, n="fro", dim=1)
    assert m.weight_mask.sum((0, 2, 3)).tolist() == [8.0, 0.0, 8.0]


def test_global_pruning_compares_across_parameters() -> None:
    a, b = layer([[1.0, 9.0]]), layer([[2.0, 3.0]])
    prune.custom_from_mask(a, "weight", rushlight.tensor([[1.0, 0.0]]))
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=2)
    assert a.weight_mask.tolist() == [[0.0, 0.0]] and b.weight_mask.tolist() == [[0.0, 1.0]]
    c = layer([[1.0, 9.0]])
    scores = {(c, "weight"): rushlight.tensor([[5.0, 1.0]])}
    prune.global_unstructured([(c, "weight")], prune.L1Unstructured, scores, amount=1)
    assert c.weight_mask.tolist() == [[1.0, 0.0]]


def test_own_method_and_prune_without_a_module() -> None:
    class EverySecond(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t: Any, default_mask: Any) -> Any:
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    m = layer([[1.0, 2.0, 3.0, 4.0]])
    EverySecond.apply(m, "weight")
    assert m.weight.tolist() == [[0.0, 2.0, 0.0, 4.0]]
    # Only what is left counts for the second time.
    EverySecond.apply(m, "weight")
    assert m.weight.tolist() == [[0.0, 0.0, 0.0, 4.0]]
    assert EverySecond().prune(rushlight.tensor([1.0, 2.0])).tolist() == [0.0, 2.0]
    assert prune.L1Unstructured(1).prune(
        rushlight.tensor([1.0, 2.0]), importance_scores=rushlight.tensor([2.0, 1.0])
    ).tolist() == [1.0, 0.0]


def test_identity_and_bias() -> None:
    m = nn.Linear(2, 2)
    prune.identity(m, "bias")
    assert m.bias_mask.tolist() == [1.0, 1.0] and prune.is_pruned(m)


def test_a_failing_method_leaves_the_module_as_it_was() -> None:
    m = layer(WEIGHTS)
    with pytest.raises(ValueError, match="amount must be at most 6"):
        prune.l1_unstructured(m, "weight", amount=7)
    assert sorted(m.state_dict()) == ["bias", "weight"] and not prune.is_pruned(m)


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda m: prune.l1_unstructured(m, "weight", amount="x"), TypeError, "L1Unstructured: amount.*found str"),
        (lambda m: prune.l1_unstructured(m, "weight", amount=-1), ValueError, "L1Unstructured: amount.*found -1"),
        (
            lambda m: prune.random_unstructured(m, "weight", amount=1.5),
            ValueError,
            r"RandomUnstructured: amount.*found 1\.5",
        ),
        (
            lambda m: prune.random_structured(m, "bias", amount=1, dim=0),
            ValueError,
            "RandomStructured.*2 dimensions.*found 1",
        ),
        (lambda m: prune.ln_structured(m, "weight", 1, 2, dim=2), IndexError, r"LnStructured: dim.*\[-2, 1\].*found 2"),
        (
            lambda m: prune.custom_from_mask(m, "weight", rushlight.ones(2)),
            AssertionError,
            r"mask.*\(2, 3\); found \(2,\)",
        ),
        (
            lambda m: prune.l1_unstructured(m, "weight", 1, importance_scores=rushlight.ones(2)),
            AssertionError,
            r"L1Unstructured.*'weight'.*importance_scores.*\(2, 3\); found \(2,\)",
        ),
        (lambda m: prune.remove(m, "weight"), ValueError, "'weight' of Linear is not pruned"),
        (lambda m: prune.Identity().remove(m), AssertionError, "Identity.*apply"),
        (lambda m: prune.global_unstructured(3, prune.L1Unstructured), TypeError, "parameters.*Iterable; found int"),
        (
            lambda m: prune.global_unstructured([(m, "weight")], prune.L1Unstructured, 3, amount=1),
            TypeError,
            "importance_scores.*dict; found int",
        ),
        (
            lambda m: prune.global_unstructured([(m, "weight")], prune.LnStructured, amount=1, n=1),
            TypeError,
            "pruning_method.*'unstructured', found 'structured'",
        ),
        (lambda m: prune.PruningContainer(3), TypeError, "method.*found int"),
    ],
)
def test_errors(act: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        act(layer(WEIGHTS))


def test_container_takes_methods_of_one_parameter() -> None:
    first, second = prune.Identity(), prune.Identity()
    first._tensor_name, second._tensor_name = "weight", "bias"
    box = prune.PruningContainer([first])
    with pytest.raises(ValueError, match=r"prunes 'weight'.*Identity prunes 'bias'"):
        box.add_pruning_method(second)
    assert list(box) == [first]


def test_unknown_pruning_type() -> None:
    class Odd(prune.Identity):
        PRUNING_TYPE = "odd"

    m = nn.Linear(2, 2)
    Odd.apply(m, "weight")
    with pytest.raises(ValueError, match=r"Odd\.PRUNING_TYPE.*found 'odd'"):
        Odd.apply(m, "weight")
