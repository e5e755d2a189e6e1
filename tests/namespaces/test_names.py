"""Names of namespaces: what is lacking says so when it is used; what is there does what PyTorch's does."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import threading
from typing import Any

import pytest

import rushlight as rl
from processes import RUSHLIGHT, printed
from rushlight import futures, nn
from rushlight.compat.identity import is_public

# Every name that programs import of namespaces whose insides are lacking, with a call: (module, name, arguments).
LACKING: list[tuple[str, str, tuple[Any, ...]]] = [
    *(("distributed", n, ()) for n in ("split_group", "ProcessGroupNCCL", "init_device_mesh")),
    *(
        ("distributed._absent", n, ())
        for n in ("checkpoint_wrapper", "DDPCommHookType", "ModelAverager", "ShardedGradScaler", "async_save", "wrap")
    ),
    *(("cuda.profiler", n, ()) for n in ("start", "stop", "profile")),
    *(("distributed.fsdp", n, ()) for n in ("FullyShardedDataParallel", "FSDPModule", "fully_shard")),
    *(("distributed.tensor", n, ()) for n in ("DTensor", "distribute_tensor")),
    *(("distributed.rpc", n, ()) for n in ("RRef", "init_rpc")),
    ("distributed.device_mesh", "init_device_mesh", ()),
    ("distributed.optim", "ZeroRedundancyOptimizer", ()),
    *(
        ("cuda", n, ())
        for n in (
            "Stream",
            "CUDAGraph",
            "graph",
            "FloatTensor",
            "ByteTensor",
            "CUDAPluggableAllocator",
            "memory_summary",
            "synchronize",
            "utilization",
        )
    ),
    *(("xpu", n, ()) for n in ("Stream", "synchronize", "current_device", "set_device")),
    *(("accelerator", n, ()) for n in ("synchronize", "current_device_index")),
    *(("nested", n, ()) for n in ("nested_tensor", "as_nested_tensor", "to_padded_tensor")),
    *(("", n, ()) for n in ("SymInt", "SymFloat", "SymBool")),
    ("", "ScriptModule", ()),
    ("quantization", "quantize_dynamic", ()),
    ("quantization", "QConfig", ()),
    ("_C", "Graph", ()),
    ("autograd.graph", "region_activation_memory_budget", (0.5,)),
]


@pytest.mark.parametrize(("namespace", "name", "args"), LACKING, ids=lambda v: str(v) if isinstance(v, str) else None)
def test_what_is_lacking_says_so(namespace: str, name: str, args: tuple[Any, ...]) -> None:
    found = getattr(importlib.import_module(f"rushlight.{namespace}".rstrip(".")), name)
    with pytest.raises(
        (RuntimeError, ValueError, AssertionError, TypeError),
        match=rf"{name}\(\): .*(there (is|are) no|rushlight lacks|there must be|not compiled|made by tracing|"
        "must be used within)",
    ):
        found(*args)
    if isinstance(found, type):
        assert not isinstance(rl.ones(2), found) and not isinstance(nn.Linear(1, 1), found)


def test_questions_have_answers() -> None:
    assert (
        rl.distributed.is_available()
        and not rl.distributed.is_initialized()
        and not rl.cuda.is_available()
        and not rl.xpu.is_available()
    )
    assert rl.cuda.memory_stats() == {} and rl.cuda.max_memory_allocated() == 0 and not rl.cuda.is_tf32_supported()
    rl.cuda.reset_peak_memory_stats()
    rl.cuda.set_stream(None)
    assert repr(rl.distributed.ReduceOp.SUM) == "<RedOpType.SUM: 0>" and rl.distributed.group.WORLD is None
    assert isinstance(rl.ones(2), rl.FloatTensor) and rl.cuda.FloatTensor.dtype is rl.float32


def test_strided_tensors_answer_questions_of_layout() -> None:
    torch = pytest.importorskip("torch")
    for module in (rl, torch):
        x = module.ones(2, 3)
        assert x.to_dense() is x and (x.sparse_dim(), x.dense_dim()) == (0, 2) and x.grad_dtype is module.float32
        y = module.ones(3, 2)
        assert module.equal(module.sparse.mm(x, y), x @ y) and module.equal(module.spmm(x, y), x @ y)
        assert module.equal(module.sparse.addmm(module.ones(2, 2), x, y), 1 + x @ y)
        for name in (
            "coalesce",
            "is_coalesced",
            "values",
            "indices",
            "_nnz",
            "_values",
            "crow_indices",
            "col_indices",
            "row_indices",
            "ccol_indices",
        ):
            with pytest.raises(RuntimeError, match=name):
                getattr(x, name)()
        for name in ("values_copy", "indices_copy", "crow_indices_copy"):
            with pytest.raises(RuntimeError):
                getattr(module, name)(x)
        with module.sparse.check_sparse_tensor_invariants():
            assert module.sparse.check_sparse_tensor_invariants.is_enabled()
        assert not module.sparse.check_sparse_tensor_invariants.is_enabled()


def test_storages_of_a_dtype() -> None:
    torch = pytest.importorskip("torch")
    for module in (rl, torch):
        s = module.FloatStorage([1, 2])
        assert s.tolist() == [1.0, 2.0] and len(module.LongStorage(3)) == 3 and len(module.LongStorage()) == 0
        assert (
            isinstance(s, module.FloatStorage)
            and not isinstance(s, module.DoubleStorage)
            and isinstance(s, module.TypedStorage)
        )
        assert isinstance(module.ones(2).storage(), module.FloatStorage) and module.FloatStorage.dtype is module.float32
        t = module.ones(2)
        assert module.is_storage(t.storage()) and module.is_storage(t.untyped_storage()) and not module.is_storage(t)
        assert module.FloatStorage(wrap_storage=t.untyped_storage()).data_ptr() == t.data_ptr()
    with pytest.raises(TypeError, match="FloatStorage"):
        rl.FloatStorage(1, 2)


def test_futures() -> None:
    torch = pytest.importorskip("torch")
    for module in (futures, torch.futures):
        future: Any = module.Future()
        after = future.then(lambda f: f.wait() + 1)
        failing = future.then(lambda f: 1 / 0)
        threading.Timer(0.01, future.set_result, (4,)).start()
        assert future.wait() == 4 and after.wait() == 5 and future.done() and future.value() == 4
        with pytest.raises((ZeroDivisionError, RuntimeError)):
            failing.wait()
        with pytest.raises(RuntimeError):
            future.set_result(1)
        assert module.wait_all([future, after]) == [4, 5]
        assert [f.wait() for f in module.collect_all([future, after]).wait()] == [4, 5]
        seen: list[int] = []
        future.add_done_callback(lambda f, seen=seen: seen.append(f.wait()))
        assert seen == [4]
        other: Any = module.Future()
        other.set_exception(ValueError("bad"))
        with pytest.raises(ValueError, match="bad"):
            other.wait()
    with pytest.raises(RuntimeError, match="must be done"):
        futures.Future().value()


def test_symbols() -> None:
    torch = pytest.importorskip("torch")
    for module in (rl, torch):
        assert (
            module.sym_int(2.7),
            module.sym_float(2),
            module.sym_max(1, 2.0),
            module.sym_min(1, 2.0),
            module.sym_not(True),
        ) == (2, 2.0, 2.0, 1.0, False)
        assert module.sym_ite(True, 1, 2) == 1 and module.sym_sum([1, 2]) == 3 and module.sym_sqrt(4) == 2.0
        assert not isinstance(3, module.SymInt) and isinstance(module.sym_max(1, 2.0), float)
    from rushlight.program.sym import SymEnv

    env = SymEnv()
    size = env.new(5)
    assert isinstance(size, rl.SymInt) and not isinstance(size, rl.SymFloat)


def test_names_of_the_compiled_module() -> None:
    c = rl._C
    with pytest.raises(c._LinAlgError):
        rl.linalg.inv(rl.zeros(2, 2))
    assert c._TensorMeta is type(rl.Tensor) and c._get_tracing_state() is None and c.Size is rl.Size
    assert c._nn._parse_to("cpu", rl.float64) == (rl.device("cpu"), rl.float64, False, None)
    assert c._disabled_torch_function_impl(max, (), (1, 2)) == 2
    with c.DisableTorchFunctionSubclass():
        rl.add(rl.ones(2), 1)


def test_vmap_of_old() -> None:
    x = rl.arange(6.0).view(2, 3)
    assert rl.equal(rl._vmap_internals._vmap(rl.sum)(x), x.sum(1))
    first, second = rl._vmap_internals._vmap(lambda v: (None, v * 2), allow_none_pass_through=True)(x)
    assert first is None and rl.equal(second, x * 2)
    assert rl._vmap_internals._vmap(lambda v: None, allow_none_pass_through=True)(x) is None


def test_many_tensors_as_one() -> None:
    parts = [rl.ones(2, 3), rl.arange(4.0), rl.tensor(7.0)]
    flat = rl._utils._flatten_dense_tensors(parts)
    assert flat.shape == (11,) and all(
        rl.equal(a, b) for a, b in zip(parts, rl._utils._unflatten_dense_tensors(flat, parts), strict=True)
    )
    assert rl._utils._import_dotted_name("os.path.join") is __import__("os").path.join


def test_names_of_parts() -> None:
    from rushlight.utils.data import dataloader

    loader = rl.utils.data.DataLoader([1, 2], num_workers=0)
    assert isinstance(iter(loader), dataloader._SingleProcessDataLoaderIter) and isinstance(
        iter(loader), dataloader._BaseDataLoaderIter
    )
    assert (
        importlib.import_module("rushlight.utils.data._utils.collate").default_collate is rl.utils.data.default_collate
    )
    assert (
        not rl.backends.cuda.can_use_flash_attention(rl.backends.cuda.SDPAParams(None, None, None, None, 0.0, False))
        and rl.backends.quantized.engine == "none"
    )
    assert not rl.backends.mps.is_macos_or_newer(14, 0) and not hasattr(rl.utils, "tensorboard")
    rl._logging.set_logs(dynamo=10)


def test_types_for_annotations() -> None:
    torch = pytest.importorskip("torch")
    public = [n for n in torch.types.__all__ if not hasattr(rl.types, n)]
    assert not public and isinstance(3, rl.types.Number) and isinstance(3, torch.types.Number)
    for name in ("_size", "_int", "_float", "_bool", "_dtype", "_device", "_layout", "_TensorOrTensors"):
        assert hasattr(rl.types, name)


def test_namespaces_are_read_when_entered() -> None:
    code = (
        "import sys, rushlight; print([m for m in ('futures', 'sparse', 'nested', 'types', '_C', 'distributed', "
        "'_symbols', 'utils.collect_env') if 'rushlight.' + m in sys.modules])"
    )
    shown = printed("-c", code)
    assert shown.strip() == "[]"


def test_the_report_of_a_machine() -> None:
    shown = printed("-m", "rushlight.collect_env")
    for line in (
        "PyTorch version: ",
        "CPU: ",
        "CPU features: ",
        "CPU caches: ",
        "Threads: ",
        "Kernel cache: ",
        "[pip3] numpy==",
    ):
        assert line in shown
    assert (
        f"Python {sys.version.split()[0]}" in rl.__config__.show()
        and f"threads of the pool: {rl.get_num_threads()}" in rl.__config__.parallel_info()
    )


def test_what_torchvision_imports() -> None:
    """Stubs of quantization are the identity; dispatch keys make sets, and their guard leaves autocast and autograd
    out; marks of ONNX's exporter change nothing.
    """
    x = rl.ones(2, requires_grad=True)
    assert (
        rl.ao.quantization.QuantWrapper(rl.nn.Identity())(x) is x
        and rl.quantization.QuantStub is rl.ao.quantization.QuantStub
    )
    keys = rl._C.DispatchKeySet(rl._C.DispatchKey.AutocastCPU) | rl._C.DispatchKeySet([rl._C.DispatchKey.AutogradCPU])
    assert keys.has(rl._C.DispatchKey.AutocastCPU) and keys.remove(
        rl._C.DispatchKey.AutocastCPU
    ) == rl._C.DispatchKeySet(rl._C.DispatchKey.AutogradCPU)
    with rl.autocast("cpu", dtype=rl.bfloat16):
        with rl._C._ExcludeDispatchKeyGuard(keys):
            y = x.view(1, 2) @ x.view(2, 1)
            assert y.dtype is rl.float32 and not y.requires_grad
        assert (x.view(1, 2) @ x.view(2, 1)).dtype is rl.bfloat16
    with pytest.raises(NotImplementedError, match="found Python"):
        rl._C._ExcludeDispatchKeyGuard(rl._C.DispatchKeySet(rl._C.DispatchKey.Python))
    with pytest.raises(TypeError, match="must be DispatchKey; found str"):
        rl._C.DispatchKeySet("CPU")
    assert rl.onnx.symbolic_helper.parse_args("v", "i")(len) is len
    with pytest.raises(NotImplementedError, match=r"symbolic_opset11\.squeeze"):
        rl.onnx.symbolic_opset11.squeeze(None, 1)
    from rushlight._dynamo.utils import is_compile_supported

    assert not is_compile_supported("cpu") and list(rl.utils.model_zoo.tqdm([1, 2], disable=True)) == [1, 2]


def test_what_can_be_read_is_shown() -> None:
    """`dir()` of every module, which completion goes by, has the names that it says are public, read already or not."""
    checked = 0
    for found in pkgutil.walk_packages(rl.__path__, "rushlight."):
        # Programs, and what needs a package of its own.
        if not is_public(found.name) or found.name.endswith(("__main__", "compare.watch", "tensorboard")):
            continue
        module = importlib.import_module(found.name)
        said = {*vars(module).get("__all__", ()), *vars(module).get("_LAZY", ())}
        assert said <= set(dir(module)), (found.name, said - set(dir(module)))
        checked += bool(said)
    assert checked > 150


def test_what_packages_take_from_inside() -> None:
    """LBFGS's search, and unit matrices for several tensors, under PyTorch's names."""
    search = importlib.import_module("rushlight.optim.lbfgs")._strong_wolfe
    x = rl.tensor([3.0, -2.0], dtype=rl.float64)

    def loss_at(x: Any, t: float, d: Any) -> tuple[float, Any]:
        z = (x + t * d).detach().requires_grad_()
        loss = (z**4).sum() + z[0] * z[1]
        loss.backward()
        return loss.item(), z.grad

    f, g = loss_at(x, 0.0, rl.zeros(2, dtype=rl.float64))
    slope = float(-g.dot(g))
    new, grad, t, calls = search(loss_at, x, 1.0, -g, f, g, slope)
    assert t > 0 and calls > 0 and new <= f + 1e-4 * t * slope and abs(float(grad.dot(g))) <= 0.9 * abs(slope)
    assert search(loss_at, x, 1.0, -g, f, g, slope, max_ls=1)[3] == 1
    basis = importlib.import_module("rushlight.autograd.functional")._construct_standard_basis_for(
        (rl.ones(2), rl.ones(1, dtype=rl.float64)), (2, 1)
    )
    assert [b.tolist() for b in basis] == [[[1, 0], [0, 1], [0, 0]], [[0], [0], [1]]]
    assert basis[1].dtype is rl.float64


def test_namespaces_have_the_names_that_the_table_of_places_gives_them() -> None:
    """Whether rushlight has a file for the namespace or not: `torch.nn.modules.conv.LazyConv2d`, say."""
    program = """
import importlib, torch
from rushlight.compat.places import NAMESPACES

for namespace, sources in NAMESPACES.items():
    found = importlib.import_module(namespace)
    for names in sources.values():
        for name in names.split():
            assert hasattr(found, name), (namespace, name)
print(len(NAMESPACES))
"""
    shown = printed(*RUSHLIGHT, "-c", program)
    assert int(shown) > 50


@pytest.mark.parametrize("launcher", [(), RUSHLIGHT])
def test_a_function_that_has_its_modules_name(launcher: tuple[str, ...]) -> None:
    """torch.autograd.gradcheck is the function, also after an import of the module of that name."""
    name = "torch" if launcher else "rushlight"
    code = (
        f"import {name}.autograd.gradcheck\n"
        f"from {name}.autograd.gradcheck import GradcheckError, gradcheck\n"
        f"print({name}.autograd.gradcheck is gradcheck, {name}.autograd.GradcheckError is GradcheckError)"
    )
    assert printed(*launcher, "-c", code) == "True True\n"
