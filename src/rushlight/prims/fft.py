"""Fourier, cosine and sine transforms along dimensions: linear maps that a library's routine applies.

With N the product of the transformed sizes, every result is divided by N ** (scale / 2), scale in 0, 1, 2. A
transform's transpose is another member of the family, so derivatives and transposes of any order stay within it.
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.core.dtypes import complex_of, int64
from rushlight.prims.base import check, check_dims, full, only, p, register
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int


class Transform(Primitive):
    """Base of the transforms: x -> A x along `dims`, so the tangent is the transform of the tangent."""

    apart = "each element of the result depends on a whole row"
    kind, shape_class = "library", "transform"
    linear = (0,)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        ct, (x,) = only(cts), inputs
        return [self.adjoint(ct, x.shape, x.dtype.kind == "c", **params)]

    def adjoint(self, ct: Var, shape: Shape, is_complex: bool, **params: Any) -> Var:
        """The conjugate transpose applied to a cotangent; `shape` and `is_complex` are the operand's."""
        raise NotImplementedError(f"{self.name}: no transpose rule")

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        at = dims[0]
        assert at is not None
        # The routine takes any strides: the batch stays where it is.
        moved = tuple(d + (d >= at) for d in params["dims"])
        return [self(inputs[0], **{**params, "dims": moved})], [at]

    def check_operand(self, x: Var, kinds: str, dims: tuple[int, ...], scale: int) -> None:
        check(
            x.dtype.kind in kinds and x.dtype.itemsize >= 4, self, lambda: f"not defined for {x.dtype.name}", TypeError
        )
        check(len(dims) > 0, self, "expected at least one dimension")
        check_dims(self, dims, x.ndim)
        check(scale in (0, 1, 2), self, lambda: f"expected scale to be 0, 1 or 2; found {scale}")


def _sized(shape: Shape, dim: int, n: Int) -> Shape:
    return tuple(n if d == dim else s for d, s in enumerate(shape))


def _weighted(x: Var, dim: int, places: Iterable[Int], at: float, elsewhere: float) -> Var:
    """x with its slices at `places` along `dim` times `at`, the others times `elsewhere`."""
    real = x.dtype.to_real()
    k = p.iota(shape=x.shape, dim=dim, dtype=int64)
    there: Var | None = None
    for place in places:
        here = p.eq(k, full(x.shape, place, int64))
        there = here if there is None else p.or_(there, here)
    assert there is not None
    w = p.select(there, full(x.shape, at, real), full(x.shape, elsewhere, real))
    return p.complex(p.mul(p.real(x), w), p.mul(p.imag(x), w)) if x.dtype.kind == "c" else p.mul(x, w)


def _ends_weighted(x: Var, dim: int, n: Int, at: float, elsewhere: float) -> Var:
    """The half spectrum x of a real signal of size n, its entries that have no mirror image (0, and n / 2 of an even n)
    weighted by `at`, the others by `elsewhere`."""
    k = p.iota(shape=x.shape, dim=dim, dtype=int64)
    alone = p.or_(p.eq(k, full(x.shape, 0, int64)), p.eq(p.add(k, k), full(x.shape, n, int64)))
    real = x.dtype.to_real()
    w = p.select(alone, full(x.shape, at, real), full(x.shape, elsewhere, real))
    return p.complex(p.mul(p.real(x), w), p.mul(p.imag(x), w))


class Fft(Transform):
    """fft(x; dims, inverse, scale): y[k] = sum_j x[j] exp(-2 pi i j k / n) along each of `dims`, + when inverse. x real
    or complex.
    """

    name = "fft"

    def shape(self, *inputs: Var, dims: tuple[int, ...], inverse: bool, scale: int) -> ShapeRule:
        (x,) = inputs
        self.check_operand(x, "fc", dims, scale)
        return [(x.shape, x.dtype if x.dtype.kind == "c" else complex_of(x.dtype))]

    def adjoint(
        self, ct: Var, shape: Shape, is_complex: bool, *, dims: tuple[int, ...], inverse: bool, scale: int
    ) -> Var:
        g = p.fft(ct, dims=dims, inverse=not inverse, scale=scale)
        return g if is_complex else p.real(g)


class Rfft(Transform):
    """rfft(x; dims, inverse, scale): fft of a real x, of the last of `dims` the first n // 2 + 1 entries alone."""

    name = "rfft"

    def shape(self, *inputs: Var, dims: tuple[int, ...], inverse: bool, scale: int) -> ShapeRule:
        (x,) = inputs
        self.check_operand(x, "f", dims, scale)
        return [(_sized(x.shape, dims[-1], x.shape[dims[-1]] // 2 + 1), complex_of(x.dtype))]

    def adjoint(
        self, ct: Var, shape: Shape, is_complex: bool, *, dims: tuple[int, ...], inverse: bool, scale: int
    ) -> Var:
        # irfft counts every entry but the ends twice (itself and its mirror image); the transpose counts each once.
        n = shape[dims[-1]]
        return p.irfft(_ends_weighted(ct, dims[-1], n, 1.0, 0.5), dims=dims, size=n, inverse=not inverse, scale=scale)


class Irfft(Transform):
    """irfft(x; dims, size, inverse, scale): the real result of size `size` along the last of `dims` from half a
    spectrum.

    The other half is taken to be the mirror image. Imaginary parts that such symmetry excludes (those at the ends) have
    no effect.
    """

    name = "irfft"

    def shape(self, *inputs: Var, dims: tuple[int, ...], size: Int, inverse: bool, scale: int) -> ShapeRule:
        (x,) = inputs
        self.check_operand(x, "c", dims, scale)
        check(
            x.shape[dims[-1]] == size // 2 + 1,
            self,
            lambda: f"expected {size // 2 + 1} entries for a result of size {size}; found {x}",
        )
        return [(_sized(x.shape, dims[-1], size), x.dtype.to_real())]

    def adjoint(
        self, ct: Var, shape: Shape, is_complex: bool, *, dims: tuple[int, ...], size: Int, inverse: bool, scale: int
    ) -> Var:
        return _ends_weighted(p.rfft(ct, dims=dims, inverse=not inverse, scale=scale), dims[-1], size, 1.0, 2.0)


class Trig(Transform):
    """trig(x; dims, sine, type, scale): the discrete cosine (or sine) transform of type 1 to 4, as SciPy defines it.

    N is the product of 2 (n - 1) for cosine type 1, 2 (n + 1) for sine type 1, else 2 n. With scale 1 the transform is
    made orthogonal as well: the entries at the ends are weighted by powers of sqrt(2).
    """

    name = "trig"

    def shape(self, *inputs: Var, dims: tuple[int, ...], sine: bool, type: int, scale: int) -> ShapeRule:
        (x,) = inputs
        self.check_operand(x, "f", dims, scale)
        check(type in (1, 2, 3, 4), self, lambda: f"expected type 1, 2, 3 or 4; found {type}")
        return [(x.shape, x.dtype)]

    def adjoint(
        self, ct: Var, shape: Shape, is_complex: bool, *, dims: tuple[int, ...], sine: bool, type: int, scale: int
    ) -> Var:
        back = {2: 3, 3: 2}.get(type, type)

        def apply(x: Var) -> Var:
            return p.trig(x, dims=dims, sine=sine, type=back, scale=scale)

        if scale == 1 or type == 4 or (sine and type == 1):
            return apply(ct)  # orthogonal, or symmetric
        if type == 1:
            # y[k] = x[0] + (-1)^k x[n - 1] + 2 sum of the others: A diag(1, 2, ..., 2, 1) with a symmetric A.
            for d in dims:
                ct = _weighted(ct, d, (0, shape[d] - 1), 2.0, 1.0)
            ct = apply(ct)
            for d in dims:
                ct = _weighted(ct, d, (0, shape[d] - 1), 0.5, 1.0)
            return ct
        # Type 2 is 2 B^T where type 3 is B diag(1, 2, ..., 2), the 1 first for cosines and last for sines.
        ct = ct if type == 2 else apply(ct)
        for d in dims:
            ct = _weighted(ct, d, (shape[d] - 1 if sine else 0,), 2.0 if type == 2 else 0.5, 1.0)
        return apply(ct) if type == 2 else ct


fft, rfft, irfft, trig = register(Fft()), register(Rfft()), register(Irfft()), register(Trig())
