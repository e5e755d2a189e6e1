"""First and second derivatives of every operator, with forbidden pages behind every block of memory: a backward may
take the memory of what it is done with, and of nothing else.

    python tests/system/derivatives.py [SEED]
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import warnings
from contextlib import suppress
from pathlib import Path

from workers import drive, note

ROOT = Path(__file__).resolve().parents[2]
OPERATORS_A_WORKER = 120  # memory that was freed under guard is never used again
SAMPLES = 2


def do(end: int, seed: int, first: int, log: int) -> None:
    """The operators first ... end - 1, by name."""
    sys.path.insert(0, str(ROOT / "tests" / "operators"))
    from checks import Function, chosen, float_dtypes
    from support import find, gradients

    from rushlight.testing.samples import REGISTRY, load

    load()
    names = sorted(n for n, spec in REGISTRY.items() if spec.grad)
    fine = 0
    for i in range(first, min(end, len(names))):
        note(log, i, fine, 0)
        spec, made = REGISTRY[names[i]], 0
        random.seed(seed)
        fn = find(spec.name)
        for dtype in float_dtypes(spec)[:1]:
            for sample in chosen(spec, dtype, SAMPLES):
                f = Function(spec.through(fn) if spec.through else fn, sample)
                leaves, outputs = f.run()
                if not any(o.requires_grad for o in outputs):
                    continue
                weights, directions = f.directions(outputs), f.directions(leaves)
                with suppress(NotImplementedError):  # of a derivative that there is not, by name
                    once = gradients(outputs, weights, leaves, create_graph=True)
                    at = [k for k, g in enumerate(once) if g is not None and g.requires_grad]
                    if at:
                        gradients([once[k] for k in at], [directions[k] for k in at], leaves)
                    made += 1
        fine += made > 0
    note(log, end, fine, 0)


def count() -> int:
    from rushlight.testing.samples import REGISTRY, load

    load()
    return sum(1 for spec in REGISTRY.values() if spec.grad)


def main() -> int:
    if "--worker" in sys.argv:
        faulthandler.enable()
        warnings.simplefilter("ignore")
        end, seed, first = map(int, sys.argv[1:4])
        do(end, seed, first, int(sys.argv[5]))
        return 0
    env = {
        **os.environ,
        "RUSHLIGHT_GUARD": "end",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    }
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    return drive(__file__, "operator", 0, count(), seed, OPERATORS_A_WORKER, env, "differentiated twice")


if __name__ == "__main__":
    sys.exit(main())
