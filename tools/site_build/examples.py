"""An example of each class and function of the reference, as code in which `torch` is rushlight; the build runs them.

They stand in the folder `examples`; schedules and distributions, which are called in one way, are tables here.
"""

from __future__ import annotations

import re
from pathlib import Path

EXAMPLES: dict[str, str] = {}
RAISES: dict[str, str] = {}  # what the last statement of some raises


def _sizes(n: int) -> dict[str, str]:
    """What the placeholders of a family for n dimensions stand for."""
    several = {f"{{{k}s}}": ", ".join([str(k)] * n) for k in (2, 4, 8)}
    return several | {"{n}": str(n), "{2^n}": str(2**n), "{2*2^n}": str(2 * 2**n), "{4^n}": str(4**n)}


def _add(names: str, code: str, raises: str = "") -> None:
    """One example for several names."""
    space = ""
    for name in names.split():
        path = f"{space}{name}".lstrip(".") if name.startswith(".") else name
        space, _, last = path.rpartition(".")
        if path in EXAMPLES:
            raise ValueError(f"two examples of {path}")
        EXAMPLES[path] = code.replace("{name}", last)
        if raises:
            RAISES[path] = raises


def _read(text: str) -> None:
    for names, raises, code in re.findall(
        r"^## ([^\n]+)\n\n```python(?: raises=(\w+))?\n(.+?)\n```$", text, re.M | re.S
    ):
        families = map(_sizes, (1, 2, 3)) if "{n}" in names else ({},)
        for sizes in families:
            heading, example = names, code
            for placeholder, value in sizes.items():
                heading, example = heading.replace(placeholder, value), example.replace(placeholder, value)
            _add(heading, example, raises)


for _file in sorted(Path(__file__).with_suffix("").glob("*.md")):
    _read(_file.read_text(encoding="utf-8"))

_OPTIMIZER = "w = torch.nn.Parameter(torch.zeros(1))\noptimizer = torch.optim.SGD([w], lr=1.0)\n"
_PARTS = (
    "S = torch.optim.lr_scheduler\nparts = [S.ConstantLR(optimizer, 0.1, 2), S.ExponentialLR(optimizer, 0.5)]\n"
    "schedule = S."
)
_SCHEDULES = {
    "StepLR": "optimizer, step_size=2",
    "MultiStepLR": "optimizer, milestones=[1, 3]",
    "ExponentialLR": "optimizer, gamma=0.5",
    "ConstantLR": "optimizer, factor=0.5, total_iters=2",
    "LinearLR": "optimizer, start_factor=0.5, total_iters=4",
    "PolynomialLR": "optimizer, total_iters=4",
    "CosineAnnealingLR": "optimizer, T_max=4",
    "CosineAnnealingWarmRestarts": "optimizer, T_0=2",
    "LambdaLR": "optimizer, lambda epoch: 0.5**epoch",
    "MultiplicativeLR": "optimizer, lambda epoch: 0.5",
    "CyclicLR": "optimizer, base_lr=0.1, max_lr=1.0, step_size_up=2, cycle_momentum=False",
    "OneCycleLR": "optimizer, max_lr=1.0, total_steps=6",
    "ReduceLROnPlateau": "optimizer, patience=1",
    "SequentialLR": "optimizer, parts, milestones=[2]",
    "ChainedScheduler": "parts, optimizer",
}
for _name, _given in _SCHEDULES.items():
    _made = _PARTS if "parts" in _given else "schedule = torch.optim.lr_scheduler."
    _step = "1.0" if _name == "ReduceLROnPlateau" else ""
    _add(
        f"optim.lr_scheduler.{_name}",
        f"{_OPTIMIZER}{_made}{_name}({_given})\nrates = []\nfor _ in range(5):\n"
        "    rates.append(round(optimizer.param_groups[0]['lr'], 4))\n    _ = optimizer.step()\n"
        f"    schedule.step({_step})\nrates",
    )

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
_WHOLE = ("Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson")
for _name, _given in _DISTRIBUTIONS.items():
    _tensors = ", ".join(g if g.isdigit() else f"torch.tensor({g})" for g in _given.split(", "))
    _value = "1.5" if _name == "Pareto" else "1.0" if _name in _WHOLE else "0.5"
    _add(
        f"distributions.{_name}",
        f"_ = torch.manual_seed(0)\nd = torch.distributions.{_name}({_tensors})\nd.sample((3,))\n"
        f"d.log_prob(torch.tensor({_value}))\nd.mean",
    )
