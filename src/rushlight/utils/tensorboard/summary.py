"""Values as TensorBoard's protocol buffers: scalars, histograms, images, audio, text, curves, meshes,
hyperparameters.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from rushlight.core.checks import check_argument
from rushlight.core.tensor import Tensor

__all__ = [
    "audio",
    "histogram",
    "histogram_raw",
    "hparams",
    "image",
    "image_boxes",
    "make_np",
    "pr_curve",
    "pr_curve_raw",
    "scalar",
    "tensor_proto",
    "text",
]


def make_np(x: Any) -> Any:
    """A number, array or tensor as an array of one dimension or more.

    Raises:
        NotImplementedError: it is none of these.
    """
    if isinstance(x, (list, tuple)):
        return np.array(x)
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        x = x.detach().cpu()
        found = (x.float() if x.dtype.numpy_name is None else x).numpy()
        return found if found.ndim else found.reshape(1)
    raise NotImplementedError(f"make_np(): 'x' must be a number, an array or a tensor; found {type(x).__name__}")


# -------------------------------------------------------------------------------------------------------------- numbers
def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Any:
    """A number by the name `tag`."""
    array = make_np(value)
    check_argument(array.size == 1, "add_scalar()", "scalar_value", "be one number", lambda: array.size, ValueError)
    number = float(array.reshape(-1)[0])
    if new_style:
        kind, data = (
            ("DT_DOUBLE", {"double_val": [number]}) if double_precision else ("DT_FLOAT", {"float_val": [number]})
        )
        metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
        return Summary(value=[Summary.Value(tag=tag, tensor=TensorProto(dtype=kind, **data), metadata=metadata)])
    return Summary(value=[Summary.Value(tag=tag, simple_value=number)])


_DTYPES = {
    "float32": ("DT_FLOAT", "float_val"),
    "float64": ("DT_DOUBLE", "double_val"),
    "int32": ("DT_INT32", "int_val"),
    "int16": ("DT_INT16", "int_val"),
    "int8": ("DT_INT8", "int_val"),
    "uint8": ("DT_UINT8", "int_val"),
    "int64": ("DT_INT64", "int64_val"),
    "bool": ("DT_BOOL", "bool_val"),
    "complex64": ("DT_COMPLEX64", "scomplex_val"),
    "complex128": ("DT_COMPLEX128", "dcomplex_val"),
}


def tensor_proto(tag: str, value: Any) -> Any:
    """All elements of a tensor.

    Raises:
        ValueError: TensorBoard has no such dtype.
    """
    if isinstance(value, Tensor) and value.ndim == 0:
        array = value.detach().numpy()
    else:
        array = make_np(value)
    name = array.dtype.name
    if name == "float16":
        kind, data = "DT_HALF", {"half_val": array.reshape(-1).view(np.uint16).tolist()}
    elif name in _DTYPES:
        kind, field = _DTYPES[name]
        flat = array.reshape(-1)
        data = {field: flat.view(flat.real.dtype).tolist() if array.dtype.kind == "c" else flat.tolist()}
    else:
        raise ValueError(
            f"add_tensor(): 'tensor' must be of one of the dtypes float16, {', '.join(_DTYPES)}; found {name}"
        )
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in array.shape])
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="tensor"))
    return Summary(
        value=[Summary.Value(tag=tag, tensor=TensorProto(dtype=kind, tensor_shape=shape, **data), metadata=metadata)]
    )


def default_bins() -> list[float]:
    """TensorFlow's limits of histograms: 1e-12 times powers of 1.1, up to 1e20, to either side of 0."""
    positive = []
    v = 1e-12
    while v < 1e20:
        positive.append(v)
        v *= 1.1
    return [-x for x in reversed(positive)] + [0.0] + positive


def histogram(tag: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """How often values lie between limits; empty bins at either end are left out, but for one.

    Raises:
        ValueError: there are no values.
    """
    array = make_np(values).reshape(-1).astype(float)
    if array.size == 0:
        raise ValueError("add_histogram(): 'values' must not be empty")
    counts, limits = np.histogram(array, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = -(-len(counts) // max_bins)
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.flatnonzero(counts)
    check_argument(filled.size != 0, "add_histogram()", "bins", "reach to values", "none that has one", ValueError)
    first, last = int(filled[0]), int(filled[-1]) + 1
    shown = counts[first - 1 : last] if first > 0 else np.concatenate([[0], counts[:last]])
    return histogram_raw(
        tag,
        array.min(),
        array.max(),
        array.size,
        array.sum(),
        array.dot(array),
        limits[first : last + 1].tolist(),
        shown.tolist(),
    )


def histogram_raw(
    tag: str,
    min: float,
    max: float,
    num: int,
    sum: float,
    sum_squares: float,
    bucket_limits: Sequence[float],
    bucket_counts: Sequence[float],
) -> Any:
    """A histogram that is counted already.

    Raises:
        ValueError: there are not as many limits as counts.
    """
    if len(bucket_limits) != len(bucket_counts):
        raise ValueError(
            f"add_histogram_raw(): 'bucket_limits' must be as many as 'bucket_counts', {len(bucket_counts)}; found "
            f"{len(bucket_limits)}"
        )
    histo = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return Summary(value=[Summary.Value(tag=tag, histo=histo)])


# ------------------------------------------------------------------------------------------------------------- pictures
def as_hwc(array: Any, dataformats: str) -> Any:
    """An image, or several side by side, in rows, columns and three (or four) channels.

    Raises:
        ValueError: the letters do not name the dimensions.
    """
    letters = dataformats.upper()
    check_argument(
        len(set(letters)) == len(letters)
        and set(letters) <= set("NCHW")
        and ({"H", "W"} <= set(letters))
        and (len(letters) == array.ndim),
        "add_image()",
        "dataformats",
        f"name each of the image's {array.ndim} dimensions by one of N, C, H and W",
        repr(dataformats),
        ValueError,
    )
    if "N" in letters:
        if "C" not in letters:
            array, letters = array[..., None], letters + "C"
        images = array.transpose([letters.index(k) for k in "NHWC"])
        return _grid(_three(images))
    if "C" not in letters:
        array, letters = array[..., None], letters + "C"
    return _three(array.transpose([letters.index(k) for k in "HWC"]))


def _three(array: Any) -> Any:
    return np.concatenate([array] * 3, -1) if array.shape[-1] == 1 else array


def _grid(images: Any, columns: int = 8) -> np.ndarray[Any, Any]:
    """Images (N, H, W, C) in rows of at most eight."""
    n, h, w, c = images.shape
    columns = min(n, columns)
    rows = -(-n // columns)
    canvas = np.zeros((rows * columns, h, w, c), images.dtype)
    canvas[:n] = images
    return canvas.reshape(rows, columns, h, w, c).transpose(0, 2, 1, 3, 4).reshape(rows * h, columns * w, c)


def _encoded(array: Any, rescale: float = 1) -> Any:
    from PIL import Image

    pixels = array if array.dtype == np.uint8 else (array.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
    height, width, channels = pixels.shape
    picture = Image.fromarray(pixels)
    if rescale != 1:
        picture = picture.resize((int(width * rescale), int(height * rescale)))
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return Summary.Image(
        height=picture.height, width=picture.width, colorspace=channels, encoded_image_string=out.getvalue()
    )


def image(tag: str, value: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """An image; floating point pixels are from 0 to 1, uint8 ones to 255."""
    return Summary(value=[Summary.Value(tag=tag, image=_encoded(as_hwc(make_np(value), dataformats), rescale))])


def image_boxes(
    tag: str, value: Any, boxes: Any, rescale: float = 1, dataformats: str = "CHW", labels: Sequence[str] | None = None
) -> Any:
    """An image with boxes (left, top, right, bottom) drawn on it."""
    from PIL import Image, ImageDraw

    pixels = as_hwc(make_np(value), dataformats)
    pixels = pixels if pixels.dtype == np.uint8 else (pixels.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)
    picture = Image.fromarray(pixels)
    draw = ImageDraw.Draw(picture)
    for i, box in enumerate(make_np(boxes).reshape(-1, 4).tolist()):
        draw.rectangle(box, outline="red", width=2)
        if labels is not None:
            draw.text((box[0], box[1]), labels[i], fill="red")
    return Summary(value=[Summary.Value(tag=tag, image=_encoded(np.array(picture), rescale))])


def figure_to_image(figures: Any, close: bool = True) -> Any:
    """Figures of matplotlib as an array of (channels, rows, columns), several with a first dimension."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def drawn(figure: Any) -> np.ndarray[Any, Any]:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()  # type: ignore[no-untyped-call]
        if close:
            pyplot.close(figure)
        return pixels.transpose(2, 0, 1)

    return np.stack([drawn(f) for f in figures]) if isinstance(figures, (list, tuple)) else drawn(figures)


def audio(tag: str, value: Any, sample_rate: int = 44100) -> Any:
    """A sound of one channel, from -1 to 1."""
    samples = make_np(value).squeeze()
    if samples.ndim != 1:
        raise ValueError(f"add_audio(): 'snd_tensor' must have one channel; found the shape {samples.shape}")
    data = (np.clip(samples, -1, 1) * np.iinfo(np.int16).max).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(data.tobytes())
    sound = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=len(samples),
        encoded_audio_string=out.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Summary.Value(tag=tag, audio=sound)])


# ---------------------------------------------------------------------------------------------------- what plugins show
def text(tag: str, value: str) -> Any:
    """A text in Markdown."""
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text", content=b""))
    data = TensorProto(
        dtype="DT_STRING",
        string_val=[value.encode()],
        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
    )
    return Summary(value=[Summary.Value(tag=f"{tag}/text_summary", metadata=metadata, tensor=data)])


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Any:
    """Precision and recall of predictions (from 0 to 1) of labels (0 or 1) at evenly spaced thresholds."""
    num_thresholds = min(num_thresholds, 127)  # what the plugin shows
    labels, predictions = make_np(labels).reshape(-1), make_np(predictions).reshape(-1)
    each = np.ones(labels.shape) if weights is None else np.broadcast_to(make_np(weights).astype(float), labels.shape)
    bucket = np.floor(predictions * (num_thresholds - 1)).astype(np.int64).clip(0, num_thresholds - 1)
    positive = labels.astype(float)

    def at_least(amount: Any) -> np.ndarray[Any, Any]:
        return np.bincount(bucket, amount, num_thresholds)[::-1].cumsum()[::-1]

    true, false = at_least(positive * each), at_least((1 - positive) * each)
    precision = true / np.maximum(1e-7, true + false)
    recall = true / np.maximum(1e-7, true[0])
    return pr_curve_raw(tag, true, false, false[0] - false, true[0] - true, precision, recall, num_thresholds)


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Any:
    """A curve of precision and recall that is computed already."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    num_thresholds = min(num_thresholds, 127)
    data = np.stack([make_np(row).astype(float) for row in (tp, fp, tn, fn, precision, recall)])
    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="pr_curves", content=content))
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in data.shape])
    proto = TensorProto(dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=shape)
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=proto)])


def hparams(
    hparam_dict: Mapping[str, Any],
    metric_dict: Mapping[str, Any],
    hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[Any, Any, Any]:
    """Hyperparameters and the names of the metrics that they led to: an experiment, the start of a session and its end.

    Raises:
        TypeError: an argument is no dict.
        ValueError: a hyperparameter is no number, truth value or text.
    """
    from tensorboard.plugins.hparams.api_pb2 import (
        DATA_TYPE_BOOL,
        DATA_TYPE_FLOAT64,
        DATA_TYPE_STRING,
        Experiment,
        HParamInfo,
        MetricInfo,
        MetricName,
        Status,
    )
    from tensorboard.plugins.hparams.metadata import (
        EXPERIMENT_TAG,
        PLUGIN_DATA_VERSION,
        PLUGIN_NAME,
        SESSION_END_INFO_TAG,
        SESSION_START_INFO_TAG,
    )
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

    for name, value in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        check_argument(isinstance(value, Mapping), "add_hparams()", name, "be a dict", type(value).__name__, TypeError)
    domains = hparam_domain_discrete or {}
    start, infos = SessionStartInfo(), []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, Tensor):
            value = value.item()
        field = start.hparams[name]
        if isinstance(value, (bool, np.bool_)):
            field.bool_value, kind = bool(value), DATA_TYPE_BOOL
        elif isinstance(value, str):
            field.string_value, kind = value, DATA_TYPE_STRING
        elif isinstance(value, (int, float, np.number)):
            field.number_value, kind = float(value), DATA_TYPE_FLOAT64
        else:
            raise ValueError(
                "add_hparams(): a value in 'hparam_dict' must be an int, float, str, bool or tensor; found "
                f"{type(value).__name__} for {name!r}"
            )
        info = HParamInfo(name=name, type=kind)
        for choice in domains.get(name, ()):
            item = info.domain_discrete.values.add()
            setattr(
                item,
                {DATA_TYPE_BOOL: "bool_value", DATA_TYPE_STRING: "string_value", DATA_TYPE_FLOAT64: "number_value"}[
                    kind
                ],
                choice,
            )
        infos.append(info)
    experiment = Experiment(
        hparam_infos=infos, metric_infos=[MetricInfo(name=MetricName(tag=name)) for name in metric_dict]
    )

    def summary(tag: str, content: Any) -> Any:
        plugin = SummaryMetadata.PluginData(plugin_name=PLUGIN_NAME, content=content.SerializeToString())
        return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))])

    return (
        summary(EXPERIMENT_TAG, HParamsPluginData(experiment=experiment, version=PLUGIN_DATA_VERSION)),
        summary(SESSION_START_INFO_TAG, HParamsPluginData(session_start_info=start, version=PLUGIN_DATA_VERSION)),
        summary(
            SESSION_END_INFO_TAG,
            HParamsPluginData(
                session_end_info=SessionEndInfo(status=Status.Value("STATUS_SUCCESS")), version=PLUGIN_DATA_VERSION
            ),
        ),
    )


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config: Mapping[str, Any] | None) -> Any:
    """Meshes or clouds of points: vertices (N, V, 3), and colors and faces of them."""
    import json

    from tensorboard.plugins.mesh import metadata as mesh_metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    parts = [
        ("VERTEX", make_np(vertices), "DT_FLOAT", "float_val"),
        ("FACE", None if faces is None else make_np(faces), "DT_INT32", "int_val"),
        ("COLOR", None if colors is None else make_np(colors), "DT_UINT8", "int_val"),
    ]
    parts = [part for part in parts if part[1] is not None]
    kinds = [MeshPluginData.ContentType.Value(part[0]) for part in parts]
    bits = mesh_metadata.get_components_bitmask(kinds)
    values = []
    for kind, (_, array, dtype, field) in zip(kinds, parts, strict=True):
        if array.ndim != 3:
            raise ValueError(
                f"add_mesh(): 'vertices', 'colors' and 'faces' must have 3 dimensions (N, count, 3); found {array.ndim}"
            )
        metadata = mesh_metadata.create_summary_metadata(
            tag, "", kind, bits, list(array.shape), json_config=json.dumps(config or {}, sort_keys=True)
        )
        proto = TensorProto(
            dtype=dtype,
            tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in array.shape]),
            **{field: array.reshape(-1).tolist()},
        )
        values.append(Summary.Value(tag=mesh_metadata.get_instance_name(tag, kind), tensor=proto, metadata=metadata))
    return Summary(value=values)


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Any:
    """Which scalars share a chart: {category: {chart: ["Multiline" or "Margin", [tags]]}}."""
    from tensorboard.plugins.custom_scalar import layout_pb2

    categories = []
    for category, charts in layout.items():
        made = []
        for title, (kind, tags) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise ValueError(
                        "add_custom_scalars(): a chart of kind 'Margin' must have three tags (value, lower, upper); "
                        f"found {len(tags)} for {title!r}"
                    )
                series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                made.append(layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series])))
            else:
                made.append(layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags)))
        categories.append(layout_pb2.Category(title=category, chart=made))
    content = layout_pb2.Layout(category=categories).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="custom_scalars"))
    proto = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=TensorShapeProto())
    return Summary(value=[Summary.Value(tag="custom_scalars__config__", tensor=proto, metadata=metadata)])
