"""Floating formats of 8 bits, described by numbers: all that it takes to store, convert and print such a dtype, and to
tell its limits.

The compiler writes a format's conversions from these fields (`compiler/vecmath/minifloat.py`); the core reads and
writes single elements by `decode` and `encode`. Sources: Micikevicius et al., "FP8 formats for deep learning" (2022),
e4m3fn and e5m2; Noune et al., "8-bit numerical formats for deep neural networks" (2022), the two without a negative
zero; OCP Microscaling (MX) specification 1.0 (2023), e8m0fnu.
"""

# Annotations are not postponed here: a NamedTuple compiles those that are text, which costs more than the rest of it.
import math
from typing import NamedTuple

__all__ = ["Format"]


class Format(NamedTuple):
    """A floating format of 8 bits.

    exponent, mantissa: bits of the fields; bias: of the exponent. largest: the code of the greatest number. nan: the
    code that a NaN becomes; of codes with a sign, all whose magnitude is past that of infinity (where there is one) or
    of the greatest number are NaN.
    beyond: the code of a number past the range, infinities included. signed: whether the first bit is a sign.
    negative_zero: whether there is a -0; where there is none, its code is the one NaN, and NaN and what is past the
    range have no sign. parts: how many numbers a byte holds. Where it holds more than one, no number is read or
    written, only bytes are moved; the one exception is zero, whose bytes are zero. Without a mantissa there is no zero
    either: every code is a power of two, and halfway cases go up (MX's scales).
    """

    exponent: int
    mantissa: int
    bias: int
    largest: int
    beyond: int
    nan: int
    signed: bool = True
    negative_zero: bool = True
    parts: int = 1

    @property
    def eps(self) -> float:
        return 2.0**-self.mantissa

    @property
    def max(self) -> float:
        return self.decode(self.largest)

    @property
    def min(self) -> float:
        return -self.max if self.signed else self.decode(0)

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias) if self.mantissa else self.decode(0)

    @property
    def smallest_subnormal(self) -> float:
        return 2.0 ** (1 - self.bias - self.mantissa) if self.mantissa else self.decode(0)

    def holds(self, x: float) -> bool:
        """Whether a number is one of the format; a zero counts where the least number stands for it."""
        if self.parts > 1:
            return x == 0
        return self.decode(self.encode(x)) == (x or self.decode(0))

    def decode(self, code: int) -> float:
        """The number of a code. NotImplementedError: it holds several."""
        if self.parts > 1:
            raise NotImplementedError(
                f"a byte of {self.parts} numbers is not read as one; .view(torch.uint8) has the bytes"
            )
        magnitude, sign = code & 0x7F if self.signed else code, -1.0 if self.signed and code >> 7 else 1.0
        if (
            not self.negative_zero
            and self.signed
            and code == 0x80
            or magnitude > max(self.largest, self.beyond if self.beyond != self.nan else 0)
        ):
            return math.copysign(math.nan, sign if self.negative_zero else 1.0)
        if magnitude > self.largest:
            return sign * math.inf
        if not self.mantissa:
            return 2.0 ** (magnitude - self.bias)
        e, m = magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1)
        fraction = m / (1 << self.mantissa)
        return sign * ((1.0 + fraction) * 2.0 ** (e - self.bias) if e else fraction * 2.0 ** (1 - self.bias))

    def encode(self, x: float) -> int:
        """The code of a number: rounded to float32 first, as every conversion is, then to nearest even.
        NotImplementedError: it would hold several, and is not zero.
        """
        import struct

        if self.parts > 1:
            if x != 0:
                raise NotImplementedError(
                    f"a byte of {self.parts} numbers is not written as one; .view(torch.uint8) has the bytes"
                )
            return 0
        try:
            x = struct.unpack("f", struct.pack("f", x))[0]
        except OverflowError:
            x = math.copysign(math.inf, x)
        sign = 0x80 if self.signed and math.copysign(1.0, x) < 0 else 0
        if math.isnan(x):
            return self.nan | (sign if self.negative_zero else 0)
        x = abs(x)
        if not self.mantissa:
            if math.isinf(x):
                return self.beyond
            if x < 2.0 ** (1 - self.bias):  # (no normal float32)
                return int(x > 2.0**-self.bias)
            significand, e = math.frexp(x)  # in [0.5, 1)
            return min(e - 1 + (significand >= 0.75) + self.bias, self.beyond)
        if math.isinf(x):
            return self.beyond | (sign if self.negative_zero else 0)
        e = max(math.frexp(x)[1] - 1, 1 - self.bias) if x else 1 - self.bias
        # (Python rounds to even; a carry is the next exponent)
        code = round(x / 2.0 ** (e - self.mantissa)) + ((e - 1 + self.bias) << self.mantissa)
        if code > self.largest:
            code = self.beyond
        elif code == 0 and not self.negative_zero:
            return 0
        return code | (sign if self.negative_zero or code != self.nan else 0)
