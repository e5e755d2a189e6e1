"""Tensors that processes share: what one writes the others see, however they were started and whoever sends."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from processes import RUSHLIGHT, printed

PROGRAM = """
    import sys
    import torch, torch.nn as nn
    {imports}

    def write(rank, model, whole, part):
        with torch.no_grad():
            model.weight[0, rank] = rank + 1.0
            part[rank] = 10.0 + rank

    def answer(tasks, results):
        x, y, p = tasks.get()
        assert x.untyped_storage() is y.untyped_storage(), "views of one memory have two"
        x[0] = -1.0
        assert float(y[0]) == -1.0 and type(p) is nn.Parameter and p.requires_grad
        results.put((x, x.sum()))
        tasks.get()                      # as in PyTorch, a sender lives until what it has sent has arrived

    if __name__ == "__main__":
        method = sys.argv[1]
        model = nn.Linear(3, 1, bias=False)
        nn.init.zeros_(model.weight)
        model.share_memory()
        whole = torch.zeros(6).share_memory_()
        context = mp.get_context(method)
        processes = [context.Process(target=write, args=(rank, model, whole, whole[3:])) for rank in range(3)]
        for p in processes: p.start()
        for p in processes: p.join()
        assert [p.exitcode for p in processes] == [0, 0, 0]
        print(model.weight.tolist(), whole.tolist())
        tasks, results = context.Queue(), context.Queue()
        worker = context.Process(target=answer, args=(tasks, results))
        worker.start()
        a = torch.arange(4.0)
        tasks.put((a, a[:2], nn.Parameter(torch.ones(2))))
        back, total = results.get()
        print(a.tolist(), back.untyped_storage() is a.untyped_storage(), float(total), a.is_shared())
        tasks.put(None)
        worker.join()
        try:
            pickler = __import__("multiprocessing.reduction").reduction.ForkingPickler
            pickler.dumps(torch.ones(2, requires_grad=True) * 2)
        except RuntimeError as error:
            print("leaf" in str(error))
    """


@pytest.mark.parametrize(
    "imports", ["import torch.multiprocessing as mp", "import multiprocessing as mp"], ids=["torch", "python"]
)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_one_process_writes_all_see(tmp_path: Path, method: str, imports: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM.format(imports=imports)))
    shown = printed(*RUSHLIGHT, path, method)
    assert shown.splitlines() == [
        "[[1.0, 2.0, 3.0]] [0.0, 0.0, 0.0, 10.0, 11.0, 12.0]",
        "[-1.0, 1.0, 2.0, 3.0] True 5.0 True",
        "True",
    ]


def test_a_thousand_shared_tensors_and_no_descriptor_left() -> None:
    """More than the usual limit of descriptors; each is closed with its tensor."""
    code = """
        import gc, os, resource
        import rushlight
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        before = len(os.listdir("/proc/self/fd"))
        kept = [rushlight.full((3,), float(i)).share_memory_() for i in range(1000)]
        assert all(t.is_shared() and t.tolist() == [float(i)] * 3 for i, t in enumerate(kept))
        del kept
        gc.collect()
        assert len(os.listdir("/proc/self/fd")) == before
        """
    printed("-c", textwrap.dedent(code))
