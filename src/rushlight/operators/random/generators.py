"""Generators of random numbers: streams of words, seeds and states.

The stream is PyTorch's: the words of the Mersenne Twister of a seed's low 32 bits, so that a seed gives its numbers.
`Generator(kind="philox")` draws from a counter instead: word i is a function of the seed and i alone (Philox4x32-10,
see prims/source.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core.draw import Stream, set_counter_words
from rushlight.core.raw import read_bytes
from rushlight.core.tensor import Tensor, device
from rushlight.operators.creation.placement import place
from rushlight.operators.table.define import FUNCTIONS, METHODS, function, operator
from rushlight.operators.table.tracer import P, attended
from rushlight.operators.table.types import Device, Int, Number, Random

KINDS = ("mt19937", "philox")
# A state as PyTorch saves it, little-endian: the seed; how many words are left until the next are made; whether it was
# seeded; the next word's place; the words, 8 bytes each; then the first and second of two normal numbers, a number not
# used, whether the second is kept; and 8 bytes for float32, not used.
_STATE = "<QiiQ624Qdddii8s"


class noted(attended):
    """Inside, draws of a function that is being traced are not made: `by.drawn(draw, said, size, dtype)` gives a tensor
    of the trace that stands for the numbers, and `by.lies(t)` a tensor without memory that has the strides that `t`
    will have. draw: makes the numbers, from a size of plain ints; said: distinguishes this draw from others.
    """

    @staticmethod
    def draw(
        name: str,
        draw: Callable[[tuple[int, ...]], Tensor],
        said: Any,
        size: Sequence[Any],
        dtype: dt.dtype,
        order: Sequence[int] | None = None,
    ) -> Tensor:
        """The tensor that stands for what an operator draws, in memory with its dimensions in this order.

        Raises:
            RuntimeError: nobody takes note.
        """
        if noted.by is None:
            raise RuntimeError(
                f"{name}(): random numbers cannot be drawn while an operator is traced; draw them before, and give "
                "them to the operator"
            )
        if order is None or list(order) == list(range(len(size))):
            return noted.by.drawn(draw, (name, said), tuple(size), dtype)  # type: ignore[no-any-return]
        drawn = noted.by.drawn(draw, (name, said), tuple([size[d] for d in order]), dtype)
        back = [list(order).index(d) for d in range(len(size))]
        return METHODS["permute"](drawn, back)

    @staticmethod
    def lies(t: Tensor) -> Tensor:
        """A tensor that lies as `t` does."""
        return t if noted.by is None else noted.by.lies(t)


locks.tracing.keeps(noted, "by")


@operator(name="random_words", register=False)
def _counter_words(n: Int, seed: Number, offset: Number) -> Tensor:
    """n words of a counter: element i of (seed, offset + i)."""
    return P.random_bits(seed, offset, shape=(n,), dtype=dt.uint32)


set_counter_words(_counter_words)


@function
class Generator(Stream):
    """A stream of random numbers.

    Args:
        device: "cpu".
        kind: "mt19937", whose numbers are PyTorch's for the same seed, or "philox", a counter.
    """

    _seed: int
    _offset: int  # words taken; of a stream that counts them

    def __init__(self, device: Device = "cpu", *, kind: str = "mt19937") -> None:
        if kind not in KINDS:
            raise ValueError(f"Generator(): 'kind' must be one of {', '.join(KINDS)}; found {kind!r}")
        self._device = place("Generator", device)
        self.counter = kind == "philox"
        self.restart(67280421310721)

    @property
    def kind(self) -> str:
        """ "mt19937" or "philox"."""
        return KINDS[self.counter]

    @property
    def device(self) -> device:
        """The device that numbers are drawn on."""
        return self._device

    def get_offset(self) -> int:
        """How many words have been taken, of a generator of kind "philox"."""
        self._counter_only("get_offset")
        return self._offset

    def set_offset(self, offset: int) -> None:
        """Go to a place of the stream, of a generator of kind "philox": the number of words taken, in [0, 2**64)."""
        self._counter_only("set_offset")
        if not 0 <= offset < 1 << 64:
            raise RuntimeError(f"set_offset(): 'offset' must be in [0, 2**64); found {offset}")
        self._offset = offset

    def _counter_only(self, name: str) -> None:
        if not self.counter:
            raise RuntimeError(
                f"{name}(): the stream of a CPU generator has no offset to ask for or to set; make it with "
                "kind='philox'"
            )

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of `seed`, an integer in [-2**63, 2**64); returns the generator."""
        seed = int(seed)
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError(f"manual_seed(): 'seed' must be in [-2**63, 2**64), to fit into 64 bits; found {seed}")
        self.restart(seed & 0xFFFFFFFFFFFFFFFF)
        return self

    def seed(self) -> int:
        """Start the stream of a seed that the operating system supplies, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 11)
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the stream."""
        return self._seed

    def _state(self) -> bytes:
        import struct

        if self.counter:
            return struct.pack("<QQ", self._seed, self._offset)
        words, used, fresh, kept = self.twister_state()
        return struct.pack(
            _STATE,
            self._seed,
            625 - used,
            1,
            0 if fresh else used,
            *struct.unpack("<624I", words),
            0.0,
            kept or 0.0,
            0.0,
            kept is not None,
            0,
            b"",
        )

    def _go_to(self, raw: bytes) -> None:
        import struct

        if self.counter:
            self._seed, self._offset = struct.unpack("<QQ", raw)
            return
        seed, left, seeded, place, *words = struct.unpack(_STATE, raw)
        words, (_, normal, _, kept, *_) = words[:624], words[624:]
        if not 1 <= left <= 624 or seeded != 1 or place > 624 or (left > 1 and place != 625 - left) or max(words) >> 32:
            raise RuntimeError(
                "set_state(): 'new_state' must be a state that get_state() gives; found bytes that are none"
            )
        self._seed = seed
        self.set_twister_state(struct.pack("<624I", *words), 625 - left, place == 0, normal if kept else None)

    def snapshot(self) -> tuple[Any, ...]:
        """Where the stream is, for `restore`."""
        return self._seed, self._offset, self.twister_state()

    def restore(self, where: tuple[Any, ...]) -> None:
        """Go back to where snapshot() was taken."""
        self._seed, self._offset = where[:2]
        self.set_twister_state(*where[2])

    def get_state(self) -> Tensor:
        """The state as a tensor of bytes: the 5056 that PyTorch has, or 16 for kind "philox"."""
        from rushlight.operators.tensors.interop import frombuffer

        return frombuffer(bytearray(self._state()), dtype=dt.uint8)

    def set_state(self, new_state: Tensor) -> Generator:
        """Go back to a state that get_state returned; returns the generator.

        Raises:
            TypeError: for what is no tensor of bytes.
            RuntimeError: for bytes that are no state.
        """
        import struct

        size = 16 if self.counter else struct.calcsize(_STATE)
        if not isinstance(new_state, Tensor) or new_state.dtype is not dt.uint8 or new_state.device.type != "cpu":
            found = new_state.dtype if isinstance(new_state, Tensor) else type(new_state).__name__
            raise TypeError(
                "set_state(): 'new_state' must be a tensor of bytes (uint8) on the CPU, as get_state() gives it; "
                f"found {found}"
            )
        if new_state.numel() != size:
            raise RuntimeError(
                f"set_state(): 'new_state' must have {size} bytes, as get_state() gives them; found {new_state.numel()}"
            )
        self._go_to(read_bytes(METHODS["contiguous"](new_state)))
        return self

    def clone_state(self) -> Generator:
        """A generator in the same state."""
        new = Generator(self.device, kind=self.kind)
        new.restore(self.snapshot())
        return new

    def graphsafe_get_state(self) -> Generator:
        """A generator in the same state."""
        return self.clone_state()

    def graphsafe_set_state(self, state: Generator) -> None:
        """Go to the state of another generator of the same kind."""
        if not isinstance(state, Generator) or state.kind != self.kind:
            raise TypeError(
                f"graphsafe_set_state(): 'state' must be a Generator of kind {self.kind!r}; found "
                f"{getattr(state, 'kind', type(state).__name__)}"
            )
        self.restore(state.snapshot())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (str(self.device), self.kind, self._state())


def _rebuild(device: str, kind: str, state: bytes) -> Generator:
    new = Generator(device, kind=kind)
    new._go_to(state)
    return new


default_generator = FUNCTIONS["default_generator"] = Generator()
default_generator.seed()  # as PyTorch's: each process has numbers of its own until it asks for a seed


def generator_of(generator: Random, name: str) -> Generator:
    """The generator to draw from."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{name}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


@function
def manual_seed(seed: int) -> Generator:
    """Seed the default generator; returns it."""
    return default_generator.manual_seed(seed)


@function
def seed() -> int:
    """Seed the default generator from the operating system; returns the seed."""
    return default_generator.seed()


@function
def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


@function
def get_rng_state() -> Tensor:
    """The state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


@function
def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator."""
    default_generator.set_state(new_state)


@function
@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Within the block random numbers are drawn as usual; after it the default generator is where it was before.

    Args:
        devices: an iterable of other devices whose generators are kept: empty, for there are none.
        enabled: False: nothing is kept.
        device_type: of those devices; None is "cuda", and "meta" keeps nothing, as in PyTorch.

    Raises:
        RuntimeError: there are no devices of that name.
        AssertionError: `devices` names some.
    """
    if device(device_type or "cuda").type == "meta" or not enabled:
        yield
        return
    if devices is not None and (devices := list(devices)):
        raise AssertionError(f"{_caller}(): '{_devices_kw}' must be empty, for there are no others; found {devices!r}")
    state = default_generator.snapshot()
    try:
        yield
    finally:
        default_generator.restore(state)
