"""The package itself, and the smaller namespaces."""

from __future__ import annotations

from site_build.examples.table import SEED as _SEED
from site_build.examples.table import each as _each
from site_build.examples.table import within as _in

# ---------------------------------------------------------------------------------------------------------- the package
_each("einsum", "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(3, 2))")
_each("broadcast_shapes", "torch.broadcast_shapes((2, 1), (3,))")
_each(
    "manual_seed",
    "_ = torch.manual_seed(0)\na = torch.rand(2)\n_ = torch.manual_seed(0)\nbool((a == torch.rand(2)).all())",
)
_each("Generator", "g = torch.Generator().manual_seed(0)\ntorch.rand(2, generator=g).shape")
_each("get_default_dtype set_default_dtype", "torch.get_default_dtype()")
_each("get_num_threads set_num_threads", "torch.get_num_threads() >= 1")
_each("promote_types", "torch.promote_types(torch.int64, torch.float32)")
_each("result_type", "torch.result_type(torch.ones(2, dtype=torch.int8), 1.5)")
_each("can_cast", "torch.can_cast(torch.float32, torch.int64)")
_each("finfo", "torch.finfo(torch.float32).eps")
_each("iinfo", "torch.iinfo(torch.int8).max")
_each("Size", "x = torch.ones(2, 3).size()\nx, x.numel()")
_each("is_tensor", "torch.is_tensor([1]), torch.is_tensor(torch.ones(1))")
_each("is_floating_point is_complex", "torch.{name}(torch.ones(1))")
_each("is_nonzero", "torch.is_nonzero(torch.tensor([0.0]))")
_each("numel", "torch.numel(torch.ones(2, 3))")
_each("asarray", "torch.asarray([1, 2], dtype=torch.float32)")
_each("from_numpy", "import numpy as np\na = np.zeros(2)\nt = torch.from_numpy(a)\na[0] = 5\nt")
_each("frombuffer", "torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)")
_each(
    "save load",
    "import io\nfile = io.BytesIO()\ntorch.save({'w': torch.ones(2)}, file)\n_ = file.seek(0)\ntorch.load(file)",
)
_each(
    "lstm",
    "layer = torch.nn.LSTM(3, 5)\nx, state = torch.ones(7, 1, 3), (torch.zeros(1, 1, 5), torch.zeros(1, 1, 5))\n"
    "output, h, c = torch.lstm(x, state, list(layer.parameters()), True, 1, 0.0, False, False, False)\noutput.shape",
)
_each(
    "gru rnn_tanh rnn_relu",
    "gates = {'gru': 3}.get('{name}', 1)\nweights = [torch.ones(5 * gates, 3), torch.ones(5 * gates, 5)]\n"
    "x = torch.ones(7, 1, 3)\n"
    "output, state = torch.{name}(x, torch.zeros(1, 1, 5), weights, False, 1, 0.0, False, False, False)\noutput.shape",
)
_each("cond", "torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(1),))")
_each("while_loop", "torch.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0),))")
_each("compile", "f = torch.compile(lambda x: x.sin() + 1)\nf(torch.zeros(2))")
_each("chain_matmul", "torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)).shape")
_each(
    "autocast amp.autocast",
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    y = torch.ones(2, 2) @ torch.ones(2, 2)\ny.dtype",
)
_each("device", "torch.device('cpu')")
_each("is_grad_enabled", "torch.is_grad_enabled()")
_each("typename", "torch.typename(torch.ones(1))")
_each("sparse_coo_tensor", "torch.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)).to_dense()")
_each("sparse_csr_tensor", "torch.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()")
_each("scalar_tensor", "torch.scalar_tensor(2.5)")
_each("embedding_bag", "torch.embedding_bag(torch.ones(4, 2), torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]")
_each(
    "get_rng_state set_rng_state",
    "state = torch.get_rng_state()\na = torch.rand(2)\ntorch.set_rng_state(state)\nbool((a == torch.rand(2)).all())",
)
_each("initial_seed", "_ = torch.manual_seed(7)\ntorch.initial_seed()")

# --------------------------------------------------------------------------------------------------------------- others
_each(
    "nn.utils.clip_grad_norm_",
    "w = torch.nn.Parameter(torch.ones(2))\n(w * 10).sum().backward()\n"
    "torch.nn.utils.clip_grad_norm_([w], 1.0)\nw.grad",
)
_each(
    "nn.utils.clip_grad_value_",
    "w = torch.nn.Parameter(torch.ones(2))\n(w * 10).sum().backward()\n"
    "torch.nn.utils.clip_grad_value_([w], 1.0)\nw.grad",
)
_each("nn.utils.parameters_to_vector", "torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1)])")
_each("nn.utils.rnn.pad_sequence", "torch.nn.utils.rnn.pad_sequence([torch.ones(3), torch.ones(1)], batch_first=True)")
_each(
    "nn.utils.rnn.pack_padded_sequence nn.utils.rnn.PackedSequence",
    "torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3), [3, 1], batch_first=True).batch_sizes",
)
_each("nn.utils.rnn.pack_sequence", "torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(1)]).data")
_each(
    "nn.utils.rnn.pad_packed_sequence",
    "U = torch.nn.utils.rnn\nU.pad_packed_sequence(U.pack_sequence([torch.ones(2), torch.ones(1)]), batch_first=True)",
)
_each(
    "nn.utils.parametrize.register_parametrization",
    "class Positive(torch.nn.Module):\n    def forward(self, w):\n"
    "        return w.exp()\nlayer = torch.nn.Linear(2, 1)\n"
    "_ = torch.nn.utils.parametrize.register_parametrization(layer, 'weight', Positive())\n"
    "bool((layer.weight > 0).all())",
)
_each(
    "nn.utils.prune.l1_unstructured",
    "from rushlight.nn.utils import prune\nlayer = torch.nn.Linear(2, 2)\n"
    "_ = prune.l1_unstructured(layer, 'weight', amount=2)\n(layer.weight == 0).sum()",
)
_each(
    "utils.checkpoint.checkpoint",
    "x = torch.tensor(0.5, requires_grad=True)\n"
    "torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).backward()\nx.grad",
)
_each("amp.GradScaler GradScaler", "torch.amp.GradScaler('cpu', enabled=False).get_scale()")
_each(
    "fx.symbolic_trace fx.Graph fx.GraphModule",
    "graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)\nprint(graph.code)",
)
_each("jit.script", "@torch.jit.script\ndef f(x):\n    return x + 1\nf(torch.ones(1))")
_each("jit.trace", "f = torch.jit.trace(lambda x: x.sin() + 1, torch.ones(2))\nf(torch.zeros(2))")
_each(
    "library.custom_op",
    "@torch.library.custom_op('example::twice', mutates_args=())\n"
    "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n"
    "twice(torch.ones(2))",
)
_each(
    "export.export export.ExportedProgram",
    "program = torch.export.export(torch.nn.ReLU(), (torch.ones(2),))\nprogram.module()(torch.tensor([-1.0, 1.0]))",
)
_each(
    "profiler.profile profiler.record_function",
    "with torch.profiler.profile() as seen:\n    _ = torch.ones(2).exp()\nlen(seen.events()) > 0",
)
_each(
    "random.fork_rng", "_ = torch.manual_seed(0)\nwith torch.random.fork_rng():\n    _ = torch.rand(3)\ntorch.rand(1)"
)
_each("testing.assert_close", "torch.testing.assert_close(torch.tensor(1.0), torch.tensor(1.0 + 1e-7))")
_each("testing.make_tensor", "torch.testing.make_tensor(2, 3, dtype=torch.float32, device='cpu').shape")
_each(
    "masked.masked_tensor masked.MaskedTensor",
    "torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False])).sum()",
)
_each("sparse.mm", "torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 2))")
_each("sparse.sum", "torch.sparse.sum(torch.eye(2).to_sparse())")
_each("overrides.is_tensor_like", "torch.overrides.is_tensor_like(torch.ones(1))")

_each(
    "nn.LinearCrossEntropyLoss",
    "loss = torch.nn.LinearCrossEntropyLoss(3, 5)\nloss(torch.ones(2, 3), torch.tensor([0, 4])).shape",
)
_each(
    "nn.functional.triplet_margin_with_distance_loss",
    "F = torch.nn.functional\n"
    "F.triplet_margin_with_distance_loss(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2) * 2)",
)
_each(
    _in("nn.functional", "upsample upsample_nearest upsample_bilinear"),
    "torch.nn.functional.{name}(torch.arange(4.0).view(1, 1, 2, 2), scale_factor=2).shape",
)
_each(
    "nn.utils.clip_grads_with_norm_",
    "w = torch.nn.Parameter(torch.ones(2))\n(w * 10).sum().backward()\n"
    "norm = torch.nn.utils.get_total_norm([w.grad])\ntorch.nn.utils.clip_grads_with_norm_([w], 1.0, norm)\nw.grad",
)
_each("nn.utils.get_total_norm", "torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])")
_each(
    "nn.utils.vector_to_parameters",
    "w = torch.nn.Parameter(torch.zeros(2))\n"
    "torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0]), [w])\nw.detach()",
)
_each(
    "nn.utils.fuse_conv_bn_eval",
    "conv, norm = torch.nn.Conv2d(1, 2, 3).eval(), torch.nn.BatchNorm2d(2).eval()\n"
    "fused = torch.nn.utils.fuse_conv_bn_eval(conv, norm)\n"
    "x = torch.ones(1, 1, 4, 4)\ntorch.allclose(fused(x), norm(conv(x)), atol=1e-6)",
)
_each(
    "nn.utils.fuse_linear_bn_eval",
    "layer, norm = torch.nn.Linear(3, 2).eval(), torch.nn.BatchNorm1d(2).eval()\n"
    "fused = torch.nn.utils.fuse_linear_bn_eval(layer, norm)\n"
    "x = torch.ones(1, 3)\ntorch.allclose(fused(x), norm(layer(x)), atol=1e-6)",
)
_each("nn.utils.skip_init", "torch.nn.utils.skip_init(torch.nn.Linear, 2, 3).weight.shape")
_each(
    "nn.utils.parametrize.is_parametrized nn.utils.parametrize.remove_parametrizations",
    "from rushlight.nn.utils import parametrize\n"
    "class Double(torch.nn.Module):\n    def forward(self, w):\n        return 2 * w\nlayer = torch.nn.Linear(1, 1)\n"
    "_ = parametrize.register_parametrization(layer, 'weight', Double())\nparametrize.is_parametrized(layer)\n"
    "_ = parametrize.remove_parametrizations(layer, 'weight')\nparametrize.is_parametrized(layer)",
)
_each(
    _in("nn.utils.prune", "random_unstructured identity is_pruned"),
    _SEED + "from rushlight.nn.utils import prune\nlayer = torch.nn.Linear(2, 2)\nprune.is_pruned(layer)\n"
    "_ = prune.random_unstructured(layer, 'weight', amount=0.5)\n"
    "prune.is_pruned(layer), int((layer.weight == 0).sum())",
)
_each(
    "nn.utils.prune.remove",
    "from rushlight.nn.utils import prune\nlayer = torch.nn.Linear(2, 2)\n"
    "_ = prune.l1_unstructured(layer, 'weight', amount=2)\n"
    "_ = prune.remove(layer, 'weight')\n[name for name, _ in layer.named_parameters()]",
)
_each("nn.utils.rnn.invert_permutation", "torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))")
_each(
    "nn.utils.rnn.unpack_sequence",
    "U = torch.nn.utils.rnn\nU.unpack_sequence(U.pack_sequence([torch.tensor([1.0, 2.0]), torch.tensor([3.0])]))",
)
_each(
    "nn.utils.rnn.unpad_sequence",
    "torch.nn.utils.rnn.unpad_sequence(torch.ones(2, 3), torch.tensor([3, 1]), batch_first=True)",
)
_each(
    "optim.swa_utils.SWALR",
    "w = torch.nn.Parameter(torch.zeros(1))\noptimizer = torch.optim.SGD([w], lr=1.0)\n"
    "schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_epochs=2)\n"
    "_ = optimizer.step()\nschedule.step()\n"
    "optimizer.param_groups[0]['lr']",
)
_each(
    "optim.lr_scheduler.LRScheduler",
    "class Halve(torch.optim.lr_scheduler.LRScheduler):\n    def get_lr(self):\n"
    "        return [base * 0.5**self.last_epoch for base in self.base_lrs]\n"
    "optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)\nschedule = Halve(optimizer)\n"
    "_ = optimizer.step()\nschedule.step()\nschedule.get_last_lr()",
)
_each(
    "utils.data.Sampler",
    "class Even(torch.utils.data.Sampler):\n    def __iter__(self):\n        return iter(range(0, 6, 2))\n"
    "list(torch.utils.data.DataLoader(range(6), sampler=Even()))",
)
_each(
    "utils.checkpoint.checkpoint_sequential",
    "x = torch.tensor(0.5, requires_grad=True)\n"
    "y = torch.utils.checkpoint.checkpoint_sequential([torch.sin, torch.cos], 2, x, use_reentrant=False)\ny.detach()",
)
_each("utils.dlpack.from_dlpack from_dlpack", "import numpy as np\ntorch.from_dlpack(np.arange(3))")
_each("utils.dlpack.to_dlpack to_dlpack", "type(torch.utils.dlpack.to_dlpack(torch.ones(2))).__name__")
_each(
    "autograd.forward_ad.enter_dual_level autograd.forward_ad.exit_dual_level autograd.forward_ad.UnpackedDualTensor",
    "import rushlight.autograd.forward_ad as fwAD\nlevel = fwAD.enter_dual_level()\n"
    "x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))\nfwAD.unpack_dual(x * x)\nfwAD.exit_dual_level()",
)
_each(
    "autograd.graph.register_multi_grad_hook",
    "a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)\n"
    "_ = torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: print(grads))\n(a * 2 + b * 3).backward()",
)
_each(
    "autograd.graph.save_on_cpu",
    "x = torch.tensor(3.0, requires_grad=True)\n"
    "with torch.autograd.graph.save_on_cpu():\n    y = x**2\ny.backward()\nx.grad",
)
_each(
    "autograd.graph.get_gradient_edge autograd.graph.GradientEdge",
    "x = torch.tensor(3.0, requires_grad=True)\n"
    "edge = torch.autograd.graph.get_gradient_edge(x)\ntorch.autograd.grad(x**2, edge)",
)
_each(
    "autograd.detect_anomaly autograd.set_detect_anomaly",
    "with torch.autograd.set_detect_anomaly(True):\n    print(torch.is_anomaly_enabled())",
)
_each("func.rearrange", "torch.func.rearrange(torch.arange(6).view(2, 3), 'a b -> b a')")
_each(
    "distributions.CatTransform",
    "D = torch.distributions\n"
    "D.CatTransform([D.ExpTransform(), D.AbsTransform()], lengths=[1, 1])(torch.tensor([0.0, -2.0]))",
)
_each(
    "distributions.StackTransform",
    "D = torch.distributions\nD.StackTransform([D.ExpTransform(), D.AbsTransform()])(torch.tensor([0.0, -2.0]))",
)
_each("distributions.ReshapeTransform", "torch.distributions.ReshapeTransform((4,), (2, 2))(torch.arange(4.0))")
_each("distributions.CorrCholeskyTransform", "torch.distributions.CorrCholeskyTransform()(torch.zeros(1))")
_each("distributions.PositiveDefiniteTransform", "torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))")
_each(
    "distributions.IndependentTransform",
    "D = torch.distributions\n"
    "D.IndependentTransform(D.ExpTransform(), 1).log_abs_det_jacobian(torch.ones(2), torch.ones(2))",
)
_each(
    "distributions.biject_to distributions.transform_to",
    "D = torch.distributions\nD.{name}(D.constraints.positive)(torch.tensor([-1.0, 2.0]))",
)
_each(
    _in("distributions.constraints", "greater_than greater_than_eq less_than"),
    "torch.distributions.constraints.{name}(0.0).check(torch.tensor([-1.0, 0.0, 1.0]))",
)
_each(
    _in("distributions.constraints", "interval half_open_interval integer_interval"),
    "torch.distributions.constraints.{name}(0, 2).check(torch.tensor([-1.0, 0.0, 1.5, 2.0]))",
)
_each(
    "distributions.constraints.independent",
    "C = torch.distributions.constraints\nC.independent(C.positive, 1).check(torch.tensor([[1.0, 2.0], [1.0, -2.0]]))",
)
_each(
    "fx.Interpreter",
    "graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)\n"
    "torch.fx.Interpreter(graph).run(torch.tensor([-1.0, 1.0]))",
)
_each(
    "fx.Node",
    "graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1).graph\n[(n.op, n.name) for n in graph.nodes]",
)
_each(
    "fx.replace_pattern",
    "graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)\n"
    "_ = torch.fx.replace_pattern(graph, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))\ngraph(torch.zeros(1))",
)
_each("compiler.stats", "sorted(torch.compiler.stats())")
_each("compiler.is_compiling", "torch.compiler.is_compiling()")
_each("compiler.list_backends", "'inductor' in torch.compiler.list_backends()")
_each("compiler.disable", "f = torch.compile(torch.compiler.disable(lambda x: x + 1))\nf(torch.zeros(1))")
_each(
    "library.infer_schema",
    "def twice(x: torch.Tensor, n: int = 2) -> torch.Tensor:\n    return x * n\n"
    "torch.library.infer_schema(twice, mutates_args=())",
)
_each("jit.fork jit.wait", "future = torch.jit.fork(torch.add, torch.ones(1), 2)\ntorch.jit.wait(future)")
_each("jit.is_scripting jit.is_tracing", "torch.jit.{name}()")
_each("jit.annotate", "torch.jit.annotate(int, 3)")
_each(
    "profiler.schedule",
    "when = torch.profiler.schedule(wait=1, warmup=1, active=2)\n"
    "[str(when(step)).rpartition('.')[2] for step in range(4)]",
)
_each("random.manual_seed random.initial_seed", "_ = torch.random.manual_seed(7)\ntorch.random.initial_seed()")
_each("serialization.get_default_load_endianness", "torch.serialization.get_default_load_endianness()")
_each(
    "serialization.get_unsafe_globals_in_checkpoint",
    "import io\nfile = io.BytesIO()\ntorch.save(torch.ones(1), file)\n_ = file.seek(0)\n"
    "torch.serialization.get_unsafe_globals_in_checkpoint(file)",
)
_each("sparse.softmax sparse.log_softmax", "torch.sparse.{name}(torch.eye(2).to_sparse(), dim=1).to_dense()")
_each("sparse.addmm", "torch.sparse.addmm(torch.ones(2, 2), torch.eye(2).to_sparse(), torch.ones(2, 2))")
_each("sparse.spdiags", "torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([0]), (2, 2)).to_dense()")
_each(
    "sparse.sampled_addmm",
    "torch.sparse.sampled_addmm(torch.eye(2).to_sparse_csr(), torch.ones(2, 3), torch.ones(3, 2)).to_dense()",
)
_each(
    "masked.as_masked_tensor masked.is_masked_tensor",
    "x = torch.masked.as_masked_tensor(torch.ones(2), torch.tensor([True, False]))\ntorch.masked.is_masked_tensor(x)",
)
_each(
    "overrides.TorchFunctionMode",
    "class Say(torch.overrides.TorchFunctionMode):\n    def __torch_function__(self, f, types, args=(), kwargs=None):\n"
    "        print(f.__name__)\n        return f(*args, **(kwargs or {}))\nwith Say():\n    _ = torch.ones(2).exp()",
)
_each("overrides.resolve_name", "torch.overrides.resolve_name(torch.add)")
_each("overrides.has_torch_function", "torch.overrides.has_torch_function((torch.ones(1),))")
_each("get_default_device set_default_device", "torch.get_default_device()")
_each("get_device", "torch.get_device(torch.ones(1))")
_each("is_signed", "torch.is_signed(torch.ones(1, dtype=torch.uint8))")
_each("is_storage", "torch.is_storage(torch.ones(1).untyped_storage())")
_each("is_inference", "torch.is_inference(torch.ones(1))")
_each("dtype", "torch.float32.itemsize, torch.float32.is_floating_point")
_each("layout", "torch.ones(1).layout, torch.ones(1).to_sparse().layout")
_each("memory_format", "torch.empty(1, 2, 3, 3, memory_format=torch.channels_last).stride()")
_each(
    "set_printoptions",
    "torch.set_printoptions(precision=2)\ntorch.tensor([1.23456])\ntorch.set_printoptions(profile='default')",
)
_each("native_layer_norm", "torch.native_layer_norm(torch.tensor([[1.0, 3.0]]), [2], None, None, 1e-5)")
_each("native_dropout", "torch.native_dropout(torch.ones(2), 0.0, True)")
_each("spmm hsmm dsmm smm", "torch.spmm(torch.eye(2).to_sparse(), torch.ones(2, 2))")
_each(
    "use_deterministic_algorithms are_deterministic_algorithms_enabled",
    "torch.use_deterministic_algorithms(True)\ntorch.are_deterministic_algorithms_enabled()\ntorch.use_deterministic_algorithms(False)",
)
_each("Stream", "torch.Stream('cpu')")
_each("explain", "torch.explain('relu', torch.ones(2))")
