"""Every operator in an exported program: it computes what the operator does, and so does the program that is saved and
read again.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.func.tree import flatten
from rushlight.testing.samples import REGISTRY, OperatorSamples, Sample, load

sys.path.insert(0, str(Path(__file__).parents[1] / "operators"))

from checks import pick
from jitted import BY_VALUES, DATA
from support import call, copy, find, flat, map_tensors, same_bits

load()

NOT_EXPORTED = {
    **dict.fromkeys(BY_VALUES, DATA),
    **dict.fromkeys(("as_strided_", "set_"), "gives a tensor other memory"),
    "lobpcg": "draws random numbers in its body",
}


NOT_DIVIDED = {"fill_diagonal_": "there is no form of it that writes to nothing"}
FIXED = {"linalg.lstsq": "computes with sizes as with numbers of Python"}


class Call(rl.nn.Module):
    """A call of an operator, whose tensors are the module's arguments."""

    def __init__(self, op: Any, sample: Sample) -> None:
        super().__init__()
        leaves, self.spec = flatten((list(sample.args), dict(sample.kwargs)))
        self.op = op
        self.rest = [() if isinstance(x, rl.Tensor) else (x,) for x in leaves]

    def forward(self, *tensors: Any) -> Any:
        given = iter(tensors)
        args, kwargs = self.spec.rebuild([x[0] if x else next(given) for x in self.rest])
        result = self.op(*args, **kwargs)
        return tuple(result) if hasattr(result, "_fields") else result  # files have no names of results


def _tensors(sample: Sample) -> tuple[Any, ...]:
    leaves = flatten(map_tensors(copy, (list(sample.args), dict(sample.kwargs))))[0]
    return tuple(x for x in leaves if isinstance(x, rl.Tensor))


def _check(got: Any, expected: Any, what: str) -> None:
    assert len(flat(got)) == len(flat(expected)), what
    for g, e in zip(flat(got), flat(expected), strict=True):
        if isinstance(e, rl.Tensor):
            same_bits(g, e, what)


def _exported(spec: OperatorSamples, sample: Sample) -> None:
    op = find(spec.name)
    args, kwargs = map_tensors(copy, (list(sample.args), dict(sample.kwargs)))
    rl.manual_seed(0)
    expected = call(op, Sample(*args, **kwargs))
    program = rl.export.export(Call(op, sample), _tensors(sample))
    file = io.BytesIO()
    rl.export.save(program, file)
    file.seek(0)
    for p, what in ((program, "exported"), (rl.export.load(file), "read again")):
        rl.manual_seed(0)
        _check(p.module()(*_tensors(sample)), expected, f"{spec.name}, {what}: {p.graph_module.code}")
    assert [n.name for n in program.graph.nodes] == [n.name for n in p.graph.nodes]


def _close(got: Any, expected: Any, what: str) -> None:
    assert len(flat(got)) == len(flat(expected)), what
    for g, e in zip(flat(got), flat(expected), strict=True):
        if isinstance(e, rl.Tensor):
            assert g.shape == e.shape and g.dtype is e.dtype, what
            assert not e.numel() or rl.allclose(g, e, rtol=1e-4, atol=1e-4, equal_nan=True), what


def _in_parts(spec: OperatorSamples, sample: Sample, auto: bool) -> None:
    """The program in core operators, and for `auto` with all sizes that may vary as symbols."""
    args, kwargs = map_tensors(copy, (list(sample.args), dict(sample.kwargs)))
    rl.manual_seed(0)
    expected = call(find(spec.name), Sample(*args, **kwargs))
    tensors = _tensors(sample)
    sizes = (tuple(rl.export.Dim.AUTO for _ in tensors),) if auto and tensors else None
    program = rl.export.export(Call(find(spec.name), sample), tensors, dynamic_shapes=sizes)
    program = program if auto else program.run_decompositions()
    rl.manual_seed(0)
    _close(program.module()(*_tensors(sample)), expected, f"{spec.name}: {program.graph_module.code}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_an_operator_in_an_exported_program(name: str) -> None:
    spec = REGISTRY[name]
    samples = spec.samples(pick(spec, dt.float32)[0])
    chosen = samples[:: max(1, len(samples) - 1)]  # the first and the last
    if name not in NOT_EXPORTED:
        for s in chosen:
            if name == "nn.functional.one_hot" and s.kwargs.get("num_classes", (*s.args, -1)[1]) == -1:
                continue  # counts the classes in the values
            _exported(spec, s)
            if name not in NOT_DIVIDED:
                _in_parts(spec, s, auto=False)
            if name not in FIXED:
                _in_parts(spec, s, auto=True)
        return
    # What is not exported is refused, and says why.
    with pytest.raises((RuntimeError, NotImplementedError)):
        for s in chosen:
            _exported(spec, s)
