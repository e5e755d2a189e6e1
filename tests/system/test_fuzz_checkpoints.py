"""Checkpoints made by a grammar (fuzz_checkpoints.py), and that the fuzz sees what it looks for."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path

import fuzz_checkpoints
import fuzz_files
import pytest

import rushlight as rl
from processes import printed

# RUSHLIGHT_FUZZ_FILES=100000 is the full measure (some 20 minutes a core).
FILES = int(os.environ.get("RUSHLIGHT_FUZZ_FILES", "1000"))
PROCESSES = 2


@pytest.mark.parametrize("seed", range(PROCESSES))
def test_files_of_a_grammar(seed: int) -> None:
    script = Path(__file__).parent / "fuzz_checkpoints.py"
    fine = int(printed(script, FILES // PROCESSES, seed, timeout=FILES).split(" loaded")[0].split()[-1])
    assert fine >= FILES // PROCESSES // 3, f"only {fine} files were loaded: too few to tell anything"


def test_files_are_repeatable() -> None:
    for k in range(30):
        assert fuzz_files.draw(random.Random(k)) == fuzz_files.draw(random.Random(k))


def test_what_is_no_answer_to_a_bad_file() -> None:
    verdict = fuzz_checkpoints.verdict
    assert (
        verdict(pickle.UnpicklingError("data.pkl: no mark")) is None
        and verdict(RuntimeError("member data/0 is short")) is None
    )
    assert (
        verdict(KeyError("data.pkl"))
        and verdict(RuntimeError("something"))
        and verdict(RuntimeError("data.pkl" * 1000))
        and verdict(MemoryError())
    )


def test_a_tensor_beside_its_storage_is_seen() -> None:
    from rushlight.core import raw, storage

    x = rl.ones(16)
    assert fuzz_checkpoints.misplaced(x[3:]) is None
    outside = storage.storage_from_external(x.data_ptr(), 64, x)
    t = raw.tensor_from_storage(outside, rl.float32, 0, (16,), (1,))
    assert fuzz_checkpoints.misplaced(t) is None

    class Odd:
        shape, is_meta, itemsize = (17,), False, 4
        stride, storage_offset, data_ptr, untyped_storage = t.stride, t.storage_offset, t.data_ptr, t.untyped_storage

    assert fuzz_checkpoints.misplaced(Odd())
