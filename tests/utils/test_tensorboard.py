"""`utils.tensorboard`: what is written is read back by the `tensorboard` package, where it is installed; else, that its
absence is reported.
"""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from processes import RUSHLIGHT, printed

if importlib.util.find_spec("tensorboard") is None:

    def test_the_package_is_asked_for() -> None:
        with pytest.raises(ImportError, match="'tensorboard' must be installed"):
            importlib.import_module("rushlight.utils.tensorboard")

    SummaryWriter: Any = None
else:
    from rushlight.utils.tensorboard import SummaryWriter

needs = pytest.mark.skipif(SummaryWriter is None, reason="tensorboard is not installed")


def events(folder: Path) -> list[Any]:
    """All events below a folder, file by file."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    return [
        Event.FromString(raw)
        for path in sorted(folder.rglob("events.out.tfevents.*"))
        for raw in RawEventFileLoader(str(path)).Load()
    ]


def values(folder: Path) -> dict[str, list[tuple[int, Any]]]:
    """(step, value) of each tag."""
    found: dict[str, list[tuple[int, Any]]] = {}
    for event in events(folder):
        for value in event.summary.value:
            found.setdefault(value.tag, []).append((event.step, value))
    return found


@needs
def test_numbers(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as w:
        for step in range(3):
            w.add_scalar("loss", rl.tensor(1.0 / (step + 1), requires_grad=True), step)
        w.add_scalar("new", 2.5, 7, walltime=12.0, new_style=True, double_precision=True)
        w.add_scalars("both/of", {"a": 1, "b": rl.tensor([2.0])}, 4)
        w.add_tensor("t", rl.arange(6, dtype=rl.int16).view(2, 3))
        w.add_tensor("h", rl.ones(2, dtype=rl.float16))
    found = values(tmp_path)
    assert [(s, round(v.simple_value, 4)) for s, v in found["loss"]] == [(0, 1.0), (1, 0.5), (2, 0.3333)]
    assert found["new"][0][1].tensor.double_val == [2.5] and found["new"][0][0] == 7
    assert sorted(v.simple_value for _, v in found["both/of"]) == [1.0, 2.0] and (tmp_path / "both_of_a").is_dir()
    assert list(found["t"][0][1].tensor.int_val) == list(range(6)) and [
        d.size for d in found["t"][0][1].tensor.tensor_shape.dim
    ] == [2, 3]
    assert list(found["h"][0][1].tensor.half_val) == [0x3C00] * 2
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert [e.value for e in read.Scalars("loss")][:2] == [1.0, 0.5]


@needs
@pytest.mark.parametrize("bins", ["tensorflow", "auto", [0.0, 1.0, 2.0, 10.0]])
def test_histograms(tmp_path: Path, bins: Any) -> None:
    x = rl.tensor([0.5, 0.5, 1.5, 3.0])
    with SummaryWriter(tmp_path) as w:
        w.add_histogram("h", x, 3, bins)
        w.add_histogram("few", rl.randn(1000), max_bins=10)
        with pytest.raises(ValueError, match="must not be empty"):
            w.add_histogram("none", rl.ones(0))
    h = values(tmp_path)["h"][0][1].histo
    assert (h.min, h.max, h.num, h.sum, h.sum_squares) == (0.5, 3.0, 4.0, 5.5, 11.75)
    assert (
        sum(h.bucket) == 4 and len(h.bucket) == len(h.bucket_limit) and h.bucket_limit[-1] >= 3.0 and h.bucket[0] == 0
    )
    few = values(tmp_path)["few"][0][1].histo
    assert sum(few.bucket) == 1000 and len(few.bucket) <= 12


@needs
def test_pictures(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    gray, colour = rl.rand(1, 4, 6), (rl.rand(5, 3, 4, 6) * 255).to(rl.uint8)
    with SummaryWriter(tmp_path) as w:
        w.add_image("gray", gray)
        w.add_image("flat", rl.rand(4, 6), dataformats="HW")
        w.add_image("one", colour[0])
        w.add_images("all", colour)
        w.add_image_with_boxes("boxes", colour[0], rl.tensor([[0, 0, 2, 2]]), labels="x")
        w.add_video("video", rl.rand(1, 3, 3, 4, 6), fps=2)
        w.add_audio("sound", rl.linspace(-1, 1, 100), sample_rate=8000)
        with pytest.raises(ValueError, match="'dataformats' must"):
            w.add_image("bad", gray, dataformats="HW")
    found = {tag: v[0][1] for tag, v in values(tmp_path).items()}

    def pixels(tag: str) -> Any:
        return image.open(io.BytesIO(found[tag].image.encoded_image_string))

    assert pixels("gray").size == (6, 4) and pixels("flat").size == (6, 4) and pixels("all").size == (30, 4)
    assert list(pixels("one").getdata()) == [tuple(p) for p in colour[0].permute(1, 2, 0).reshape(-1, 3).tolist()]
    assert (
        pixels("video").n_frames == 3
        and found["sound"].audio.length_frames == 100
        and found["sound"].audio.sample_rate == 8000
    )


@needs
def test_figures(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = pyplot.figure(figsize=(2, 1), dpi=50)
    with SummaryWriter(tmp_path) as w:
        w.add_figure("f", figure, 2)
    step, value = values(tmp_path)["f"][0]
    assert (
        step == 2 and (value.image.width, value.image.height) == (100, 50) and not pyplot.fignum_exists(figure.number)
    )


@needs
def test_text_curves_and_hyperparameters(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as w:
        w.add_text("note", "**bold**", 1)
        w.add_pr_curve("pr", rl.tensor([0, 1, 1, 0]), rl.tensor([0.1, 0.9, 0.6, 0.7]), 5, num_thresholds=11)
        w.add_hparams({"lr": 0.1, "name": "x", "deep": True, "n": 3}, {"accuracy": 0.9}, run_name="run")
        w.add_custom_scalars({"c": {"chart": ["Multiline", ["loss"]]}})
        w.add_mesh("mesh", rl.rand(1, 4, 3), faces=rl.tensor([[[0, 1, 2]]]))
        with pytest.raises(ValueError, match="must be an int, float"):
            w.add_hparams({"bad": [1]}, {})
    found = values(tmp_path)
    assert found["note/text_summary"][0][1].tensor.string_val == [b"**bold**"]
    curve = list(found["pr"][0][1].tensor.float_val)
    assert curve[:11] == [2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 0] and curve[11] == 2 and len(curve) == 66
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    start = HParamsPluginData.FromString(
        found["_hparams_/session_start_info"][0][1].metadata.plugin_data.content
    ).session_start_info
    assert (
        start.hparams["lr"].number_value == 0.1
        and start.hparams["name"].string_value == "x"
        and start.hparams["deep"].bool_value
    )
    assert [round(v.simple_value, 3) for _, v in found["accuracy"]] == [0.9] and (tmp_path / "run").is_dir()
    assert "custom_scalars__config__" in found and {"mesh_VERTEX", "mesh_FACE"} <= set(found)


@needs
def test_embeddings(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as w:
        w.add_embedding(rl.arange(6.0).view(3, 2), metadata=["a", "b", "c"], global_step=2)
        w.add_embedding(rl.ones(2, 2), metadata=[["a", 1], ["b", 2]], metadata_header=["name", "n"], tag="other")
        with pytest.raises(ValueError, match="one label a point"):
            w.add_embedding(rl.ones(2, 2), metadata=["a"])
    assert (tmp_path / "00002/default/tensors.tsv").read_text() == "0.0\t1.0\n2.0\t3.0\n4.0\t5.0\n"
    assert (tmp_path / "00002/default/metadata.tsv").read_text() == "a\nb\nc\n" and (
        tmp_path / "00000/other/metadata.tsv"
    ).read_text().startswith("name\tn\n")
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert 'tensor_path: "00002/default/tensors.tsv"' in config and 'tensor_name: "other:00000"' in config


@needs
def test_graphs(tmp_path: Path) -> None:
    class Net(rl.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = rl.nn.Sequential(rl.nn.Linear(3, 4), rl.nn.ReLU())
            self.scale = rl.nn.Parameter(rl.ones(4))

        def forward(self, x: Any) -> Any:
            return (self.body(x) * self.scale).sum(-1)

    class Decides(rl.nn.Module):
        def forward(self, x: Any) -> Any:
            return x if x.sum() > 0 else -x

    with SummaryWriter(tmp_path) as w:
        w.add_graph(Net(), rl.ones(2, 3))
        with pytest.raises(RuntimeError, match="decide by values"):
            w.add_graph(Decides(), rl.ones(2))
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    graph = next(GraphDef.FromString(e.graph_def) for e in events(tmp_path) if e.graph_def)
    by_op = {n.op: n for n in graph.node}
    assert {"Linear", "ReLU", "mul", "sum", "Parameter", "IO Node"} <= set(by_op) and by_op[
        "Linear"
    ].name == "body/0/body_0"
    assert [d.size for d in by_op["Linear"].attr["_output_shapes"].list.shape[0].dim] == [2, 4]
    assert by_op["ReLU"].input == ["body/0/body_0"] and len(by_op["mul"].input) == 2


@needs
def test_files_and_folders(tmp_path: Path) -> None:
    w = SummaryWriter(tmp_path / "a", filename_suffix=".x", purge_step=3)
    w.add_scalar("s", 1.0, 3)
    w.close()
    w.add_scalar("s", 2.0, 4)
    w.flush()
    w.close()
    assert all(p.name.endswith(".x") for p in (tmp_path / "a").iterdir()) and [
        s for s, _ in values(tmp_path / "a")["s"]
    ] == [3, 4]
    assert any(e.session_log.status == 1 and e.step == 3 for e in events(tmp_path / "a")) and w.get_logdir() == str(
        tmp_path / "a"
    )
    code = (
        "from torch.utils.tensorboard import SummaryWriter; w = SummaryWriter(comment='here'); w.add_scalar('x', "
        "1); w.close(); print(w.log_dir)"
    )
    shown = printed(*RUSHLIGHT, "-c", code, cwd=tmp_path)
    assert shown.strip().startswith("runs/") and shown.strip().endswith("here") and (tmp_path / shown.strip()).is_dir()
