"""The operator table: every public operator, one short Python function each, one file per family, one folder per
subject."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core import locks
from rushlight.core.upcalls import upcalls

# Order matters only where a family calls another at import time; bodies look their operators up when they run.
FAMILIES = (
    "elementwise.arithmetic",
    "elementwise.math",
    "elementwise.special",
    "elementwise.special_scipy",
    "elementwise.comparison",
    "elementwise.complex",
    "reductions.reduction",
    "reductions.scan",
    "reductions.sorting",
    "reductions.histograms",
    "indexing.scatter",
    "indexing.formats",
    "indexing.gather",
    "creation.creation",
    "creation.sequences",
    "shapes.view",
    "shapes.shape",
    "shapes.join",
    "reductions.calculus",
    "creation.copying",
    "tensors.interop",
    "tensors.info",
    "indexing.getitem",
    "linalg.matmul",
    "shapes.layouts",
    "linalg.contraction",
    "linalg.distance",
    "nn.activation",
    "random.random",
    "random.samplers",
    "random.implicit",
    "nn.normalization",
    "nn.loss",
    "nn.classification",
    "nn.alignment",
    "nn.convolution",
    "nn.padding",
    "nn.resampling",
    "nn.pooling",
    "nn.unpooling",
    "nn.quantization",
    "nn.embedding",
    "nn.dropout",
    "nn.attention",
    "nn.recurrent",
    "nn.native",
    "tensors.memory",
    "tensors.foreach",
    "tensors.checking",
    "tensors.refusals",
    "signal.fft",
    "signal.fft_trig",
    "signal.windows",
    "signal.stft",
    "reductions.masked",
    "linalg.solvers",
    "linalg.factors",
    "linalg.spectra",
    "linalg.norms",
    "linalg.products",
    "linalg.iterative",
)

# Families that a program reaches by loading an extension, which `library/extensions.py` is handed.
OF_EXTENSIONS = ("vision.regions", "vision.boxes", "vision.deformable")

# Upcalls that lead to modules of `table` which are loaded only then.
SUPPLIED = {"miss": "trace", "compile_backward": "compile", "backward_operator": "compile", "signature": "signature"}


def _at_first_use(call: str, module: str) -> Callable[..., Any]:
    """An upcall that loads the module that fills it in, and then calls it."""

    def loading(*args: Any) -> Any:
        with locks.tracing:  # a fork waits: in its child the lock of a module that is half loaded would stay taken
            import_module(module)
        return getattr(upcalls, call)(*args)

    return loading


def load() -> None:
    """Read the whole table; attaches the methods to Tensor."""
    # The slow path and the hooks of the core.
    from rushlight.operators.table import dispatch

    for call, module in SUPPLIED.items():
        setattr(upcalls, call, _at_first_use(call, f"rushlight.operators.table.{module}"))
    with locks.no_collections():
        for family in FAMILIES:
            import_module(f"rushlight.operators.{family}")
        # The objects made so far stay, so they join the oldest generation at once: the next collection would visit them
        # all first, for 3 % of an import. (Objects that a program has frozen before must stay frozen.)
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
    # Python functions of PyTorch's outside of nn.functional, which adds its own.
    from rushlight.operators.table.define import TABLE

    dispatch.handed_whole.update(
        TABLE[name] for name in "lobpcg norm pca_lowrank split stft svd_lowrank unique unique_consecutive".split()
    )
    from rushlight.operators.tensors import _numpy  # noqa: F401  NumPy's functions on tensors


def load_families_of_extensions() -> None:
    """Read the rest of the table, which programs that load no extension do not need."""
    for family in OF_EXTENSIONS:
        import_module(f"rushlight.operators.{family}")
