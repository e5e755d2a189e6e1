# What _native.pyx offers to Python. Buffers are given by address.
from collections.abc import Sequence

from typing_extensions import Buffer

def num_threads() -> int: ...
def set_num_threads(n: int) -> None: ...
def flush_denormal(on: bool) -> bool: ...
def guard_mode() -> str: ...
def guard_fill(byte: int) -> None: ...
def guard_fail(n: int) -> int: ...
def load_code(blob: Buffer) -> int: ...
def has_room(nbytes: int) -> bool: ...
def open_blas(path: str) -> None: ...
def blas_ready() -> bool: ...
def lapack_error() -> str: ...
def conv(
    mode: int,
    dtype: int,
    n: int,
    c_in: int,
    c_out: int,
    groups: int,
    in_sp: Sequence[int],
    out_sp: Sequence[int],
    k_sp: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    dil: Sequence[int],
    x: int,
    w: int,
    y: int,
) -> None: ...
def gemm(dtype: int, batch: int, m: int, n: int, k: int, a: int, b: int, c: int) -> None: ...
def fourier_codelet(number: int, address: int) -> None: ...
def fourier(
    kind: int,
    item: int,
    inverse: bool,
    trig: int,
    scale: float,
    real_size: int,
    sizes: tuple[int, ...],
    x: int,
    x_strides: tuple[int, ...],
    x_item: int,
    y: int,
    y_strides: tuple[int, ...],
    y_item: int,
    axes: tuple[int, ...],
    plans: tuple[int, ...],
) -> int: ...
