"""`python -m rushlight compare`: an operator made wrong by a thousandth is named in each of twenty programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from compared.programs import HEAD, PROGRAMS

from rushlight.inspection.compare import Parting, compare, differ

pytest.importorskip("torch", reason="what is compared with")
HERE = Path(__file__).parent / "compared"


@pytest.mark.parametrize("fault", PROGRAMS)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(HEAD + PROGRAMS[fault])
    line = next(i for i, text in enumerate(script.read_text().splitlines(), 1) if text.endswith("# here"))
    found = compare(script, folder=tmp_path / "saved", ours=("-m", "rushlight", str(HERE / "fault.py"), fault))
    assert isinstance(found, Parting), f"{found} calls agree"
    assert found.line == line and found.file == str(script), found
    assert "part: " in found.what and "by rushlight" in found.what
    _, _, name = fault.rpartition(":")
    expected = {
        "linear": "torch.nn.Linear (first)",
        "conv2d": "torch.nn.Conv2d (1)",
        "layer_norm": "torch.nn.LayerNorm",
    }
    expected |= {
        "embedding": "torch.nn.Embedding",
        "relu": "torch.Tensor.backward",
        "linalg_solve": "torch.linalg.solve",
    }
    assert expected.get(name, f".{name}") in found.call


def test_programs_without_a_fault_agree(tmp_path: Path) -> None:
    """All of them as one, and a training whose differences by rounding would add up."""
    script = tmp_path / "program.py"
    training = """
for optimizer in (torch.optim.Adam(net.parameters(), lr=0.01), torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)):
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        print(loss.item())
for row in x:
    row[0] = 2
a = nn.MultiheadAttention(8, 2)(x, x, x)[0]
lstm, _ = nn.LSTM(8, 4)(x)
torch.randn(3), torch.rand(2), torch.randperm(7), torch.empty(3), 1 - x, x[x > 0].tolist()
torch.autograd.grad(net(x).sum(), list(net.parameters()))
torch.nn.init.xavier_uniform_(net.first.weight)
net(x)
"""
    script.write_text(HEAD + "".join(PROGRAMS.values()) + NET_PLAIN + training)
    found = compare(script)
    assert isinstance(found, int) and found > 120, found


NET_PLAIN = PROGRAMS["linear"]


def test_ways_that_part_and_errors(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    for program, words in (
        (
            "x = torch.ones(2)\nif hasattr(torch, 'rushlight') or 'rush' in torch.__version__:\n    x.exp()\nx.sin()\n",
            "different ways",
        ),
        ("x = torch.ones(2)\nif 'rush' in torch.__version__:\n    raise ValueError('no')\nx.sin()\n", "goes on where"),
        (
            "x = torch.ones(2)\nif 'rush' in torch.__version__:\n    raise ValueError('no')\n",
            "end differently: PyTorch ends well, rushlight raises ValueError: no \\(line 6\\)",
        ),
        (
            "x = torch.ones(2)\nx.view(3 if 'rush' in torch.__version__ else 2)\n",
            "rushlight raises RuntimeError, PyTorch does not",
        ),
        (
            "x = torch.ones(2)\nif 'rush' in torch.__version__:\n    x.data[0] = 5\nx = x.data\n(x + 1)\n",
            "results of torch.Tensor.add part|inputs of torch.Tensor.add differ|different ways",
        ),
    ):
        script.write_text(HEAD + program)
        found = compare(script)
        with pytest.raises(AssertionError, match=words):
            raise AssertionError(str(found))
    script.write_text(
        HEAD + "x = torch.ones(2)\ntry:\n    x.view(3)\nexcept RuntimeError:\n    x.sin()\nraise ValueError\n"
    )
    assert isinstance(compare(script), int)


def test_from_a_terminal(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(HEAD + "import sys\nx = torch.full((3,), float(sys.argv[1]))\nx.exp()\n")
    command = [sys.executable, "-m", "rushlight", "compare", "--save", str(tmp_path / "saved"), str(script), "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "2 calls compared: the runs agree\n"), done.stderr
    script.write_text(HEAD + "x = torch.ones(3)\nx.add(2 if 'rush' in torch.__version__ else 3)\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 1 and "results of torch.Tensor.add part: 3 of 3 elements of a float32[3]" in done.stdout
    saved = (
        f"import torch; print(torch.load({str(tmp_path / 'saved' / 'pytorch.pt')!r}, weights_only=False)['args'][1])"
    )
    assert subprocess.run([sys.executable, "-c", saved], capture_output=True, text=True).stdout == "3\n"


def test_rounding_is_no_difference() -> None:
    import struct

    def packed(*numbers: float) -> tuple[str, tuple[int, ...], bytes]:
        return "float32", (len(numbers),), struct.pack(f"{len(numbers)}f", *numbers)

    nan, inf = float("nan"), float("inf")
    assert differ(packed(1, 100, nan, inf), packed(1.00001, 100.001, nan, inf)) is None
    assert differ(
        packed(1, 2), packed(1, 2.002)
    ) == "1 of 2 elements of a float32[2], most at [1]: 2.0 by PyTorch, " + (
        f"{struct.unpack('f', struct.pack('f', 2.002))[0]} by rushlight"
    )
    for a, b in ((1.0, nan), (nan, 1.0), (inf, 1.0), (inf, -inf), (1.0, inf)):
        assert differ(packed(a), packed(b)) is not None
    assert differ(("int64", (1,), bytes(8)), ("int64", (1,), b"\x01" + bytes(7))) is not None
    assert differ(("float", (), b"1.0"), ("float", (), b"1.1")) is not None
    assert differ(packed(1), packed(1.002), rtol=0.01) is None
