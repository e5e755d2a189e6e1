"""The operator table: every public operator, one short Python function each, one file a family."""

from __future__ import annotations

from importlib import import_module

# Order matters only where a family calls another at import time; bodies look their operators up when they run.
FAMILIES = (
    "arithmetic",
    "math",
    "special",
    "special_scipy",
    "comparison",
    "complex",
    "reduction",
    "scan",
    "sorting",
    "scatter",
    "indexing",
    "creation",
    "sequences",
    "view",
    "shape",
    "join",
    "calculus",
    "copying",
    "interop",
    "info",
    "getitem",
    "matmul",
    "layouts",
    "contraction",
    "distance",
    "activation",
    "random",
    "random_samplers",
    "random_implicit",
    "normalization",
    "loss",
    "classification",
    "alignment",
    "convolution",
    "padding",
    "resampling",
    "pooling",
    "embedding",
    "dropout",
    "attention",
    "plain_names",
    "memory",
    "foreach",
    "checking",
    "fft",
    "fft_trig",
    "signal_windows",
    "signal_stft",
    "masked",
    "linalg_solvers",
    "linalg_factors",
    "linalg_spectra",
    "linalg_norms",
    "linalg_products",
    "linalg_iterative",
)


def load() -> None:
    """Read the whole table; attaches the methods to Tensor."""
    from importlib.util import find_spec

    from rushlight.operators import _dispatch, _signature  # noqa: F401  the slow road and the hooks of the core

    for family in FAMILIES:
        if find_spec(f"rushlight.operators.{family}") is None:
            continue
        import_module(f"rushlight.operators.{family}")
    # Python functions of PyTorch's outside of nn.functional, which adds its own.
    from rushlight.operators._define import TABLE

    _dispatch.handed_whole.update(
        TABLE[name] for name in "lobpcg norm pca_lowrank split stft svd_lowrank unique unique_consecutive".split()
    )
    from rushlight.operators import _numpy  # noqa: F401  NumPy's functions on tensors
