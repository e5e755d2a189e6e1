"""`explain` of modules, of backward passes, measured, and as a page: the same structure as text and as HTML."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.inspection.graph import nodes_of
from rushlight.inspection.layers import Layers
from rushlight.inspection.report import Report, Table
from rushlight.utils.flop_counter import FlopCounterMode


def explained(*args: Any, **kwargs: Any) -> str:
    out = io.StringIO()
    rl.explain(*args, file=out, **kwargs)
    return out.getvalue()


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)
        self.unused = nn.Linear(3, 3)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        for _ in range(2):
            x = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
        return x


MODELS: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
    "layers": (nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 2, bias=False)), (4, 6)),
    "pictures": (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ConvTranspose2d(4, 2, 2)), (2, 3, 7, 7)),
    "attention": (Block(), (2, 5, 8)),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
    "recurrent": (nn.GRU(6, 4, batch_first=True), (2, 5, 6)),
}


@pytest.mark.parametrize("name", MODELS)
def test_multiply_adds_are_those_of_the_flop_counter(name: str) -> None:
    model, shape = MODELS[name]
    x = rl.ones(shape)
    with FlopCounterMode(display=False) as counter:
        model(x)
    found = re.search(r"one call    ([\d,]+) multiply-adds", explained(model, x))
    assert found is not None
    total = counter.get_total_flops()
    assert total > 0 and 2 * int(found[1].replace(",", "")) == total


def test_the_tree_of_layers() -> None:
    model, shape = MODELS["attention"]
    text = explained(model, rl.ones(shape))
    rows = {row.split()[0]: row.split() for row in text.splitlines()[:8]}
    params = sum(p.numel() for p in model.parameters())
    assert rows["Block"][1:5] == ["[2,", "5,", "8]", f"{params:,}"]
    assert "norm: LayerNorm (2 calls)" in text and "unused: Linear" in text
    assert "not called" in next(line for line in text.splitlines() if "unused: Linear" in line)
    # LayerNorm: float32[2, 5, 8], twice
    assert next(line for line in text.splitlines() if "norm: LayerNorm" in line).split()[-1] == str(2 * 2 * 5 * 8 * 4)
    frozen = nn.Linear(3, 4)
    frozen.weight.requires_grad_(False)
    text = explained(frozen)
    assert "parameters  4 trained, 12 fixed; 64 bytes, 0 of buffers" in text and "calls" not in text
    layers = Layers(model)
    with pytest.raises(AssertionError), layers.watched():
        model(rl.ones(2, 5, 7))
    assert not layers.open and not model._forward_hooks and not model.norm._forward_pre_hooks


def test_explaining_does_not_change_a_module() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    before = {k: v.clone() for k, v in model.state_dict().items()}
    explained(model, rl.ones(2, 3))
    assert all(rl.equal(v, before[k]) for k, v in model.state_dict().items())
    assert all(not m._forward_hooks and not m._forward_pre_hooks for m in model.modules())


def test_the_graph_of_a_backward() -> None:
    w, x = rl.randn(3, 4, requires_grad=True), rl.randn(2, 3)
    y = (x @ w).exp()
    loss = (y * y).sum() + y.mean()
    nodes = nodes_of(loss)
    names = [n.title() for n in nodes]
    assert names[0] == "AddBackward0" and names[-1] == "leaf float32[3, 4]" and names.count("ExpBackward0") == 1
    assert all(n.number < m.number for n in nodes for m in n.next)  # each before those that it leads to
    exp = nodes[names.index("ExpBackward0")]
    assert exp.saved() == ["result: float32[2, 4]"] and f"{Path(__file__).name}" in exp.line()
    text = explained(loss)
    assert "graph of the backward" in text and "ExpBackward0" in text and "result: float32[2, 4]" in text
    loss.backward()
    assert "freed" in explained(loss)
    for wrong in (rl.ones(2), w):
        with pytest.raises(TypeError, match="must have a graph"):
            rl.explain(wrong)
    deep = rl.ones(2, requires_grad=True)
    for _ in range(3000):  # deeper than Python calls go
        deep = deep * 1.0
    assert len(nodes_of(deep)) == 3001 and "3001 nodes: more than 400 are not drawn" in page_of(deep)


def page_of(*args: Any, **kwargs: Any) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        explained(*args, html=Path(folder) / "page.html", **kwargs)
        return (Path(folder) / "page.html").read_text()


class _Closed(HTMLParser):
    """Whether every element of a page that must be closed is."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("meta", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_says_what_the_terminal_does() -> None:
    w = rl.randn(3, requires_grad=True)
    model, shape = MODELS["layers"]
    for call in (("softmax", rl.ones(3, 4), -1), (model, rl.ones(shape)), (rl.optim.SGD([w], lr=0.1),)):
        page, text = page_of(*call), explained(*call)
        parser = _Closed()
        parser.feed(page)
        assert parser.open == []
        assert not re.search(r"(src|href)\s*=|@import|https?://(?!www\.w3\.org)", page)
        said = re.sub(r"\s", "", "".join(parser.texts))
        for line in text.splitlines():
            for word in line.split():
                assert word in said or word == "-" or ".py:" in word, word
    svg = re.search(r"<svg.*?</svg>", page_of((w * 2).exp().sum()), re.S)
    assert svg is not None
    root = ElementTree.fromstring(svg[0])
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"SumBackward0", "ExpBackward0", "MulBackward0", "leaf float32[3]", "result: float32[3]"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) == 4


def test_a_report() -> None:
    report = Report()
    report.say("a", 1)
    report.add(Table("numbers <b>", ("name", "n"), [("x", "1"), ("long name", "20")]))
    assert report.text() == "a 1\nnumbers <b>\n    name        n\n    x           1\n    long name  20\n"
    assert "numbers &lt;b&gt;" in report.html("<title>") and "<h1>&lt;title&gt;</h1>" in report.html("<title>")


def test_measured() -> None:
    text = explained("exp", rl.ones(100, 100), measure=True)
    assert re.search(r"measured    [\d.]+ us; 80,000 bytes of operands and results\n", text)
    assert re.search(r"at least [\d.]+ us on this machine: [\d.]+ of the roofline", text)
    text = explained("matmul", rl.ones(20, 30), rl.ones(30, 40), measure=True)
    assert f"; {20 * 30 * 40:,} multiply-adds, " in text
    text = explained(MODELS["layers"][0], rl.ones(4, 6), measure=True)
    assert "of the roofline" in text
