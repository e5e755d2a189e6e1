"""How the library is built (`show`) and how many threads it uses (`parallel_info`), as texts."""

from __future__ import annotations

import platform
import sys

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Versions, the processor's features that kernels are made for, and the libraries."""
    import rushlight
    from rushlight.utils.collect_env import library_versions, processor

    name, features = processor()
    lines = [
        f"rushlight built with Python {platform.python_version()} on {sys.platform}-{platform.machine()}",
        f"  - follows PyTorch {rushlight.version.__version__}",
        f"  - CPU: {name}",
        f"  - CPU features: {features}",
        "  - CUDA: none",
        *(f"  - {package}: {found}" for package, found in library_versions().items()),
    ]
    return "\n".join(lines) + "\n"


def parallel_info() -> str:
    """The number of threads in the pool that all operators share, and where that number comes from."""
    import os

    import rushlight

    return (
        f"threads of the pool: {rushlight.get_num_threads()}\n"
        f"processors that this process may use: {len(os.sched_getaffinity(0))}\n"
        f"OMP_NUM_THREADS: {os.environ.get('OMP_NUM_THREADS', '[not set]')}\n"
        "OpenBLAS: one thread; products are divided over the pool\n"
    )
