"""Optimizers, data, autograd, transforms of functions and distributions."""

from __future__ import annotations

from site_build.examples.table import SEED as _SEED
from site_build.examples.table import each as _each
from site_build.examples.table import within as _in

# ----------------------------------------------------------------------------------------------------------- optimizers
_each(
    _in("optim", "ASGD SGD Adadelta Adafactor Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop"),
    "w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))\noptimizer = torch.optim.{name}([w], lr=0.1)\n"
    "for _ in range(3):\n    optimizer.zero_grad()\n    (w**2).sum().backward()\n    _ = optimizer.step()\nw.detach()",
)
_each(
    _in("optim", "Muon"),
    "w = torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 1.0]]))\noptimizer = torch.optim.Muon([w], lr=0.1)\n"
    "(w**2).sum().backward()\n_ = optimizer.step()\nw.shape",
)
_each(
    _in("optim", "LBFGS"),
    "w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))\noptimizer = torch.optim.LBFGS([w])\n"
    "def loss():\n    optimizer.zero_grad()\n    value = (w**2).sum()\n    value.backward()\n    return value\n"
    "_ = optimizer.step(loss)\nbool(w.abs().max() < 1e-3)",
)
_each(
    _in("optim", "SparseAdam"),
    "table = torch.nn.Embedding(4, 2, sparse=True)\noptimizer = torch.optim.SparseAdam(list(table.parameters()))\n"
    "table(torch.tensor([1])).sum().backward()\n_ = optimizer.step()\ntable.weight.grad.layout",
)
_each(
    _in("optim", "Optimizer"),
    "w = torch.nn.Parameter(torch.ones(2))\noptimizer = torch.optim.SGD([w], lr=0.1)\noptimizer.param_groups[0]['lr']",
)
_schedule = (
    "w = torch.nn.Parameter(torch.zeros(1))\noptimizer = torch.optim.SGD([w], lr=1.0)\n"
    "schedule = torch.optim.lr_scheduler.{name}(%s)\n"
    "rates = []\nfor _ in range(5):\n"
    "    rates.append(round(optimizer.param_groups[0]['lr'], 4))\n    _ = optimizer.step()\n"
    "    schedule.step(%s)\nrates"
)
for _name, _given, _step in (
    ("StepLR", "optimizer, step_size=2", ""),
    ("MultiStepLR", "optimizer, milestones=[1, 3]", ""),
    ("ExponentialLR", "optimizer, gamma=0.5", ""),
    ("ConstantLR", "optimizer, factor=0.5, total_iters=2", ""),
    ("LinearLR", "optimizer, start_factor=0.5, total_iters=4", ""),
    ("PolynomialLR", "optimizer, total_iters=4", ""),
    ("CosineAnnealingLR", "optimizer, T_max=4", ""),
    ("CosineAnnealingWarmRestarts", "optimizer, T_0=2", ""),
    ("LambdaLR", "optimizer, lambda epoch: 0.5**epoch", ""),
    ("MultiplicativeLR", "optimizer, lambda epoch: 0.5", ""),
    ("CyclicLR", "optimizer, base_lr=0.1, max_lr=1.0, step_size_up=2, cycle_momentum=False", ""),
    ("OneCycleLR", "optimizer, max_lr=1.0, total_steps=6", ""),
    ("ReduceLROnPlateau", "optimizer, patience=1", "1.0"),
):
    _each(f"optim.lr_scheduler.{_name}", _schedule % (_given, _step))
_each(
    _in("optim.lr_scheduler", "SequentialLR"),
    _schedule.replace(
        "schedule = torch.optim.lr_scheduler.{name}(%s)",
        "S = torch.optim.lr_scheduler\nparts = [S.ConstantLR(optimizer, 0.1, 2), S.ExponentialLR(optimizer, 0.5)]\n"
        "schedule = S.SequentialLR(optimizer, parts, milestones=[2])",
    )
    % "",
)
_each(
    _in("optim.lr_scheduler", "ChainedScheduler"),
    _schedule.replace(
        "schedule = torch.optim.lr_scheduler.{name}(%s)",
        "S = torch.optim.lr_scheduler\nparts = [S.ConstantLR(optimizer, 0.1, 2), S.ExponentialLR(optimizer, 0.5)]\n"
        "schedule = S.ChainedScheduler(parts, optimizer)",
    )
    % "",
)
_each(
    _in("optim.swa_utils", "AveragedModel"),
    "model = torch.nn.Linear(1, 1)\naverage = torch.optim.swa_utils.AveragedModel(model)\n"
    "average.update_parameters(model)\n"
    "average.n_averaged",
)

# ----------------------------------------------------------------------------------------------------------------- data
_each(
    _in("utils.data", "TensorDataset"),
    "data = torch.utils.data.TensorDataset(torch.arange(6).view(3, 2), torch.tensor([0, 1, 0]))\nlen(data), data[1]",
)
_each(
    _in("utils.data", "DataLoader"),
    "data = torch.utils.data.TensorDataset(torch.arange(5))\n"
    "[batch for (batch,) in torch.utils.data.DataLoader(data, batch_size=2)]",
)
_each(
    _in("utils.data", "Dataset"),
    "class Squares(torch.utils.data.Dataset):\n    def __len__(self):\n"
    "        return 3\n    def __getitem__(self, i):\n"
    "        return i * i\nlist(torch.utils.data.DataLoader(Squares(), batch_size=3))",
)
_each(
    _in("utils.data", "IterableDataset"),
    "class Count(torch.utils.data.IterableDataset):\n    def __iter__(self):\n        return iter(range(3))\n"
    "list(torch.utils.data.DataLoader(Count(), batch_size=2))",
)
_each(_in("utils.data", "ConcatDataset"), "len(torch.utils.data.ConcatDataset([range(3), range(4)]))")
_each(_in("utils.data", "ChainDataset"), "issubclass(torch.utils.data.ChainDataset, torch.utils.data.IterableDataset)")
_each(_in("utils.data", "StackDataset"), "torch.utils.data.StackDataset(x=range(3), y=range(3, 6))[1]")
_each(_in("utils.data", "Subset"), "list(torch.utils.data.Subset(range(10), [2, 4]))")
_each(
    _in("utils.data", "random_split"),
    _SEED + "a, b = torch.utils.data.random_split(range(10), [0.8, 0.2])\nlen(a), len(b)",
)
_each(_in("utils.data", "SequentialSampler"), "list(torch.utils.data.SequentialSampler(range(3)))")
_each(_in("utils.data", "RandomSampler"), _SEED + "sorted(torch.utils.data.RandomSampler(range(3)))")
_each(_in("utils.data", "SubsetRandomSampler"), _SEED + "sorted(torch.utils.data.SubsetRandomSampler([4, 2]))")
_each(_in("utils.data", "WeightedRandomSampler"), _SEED + "list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))")
_each(_in("utils.data", "BatchSampler"), "list(torch.utils.data.BatchSampler(range(5), 2, drop_last=False))")
_each(
    _in("utils.data", "DistributedSampler"),
    "list(torch.utils.data.DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))",
)
_each(_in("utils.data", "default_collate"), "torch.utils.data.default_collate([{'x': 1.0}, {'x': 2.0}])")
_each(_in("utils.data", "default_convert"), "torch.utils.data.default_convert([1, 'a'])")
_each(_in("utils.data", "get_worker_info"), "torch.utils.data.get_worker_info() is None")

# ------------------------------------------------------------------------------------------------------------- autograd
_each("autograd.grad", "x = torch.tensor(3.0, requires_grad=True)\ntorch.autograd.grad(x**2, x)")
_each("autograd.backward", "x = torch.tensor(3.0, requires_grad=True)\ntorch.autograd.backward(x**2)\nx.grad")
_each(
    "autograd.Function",
    "class Cube(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
    "        return x**3\n    @staticmethod\n    def backward(ctx, g):\n"
    "        (x,) = ctx.saved_tensors\n        return 3 * x**2 * g\n"
    "x = torch.tensor(2.0, requires_grad=True)\nCube.apply(x).backward()\nx.grad",
)
_each(
    "autograd.gradcheck autograd.gradgradcheck",
    "x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)\ntorch.autograd.{name}(torch.sin, x)",
)
_each(
    "no_grad autograd.no_grad",
    "x = torch.ones(1, requires_grad=True)\nwith torch.no_grad():\n    y = x * 2\ny.requires_grad",
)
_each(
    "enable_grad autograd.enable_grad",
    "x = torch.ones(1, requires_grad=True)\nwith torch.no_grad(), torch.enable_grad():\n    y = x * 2\ny.requires_grad",
)
_each("inference_mode autograd.inference_mode", "with torch.inference_mode():\n    y = torch.ones(2)\ny.is_inference()")
_each(
    "set_grad_enabled autograd.set_grad_enabled",
    "with torch.set_grad_enabled(False):\n    print(torch.is_grad_enabled())",
)
_each(
    _in("autograd.functional", "jacobian"),
    "torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))",
)
_each(
    _in("autograd.functional", "hessian"),
    "torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))",
)
_each(
    _in("autograd.functional", "jvp vjp"),
    "torch.autograd.functional.{name}(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))",
)
_each(
    _in("autograd.functional", "hvp vhp"),
    "torch.autograd.functional.{name}(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))",
)
_each(
    _in("autograd.forward_ad", "dual_level make_dual unpack_dual"),
    "import rushlight.autograd.forward_ad as fwAD\nwith fwAD.dual_level():\n"
    "    x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))\n"
    "    print(fwAD.unpack_dual(x**2).tangent)",
)
_each(
    "autograd.graph.saved_tensors_hooks",
    "x = torch.tensor(3.0, requires_grad=True)\nsaved = []\n"
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):\n"
    "    y = x**2\nlen(saved)",
)
_each("autograd.graph.Node", "x = torch.ones(1, requires_grad=True)\n(x * 2).grad_fn.name()")

# ----------------------------------------------------------------------------------------------------------- transforms
_each("func.grad", "torch.func.grad(lambda x: x**3)(torch.tensor(2.0))")
_each("func.grad_and_value", "torch.func.grad_and_value(lambda x: x**3)(torch.tensor(2.0))")
_each("func.vmap vmap", "torch.vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3))")
_each("func.jacrev func.jacfwd", "torch.func.{name}(lambda x: x**2)(torch.tensor([1.0, 2.0]))")
_each("func.hessian", "torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))")
_each("func.jvp", "torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(1.0),))")
_each("func.vjp", "value, back = torch.func.vjp(torch.sin, torch.tensor(0.0))\nback(torch.tensor(1.0))")
_each(
    "func.linearize", "value, tangent = torch.func.linearize(torch.sin, torch.tensor(0.0))\ntangent(torch.tensor(2.0))"
)
_each(
    "func.functional_call",
    "layer = torch.nn.Linear(2, 1, bias=False)\n"
    "torch.func.functional_call(layer, {'weight': torch.tensor([[1.0, 2.0]])}, torch.ones(1, 2))",
)
_each(
    "func.stack_module_state",
    "params, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1) for _ in range(3)])\n"
    "params['weight'].shape",
)
_each("func.functionalize", "torch.func.functionalize(lambda x: x.add_(1))(torch.zeros(2))")
_each(
    "func.replace_all_batch_norm_modules_",
    "net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))\n_ = torch.func.replace_all_batch_norm_modules_(net)\n"
    "net[0].running_mean is None",
)

# -------------------------------------------------------------------------------------------------------- distributions
_DISTRIBUTIONS = {
    "Bernoulli": "0.3",
    "Beta": "2.0, 3.0",
    "Binomial": "10, 0.3",
    "Cauchy": "0.0, 1.0",
    "Chi2": "3.0",
    "ContinuousBernoulli": "0.3",
    "Exponential": "2.0",
    "FisherSnedecor": "3.0, 5.0",
    "Gamma": "2.0, 3.0",
    "GeneralizedPareto": "0.0, 1.0, 0.2",
    "Geometric": "0.3",
    "Gumbel": "0.0, 1.0",
    "HalfCauchy": "1.0",
    "HalfNormal": "1.0",
    "InverseGamma": "3.0, 2.0",
    "Kumaraswamy": "2.0, 3.0",
    "Laplace": "0.0, 1.0",
    "LogNormal": "0.0, 1.0",
    "NegativeBinomial": "5.0, 0.3",
    "Normal": "0.0, 1.0",
    "Pareto": "1.0, 3.0",
    "Poisson": "4.0",
    "StudentT": "5.0",
    "Uniform": "0.0, 2.0",
    "VonMises": "0.0, 2.0",
    "Weibull": "1.0, 2.0",
}
for _name, _given in _DISTRIBUTIONS.items():
    _tensors = ", ".join(g if g.isdigit() else f"torch.tensor({g})" for g in _given.split(", "))
    _value = "1.0" if _name in ("Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson") else "0.5"
    _value = "1.5" if _name == "Pareto" else _value
    _each(
        f"distributions.{_name}",
        f"{_SEED}d = torch.distributions.{_name}({_tensors})\n"
        f"d.sample((3,))\nd.log_prob(torch.tensor({_value}))\nd.mean",
    )
_each(
    _in("distributions", "Categorical OneHotCategorical OneHotCategoricalStraightThrough"),
    _SEED + "d = torch.distributions.{name}(torch.tensor([0.2, 0.3, 0.5]))\nd.sample((2,))\nd.entropy()",
)
_each(
    "distributions.Dirichlet",
    _SEED + "d = torch.distributions.Dirichlet(torch.tensor([1.0, 2.0]))\nd.sample().sum()\nd.mean",
)
_each(
    "distributions.Multinomial", _SEED + "torch.distributions.Multinomial(6, torch.tensor([0.5, 0.5])).sample().sum()"
)
_each(
    "distributions.MultivariateNormal",
    "d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))\nd.log_prob(torch.zeros(2))\nd.entropy()",
)
_each(
    "distributions.LowRankMultivariateNormal",
    "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))\n"
    "d.covariance_matrix",
)
_each("distributions.Wishart", "torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean")
_each("distributions.LKJCholesky", _SEED + "torch.distributions.LKJCholesky(3).sample().shape")
_each(
    "distributions.LogisticNormal",
    _SEED + "torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).sample().sum().round(decimals=4)",
)
_each(
    "distributions.RelaxedBernoulli distributions.RelaxedOneHotCategorical",
    _SEED + "d = torch.distributions.{name}(torch.tensor(0.5), torch.tensor([0.3, 0.7]))\nd.sample().shape",
)
_each(
    "distributions.Independent",
    "d = torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3), torch.ones(3)), 1)\n"
    "d.log_prob(torch.zeros(3))",
)
_each(
    "distributions.MixtureSameFamily",
    "D = torch.distributions\n"
    "mix, parts = D.Categorical(torch.ones(2)), D.Normal(torch.tensor([-1.0, 1.0]), torch.ones(2))\n"
    "D.MixtureSameFamily(mix, parts).mean",
)
_each(
    "distributions.TransformedDistribution",
    "D = torch.distributions\n"
    "d = D.TransformedDistribution(D.Normal(torch.tensor(0.0), torch.tensor(1.0)), [D.ExpTransform()])\n"
    "d.log_prob(torch.tensor(1.0))",
)
_each(
    "distributions.kl_divergence",
    "N = torch.distributions.Normal\n"
    "torch.distributions.kl_divergence(N(torch.tensor(0.0), "
    "torch.tensor(1.0)), N(torch.tensor(1.0), torch.tensor(1.0)))",
)
_each(
    _in("distributions", "AbsTransform ExpTransform SigmoidTransform SoftplusTransform TanhTransform"),
    "t = torch.distributions.{name}()\nt(torch.tensor([0.5, 2.0]))",
)
_each("distributions.AffineTransform", "torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([0.5, 2.0]))")
_each("distributions.PowerTransform", "torch.distributions.PowerTransform(torch.tensor(2.0))(torch.tensor([0.5, 2.0]))")
_each("distributions.StickBreakingTransform", "torch.distributions.StickBreakingTransform()(torch.zeros(2))")
_each("distributions.SoftmaxTransform", "torch.distributions.SoftmaxTransform()(torch.zeros(2))")
_each("distributions.LowerCholeskyTransform", "torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))")
_each(
    "distributions.ComposeTransform",
    "D = torch.distributions\nD.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)])(torch.zeros(2))",
)
