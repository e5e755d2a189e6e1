"""The wheel of torchvision that PyPI has is compiled for PyTorch with CUDA. Beside a PyTorch without it, the reference of
these tests, its extension loads once the symbols that it asks of PyTorch's CUDA libraries are there: none of them is
called on the CPU.
"""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import os
import subprocess
import tempfile

_LIBRARIES = ("libc10_cuda.so", "libtorch_cuda.so")


def _wanted(extension: str) -> set[str]:
    """The names below c10::cuda and at::cuda that a library needs and does not define."""
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", extension], capture_output=True, text=True, check=True
    ).stdout.split()
    return {name for name in listed if name.startswith(("_ZN3c104cuda", "_ZNK3c104cuda", "_ZN2at4cuda"))}


def prepare() -> None:
    """Let torchvision's extensions load beside PyTorch without CUDA; nothing where it has CUDA. Call it before
    `import torchvision`.
    """
    import torch

    spec = importlib.util.find_spec("torchvision")
    if torch.version.cuda is not None or spec is None or spec.origin is None:
        return
    folder = os.path.dirname(spec.origin)
    runtimes = glob.glob(os.path.join(folder + ".libs", "libcudart*"))
    extensions = [
        path for path in (os.path.join(folder, name) for name in ("_C.so", "image.so")) if os.path.exists(path)
    ]
    names = set().union(*map(_wanted, extensions))
    if not runtimes or not names:  # a wheel without CUDA
        return
    for runtime in runtimes:
        ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
    with tempfile.TemporaryDirectory() as where:
        source = os.path.join(where, "absent.c")
        with open(source, "w") as f:
            f.write("#include <stdlib.h>\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name in sorted(names)))
        count = "_ZN3c104cuda12device_countEv"
        with open(source) as f:
            text = f.read().replace(f"void {count}(void) {{ abort(); }}", f"signed char {count}(void) {{ return 0; }}")
        with open(source, "w") as f:
            f.write(text)
        for library in _LIBRARIES:
            made = os.path.join(where, library)
            subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{library}", "-o", made, source], check=True)
            ctypes.CDLL(made, mode=ctypes.RTLD_GLOBAL)
