"""The random numbers that a DataLoader draws, and those that are left after it, are PyTorch's: batches of three epochs,
with and without workers.
"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
KINDS = ("plain", "shuffle", "generator", "both", "sampler", "eager", "weighted")


def loader(library: Any, kind: str, workers: int, persistent: bool) -> Any:
    data = library.utils.data

    class Eager(data.Sampler):
        """Draws when it is asked for an iterator."""

        def __len__(self) -> int:
            return 3

        def __iter__(self) -> Any:
            return iter([library.randperm(6).tolist()[:2] for _ in range(3)])

    options: dict[str, Any] = {"batch_size": 2}
    if kind in ("shuffle", "both"):
        options["shuffle"] = True
    if kind in ("generator", "both"):
        options["generator"] = library.Generator().manual_seed(1)
    if kind == "sampler":
        options["sampler"] = data.RandomSampler(range(6))
    if kind == "weighted":
        options["sampler"] = data.WeightedRandomSampler([1.0, 2.0, 3.0, 1.0, 1.0, 1.0], 6)
    if kind == "eager":
        options = {"batch_sampler": Eager()}
    return data.DataLoader(list(range(6)), num_workers=workers, persistent_workers=persistent, **options)


def draws(library: Any, kind: str, workers: int, persistent: bool) -> list[Any]:
    library.manual_seed(0)
    made = loader(library, kind, workers, persistent)
    found: list[Any] = []
    for _ in range(3):
        found.append([b.tolist() for b in made])
        state = library.get_rng_state()
        found.append(library.rand(1).item())
        library.set_rng_state(state)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_batches_and_what_is_left(kind: str) -> None:
    for workers, persistent in ((0, False), (1, False), (1, True)):
        assert draws(rushlight, kind, workers, persistent) == draws(torch, kind, workers, persistent), (
            workers,
            persistent,
        )


def test_nothing_to_choose_from() -> None:
    for library in (torch, rushlight):
        for make in (library.utils.data.RandomSampler, lambda d, m=library: m.utils.data.DataLoader(d, shuffle=True)):
            with pytest.raises(ValueError):
                make([])
