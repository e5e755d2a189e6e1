"""Run several runs of the harness in one go, operator by operator, so that PyTorch is imported once, an operator's
samples are made once, and what rushlight has compiled for one run is there for the next.

    python tests/conformance/together.py OPDB OPDERIV RUNS.json OUT.json

RUNS.json: {mark: options} of runs of the first harness; "derivatives" is one of the second. Each row of OUT.json has
its "mark". ratchet.py runs this.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DERIVATIVES = "derivatives"
SECONDS = 600.0  # for all the rows of an operator


def load(path: str) -> Any:
    """A harness as the module of its name."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[Path(path).stem] = module
    spec.loader.exec_module(module)
    return module


def remembered(make: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """Samples that are made once for a dtype: every run seeds the generators in the same way, and copies them."""
    made: dict[Any, list[Any]] = {}

    def samples(device: str, dtype: Any, requires_grad: bool = False, **rest: Any) -> Iterator[Any]:
        if rest:
            return iter(make(device, dtype, requires_grad, **rest))
        if (dtype, requires_grad) not in made:
            made[dtype, requires_grad] = list(make(device, dtype, requires_grad))
        return iter(made[dtype, requires_grad])

    return samples


def main() -> None:
    opdb = load(sys.argv[1])
    opderiv = load(sys.argv[2])
    runs = {
        mark: ["--module", "rushlight", *options] for mark, options in json.loads(Path(sys.argv[3]).read_text()).items()
    }
    options: dict[str, argparse.Namespace] = {}
    tasks: dict[int, list[tuple[str, Any, bool]]] = {}  # of an operator: the run, the dtype, with gradients
    run_task = opdb.run_task
    for mark, given in runs.items():
        harness = opderiv if mark == DERIVATIVES else opdb
        options[mark] = harness.parse(given)
        for i, dtype, grad in harness.plan(options[mark])[0]:
            tasks.setdefault(i, []).append((mark, dtype, grad))

    def run_operator(ref: Any, tgt: Any, op: Any, number: str, _: bool, opts: Any) -> dict[str, Any]:
        op.sample_inputs = remembered(op.sample_inputs)
        rows = []
        for mark, dtype, grad in tasks[int(number)]:
            run = opderiv.run_task if mark == DERIVATIVES else run_task
            rows.append({**run(ref, tgt, op, dtype, grad, options[mark]), "mark": mark})
        del op.sample_inputs
        return {"rows": rows, "status": "done"}

    opdb.run_task = run_operator
    # the operators with most rows first, so that no worker ends with a long one alone
    order = sorted(tasks, key=lambda i: -len(tasks[i]))
    opts = argparse.Namespace(**{**vars(options[next(iter(options))]), "timeout": SECONDS})
    rows: list[dict[str, Any]] = []
    for found in opdb.run([(i, str(i), False) for i in order], opts):
        if "rows" in found:
            rows += found["rows"]
        else:  # the process ended, or hung
            rows.append({**found, "dtype": "-", "mark": ""})
    Path(sys.argv[4]).write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
