"""Every operator through every subsystem: the checks of checks.py over the samples beside each family."""

from __future__ import annotations

import pytest
from checks import CHECKS, GROUPS, Inapplicable, skipped
from new_values import OF_CLASSES, OF_OPERATOR
from support import find

from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.testing.samples import REGISTRY, load

load()

# Operators without samples, and why.
_RANDOM, _INTEROP = (
    "draws random numbers: test_random.py",
    "exchanges data with Python and other libraries: test_interop.py",
)
_UNINITIALIZED = "its values are whatever the memory held"
WITHOUT_SAMPLES: dict[str, str] = {
    **dict.fromkeys(
        (
            "bernoulli",
            "bernoulli_",
            "binomial",
            "cauchy_",
            "exponential_",
            "geometric_",
            "nn.functional.gumbel_softmax",
            "log_normal_",
            "multinomial",
            "normal",
            "normal_",
            "poisson",
            "rand",
            "rand_like",
            "randint",
            "randint_like",
            "randn",
            "randn_like",
            "random_",
            "randperm",
            "uniform_",
        ),
        _RANDOM,
    ),
    **dict.fromkeys(
        ("_sample_dirichlet", "_sample_von_mises", "_standard_gamma"), "draws random numbers: tests/distributions"
    ),
    "_scaled_mm": "matrices of a format of 8 bits with float32 scales: tests/parity/test_narrow_dtypes.py",
    **dict.fromkeys(("pca_lowrank", "svd_lowrank"), "draws random numbers: test_linalg.py"),
    **dict.fromkeys(
        (
            "_local_scalar_dense",
            "apply_",
            "const_data_ptr",
            "dim_order",
            "from_file",
            "is_nonzero",
            "is_pinned",
            "is_set_to",
            "is_shared",
            "map2_",
            "map_",
            "pin_memory",
            "resize",
            "resize_as",
            "share_memory_",
            "storage",
        ),
        "memory and Python objects: test_memory.py",
    ),
    **dict.fromkeys(
        ("__array__", "__dlpack__", "__dlpack_device__", "as_tensor", "new", "new_tensor", "numpy", "tensor"), _INTEROP
    ),
    **dict.fromkeys(
        (
            "empty",
            "empty_like",
            "empty_permuted",
            "empty_strided",
            "new_empty",
            "new_empty_strided",
            "resize_",
            "resize_as_",
        ),
        _UNINITIALIZED,
    ),
}


def canonical() -> dict[str, Operator]:
    """Each operator once, under its own name; in-place variants are checked with their operator."""
    found: dict[int, tuple[str, Operator]] = {}
    for name, op in {**METHODS, **TABLE}.items():
        if op.inplace or id(op) in {i for i, (n, _) in found.items() if n.rpartition(".")[2] == op.name}:
            continue
        found[id(op)] = (name, op)
    return dict(found.values())


def test_every_operator_has_samples() -> None:
    found = [find(name) for name in REGISTRY]
    known = {id(fn.op if isinstance(fn, Named) else fn) for fn in found}
    missing = sorted(
        name
        for name, op in canonical().items()
        if id(op) not in known and name not in WITHOUT_SAMPLES and op.name not in REGISTRY
    )
    assert not missing, (
        f"{len(missing)} operators have no samples in src/rushlight/operators/samples: {' '.join(missing)}"
    )


def test_samples_are_of_operators_that_exist() -> None:
    for name, spec in REGISTRY.items():
        find(name)
        unknown = set(spec.skip) - set(CHECKS) - set(GROUPS)
        assert not unknown, (
            f"{name}: skip names checks that do not exist: {sorted(unknown)}; there are {sorted(CHECKS)}"
        )
        assert all(spec.skip.values()), f"{name}: every skip needs a reason"
    stale = sorted(set(WITHOUT_SAMPLES) & set(REGISTRY))
    assert not stale, f"these have samples now: {stale}"


def test_what_stays_static_exists() -> None:
    for name, found in [*OF_OPERATOR.items(), *OF_CLASSES.items()]:
        assert name in REGISTRY, name
        known = {p.name for p in find(name).params}
        assert set(found) <= known, f"{name} has no parameter {sorted(set(found) - known)}"


@pytest.mark.parametrize("check", sorted(CHECKS))
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_operator(name: str, check: str) -> None:
    spec = REGISTRY[name]
    reason = skipped(spec, check)
    if reason is not None:
        pytest.skip(reason)
    try:
        CHECKS[check](spec)
    except Inapplicable as why:
        pytest.skip(str(why))
