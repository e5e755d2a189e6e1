"""Every module of nn against PyTorch's: text, names, values and gradients with the same weights."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np
import pytest

import rushlight
from rushlight import nn

torch = pytest.importorskip("torch")


class Case(NamedTuple):
    """A module's name and arguments, and what it is called with (NumPy arrays become tensors)."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    inputs: tuple[Any, ...]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def image(n: int) -> np.ndarray:
    """A batch of 2 with 4 channels and n spatial dimensions."""
    return rng().standard_normal((2, 4, *(9,) * min(n, 2), *(7,) * (n - 2))).astype(np.float32)


V = rng().standard_normal((3, 6)).astype(np.float32)
T = rng().standard_normal((4, 3, 6)).astype(np.float32)[1]
P = 1 / (1 + np.exp(-T))
CLASSES = np.array([1, 5, 0])
SIGNS = np.where(T > 0, 1, -1).astype(np.float32)
INDICES = rng().integers(0, 10, (3, 4))
SEQUENCE = rng().standard_normal((5, 3, 6)).astype(np.float32)
CASES: list[Case] = []


def case(name: str, *args: Any, inputs: tuple[Any, ...], **kwargs: Any) -> None:
    CASES.append(Case(name, args, kwargs, inputs))


for _name in (
    "ReLU RReLU ReLU6 Hardtanh Sigmoid Hardsigmoid Tanh SiLU Mish Hardswish ELU CELU SELU GLU GELU Hardshrink "
    "LeakyReLU "
    "LogSigmoid Softplus Softshrink PReLU Softsign Tanhshrink"
).split():
    case(_name, inputs=(V,))
case("ReLU", inplace=True, inputs=(V,))
case("LeakyReLU", 0.2, inplace=True, inputs=(V,))
case("Threshold", 0.1, 20.0, inputs=(V,))
case("Softmin", 1, inputs=(V,))
case("Softmax", -1, inputs=(V,))
case("LogSoftmax", 0, inputs=(V,))
case("Softmax2d", inputs=(image(2),))
case("GELU", "tanh", inputs=(V,))
case("PReLU", 4, inputs=(image(2),))
case("Identity", 3, a=4, inputs=(V,))
case("Linear", 6, 3, inputs=(V,))
case("Linear", 6, 3, bias=False, inputs=(V,))
case("Bilinear", 6, 6, 2, inputs=(V, T))
for _n in (1, 2, 3):
    _x = image(_n)
    case(f"Conv{_n}d", 4, 6, 3, inputs=(_x,))
    case(f"Conv{_n}d", 4, 6, 3, 2, 1, 2, 2, False, "circular", inputs=(_x,))
    case(f"Conv{_n}d", 4, 6, 4, padding="same", padding_mode="reflect", inputs=(_x,))
    case(f"Conv{_n}d", 4, 6, 3, padding="valid", inputs=(_x,))
    case(f"ConvTranspose{_n}d", 4, 6, 3, inputs=(_x,))
    case(f"ConvTranspose{_n}d", 4, 6, 3, 2, 1, 1, 2, False, 1, inputs=(_x,))
    case(f"MaxPool{_n}d", 3, 2, 1, ceil_mode=True, inputs=(_x,))
    case(f"MaxPool{_n}d", 2, return_indices=True, inputs=(_x,))
    case(f"AvgPool{_n}d", 3, 2, 1, inputs=(_x,))
    case(f"LPPool{_n}d", 2, 3, inputs=(np.abs(_x),))
    case(f"AdaptiveAvgPool{_n}d", 3, inputs=(_x,))
    case(f"AdaptiveMaxPool{_n}d", 3, inputs=(_x,))
    case(f"BatchNorm{_n}d", 4, inputs=(_x,))
    case(f"BatchNorm{_n}d", 4, momentum=None, inputs=(_x,))
    case(f"BatchNorm{_n}d", 4, affine=False, track_running_stats=False, inputs=(_x,))
    case(f"InstanceNorm{_n}d", 4, inputs=(_x,))
    case(f"InstanceNorm{_n}d", 4, affine=True, track_running_stats=True, inputs=(_x,))
    for _pad in ("Reflection", "Replication", "Zero", "Circular"):
        case(f"{_pad}Pad{_n}d", 2, inputs=(_x,))
    case(f"ConstantPad{_n}d", 1, 3.5, inputs=(_x,))
case("LayerNorm", 9, inputs=(image(1),))
case("LayerNorm", [4, 9], bias=False, inputs=(image(1),))
case("LayerNorm", (4, 9), elementwise_affine=False, inputs=(image(1),))
case("RMSNorm", 9, inputs=(image(1),))
case("RMSNorm", (4, 9), eps=0.1, inputs=(image(1),))
case("GroupNorm", 2, 4, inputs=(image(2),))
case("LocalResponseNorm", 2, inputs=(image(2),))
case("Embedding", 10, 3, inputs=(INDICES,))
case("Embedding", 10, 3, padding_idx=-1, scale_grad_by_freq=True, inputs=(INDICES,))
case("EmbeddingBag", 10, 3, inputs=(INDICES,))
case("EmbeddingBag", 10, 3, mode="max", padding_idx=2, inputs=(INDICES,))
case("EmbeddingBag", 10, 3, mode="sum", include_last_offset=True, inputs=(INDICES.reshape(-1), np.array([0, 3, 12])))
case("Flatten", inputs=(image(2),))
case("Unflatten", 1, (2, 2), inputs=(image(2),))
case("Unfold", 3, inputs=(image(2),))
case("Fold", (4, 6), 2, inputs=(rng().standard_normal((2, 8, 15)).astype(np.float32),))
case("ChannelShuffle", 2, inputs=(image(2),))
case("PixelShuffle", 2, inputs=(image(2),))
case("PixelUnshuffle", 3, inputs=(image(2),))
case("Upsample", scale_factor=2, inputs=(image(2),))
case("Upsample", size=(5, 6), mode="bilinear", align_corners=True, inputs=(image(2),))
case("UpsamplingNearest2d", scale_factor=2, inputs=(image(2),))
case("UpsamplingBilinear2d", size=5, inputs=(image(2),))
for _name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "KLDivLoss", "PoissonNLLLoss"):
    for _reduction in ("mean", "sum", "none"):
        case(_name, reduction=_reduction, inputs=(V, np.abs(T)))
case("HingeEmbeddingLoss", inputs=(V, SIGNS))
case("SoftMarginLoss", inputs=(V, SIGNS))
case("NLLLoss", inputs=(V, CLASSES))
case("CrossEntropyLoss", inputs=(V, CLASSES))
case("CrossEntropyLoss", label_smoothing=0.1, ignore_index=5, inputs=(V, CLASSES))
case("MultiMarginLoss", p=2, inputs=(V, CLASSES))
case("BCELoss", inputs=(P, P[::-1].copy()))
case("BCEWithLogitsLoss", inputs=(V, P))
case("GaussianNLLLoss", full=True, inputs=(V, T, np.abs(T) + 0.1))
case("MultiLabelSoftMarginLoss", inputs=(V, P.round()))
case("MultiLabelMarginLoss", inputs=(V, np.array([[1, 2, -1, 0, 0, 0]] * 3)))
case("CosineEmbeddingLoss", 0.2, inputs=(V, T, SIGNS[:, 0].copy()))
case("MarginRankingLoss", 0.1, inputs=(V[:, 0].copy(), T[:, 0].copy(), SIGNS[:, 0].copy()))
case("TripletMarginLoss", swap=True, inputs=(V, T, V + T))
case("TripletMarginWithDistanceLoss", inputs=(V, T, V + T))
case("PairwiseDistance", inputs=(V, T))
case("CosineSimilarity", inputs=(V, T))
for _name in ("RNN", "LSTM", "GRU"):
    case(_name, 6, 4, inputs=(SEQUENCE,))
    case(_name, 6, 4, num_layers=2, bidirectional=True, batch_first=True, inputs=(SEQUENCE,))
    case(_name, 6, 4, bias=False, inputs=(SEQUENCE[:, 0].copy(),))
    case(_name + "Cell", 6, 4, inputs=(V,))
case("RNN", 6, 4, nonlinearity="relu", inputs=(SEQUENCE,))
case("LSTM", 6, 4, 2, proj_size=2, bidirectional=True, inputs=(SEQUENCE,))
for _kwargs in ({}, {"bias": False}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"batch_first": True}):
    case("MultiheadAttention", 6, 2, **_kwargs, inputs=(SEQUENCE, SEQUENCE, SEQUENCE))
    case(
        "MultiheadAttention",
        6,
        3,
        **_kwargs,
        inputs=(SEQUENCE[:, 0].copy(), SEQUENCE[:3, 1].copy(), SEQUENCE[:3, 2].copy()),
    )
case(
    "MultiheadAttention",
    6,
    2,
    kdim=9,
    vdim=9,
    inputs=(
        SEQUENCE[:, :2].copy(),
        image(1)[:, :, :9].copy().transpose(1, 0, 2).copy(),
        image(1)[:, :, :9].copy().transpose(1, 0, 2).copy(),
    ),
)
for _kwargs in ({}, {"norm_first": True, "batch_first": True}, {"activation": "gelu", "bias": False}):
    case("TransformerEncoderLayer", 6, 2, 8, 0.0, **_kwargs, inputs=(SEQUENCE,))
    case("TransformerDecoderLayer", 6, 2, 8, 0.0, **_kwargs, inputs=(SEQUENCE, SEQUENCE + 1))
    case("Transformer", 6, 2, 1, 2, 8, 0.0, **_kwargs, inputs=(SEQUENCE, SEQUENCE + 1))
case("LinearCrossEntropyLoss", 6, 7, inputs=(V, CLASSES))
case("LinearCrossEntropyLoss", 6, 7, bias=True, label_smoothing=0.1, reduction="sum", inputs=(V, CLASSES))
case("AdaptiveLogSoftmaxWithLoss", 6, 20, [4, 9], 2.0, inputs=(V, np.array([1, 19, 5])))


def tensors_of(output: Any) -> list[Any]:
    """All tensors of a module's output, however nested."""
    if isinstance(output, (tuple, list)):
        return [t for item in output for t in tensors_of(item)]
    return [output]


def run(lib: Any, module: Any, inputs: tuple[Any, ...]) -> tuple[list[np.ndarray], list[np.ndarray | None]]:
    """Outputs, and the gradients of the first input and the parameters for a fixed weighting of the outputs."""
    given = [lib.from_numpy(x.copy()) if isinstance(x, np.ndarray) else x for x in inputs]
    wrt = list(module.parameters())
    first = given[0]
    if first.is_floating_point():
        leaf = first.requires_grad_()
        wrt.insert(0, leaf)
        given[0] = leaf * 1  # so that an in-place module may write to it
    outputs = tensors_of(module(*given))
    total = sum((t * (0.5 + t.detach().sin())).sum() for t in outputs if t.is_floating_point())
    if wrt:
        total.backward()
    grads = [None if t.grad is None else t.grad.numpy() for t in wrt]
    return [t.detach().numpy() for t in outputs], grads


def ids(c: Case) -> str:
    return f"{c.name}-{'-'.join(map(str, (*c.args, *c.kwargs.values())))}"


@pytest.mark.parametrize("c", CASES, ids=ids)
def test_module_agrees_with_pytorch(c: Case) -> None:
    ours = getattr(nn, c.name)(*c.args, **c.kwargs)
    theirs = getattr(torch.nn, c.name)(*c.args, **c.kwargs)
    assert repr(ours) == repr(theirs)
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    assert {k: tuple(v.shape) for k, v in ours.state_dict().items()} == {k: tuple(v.shape) for k, v in state.items()}
    ours.load_state_dict({k: rushlight.from_numpy(v.numpy().copy()) for k, v in state.items()})
    for training in (True, False):
        if training and c.name == "RReLU":
            continue  # random
        ours.train(training)
        theirs.train(training)
        ours.zero_grad()
        theirs.zero_grad()
        (a, grads_a), (b, grads_b) = run(rushlight, ours, c.inputs), run(torch, theirs, c.inputs)
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert x.dtype == y.dtype and x.shape == y.shape
            np.testing.assert_allclose(x, y, rtol=2e-4, atol=2e-5)
        for x, y in zip(grads_a, grads_b, strict=True):
            assert (x is None) == (y is None)
            if x is not None:
                np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)
    for key, value in theirs.state_dict().items():  # the running statistics
        np.testing.assert_allclose(ours.state_dict()[key].numpy(), value.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("lengths", [[5, 3, 3, 1], [3, 5, 1, 3]])
def test_packed_sequences_agree_with_pytorch(name: str, lengths: list[int]) -> None:
    x = rng().standard_normal((5, 4, 6)).astype(np.float32)
    theirs = getattr(torch.nn, name)(6, 4, 2, bidirectional=True)
    ours = getattr(nn, name)(6, 4, 2, bidirectional=True)
    ours.load_state_dict({k: rushlight.from_numpy(v.numpy().copy()) for k, v in theirs.state_dict().items()})
    results = []
    for lib, module in ((rushlight, ours), (torch, theirs)):
        tools = lib.nn.utils.rnn
        packed = tools.pack_padded_sequence(lib.from_numpy(x.copy()), lengths, enforce_sorted=lengths[0] == 5)
        output, state = module(packed)
        padded, out_lengths = tools.pad_packed_sequence(output, total_length=7, padding_value=2.0)
        results.append([t.detach().numpy() for t in (padded, out_lengths, *tensors_of(state))])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3)], ids=str)
@pytest.mark.parametrize("trivialized", [True, False])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, np.float32) for name in (None, "matrix_exp", "cayley", "householder")),
        *((name, np.complex64) for name in (None, "matrix_exp", "cayley")),
    ],
)
def test_orthogonal_agrees_with_pytorch(
    dtype: Any, name: str | None, trivialized: bool, shape: tuple[int, ...]
) -> None:
    weight = rng().standard_normal((2, *shape)).astype(np.float32)
    weight = weight[0] if dtype is np.float32 else (weight[0] + 1j * weight[1])
    target = rng().standard_normal(shape).astype(np.float32)
    modules = []
    for lib in (torch, rushlight):
        m = lib.nn.Module()
        m.weight = lib.nn.Parameter(lib.from_numpy(weight.astype(dtype)))
        modules.append(lib.nn.utils.parametrizations.orthogonal(m, orthogonal_map=name, use_trivialization=trivialized))
    theirs, ours = modules
    np.testing.assert_allclose(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), atol=1e-5)
    # What PyTorch has learned is read from its state dict.
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        (theirs.weight - torch.from_numpy(target)).abs().square().sum().backward()
        optimizer.step()
    ours.load_state_dict({k: rushlight.from_numpy(v.numpy().copy()) for k, v in theirs.state_dict().items()})
    np.testing.assert_allclose(ours.weight.detach().numpy(), theirs.weight.detach().numpy(), atol=1e-5)
    optimizer.zero_grad()
    grads = []
    for lib, m in ((torch, theirs), (rushlight, ours)):
        (m.weight - lib.from_numpy(target)).abs().square().sum().backward()
        grads.append(m.parametrizations.weight.original.grad.numpy())
    np.testing.assert_allclose(grads[1], grads[0], atol=1e-4)


def saved(lib: Any, module: Any) -> io.BytesIO:
    file = io.BytesIO()
    lib.save(module, file)
    file.seek(0)
    return file


def compare_outputs(ours: Any, theirs: Any, inputs: tuple[Any, ...]) -> None:
    assert repr(ours) == repr(theirs) and list(ours.state_dict()) == list(theirs.state_dict())
    for x, y in zip(run(rushlight, ours.eval(), inputs)[0], run(torch, theirs.eval(), inputs)[0], strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("c", CASES, ids=ids)
def test_module_files_go_both_ways(c: Case) -> None:
    """A module that rushlight has saved loads in PyTorch and computes there what it did here, and the other way
    round.
    """
    ours = getattr(nn, c.name)(*c.args, **c.kwargs)
    compare_outputs(ours, torch.load(saved(rushlight, ours), weights_only=False), c.inputs)
    theirs = getattr(torch.nn, c.name)(*c.args, **c.kwargs)
    compare_outputs(rushlight.load(saved(torch, theirs), weights_only=False), theirs, c.inputs)


LOSSES = [n for n in dir(torch.nn) if n.endswith("Loss")]
CONTAINERS: list[Any] = [
    lambda nn: nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2))),
    lambda nn: nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ModuleList([nn.Tanh(), nn.Dropout(0.5)])}),
    lambda nn: nn.ParameterList([nn.Parameter(nn.Linear(2, 2).weight)]),
    lambda nn: nn.ParameterDict({"w": nn.Linear(2, 2).weight}),
    lambda nn: nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)),
    lambda nn: nn.Unflatten(1, (2, 3)),
    lambda nn: nn.UpsamplingBilinear2d(scale_factor=2),
]


@pytest.mark.parametrize(
    "make",
    [
        *(
            lambda lib, n=n: getattr(lib, n)()
            for n in LOSSES
            if n not in ("LinearCrossEntropyLoss", "AdaptiveLogSoftmaxWithLoss")
        ),
        *CONTAINERS,
    ],
    ids=[
        *(n for n in LOSSES if n not in ("LinearCrossEntropyLoss", "AdaptiveLogSoftmaxWithLoss")),
        *(f"container{i}" for i in range(len(CONTAINERS))),
    ],
)
def test_files_of_losses_and_containers(make: Any) -> None:
    ours, theirs = make(nn), make(torch.nn)
    try:
        file = saved(torch, theirs)
    except RuntimeError:  # PyTorch refuses to pickle parametrized modules
        with pytest.raises(RuntimeError):
            saved(rushlight, ours)
        return
    there, here = torch.load(saved(rushlight, ours), weights_only=False), rushlight.load(file, weights_only=False)
    for a, b in ((ours, there), (here, theirs)):
        assert repr(a) == repr(b) and vars(a).keys() == vars(b).keys() and list(a.state_dict()) == list(b.state_dict())


OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD")


def steps(lib: Any, optimizer: Any) -> list[float]:
    """The parameter of an optimizer after two steps."""
    (p,) = optimizer.param_groups[0]["params"]
    for _ in range(2):
        p.grad = lib.tensor([1.0, -2.0])
        optimizer.step(lambda: (p * p.grad).sum())
    return [float(v) for v in p.detach()]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_files_of_optimizers(name: str) -> None:
    """A pickled optimizer goes on in the other library as it would have gone on in its own."""
    pair = [(lib, getattr(lib.optim, name)([lib.nn.Parameter(lib.ones(2))], lr=0.1)) for lib in (rushlight, torch)]
    for (lib, optimizer), (other, _) in (pair, pair[::-1]):
        steps(lib, optimizer)
        copy = other.load(saved(lib, optimizer), weights_only=False)
        np.testing.assert_allclose(steps(other, copy), steps(lib, optimizer), rtol=1e-5)
