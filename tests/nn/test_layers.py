"""Layers: what they refuse and how they say it, what they keep as attributes, and lazy forms."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import rushlight
import rushlight.nn.functional as F
from rushlight import nn

ones = rushlight.ones


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda: nn.Conv2d(2, 2, 3, groups=0), ValueError, "Conv2d: groups must be positive; found 0"),
        (
            lambda: nn.Conv2d(3, 4, 3, groups=2),
            ValueError,
            "Conv2d: in_channels must be a multiple of groups, 2; found 3",
        ),
        (
            lambda: nn.Conv1d(4, 3, 3, groups=2),
            ValueError,
            "Conv1d: out_channels must be a multiple of groups, 2; found 3",
        ),
        (lambda: nn.Conv1d(2, 2, 3, padding="half"), ValueError, "Conv1d: padding must be 'same', .*found 'half'"),
        (lambda: nn.Conv3d(2, 2, 3, (1, 1, 2), "same"), ValueError, r"Conv3d: stride must be 1 .*found \(1, 1, 2\)"),
        (
            lambda: nn.Conv1d(2, 2, 3, padding_mode="none"),
            ValueError,
            "Conv1d: padding_mode must be one of .*found 'none'",
        ),
        (lambda: nn.ConvTranspose1d(2, 2, 3, padding="same"), TypeError, "ConvTranspose1d: padding .*found 'same'"),
        (
            lambda: nn.ConvTranspose1d(2, 2, 3, padding_mode="reflect"),
            ValueError,
            "ConvTranspose1d: padding_mode.*'reflect'",
        ),
        (
            lambda: nn.ConvTranspose2d(1, 1, 3, 2)(ones(1, 1, 2, 2), (5, 7)),
            ValueError,
            "output_size must be from 5 to 6 in .*1, .*found 7",
        ),
        (
            lambda: nn.ConvTranspose2d(1, 1, 3, 2)(ones(1, 1, 2, 2), (5,)),
            ValueError,
            r"output_size must have 2 or.* 4 sizes; found \(5,\)",
        ),
        (lambda: nn.Bilinear(0, 1, 1), ValueError, "Bilinear: in1_features.*found 0"),
        (lambda: nn.Dropout(1.5), ValueError, "Dropout: p .*found 1.5"),
        (
            lambda: nn.Embedding(3, 2, padding_idx=3),
            AssertionError,
            r"Embedding: padding_idx must be in \[-3, 2\]; found 3",
        ),
        (
            lambda: nn.Embedding(3, 2, _weight=ones(2, 2)),
            AssertionError,
            r"Embedding: _weight .*\(3, 2\); found \(2, 2\)",
        ),
        (
            lambda: nn.EmbeddingBag.from_pretrained(ones(2)),
            AssertionError,
            "EmbeddingBag.from_pretrained.*2-d; found 1-d",
        ),
        (lambda: nn.BatchNorm2d(2)(ones(2, 2)), ValueError, "BatchNorm2d: the input must be 4-d; found 2-d"),
        (
            lambda: nn.InstanceNorm1d(2, affine=True)(ones(2, 3, 4)),
            ValueError,
            r"InstanceNorm1d: .*2 channels .*found 3",
        ),
        (
            lambda: nn.GroupNorm(2, 3),
            ValueError,
            "GroupNorm: num_channels must be a multiple of num_groups, 2; found 3",
        ),
        (lambda: nn.FractionalMaxPool2d(2), ValueError, "FractionalMaxPool2d: either output_size or output_ratio"),
        (
            lambda: nn.FractionalMaxPool3d(2, output_ratio=1.5),
            ValueError,
            "FractionalMaxPool3d: output_ratio.*found 1.5",
        ),
        (lambda: nn.MultiMarginLoss(3), ValueError, "MultiMarginLoss: p must be 1 or 2; found 3"),
        (
            lambda: nn.MultiMarginLoss(weight=ones(2, 2)),
            ValueError,
            "MultiMarginLoss: weight must be 1-d; found a 2-d one",
        ),
        (lambda: nn.TripletMarginLoss(0), ValueError, "TripletMarginLoss: margin must be positive; found 0"),
        (
            lambda: nn.TripletMarginWithDistanceLoss(margin=-1),
            ValueError,
            "TripletMarginWithDistanceLoss: margin.*found -1",
        ),
        (lambda: nn.Unflatten(1, 4), TypeError, "Unflatten: unflattened_size must be a tuple of ints .*found 4"),
        (lambda: nn.Unflatten(1, (2, "x")), TypeError, "Unflatten: unflattened_size .*found 'x'"),
        (lambda: nn.Unflatten(1.5, (2,)), TypeError, "Unflatten: dim must be an int or a name; found float"),
        (lambda: nn.Hardtanh(1, 1), AssertionError, "Hardtanh: max_val must exceed min_val"),
        (lambda: nn.Softmax2d()(ones(2)), ValueError, "Softmax2d: .*found a 1-d one"),
        (lambda: nn.LSTM(2, 2.0), TypeError, "LSTM: hidden_size must be an int; found float"),
        (lambda: nn.LSTM(2, 0), ValueError, "LSTM: hidden_size must be positive; found 0"),
        (lambda: nn.LSTM(2, 2, 0), ValueError, "LSTM: num_layers must be positive; found 0"),
        (lambda: nn.LSTM(2, 2, dropout=2), ValueError, "LSTM: dropout must be a probability, .*found 2"),
        (lambda: nn.LSTM(2, 2, dropout=True), ValueError, "LSTM: dropout must be a probability, .*found True"),
        (lambda: nn.LSTM(2, 2, proj_size=2), ValueError, "LSTM: proj_size must be less than hidden_size, 2.*found 2"),
        (lambda: nn.GRU(2, 2, proj_size=1), ValueError, "GRU: only LSTM takes proj_size"),
        (
            lambda: nn.RNN(2, 2, nonlinearity="sigmoid"),
            ValueError,
            "RNN: nonlinearity must be 'tanh' or 'relu'; found 'sigmoid'",
        ),
        (lambda: nn.RNN(2, 2)(ones(3)), ValueError, "RNN: the input must be 2-d or 3-d; found 1-d"),
        (lambda: nn.RNN(2, 2)(ones(1, 1, 3)), RuntimeError, "RNN: the input must have 2 features .*found 3"),
        (lambda: nn.RNN(2, 2)(ones(0, 1, 2)), RuntimeError, "RNN: the input must have at least one step"),
        (
            lambda: nn.LSTM(2, 2)(ones(1, 1, 2), (ones(1, 1, 2), ones(1, 2, 2))),
            RuntimeError,
            r"LSTM: c_0 .*\(1, 1, 2\).*found \(1, 2, 2\)",
        ),
        (lambda: nn.GRU(2, 2)(ones(1, 1, 2), ones(1, 2)), RuntimeError, r"GRU: hx .*\(1, 1, 2\).*found \(1, 2\)"),
        (lambda: nn.GRUCell(2, 2)(ones(1, 1, 2)), ValueError, "GRUCell: the input must be 1-d or 2-d; found 3-d"),
        (lambda: nn.GRUCell(2, 2)(ones(1, 2), ones(2, 2)), RuntimeError, r"GRUCell: hx .*\(1, 2\).*found \(2, 2\)"),
        (lambda: nn.MultiheadAttention(0, 1), ValueError, "MultiheadAttention: embed_dim must be positive; found 0"),
        (lambda: nn.MultiheadAttention(3, 2), AssertionError, "embed_dim must be a multiple of num_heads, 2; found 3"),
        (
            lambda: nn.MultiheadAttention(2, 1)(ones(1, 2), ones(1, 1, 2), ones(1, 2)),
            AssertionError,
            "2-d, 3-d and 2-d",
        ),
        (
            lambda: nn.MultiheadAttention(2, 1)(*[ones(1, 2)] * 3, is_causal=True),
            RuntimeError,
            "is_causal .*attn_mask.*None",
        ),
        (
            lambda: nn.MultiheadAttention(2, 1)(*[ones(3, 2)] * 3, attn_mask=ones(2, 3)),
            RuntimeError,
            r"attn_mask must have shape \(3, 3\) or \(1, 3, 3\); found \(2, 3\)",
        ),
        (
            lambda: nn.MultiheadAttention(2, 1)(*[ones(3, 2)] * 3, key_padding_mask=ones(2)),
            AssertionError,
            r"key_padding_mask must have shape \(1, 3\); found \(1, 2\)",
        ),
        (
            lambda: nn.TransformerEncoderLayer(2, 1, activation="tanh"),
            RuntimeError,
            "activation must be .*found 'tanh'",
        ),
        (
            lambda: nn.Transformer(2, 1, 1, 1, 2)(ones(1, 1, 2), ones(1, 2, 2)),
            RuntimeError,
            "src and tgt must have the same batch",
        ),
        (
            lambda: nn.Transformer(2, 1, 1, 1, 2)(ones(1, 1, 2), ones(1, 1, 3)),
            RuntimeError,
            "tgt must have 2 features .*found 3",
        ),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, []), ValueError, r"cutoffs must be .*found \[\]"),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, [3, 2]),
            ValueError,
            r"cutoffs must be .*at most 4.*found \[3, 2\]",
        ),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, [2.5]), ValueError, r"cutoffs must be ints.*found \[2.5\]"),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, [2])(ones(3, 2), ones(2).long()),
            RuntimeError,
            r"input_ .*\(2, 2\).*found \(3, 2\)",
        ),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, [2])(ones(1, 2), rushlight.tensor([5])),
            RuntimeError,
            r"\[0, 4\], found 5",
        ),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(2, 5, [2])(ones(1, 2), ones(1, 1).long()),
            RuntimeError,
            r"one class a sample.*\(1, 1\)",
        ),
        (lambda: nn.Sequential() + [nn.ReLU()], ValueError, "Sequential: only a Sequential can be added; found list"),
        (lambda: nn.Sequential() * 0, ValueError, "Sequential: .*found 0 times"),
        (lambda: nn.Sequential() * 1.5, TypeError, "unsupported operand"),
        (lambda: nn.Sequential().insert(1, nn.ReLU()), IndexError, r"Sequential.insert.*\[0, 0\]; found 1"),
        (lambda: nn.Sequential().insert(0, 3), AssertionError, "Sequential.insert.*module must be a Module; found int"),
        (lambda: nn.ModuleList(3), TypeError, "ModuleList.extend.*found int"),
        (lambda: nn.ModuleDict(3), TypeError, "ModuleDict.update.*found int"),
        (lambda: nn.ModuleDict([3]), TypeError, "ModuleDict.update.*element 0 must be a pair.*found int"),
        (
            lambda: nn.ParameterDict([("a", 1, 2)]),
            ValueError,
            "ParameterDict.update.*element 0 must be a pair.*found 3",
        ),
        (lambda: nn.ParameterDict({3: ones(1)}), TypeError, "ParameterDict: keys must be strings; found int"),
        (lambda: nn.ParameterList(ones(2)), TypeError, "ParameterList.extend.*found Tensor"),
        (lambda: nn.ParameterList()(1), RuntimeError, "ParameterList cannot be called"),
        (
            lambda: nn.init.kaiming_normal_(ones(2, 2), mode="fan"),
            ValueError,
            "kaiming_normal_.*mode must be.*found 'fan'",
        ),
        (lambda: nn.init.calculate_gain("swish"), ValueError, "calculate_gain.*nonlinearity.*found 'swish'"),
        (lambda: nn.init.calculate_gain("leaky_relu", "x"), ValueError, "calculate_gain.*param.*found 'x'"),
        (lambda: nn.init.eye_(ones(2)), ValueError, "eye_.*2 dimensions; found 1"),
        (lambda: nn.init.dirac_(ones(3, 1, 1), groups=2), ValueError, "dirac_.*groups must divide.*3.*found 2"),
    ],
)
def test_errors(act: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        act()


def test_old_reduction_flags() -> None:
    for flags, want in (
        ({"size_average": False}, "sum"),
        ({"reduce": False}, "none"),
        ({"size_average": True}, "mean"),
    ):
        with pytest.warns(UserWarning, match=f"reduction='{want}'"):
            assert nn.MSELoss(**flags).reduction == want


def test_a_dropout_between_layers_that_are_not_there() -> None:
    with pytest.warns(UserWarning, match=r"LSTM: dropout=0.5 acts between layers"):
        nn.LSTM(2, 2, dropout=0.5)


def test_function_modules_are_ordinary_modules() -> None:
    class Shifted(nn.SmoothL1Loss):
        def forward(self, input: Any, target: Any) -> Any:
            return super().forward(input, target) + self.shift

    loss = Shifted(beta=2.0)
    loss.shift = nn.Parameter(ones(1))
    x, y = rushlight.zeros(3), ones(3)
    for other in (loss, copy.deepcopy(loss), pickle.loads(pickle.dumps(nn.SmoothL1Loss(beta=2.0)))):
        want = F.smooth_l1_loss(x, y, beta=2.0) + (1 if isinstance(other, Shifted) else 0)
        rushlight.testing.assert_close(other(target=y, input=x).reshape(()), want)
    loss.beta = 1.0
    rushlight.testing.assert_close(loss(x, y), F.smooth_l1_loss(x, y).reshape(1) + 1)
    pool = nn.MaxPool2d(2)
    pool.ceil_mode = True
    assert pool(ones(1, 1, 3, 3)).shape == (1, 1, 2, 2) and "ceil_mode=True" in repr(pool)


def test_functions_are_looked_up_when_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(F, "conv2d", lambda *args: "conv2d")
    monkeypatch.setattr(F, "avg_pool2d", lambda *args, **options: options["kernel_size"])
    assert nn.Conv2d(1, 1, 1)(ones(1, 1, 1, 1)) == "conv2d" and nn.AvgPool2d(3)(ones(1, 1, 3, 3)) == 3


def test_tables_over_given_tensors() -> None:
    table = nn.Embedding.from_pretrained(rushlight.arange(6.0).view(3, 2), padding_idx=-1)
    assert not table.weight.requires_grad and table.padding_idx == 2 and table.weight[2].tolist() == [4.0, 5.0]
    bag = nn.EmbeddingBag.from_pretrained(rushlight.arange(6.0).view(3, 2), freeze=False, mode="sum")
    assert bag.weight.requires_grad and bag(rushlight.tensor([[0, 2]])).tolist() == [[4.0, 6.0]]
    assert nn.Embedding(3, 2, padding_idx=1).weight[1].tolist() == [0.0, 0.0]


def test_lazy_forms_take_the_arguments_of_their_class_but_the_size() -> None:
    for name in ("Linear", "Conv2d", "ConvTranspose3d", "BatchNorm1d", "InstanceNorm2d"):
        lazy, plain = (inspect.signature(getattr(nn, prefix + name)).parameters for prefix in ("Lazy", ""))
        assert list(lazy) == list(plain)[1:]
    m = nn.LazyConvTranspose2d(4, 3, 2, groups=2, bias=False)
    assert m.stride == (2, 2) and m.groups == 2 and m.bias is None
    m(ones(1, 6, 3, 3))
    assert type(m) is nn.ConvTranspose2d and m.in_channels == 6 and m.weight.shape == (6, 2, 3, 3)
    n = nn.LazyInstanceNorm1d(affine=True, track_running_stats=True)
    n(ones(5, 4))
    assert n.num_features == 5 and n.weight.tolist() == [1.0] * 5 and n.running_var.shape == (5,)


def test_lazy_forms_load_shapes() -> None:
    lazy, empty = nn.LazyLinear(2), nn.LazyLinear(2).state_dict()
    assert isinstance(empty["weight"], nn.UninitializedParameter)
    full = nn.Linear(3, 2)
    lazy.load_state_dict(full.state_dict())
    with pytest.raises(AssertionError, match=r"in_features is 4 .*'weight' must have shape \(2, 4\).*\(2, 3\)"):
        lazy(ones(1, 4))
    other = nn.LazyLinear(2)
    other.load_state_dict(full.state_dict())
    x = ones(1, 3)
    assert rushlight.equal(other(x), full(x)) and other.in_features == 3 and type(other) is nn.Linear
    with pytest.raises(RuntimeError, match="uninitialized"):
        full.load_state_dict(empty)


def test_rows_of_modules() -> None:
    relu, tanh, silu = nn.ReLU(), nn.Tanh(), nn.SiLU()
    s = nn.Sequential(relu, tanh)
    s += nn.Sequential(silu)
    s *= 2
    assert list(s) == [relu, tanh, silu] * 2 and list(s._modules) == [str(i) for i in range(6)]
    del s[1:]
    s.insert(-1, tanh)
    assert list(s) == [tanh, relu] and s.pop(0) is tanh and list(s) == [relu]
    row = nn.ModuleList([relu, tanh])
    row.extend(row)
    row.insert(1, silu)
    del row[-1]
    row[0] = tanh
    assert list(row) == [tanh, silu, tanh, relu] and list(row._modules) == ["0", "1", "2", "3"]
    named = nn.Sequential()
    named.add_module("first", relu)
    assert named[0] is relu and named.append(tanh)[-1] is tanh and list(named._modules) == ["first", "1"]


def test_initial_values() -> None:
    rushlight.manual_seed(0)
    t = nn.init.trunc_normal_(rushlight.empty(50000), mean=1.0, std=2.0, a=0.0, b=2.0)
    assert float(t.min()) >= 0 and float(t.max()) <= 2 and float(t.mean()) == pytest.approx(1.0, abs=0.01)
    # The variance of a normal distribution cut at half a deviation on either side.
    assert float(t.std()) == pytest.approx(2 * 0.08056**0.5, abs=0.01)
    with pytest.warns(UserWarning, match="farther than 2 std"):
        nn.init.trunc_normal_(rushlight.empty(3), mean=9.0, a=-1, b=1)
    with pytest.warns(UserWarning, match=r"kaiming_uniform_.*\(0, 3\)"):
        nn.init.kaiming_uniform_(rushlight.empty(0, 3))
    q = nn.init.orthogonal_(rushlight.empty(2, 3, 4), gain=2.0).flatten(1)
    rushlight.testing.assert_close(q @ q.t(), 4 * rushlight.eye(2), rtol=1e-5, atol=1e-5)
    sparse = nn.init.sparse_(rushlight.empty(10, 7), 0.25)
    assert (sparse == 0).sum(0).tolist() == [3] * 7
    assert nn.init.dirac_(rushlight.empty(4, 2, 3), groups=2).nonzero().tolist() == [
        [0, 0, 1],
        [1, 1, 1],
        [2, 0, 1],
        [3, 1, 1],
    ]
    w = nn.Parameter(rushlight.empty(300, 200))
    assert nn.init.xavier_uniform_(w) is w and w.requires_grad and w.is_leaf
    assert float(w.detach().abs().max()) == pytest.approx((6 / 500) ** 0.5, rel=1e-3)


@pytest.mark.parametrize("size", [(4, 1), (2, 3), (1, 6), (8, 1)], ids=str)
def test_winners_of_pooling(size: tuple[int, int]) -> None:
    """The index of a maximum leads to it, and there its gradient goes; an adaptive pool with equal windows is a
    pool.
    """
    rushlight.manual_seed(0)
    x = rushlight.randn(2, 3, 8, 6, requires_grad=True)
    best, at = F.max_pool2d(x, size, return_indices=True)
    assert rushlight.equal(x.flatten(2).gather(2, at.flatten(2)), best.flatten(2))
    wanted = rushlight.zeros(2, 3, 48).scatter(2, at.flatten(2), 1.0).view(2, 3, 8, 6)
    for found, places in ((best, at), F.adaptive_max_pool2d(x, (8 // size[0], 6 // size[1]), True)):
        assert rushlight.equal(found, best) and rushlight.equal(places, at)
        assert rushlight.equal(rushlight.autograd.grad(found.sum(), x)[0], wanted)
