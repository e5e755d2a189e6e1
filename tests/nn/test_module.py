"""Module: registration, finding parts, state_dict, hooks, conversion, copying, printing."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_parameter_registration_hook,
)


def small_net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ModuleDict({"head": nn.Linear(3, 1)}))


def test_assignment_registers() -> None:
    m = nn.Module()
    m.weight = nn.Parameter(rushlight.ones(2))
    m.child = nn.Linear(2, 2)
    m.register_buffer("count", rushlight.zeros(1))
    m.register_buffer("scratch", rushlight.zeros(1), persistent=False)
    m.plain = rushlight.ones(1)
    assert [name for name, _ in m.named_parameters()] == ["weight", "child.weight", "child.bias"]
    assert [name for name, _ in m.named_buffers()] == ["count", "scratch"]
    assert list(m.state_dict()) == ["weight", "count", "child.weight", "child.bias"]
    m.weight = None
    assert m.weight is None and "weight" not in m.state_dict()
    del m.child
    assert not hasattr(m, "child")


def test_results_of_parameters_are_plain_tensors() -> None:
    p = nn.Parameter(rushlight.ones(2))
    assert isinstance(p, nn.Parameter) and p.requires_grad and p.is_leaf
    assert type(p * 2) is rushlight.Tensor
    assert repr(p).startswith("Parameter containing:\n")


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda m: m.register_parameter("a.b", None), KeyError, "contain"),
        (lambda m: m.register_parameter("", None), KeyError, "empty string"),
        (lambda m: m.register_parameter("forward", None), KeyError, "already exists"),
        (lambda m: m.register_parameter("p", 3), TypeError, "int"),
        (lambda m: m.register_parameter("p", nn.Parameter(rushlight.ones(1)) * 2), TypeError, "Parameter"),
        (lambda m: m.register_buffer("weight", rushlight.ones(1)), KeyError, "already exists"),
        (lambda m: m.register_buffer("b", 3), TypeError, "int"),
        (lambda m: m.add_module("c", 3), TypeError, "Module"),
        (lambda m: setattr(m, "weight", 3), TypeError, "parameter 'weight' must be an nn.Parameter or None; found int"),
        (lambda m: m.nothing, AttributeError, "no attribute 'nothing'"),
        (lambda m: m.get_submodule("x"), AttributeError, "no attribute 'x'"),
        (lambda m: m.get_submodule("weight"), AttributeError, "'weight'.*must be a Module, found Parameter"),
        (lambda m: m.get_parameter("in_features"), AttributeError, "get_parameter.*must be a Parameter, found int"),
        (lambda m: m.get_buffer("weight"), AttributeError, "get_buffer.*'weight'.*is no buffer of Linear"),
        (lambda m: m.set_submodule("", nn.ReLU()), ValueError, "set_submodule.*target"),
        (lambda m: m.set_submodule("a", 3), ValueError, "set_submodule.*module must be a Module; found int"),
        (lambda m: m.set_submodule("a", nn.ReLU(), strict=True), AttributeError, "set_submodule.*no attribute 'a'"),
        (lambda m: m.get_extra_state(), RuntimeError, "get_extra_state.*Linear defines none"),
        (lambda m: m.train(3), ValueError, "mode must be a bool; found int"),
        (lambda m: m.to(rushlight.int32), TypeError, "floating point or complex"),
        (lambda m: m.load_state_dict(3), TypeError, "state_dict must be a mapping; found int"),
        (lambda m: nn.Module()(1), NotImplementedError, "forward"),
        (lambda m: nn.Module(3), TypeError, "positional"),
    ],
)
def test_errors(act: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        act(nn.Linear(2, 2))


def test_a_name_is_taken_over_by_a_part_of_higher_rank_only() -> None:
    m = nn.Module()
    makers: dict[str, Any] = {
        "parameter": lambda: nn.Parameter(rushlight.ones(1)),
        "module": nn.ReLU,
        "buffer": lambda: nn.Buffer(rushlight.ones(1)),
        "tensor": lambda: rushlight.ones(1),
    }
    tables = {"parameter": m._parameters, "module": m._modules, "buffer": m._buffers, "tensor": m._buffers}
    order = list(makers)
    for old in order[:3]:
        for new in order:
            m.part = None
            m.__dict__.pop("part", None)
            m.part = makers[old]()
            assert "part" in tables[old]
            if order.index(new) <= order.index(old) or (old, new) == ("buffer", "tensor"):
                m.part = makers[new]()
                assert [t for t in (m._parameters, m._modules, m._buffers) if "part" in t] == [tables[new]]
                assert "part" not in m.__dict__
            else:
                with pytest.raises(TypeError):
                    m.part = makers[new]()
                assert "part" in tables[old]
            del m.part


def test_buffers_keep_their_persistence() -> None:
    m = nn.Module()
    m.register_buffer("scratch", rushlight.zeros(1), persistent=False)
    m.scratch = rushlight.ones(1)
    m.kept = nn.Buffer(rushlight.ones(1))
    m.thrown = nn.Buffer(rushlight.ones(1), persistent=False)
    assert list(m.state_dict()) == ["kept"] and len(list(m.buffers())) == 3
    m.scratch = nn.Buffer(rushlight.ones(1))
    assert list(m.state_dict()) == ["scratch", "kept"]
    del m.thrown
    m.thrown = nn.Buffer(rushlight.ones(1))
    assert "thrown" in m.state_dict()


def test_registration_hooks_see_what_is_registered() -> None:
    seen: list[Any] = []
    with register_module_parameter_registration_hook(lambda m, name, p: seen.append((name, tuple(p.shape)))):
        nn.Linear(2, 3, bias=False)
    with register_module_buffer_registration_hook(lambda m, name, b: seen.append((name, b is None))):
        nn.BatchNorm1d(2, track_running_stats=False)
    assert seen == [
        ("weight", (3, 2)),
        *((name, True) for name in ("running_mean", "running_var", "num_batches_tracked")),
    ]


def test_assignment_before_init() -> None:
    class Early(nn.Module):
        def __init__(self) -> None:
            self.p = nn.Parameter(rushlight.ones(1))

    with pytest.raises(AttributeError, match="before Module"):
        Early()


def test_state_dict_round_trip() -> None:
    a, b = small_net(), small_net()
    a[1].running_mean.add_(3)
    result = b.load_state_dict(a.state_dict())
    assert str(result) == "<All keys matched successfully>"
    for (name, x), (_, y) in zip(a.state_dict().items(), b.state_dict().items(), strict=True):
        assert rushlight.equal(x, y), name
    assert a.state_dict()._metadata["1"] == {"version": 2}


def test_load_state_dict_reports_everything_at_once() -> None:
    m = small_net()
    state = m.state_dict()
    del state["0.bias"]
    state["extra"] = rushlight.ones(1)
    state["0.weight"] = rushlight.ones(3)
    with pytest.raises(RuntimeError) as caught:
        m.load_state_dict(state)
    text = str(caught.value)
    assert 'Missing key(s) in state_dict: "0.bias". ' in text
    assert 'Unexpected key(s) in state_dict: "extra". ' in text
    assert "size mismatch for 0.weight" in text
    del state["0.weight"]
    missing, unexpected = m.load_state_dict(state, strict=False)
    assert missing == ["0.weight", "0.bias"] and unexpected == ["extra"]


def test_load_state_dict_assign() -> None:
    m = nn.Linear(2, 2)
    new = {"weight": rushlight.ones(2, 2), "bias": rushlight.zeros(2)}
    m.load_state_dict(new, assign=True)
    assert m.weight.data_ptr() == new["weight"].data_ptr() and isinstance(m.weight, nn.Parameter)


def test_state_dict_hooks() -> None:
    m = nn.Sequential(nn.Linear(1, 1, bias=False))
    m.register_state_dict_pre_hook(lambda mod, prefix, keep_vars: setattr(mod, "tag", (prefix, keep_vars)))
    m[0].register_state_dict_post_hook(
        lambda mod, state, prefix, meta: state.update({prefix + "extra": meta["version"]})
    )
    handle = m._register_state_dict_hook(lambda mod, state, prefix, meta: dict(state, replaced=True))
    assert list(m.state_dict(keep_vars=True)) == ["0.weight", "0.extra", "replaced"] and m.tag == ("", True)
    handle.remove()
    assert list(m.state_dict({}, "a.")) == ["a.0.weight", "a.0.extra"]  # the old positional arguments
    m.register_state_dict_post_hook(lambda mod, state, prefix, meta: 3)
    with pytest.raises(RuntimeError, match=r"post-hook must return None.*int"):
        m.state_dict()


def test_loading_hooks() -> None:
    m = nn.Sequential(nn.Linear(1, 1))

    def rename(mod: Any, state: Any, prefix: str, *rest: Any) -> None:
        state[prefix + "weight"] = state.pop(prefix + "w")

    m[0].register_load_state_dict_pre_hook(rename)
    handle = m.register_load_state_dict_post_hook(lambda mod, keys: keys.missing_keys.clear())
    given = {"0.w": rushlight.full((1, 1), 7.0)}
    m.load_state_dict(given)
    assert float(m[0].weight) == 7.0 and list(given) == ["0.w"]
    handle.remove()
    m.register_load_state_dict_post_hook(lambda mod, keys: 3)
    with pytest.raises(AssertionError, match=r"post-hook must return None.*int"):
        m.load_state_dict(given)


def test_load_state_dict_names_what_cannot_be_loaded() -> None:
    m = nn.BatchNorm1d(2)
    state = m.state_dict()
    state["weight"], state["num_batches_tracked"] = [1.0], rushlight.tensor([4])
    with pytest.raises(
        RuntimeError, match=r"for BatchNorm1d:\n\tweight: the checkpoint must hold a tensor, found list\.$"
    ):
        m.load_state_dict(state)
    assert int(m.num_batches_tracked) == 4
    lower = nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match=r'Unexpected key.*"weight.x", "y.z"'):
        lower.load_state_dict({**lower.state_dict(), "weight.x": rushlight.ones(1), "y.z": rushlight.ones(1)})


def test_extra_state() -> None:
    class WithExtra(nn.Module):
        value = 1

        def get_extra_state(self) -> int:
            return self.value

        def set_extra_state(self, state: int) -> None:
            self.value = state

    a, b = WithExtra(), WithExtra()
    a.value = 7
    b.load_state_dict(a.state_dict())
    assert b.value == 7


def test_shared_parameters_are_found_once() -> None:
    layer = nn.Linear(2, 2)
    m = nn.Sequential(layer, layer)
    assert len(list(m.parameters())) == 2
    assert len(list(m.named_parameters(remove_duplicate=False))) == 4
    assert len(list(m.modules())) == 2


def test_forward_hooks() -> None:
    m = nn.Identity()
    log: list[Any] = []
    m.register_forward_pre_hook(lambda mod, args: log.append("pre"))
    m.register_forward_pre_hook(lambda mod, args: (args[0] + 1,), prepend=True)
    m.register_forward_hook(lambda mod, args, kwargs, out: out * 2, with_kwargs=True)
    last = m.register_forward_hook(lambda mod, args, out: log.append(float(out)))
    assert float(m(rushlight.tensor(1.0))) == 4.0
    last.remove()
    assert float(m(rushlight.tensor(2.0))) == 6.0
    assert log == ["pre", 4.0, "pre"]


def test_always_called_hook() -> None:
    class Broken(nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("no")

    m, log = Broken(), []
    m.register_forward_hook(lambda mod, args, out: log.append("always"), always_call=True)
    m.register_forward_hook(lambda mod, args, out: log.append("never"))
    with pytest.raises(ValueError, match="no"):
        m(1)
    assert log == ["always"]


def test_backward_hooks_see_and_replace_gradients() -> None:
    m = nn.Linear(2, 1)
    seen: list[Any] = []
    m.register_full_backward_pre_hook(lambda mod, grad_out: (grad_out[0] * 3,))
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: seen.append((grad_in[0].clone(), grad_out[0].clone())))
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: (grad_in[0] * 10,))
    x = rushlight.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    grad_in, grad_out = seen[0]
    assert float(grad_out) == 3.0
    assert rushlight.allclose(grad_in, 3 * m.weight.detach())
    assert rushlight.allclose(x.grad, 30 * m.weight.detach())
    assert rushlight.allclose(m.weight.grad, rushlight.full((1, 2), 3.0))


def test_backward_hook_without_input_gradient() -> None:
    m, seen = nn.Linear(2, 1), []
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: seen.append(grad_in))
    m(rushlight.ones(1, 2)).sum().backward()
    assert seen == [(None,)]


def test_full_and_old_backward_hooks_exclude_each_other() -> None:
    m = nn.Linear(1, 1)
    m.register_full_backward_hook(lambda *args: None)
    with pytest.raises(RuntimeError, match="Linear cannot have backward hooks of both kinds"):
        m.register_backward_hook(lambda *args: None)


def test_hook_put_in_directly_runs() -> None:
    m, log = nn.Identity(), []
    m._forward_hooks[12345] = lambda mod, args, out: log.append(out)
    m(1)
    assert log == [1]


def test_global_hook() -> None:
    log: list[str] = []
    with register_module_forward_hook(lambda mod, args, out: log.append(type(mod).__name__)):
        nn.Sequential(nn.Identity(), nn.Tanh())(rushlight.ones(1))
    nn.Identity()(1)
    assert log == ["Identity", "Tanh", "Sequential"]


def test_conversion() -> None:
    m = small_net()
    weight = m[0].weight
    m.double()
    assert m[0].weight is weight and weight.dtype == rushlight.float64
    assert m[1].running_mean.dtype == rushlight.float64 and m[1].num_batches_tracked.dtype == rushlight.int64
    m.to("cpu", rushlight.float16)
    assert m[2]["head"].bias.dtype == rushlight.float16


def test_train_eval_and_grad_flags() -> None:
    m = small_net()
    assert all(not part.training for part in m.eval().modules())
    assert all(part.training for part in m.train().modules())
    m.requires_grad_(False)
    assert not any(p.requires_grad for p in m.parameters())
    m.requires_grad_(True)
    m[0](rushlight.ones(2, 2)).sum().backward()
    assert m[0].weight.grad is not None
    m.zero_grad()
    assert m[0].weight.grad is None


def test_copy_and_pickle() -> None:
    m = small_net()
    m[0].register_forward_hook(print)
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert repr(other) == repr(m)
        assert list(other[0]._forward_hooks.values()) == [print]
        for (name, x), (_, y) in zip(m.named_parameters(), other.named_parameters(), strict=True):
            assert rushlight.equal(x, y) and x.data_ptr() != y.data_ptr(), name


def test_repr() -> None:
    text = repr(nn.Sequential(nn.ModuleList([nn.Linear(1, 2)] * 2 + [nn.ReLU(inplace=True)]), nn.Sequential()))
    assert text == (
        "Sequential(\n"
        "  (0): ModuleList(\n"
        "    (0-1): 2 x Linear(in_features=1, out_features=2, bias=True)\n"
        "    (2): ReLU(inplace=True)\n"
        "  )\n"
        "  (1): Sequential()\n"
        ")"
    )


def test_containers() -> None:
    s = nn.Sequential(*(nn.Linear(1, i) for i in (1, 2, 3)))
    assert [m.out_features for m in s[1:]] == [2, 3] and s[-1].out_features == 3
    del s[0]
    assert list(s._modules) == ["0", "1"]
    s.insert(0, nn.ReLU())
    assert isinstance(s[0], nn.ReLU) and len(s) == 3
    with pytest.raises(IndexError):
        s[3]
    items = nn.ModuleList([nn.ReLU()]) + [nn.Tanh()]
    assert [type(m).__name__ for m in items] == ["ReLU", "Tanh"]
    d = nn.ParameterDict({"b": rushlight.ones(1), "a": rushlight.ones(2)})
    assert sorted(d) == ["a", "b"] and isinstance(d["a"], nn.Parameter)
    assert [p.shape[0] for p in nn.ParameterList([rushlight.ones(2), rushlight.ones(3)])] == [2, 3]


def test_default_initialisation_bounds() -> None:
    rushlight.manual_seed(0)
    m = nn.Linear(100, 200)
    bound = 1 / 100**0.5
    for p in m.parameters():
        assert float(p.detach().abs().max()) <= bound
        assert float(p.detach().std()) == pytest.approx(bound / 3**0.5, rel=0.1)


def test_clip_grad_norm() -> None:
    p = nn.Parameter(rushlight.zeros(2))
    p.grad = rushlight.tensor([3.0, 4.0])
    norm = nn.utils.clip_grad_norm_([p], 1.0)
    assert float(norm) == 5.0
    assert p.grad.tolist() == pytest.approx([0.6, 0.8], abs=1e-5)
    p.grad = rushlight.tensor([float("inf"), 1.0])
    with pytest.raises(RuntimeError, match=r"2\.0-norm must be finite; found inf"):
        nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)


def test_a_wrappers_prefix_is_taken_off_a_state_dict() -> None:
    inner = small_net()
    state = nn.DataParallel(inner).state_dict()
    assert "module.0.weight" in state and "module.1" in state._metadata
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == list(inner.state_dict()) and dict(state._metadata) == dict(inner.state_dict()._metadata)


def test_classes_are_found_where_programs_look_for_them() -> None:
    from rushlight.nn.modules import activation, batchnorm, instancenorm

    assert activation.MultiheadAttention is nn.MultiheadAttention
    assert batchnorm.BatchNorm2d is nn.BatchNorm2d and instancenorm.InstanceNorm1d is nn.InstanceNorm1d


def test_a_part_is_held_without_a_look_at_its_attributes() -> None:
    class Forwarding(nn.Module):
        """Looks for what it lacks elsewhere, which may come back to it."""

        def __getattr__(self, name: str) -> Any:
            raise RecursionError(name)

    outer = nn.Module()
    outer.part = Forwarding()
    outer.part = Forwarding()
    assert isinstance(outer.part, Forwarding)
