"""Pipelines of data give what PyTorch's give, and refuse what they refuse."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

# `d` makes a pipe of 0 to 9, `I` and `S` one of an iterable and of a sequence, `p` is the module.
CALLS = (
    "list(d().shuffle(buffer_size=4).set_seed(3))",
    "list(d().shuffle().set_seed(3))",
    "list(d().shuffle().set_shuffle(False))",
    "list(S(range(10)).shuffle().set_seed(3))",
    "[list(x) for x in d().demux(2, lambda x: x % 2)]",
    "[list(x) for x in d().demux(2, lambda x: None if x == 3 else x % 2, drop_none=True)]",
    "[list(x) for x in d().demux(2, lambda x: 5)]",
    "[list(x) for x in d().fork(2)]",
    "[list(x) for x in d().fork(2, buffer_size=3)]",
    "[list(zip(*d().fork(2, buffer_size=3)))]",
    "[list(x) for _ in range(2) for x in p.iter.Forker(d(), 2)]",
    "d().fork(0)",
    "list(d().mux(I([100, 200])))",
    "list(I([1, 2, 3]).mux(I([10]), I([100, 200])))",
    "[list(g) for g in d().groupby(lambda x: x % 3, group_size=2)]",
    "list(d().groupby(lambda x: x % 3, keep_key=True))",
    "list(d().groupby(lambda x: x % 3, buffer_size=4, group_size=3, guaranteed_group_size=2))",
    "list(d().groupby(lambda x: x % 3, buffer_size=4, group_size=3, drop_remaining=True))",
    "list(d().groupby(lambda x: x, buffer_size=4, group_size=3, guaranteed_group_size=2))",
    "list(d().batch(3).batch(2).unbatch(unbatch_level=2))",
    "list(I([[1, [2, 3]], 4]).unbatch(unbatch_level=-1))",
    "list(I([[1, [2, 3]], [4]]).unbatch())",
    "list(I([1]).unbatch())",
    "list(I([1]).unbatch(-2))",
    "list(d().filter(lambda x: x > 7))",
    "list(I([(1, 2), (3, 4)]).filter(lambda x: x > 1, input_col=0))",
    "list(d().filter(lambda x: 3))",
    "list(d().zip(I('ab')))",
    "list(I([1]).concat(I([2])))",
    "[x.tolist() for x in d().batch(5).collate()]",
    "list(d().batch(5).collate(collate_fn=sum))",
    "list(p.iter.ShardingFilter(d()))",
    "[(list(s), len(s)) for s in [d().sharding_filter()] for _ in [s.apply_sharding(3, 1)]]",
    "d().sharding_filter().apply_sharding(3, 3)",
    "(len(d().batch(3)), len(d().batch(3, drop_last=True)), len(d().map(str)), len(d().shuffle()))",
    "(len(d().zip(d())), len(d().concat(d())), len(d().mux(d())), len(d().fork(2)[0]))",
    "len(d().filter(bool))",
    "list(I([(1, 2), (3, 4)]).map(lambda x: x * 10, input_col=1))",
    "list(I([(1, 2), (3, 4)]).map(lambda x: x * 10, input_col=1, output_col=-1))",
    "list(I([(1, 2), (3, 4)]).map(lambda a, b: a + b, input_col=[0, 1]))",
    "list(I([{'a': 1}]).map(lambda x: x * 10, input_col='a', output_col='b'))",
    "d().map(str, output_col=1)",
    "list(p.iter.Sampler(d()))",
    "(repr(d()), repr(d().batch(2)), str(d().map(str)), repr(S([1]).map(str)))",
    "[(type(c).__name__, c, c.as_str()) for c in d().batch(4)]",
    "list(d().batch(4, wrapper_class=list))",
    "d().nothing",
    "d().batch(0)",
    "[z[i] for z in [S([1, 2]).zip(S('abc')).map(str)] for i in range(len(z))]",
    "[z[i] for z in [S(range(5)).batch(2)] for i in range(len(z))]",
    "S([1]).concat(S([2]))[1]",
    "S([1]).batch(2)[1]",
    "S([1]).concat(d())",
    "d().concat(S([1]))",
    "[x for x in p.iter.FileLister(folder, masks='*.txt', recursive=True).open_files().read_from_stream()]",
    "list(p.iter.FileLister(folder).open_files('b').read_from_stream(chunk=2))",
    "[b.tolist() for b in M.utils.data.DataLoader(d().map(float), batch_size=4)]",
    "isinstance(d(), M.utils.data.IterableDataset) and isinstance(S([1]), M.utils.data.Dataset)",
)


def outcome(module: Any, call: str, folder: Path) -> Any:
    p = importlib.import_module(f"{module.__name__}.utils.data.datapipes")
    names = {"p": p, "I": p.iter.IterableWrapper, "S": p.map.SequenceWrapper, "M": module, "folder": str(folder)}
    names["d"] = lambda: names["I"](range(10))
    try:
        return str(eval(call, names))
    except (Exception, AssertionError) as error:
        return type(error).__name__


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_as_there(call: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_text("first")
    (tmp_path / "inner" / "b.txt").write_text("second")
    (tmp_path / "inner" / "c.csv").write_text("third")
    assert outcome(rushlight, call, tmp_path) == outcome(torch, call, tmp_path)


def test_a_step_of_a_program() -> None:
    data = rushlight.utils.data

    @data.functional_datapipe("doubled_for_test")
    class Doubled(data.IterDataPipe):
        def __init__(self, source: Any) -> None:
            self.source = source

        def __iter__(self) -> Any:
            return (2 * x for x in self.source)

    assert list(data.datapipes.iter.IterableWrapper([1, 2]).doubled_for_test()) == [2, 4]
    with pytest.raises(Exception, match="taken by another datapipe"):
        data.functional_datapipe("doubled_for_test")(Doubled)
    with pytest.raises(TypeError, match="must derive from IterDataPipe or MapDataPipe"):
        data.functional_datapipe("another")(int)


def test_workers_share_the_elements() -> None:
    pipe = rushlight.utils.data.datapipes.iter.IterableWrapper(range(20)).sharding_filter()
    loader = rushlight.utils.data.DataLoader(pipe, batch_size=None, num_workers=2)
    assert sorted(int(x) for x in loader) == list(range(20))


class Shown:
    """A hook for texts: as an attribute of the class it is called with the pipe alone."""

    def __call__(self, pipe: Any) -> str:
        return f"a pipe of {len(pipe)}"


def _as_usual(pipe: Any) -> Any:
    raise NotImplementedError


def hooks(module: Any, kind: str) -> list[Any]:
    """What pipes are pickled by and shown as, with each hook and without."""
    data = module.utils.data
    pipe_class = getattr(data, kind)
    wrapper = data.datapipes.iter.IterableWrapper if kind == "IterDataPipe" else data.datapipes.map.SequenceWrapper
    pipe, found = wrapper([1, 2]), []

    def copied() -> Any:
        back = pickle.loads(pickle.dumps(pipe))
        return vars(back) if isinstance(back, pipe_class) else back

    found.append(copied())
    for setter, hook in (
        (pipe_class.set_getstate_hook, lambda state: {"n": sorted(state)}),
        (pipe_class.set_reduce_ex_hook, lambda p: (int, (5,))),
    ):
        setter(hook)
        try:
            found.append(copied())
            with pytest.raises(RuntimeError):
                setter(hook)
        finally:
            setter(None)
        found.append(copied())
    pipe_class.set_reduce_ex_hook(_as_usual)
    try:
        found.append(copied())
    finally:
        pipe_class.set_reduce_ex_hook(None)
    pipe_class.str_hook = pipe_class.repr_hook = Shown()
    try:
        found += [str(pipe), repr(pipe)]
    finally:
        pipe_class.str_hook = pipe_class.repr_hook = None
    return [*found, str(pipe), repr(pipe)]


@pytest.mark.parametrize("kind", ["IterDataPipe", "MapDataPipe"])
def test_hooks(kind: str) -> None:
    assert hooks(rushlight, kind) == hooks(torch, kind)
