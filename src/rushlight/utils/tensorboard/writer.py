"""`SummaryWriter`: values, pictures and graphs into a folder that TensorBoard shows."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from rushlight.utils.tensorboard import summary

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes events to a file in a folder, by a thread of its own.

    Args:
        log_dir: the folder.
        max_queue: how many events wait before the caller does.
        flush_secs: how often what waits is written.
        filename_suffix: the end of the file's name.
    """

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        self._folder: str = os.fspath(log_dir)
        self.event_writer = EventFileWriter(self._folder, max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write an event, with its step and the time (now, if none is given)."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Write a summary."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_def: Any, walltime: float | None = None) -> None:
        """Write a graph."""
        self.add_event(Event(graph_def=graph_def.SerializeToString()), None, walltime)
        # What TensorBoard shows of a run of the graph: PyTorch writes one step, whose shapes are in the graph.
        run = TaggedRunMetadata(tag="step1", run_metadata=b"")
        self.add_event(Event(tagged_run_metadata=run), None, walltime)

    def flush(self) -> None:
        """Write everything that waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write everything that waits, and close the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Open the file again after it was closed."""
        self.event_writer.reopen()


class SummaryWriter:
    """Logs a run for TensorBoard.

    Args:
        log_dir: the folder; by default runs/(time)_(host)(comment).
        comment: the end of the default folder's name.
        purge_step: what was logged for this step and later ones, by a run that stopped, is hidden.
        max_queue: how many events wait before the caller does.
        flush_secs: how often what waits is written.
        filename_suffix: the end of the files' names.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)
        self.log_dir = log_dir
        self.purge_step, self.max_queue, self.flush_secs, self.filename_suffix = (
            purge_step,
            max_queue,
            flush_secs,
            filename_suffix,
        )
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()
        self.default_bins = summary.default_bins()
        self._projector_config: Any = None  # of all embeddings that were added

    def _get_file_writer(self) -> FileWriter:
        """The folder's writer, made anew after `close`."""
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=self.purge_step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def _add(self, made: Any, global_step: int | None, walltime: float | None) -> None:
        self._get_file_writer().add_summary(made, global_step, walltime)

    def get_logdir(self) -> str:
        """The folder."""
        return os.fspath(self.log_dir)  # type: ignore[no-any-return]

    # ---------------------------------------------------------------------------------------------------------- numbers
    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Log a number: Python's, or an array or tensor of one element."""
        self._add(summary.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Log numbers that share a chart, each to a folder of its own below this one."""
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            where = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if where not in self.all_writers:
                self.all_writers[where] = FileWriter(where, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[where].add_summary(summary.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Log all elements of a tensor."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Log how values are distributed.

        Args:
            bins: "tensorflow", one of NumPy's rules ("auto", "fd", ...), or limits.
            max_bins: neighbours are joined until there are at most so many.
        """
        chosen = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(summary.histogram(tag, values, chosen, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Sequence[float],
        bucket_counts: Sequence[float],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Log a histogram that is counted already: bucket_limits are the upper ones."""
        self._add(
            summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts),
            global_step,
            walltime,
        )

    # --------------------------------------------------------------------------------------------------------- pictures
    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Log an image of one, three or four channels; floating point pixels are from 0 to 1. dataformats names the
        dimensions ("CHW", "HWC", "HW").
        """
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Log images side by side, eight in a row."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Any = None,
    ) -> None:
        """Log an image with boxes (left, top, right, bottom) drawn on it, and their labels."""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != summary.make_np(box_tensor).reshape(-1, 4).shape[0]:
            raise ValueError(f"add_image_with_boxes(): 'labels' must be one a box; found {len(labels)}")
        self._add(summary.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels), global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Log a figure of matplotlib, or several, and close it."""
        several = isinstance(figure, (list, tuple))
        self.add_image(
            tag, summary.figure_to_image(figure, close), global_step, walltime, dataformats="NCHW" if several else "CHW"
        )

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: int | None = None,
        fps: int | float = 4,
        walltime: float | None = None,
    ) -> None:
        """Log a video (N, T, C, H, W) as a moving picture (GIF); the N are side by side."""
        self._add(_video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Log a sound of one channel, from -1 to 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    # ----------------------------------------------------------------------------------------------- text, graphs, more
    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Log a text in Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    def add_graph(
        self, model: Module, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Log a module's graph, which `fx` reads from its code.

        Args:
            input_to_model: example inputs, whose shapes the nodes show.
            verbose: print it as well.

        Raises:
            RuntimeError: for a module that decides by values.
        """
        from rushlight.utils.tensorboard.graph import graph

        made = graph(model, input_to_model)
        if verbose:
            print(made)
        self._get_file_writer().add_graph(made)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Log hyperparameters and the metrics that they led to, to a folder of their own below this one."""
        parts = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        where = os.path.join(self._get_file_writer().get_logdir(), str(time.time()) if run_name is None else run_name)
        with SummaryWriter(log_dir=where) as writer:
            for part in parts:
                writer._add(part, None, None)
            for tag, value in metric_dict.items():
                writer.add_scalar(tag, value, global_step)

    def add_embedding(
        self,
        mat: Any,
        metadata: Sequence[Any] | None = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Log points (N, D) for the projector.

        Args:
            metadata: a label a point, or with metadata_header a row.
            label_img: an image (N, C, H, W) a point.

        Raises:
            ValueError: there are not as many labels or images as points.
        """
        from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo, ProjectorConfig

        points = summary.make_np(mat)
        if points.ndim != 2:
            raise ValueError(f"add_embedding(): 'mat' must be of 2 dimensions (points, numbers); found {points.ndim}")
        step = 0 if global_step is None else int(global_step)
        folder = f"{step:05d}/{tag.replace('/', '_')}"
        root = Path(self._get_file_writer().get_logdir())
        where = root / folder
        where.mkdir(parents=True, exist_ok=True)
        info = EmbeddingInfo(tensor_name=f"{tag}:{step:05d}", tensor_path=f"{folder}/tensors.tsv")
        if metadata is not None:
            if len(metadata) != len(points):
                raise ValueError(
                    f"add_embedding(): 'metadata' must be one label a point, {len(points)}; found {len(metadata)}"
                )
            lines = (
                ["\t".join(map(str, row)) for row in [metadata_header, *metadata]]
                if metadata_header
                else [str(x) for x in metadata]
            )
            (where / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
            info.metadata_path = f"{folder}/metadata.tsv"
        if label_img is not None:
            images = summary.make_np(label_img)
            if len(images) != len(points):
                raise ValueError(
                    f"add_embedding(): 'label_img' must be one image a point, {len(points)}; found {len(images)}"
                )
            _sprite(images, where / "sprite.png")
            info.sprite.image_path = f"{folder}/sprite.png"
            info.sprite.single_image_dim.extend([images.shape[3], images.shape[2]])
        (where / "tensors.tsv").write_text(
            "\n".join("\t".join(map(str, row)) for row in points.tolist()) + "\n", encoding="utf-8"
        )
        if self._projector_config is None:
            self._projector_config = ProjectorConfig()
        self._projector_config.embeddings.extend([info])
        from google.protobuf import text_format

        (root / "projector_config.pbtxt").write_text(
            text_format.MessageToString(self._projector_config), encoding="utf-8"
        )

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log precision and recall of predictions (probabilities) of labels (0 or 1), at evenly spaced thresholds."""
        self._add(summary.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log a curve of precision and recall that is computed already."""
        made = summary.pr_curve_raw(
            tag,
            true_positive_counts,
            false_positive_counts,
            true_negative_counts,
            false_negative_counts,
            precision,
            recall,
            num_thresholds,
            weights,
        )
        self._add(made, global_step, walltime)

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Say which scalars share a chart: {category: {chart: ["Multiline" or "Margin", [tags]]}}."""
        self._add(summary.custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Let scalars share a chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Let a scalar and its lower and upper limit share a chart."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Log meshes or clouds of points: vertices (N, V, 3), colors of them (0 to 255), faces (N, F, 3)."""
        self._add(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # -------------------------------------------------------------------------------------------------------------- end
    def flush(self) -> None:
        """Write everything that waits."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write everything that waits, and close the files; what is logged afterwards goes to new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _sprite(images: Any, path: Path) -> None:
    """One square picture of all images, row by row."""
    from PIL import Image

    side = int(np.ceil(np.sqrt(len(images))))
    n, c, h, w = images.shape
    canvas = np.zeros((side * side, c, h, w), np.float32)
    canvas[:n] = images if images.dtype != np.uint8 else images.astype(np.float32) / 255
    canvas = np.repeat(canvas, 3, 1) if c == 1 else canvas
    sheet = canvas.reshape(side, side, -1, h, w).transpose(0, 3, 1, 4, 2).reshape(side * h, side * w, -1)
    Image.fromarray((sheet * 255).clip(0, 255).astype(np.uint8)).save(path)


def _video(tag: str, value: Any, fps: float) -> Any:
    """A moving picture of (N, T, C, H, W)."""
    import io

    from PIL import Image
    from tensorboard.compat.proto.summary_pb2 import Summary

    frames = summary.make_np(value)
    if frames.ndim != 5:
        raise ValueError(f"add_video(): 'vid_tensor' must be of 5 dimensions (N, T, C, H, W); found {frames.ndim}")
    pixels = frames if frames.dtype == np.uint8 else (frames.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
    shown = [Image.fromarray(summary.as_hwc(pixels[:, t], "NCHW")) for t in range(pixels.shape[1])]
    out = io.BytesIO()
    shown[0].save(out, format="GIF", save_all=True, append_images=shown[1:], duration=int(1000 / fps), loop=0)
    picture = Summary.Image(
        height=shown[0].height, width=shown[0].width, colorspace=3, encoded_image_string=out.getvalue()
    )
    return Summary(value=[Summary.Value(tag=tag, image=picture)])
