"""What a primitive costs per element: the one place that says what is cheap and what is expensive."""

# Annotations are not postponed here: a NamedTuple compiles those that are text, which costs more than the rest of it.
from typing import NamedTuple


class Cost(NamedTuple):
    """ns: roughly, on one core, for the core to decide how many threads a launch is worth.

    once: computing it again, for each element of other dims or in a second sweep, costs more than keeping it. called:
    its code is too long to be written into each kernel, so it is a function that kernels call. (pow, and the functions
    of
    complex numbers, are as much code, but were slower when called: they are computed in groups of vectors, which are
    more than a call can pass in registers.)
    """

    ns: float
    once: bool = False
    called: bool = False

    @property
    def cheap(self) -> bool:
        """Whether it is an instruction or two."""
        return self.ns <= 0.02


CHEAP = Cost(0.02)
DIVISION = Cost(0.15)  # a division or a root: many cycles, but no code
SOME = Cost(0.3)
GATHER = Cost(1.0)
FUNCTION = Cost(0.3, once=True)
POWER = Cost(0.8, once=True)
RANDOM = Cost(1.0, once=True)
REMAINDER = Cost(1.5, once=True)
CALLED = Cost(0.3, once=True, called=True)
GAMMA = Cost(2.0, once=True, called=True)
