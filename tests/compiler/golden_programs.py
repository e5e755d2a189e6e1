"""Programs whose forms are kept as text in `golden/`, after every pass of the compiler.

python tests/compiler/golden_programs.py    # writes them anew; the difference is what a change of a pass is judged by
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import rushlight as rl
from rushlight import nn
from rushlight.compiler.emit import generator, variant
from rushlight.compiler.llvm import machine
from rushlight.compiler.passes.forms import Nest, Schedule
from rushlight.inspection import explaining
from rushlight.nn import functional as F
from rushlight.operators.nn.recurrent import _recurrent_layer

FOLDER = Path(__file__).parent / "golden"
# Those whose first kernel is kept as LLVM's text, too.
LLVM = frozenset({"relu", "cumsum"})


def ones(*shape: int, grad: bool = False, dtype: Any = None) -> Any:
    return rl.ones(*shape, dtype=dtype, requires_grad=grad)


def indices(*shape: int) -> Any:
    return rl.zeros(*shape, dtype=rl.int64)


def adamw() -> Callable[[], Any]:
    """A step over two parameters."""
    params = [nn.Parameter(ones(3, 4)), nn.Parameter(ones(5))]
    for p in params:
        p.grad = rl.ones_like(p)
    optimizer = rl.optim.AdamW(params, lr=0.01)
    optimizer.step()
    return optimizer.step


CASES: dict[str, Callable[[], Any]] = {
    "relu": lambda: F.relu(ones(3, 4)),
    "add_broadcast": lambda: rl.add(ones(3, 4), ones(4)),
    "add_transposed": lambda: rl.add(ones(3, 4), ones(4, 3).t()),
    "gelu": lambda: F.gelu(ones(8, grad=True)),
    "row_sum": lambda: rl.sum(ones(3, 4), 1),
    "column_max": lambda: rl.amax(ones(3, 4), 0),
    "var_mean": lambda: rl.var_mean(ones(3, 4), 1),
    "argmax": lambda: rl.argmax(ones(3, 4), 1),
    "softmax": lambda: rl.softmax(ones(3, 4), -1),
    "cross_entropy": lambda: F.cross_entropy(ones(3, 4, grad=True), indices(3)),
    "layer_norm": lambda: F.layer_norm(ones(3, 4, grad=True), (4,), ones(4, grad=True), ones(4, grad=True)),
    "batch_norm": lambda: F.batch_norm(ones(2, 3, 4), ones(3), ones(3), ones(3), ones(3), training=True),
    "attention": lambda: F.scaled_dot_product_attention(ones(2, 3, 4), ones(2, 5, 4), ones(2, 5, 4)),
    "attention_in_blocks": lambda: F.scaled_dot_product_attention(ones(2, 4, 4), ones(2, 5, 4), ones(2, 5, 4)),
    "linear": lambda: F.linear(ones(3, 4), ones(5, 4), ones(5)),
    "matmul_bfloat16": lambda: rl.matmul(ones(3, 4, dtype=rl.bfloat16), ones(4, 5, dtype=rl.bfloat16)),
    "matmul_int": lambda: rl.matmul(indices(3, 4), indices(4, 5)),
    "conv2d": lambda: F.conv2d(ones(1, 2, 5, 5), ones(3, 2, 3, 3), ones(3), padding=1),
    "max_pool2d": lambda: F.max_pool2d(ones(1, 2, 6, 6), 2),
    "embedding": lambda: F.embedding(indices(5), ones(7, 4, grad=True)),
    "scatter_add": lambda: rl.scatter_add(ones(3, 4), 0, indices(2, 4), ones(2, 4)),
    "cumsum": lambda: rl.cumsum(ones(3, 4), 1),
    "cummax": lambda: rl.cummax(ones(3, 4), 1),
    "rnn": lambda: _recurrent_layer(
        "RNN_TANH", ones(2, 3, 4, grad=True), ones(3, 5), ones(5, 4), ones(5, 5), None, None
    ),
    "cat": lambda: rl.cat([ones(3, 4), ones(2, 4)]),
    "pad": lambda: F.pad(ones(3, 4), (1, 2)),
    "sort": lambda: rl.sort(ones(3, 4), 1),
    "diag_embed": lambda: rl.diag_embed(ones(3, 4)),
    "dropout": lambda: rl.dropout(ones(8), 0.5, True),
    "fft": lambda: rl.fft.fft(ones(8)),
    "adamw": lambda: adamw()(),
}


def forms(name: str) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Each operator that the case runs, with what the passes make of it."""
    run: Callable[[], Any] = adamw() if name == "adamw" else CASES[name]
    watch = explaining._Watch()
    with watch.inside(run), watch.on():
        run()
    found = {}
    for op, values, _ in watch.seen:
        active = any(t.requires_grad for t in explaining.tensors_of(values))
        text = f"{op.name}({', '.join(explaining.describe(v) for v in values if v is not None)})"
        if text not in found:
            found[text] = explaining.compiled(op, values, active)[2]
    return list(found.items())


def text_of(name: str) -> str:
    """The golden text of a case."""
    parts = []
    for call, made in forms(name):
        parts.append(f"=== {call}")
        before = ""
        for stage, form in made:
            text = str(form)
            if text != before:
                parts.append(f"--- {stage}\n{text}")
            before = text
            if stage == "loops" and name in LLVM:
                parts.append(f"--- emit\n{llvm(form)}")
    return "\n".join(parts) + "\n"


def llvm(nests: Schedule[Nest]) -> str:
    """The first kernel, of contiguous operands, for a processor with masks."""
    work = nests.steps[0].work
    assert isinstance(work, Nest)
    loops, masks = work.loops, machine.masks
    mode = variant.Mode.ROW if loops.reduced else variant.Mode.COL
    machine.masks = lambda: True  # type: ignore[assignment]
    try:
        return str(
            generator.generate(variant.Variant(loops, 1, int(bool(loops.reduced)), mode, "c" * len(loops.operands)))
        )
    finally:
        machine.masks = masks


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


PRODUCT = FOLDER / "product_tile.ll"


def product_text() -> str:
    """LLVM's text of a small tile's kernel."""
    from rushlight.compiler.products import tile
    from rushlight.compiler.products.shapes import Tile

    return str(tile.module(Tile("float32", 2, 1, 16, True)))


if __name__ == "__main__":
    PRODUCT.write_text(product_text())
    for case in CASES:
        path_of(case).write_text(text_of(case))
