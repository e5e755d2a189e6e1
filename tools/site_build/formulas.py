"""The formula of an operator as LaTeX: of a pointwise one read from its program, of others written here."""

from __future__ import annotations

import inspect
from typing import Any

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection.explaining import bind, compiled
from rushlight.program.ir import Program, Var
from rushlight.transforms import inline_calls

LONGEST = 170  # characters of LaTeX; more says less than the docstring

# Those whose programs are sums and products over dimensions, or rational functions by which a special one is computed.
FORMULAS: dict[str, str] = {
    "matmul": r"y_{ij} = \sum_k a_{ik} \, b_{kj}",
    "mm": r"y_{ij} = \sum_k a_{ik} \, b_{kj}",
    "bmm": r"y_{nij} = \sum_k a_{nik} \, b_{nkj}",
    "mv": r"y_i = \sum_k a_{ik} \, v_k",
    "dot": r"y = \sum_k a_k \, b_k",
    "vdot": r"y = \sum_k \overline{a_k} \, b_k",
    "outer": r"y_{ij} = a_i \, b_j",
    "addmm": r"y = \beta \, x + \alpha \, A B",
    "trace": r"y = \sum_i a_{ii}",
    "softmax": r"y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}",
    "log_softmax": r"y_i = x_i - \log \sum_j e^{x_j}",
    "nn.functional.softmin": r"y_i = \frac{e^{-x_i}}{\sum_j e^{-x_j}}",
    "logsumexp": r"y = \log \sum_j e^{x_j}",
    "sum": r"y = \sum_i x_i",
    "prod": r"y = \prod_i x_i",
    "mean": r"y = \frac{1}{n} \sum_{i=1}^n x_i",
    "var": r"y = \frac{1}{n - c} \sum_{i=1}^n (x_i - \bar{x})^2",
    "std": r"y = \sqrt{\frac{1}{n - c} \sum_{i=1}^n (x_i - \bar{x})^2}",
    "norm": r"y = \left( \sum_i |x_i|^p \right)^{1/p}",
    "dist": r"y = \left( \sum_i |a_i - b_i|^p \right)^{1/p}",
    "cumsum": r"y_i = \sum_{j \le i} x_j",
    "cumprod": r"y_i = \prod_{j \le i} x_j",
    "logcumsumexp": r"y_i = \log \sum_{j \le i} e^{x_j}",
    "cdist": r"y_{ij} = \left( \sum_k |a_{ik} - b_{jk}|^p \right)^{1/p}",
    "nn.functional.linear": r"y = x W^T + b",
    "bilinear": r"y_k = \sum_{ij} a_i \, W_{kij} \, b_j + c_k",
    "nn.functional.conv1d": r"y_{oi} = b_o + \sum_{c,k} w_{ock} \, x_{c,\, s i + d k - p}",
    "nn.functional.conv2d": r"y_{oij} = b_o + \sum_{c,k,l} w_{ockl} \, x_{c,\, s i + d k - p,\, s j + d l - p}",
    "nn.functional.mse_loss": r"\ell = \frac{1}{n} \sum_i (x_i - t_i)^2",
    "nn.functional.l1_loss": r"\ell = \frac{1}{n} \sum_i |x_i - t_i|",
    "nn.functional.cross_entropy": r"\ell = - \frac{1}{n} \sum_i \log \frac{e^{x_{i,t_i}}}{\sum_j e^{x_{ij}}}",
    "nn.functional.nll_loss": r"\ell = - \frac{1}{n} \sum_i x_{i,t_i}",
    "nn.functional.kl_div": r"\ell = \sum_i t_i \, (\log t_i - x_i)",
    "nn.functional.binary_cross_entropy": r"\ell = - \frac{1}{n} \sum_i [t_i \log x_i + (1 - t_i) \log (1 - x_i)]",
    "nn.functional.layer_norm": r"y = \frac{x - \bar{x}}{\sqrt{\mathrm{var}(x) + \varepsilon}} \, w + b",
    "nn.functional.batch_norm": r"y_c = \frac{x_c - \bar{x}_c}{\sqrt{\mathrm{var}(x_c) + \varepsilon}} \, w_c + b_c",
    "nn.functional.group_norm": r"y_g = \frac{x_g - \bar{x}_g}{\sqrt{\mathrm{var}(x_g) + \varepsilon}} \, w + b",
    "nn.functional.rms_norm": r"y = \frac{x}{\sqrt{\frac{1}{n} \sum_i x_i^2 + \varepsilon}} \, w",
    "nn.functional.normalize": r"y = \frac{x}{\max(\|x\|_p, \varepsilon)}",
    "nn.functional.scaled_dot_product_attention": r"Y = \mathrm{softmax}\left( \frac{Q K^T}{\sqrt{d}} + M \right) V",
    "cosine_similarity": r"y = \frac{a \cdot b}{\max(\|a\| \, \|b\|, \varepsilon)}",
    "fft.fft": r"y_k = \sum_{j=0}^{n-1} x_j \, e^{-2 \pi i j k / n}",
    "fft.ifft": r"y_k = \frac{1}{n} \sum_{j=0}^{n-1} x_j \, e^{2 \pi i j k / n}",
    "linalg.det": r"y = \det A",
    "linalg.inv": r"Y = A^{-1}",
    "linalg.solve": r"A X = B",
    "linalg.cholesky": r"A = L L^H",
    "linalg.qr": r"A = Q R",
    "linalg.svd": r"A = U \, \mathrm{diag}(S) \, V^H",
    "linalg.eigh": r"A = Q \, \mathrm{diag}(\lambda) \, Q^H",
    "linalg.matrix_exp": r"Y = \sum_{k=0}^\infty \frac{A^k}{k!}",
    "erf": r"y = \frac{2}{\sqrt{\pi}} \int_0^x e^{-t^2} \, dt",
    "erfc": r"y = \frac{2}{\sqrt{\pi}} \int_x^\infty e^{-t^2} \, dt",
    "lgamma": r"y = \log |\Gamma(x)|",
    "digamma": r"y = \frac{\Gamma'(x)}{\Gamma(x)}",
    "special.ndtr": r"y = \frac{1}{\sqrt{2 \pi}} \int_{-\infty}^x e^{-t^2 / 2} \, dt",
    "sinc": r"y = \frac{\sin \pi x}{\pi x}",
    "logit": r"y = \log \frac{x}{1 - x}",
    "special.entr": r"y = - x \log x",
    "xlogy": r"y = x \log z",
    "special.zeta": r"y = \sum_{k=0}^\infty \frac{1}{(k + q)^x}",
    "special.bessel_j0": r"y = J_0(x)",
    "special.bessel_j1": r"y = J_1(x)",
    "special.bessel_y0": r"y = Y_0(x)",
    "special.bessel_y1": r"y = Y_1(x)",
    "i0": r"y = I_0(x)",
    "special.i1": r"y = I_1(x)",
    "igamma": r"y = \frac{1}{\Gamma(a)} \int_0^x t^{a-1} e^{-t} \, dt",
    "igammac": r"y = \frac{1}{\Gamma(a)} \int_x^\infty t^{a-1} e^{-t} \, dt",
    "nn.functional.hardswish": r"y = x \, \frac{\min(\max(x + 3, 0), 6)}{6}",
    "nn.functional.hardsigmoid": r"y = \frac{\min(\max(x + 3, 0), 6)}{6}",
    "clamp": r"y = \min(\max(x, \mathrm{min}), \mathrm{max})",
    "lerp": r"y = x + w \, (z - x)",
    "logaddexp": r"y = \log (e^x + e^z)",
    "logaddexp2": r"y = \log_2 (2^x + 2^z)",
    "ldexp": r"y = x \cdot 2^z",
    "add": r"y = x + \alpha \, z",
    "sub": r"y = x - \alpha \, z",
    "sigmoid": r"y = \sigma(x) = \frac{1}{1 + e^{-x}}",
    "conj": r"y = \overline{x}",
    "conj_physical": r"y = \overline{x}",
    "nn.functional.elu": r"y = \begin{cases} x & x > 0 \\ \alpha \, (e^x - 1) & \text{else} \end{cases}",
    "celu": r"y = \begin{cases} x & x > 0 \\ \alpha \, (e^{x / \alpha} - 1) & \text{else} \end{cases}",
    "selu": r"y = 1.0507 \begin{cases} x & x > 0 \\ 1.67326 \, (e^x - 1) & \text{else} \end{cases}",
    "nn.functional.hardtanh": r"y = \min(\max(x, a), b)",
    "nn.functional.relu6": r"y = \min(\max(x, 0), 6)",
    "nn.functional.softplus": r"y = \frac{1}{\beta} \log \left( 1 + e^{\beta x} \right)",
    "nn.functional.softshrink": r"y = \mathrm{sign}(x) \, \max(|x| - \lambda, 0)",
    "frac": r"y = x - \mathrm{trunc}(x)",
}

_FUNCTIONS = {
    "sin": r"\sin",
    "cos": r"\cos",
    "tan": r"\tan",
    "sinh": r"\sinh",
    "cosh": r"\cosh",
    "tanh": r"\tanh",
    "log": r"\log",
    "log2": r"\log_2",
    "log10": r"\log_{10}",
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "erf": r"\mathrm{erf}",
    "erfc": r"\mathrm{erfc}",
    "max": r"\max",
    "min": r"\min",
    "lgamma": r"\log\Gamma",
    "asinh": r"\mathrm{arsinh}",
    "acosh": r"\mathrm{arcosh}",
    "atanh": r"\mathrm{artanh}",
    "sign": r"\mathrm{sign}",
    "atan2": r"\mathrm{atan2}",
    "sigmoid": r"\sigma",
    "digamma": r"\psi",
    "round": r"\mathrm{round}",
    "trunc": r"\mathrm{trunc}",
    "erfinv": r"\mathrm{erf}^{-1}",
}
_RELATIONS = {
    "lt": "<",
    "le": r"\le",
    "gt": ">",
    "ge": r"\ge",
    "eq": "=",
    "ne": r"\ne",
    "and_": r"\land",
    "or_": r"\lor",
}
_LOOSE, _SUM, _PRODUCT, _TIGHT = range(4)  # how firmly a formula holds together


class Unwritable(Exception):
    """A program has a primitive that a formula has no sign for."""


def _arguments(op: Operator) -> tuple[list[Any], list[str]]:
    """Arguments to trace an operator with: tensors for those that must be given; and their names."""
    args: list[Any] = []
    names: list[str] = []
    for p in inspect.signature(op).parameters.values():
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD:
            args.append(rushlight.tensor([0.3, 0.5]) if "Tensor" in str(p.annotation) else 2.0)
            names.append(p.name)
    return args, names


def derived(op: Operator) -> str | None:
    """The formula that a pointwise operator's program says; None where it has none that is short."""
    args, names = _arguments(op)
    try:
        values = bind(op, tuple(args), {})
        program = inline_calls(compiled(op, values, False)[0])
        text = "y = " + written(program, "xzwuvt" if len(names) > 1 else "x")
    except (Unwritable, RuntimeError, TypeError, NotImplementedError, AttributeError, AssertionError, ValueError):
        return None  # it takes no floats, or is not traced like this
    if text == "y = x" or text.count("cases") > 2 or len(text) > LONGEST:
        return None  # a copy or a conversion; cases within cases are for the compiler
    return text


def written(program: Program, letters: str) -> str:
    """A program of one result as an expression of its inputs."""
    known: dict[int, tuple[str, int]] = {}
    for var, letter in zip(program.inputs, [*letters, *"abcdefg"], strict=False):
        known[id(var)] = letter, _TIGHT
    for eqn in program.eqns:
        said = _written(eqn.prim.name, [known[id(v)] for v in eqn.inputs], eqn.params)
        if len(said[0]) > 3 * LONGEST:
            raise Unwritable("long")
        known[id(eqn.outputs[0])] = said
    (out,) = program.outputs
    if not isinstance(out, Var):
        raise Unwritable("no value")
    text, firm = known[id(out)]
    return rf"\left[{text}\right]" if firm == _LOOSE and "cases" not in text else text


# A primitive's notation in braces of str.format, how firm each part must be to go without brackets, and how firm it is.
_NOTATIONS: dict[str, tuple[str, tuple[int, ...], int]] = {
    "add": ("{} + {}", (_LOOSE, _SUM), _SUM),
    "sub": ("{} - {}", (_LOOSE, _PRODUCT), _SUM),
    "mul": (r"{} \, {}", (_PRODUCT, _PRODUCT), _PRODUCT),
    "div": (r"\frac{{{}}}{{{}}}", (_LOOSE, _LOOSE), _TIGHT),
    "reciprocal": (r"\frac{{1}}{{{}}}", (_LOOSE,), _TIGHT),
    "neg": ("-{}", (_PRODUCT,), _SUM),
    "exp": ("e^{{{}}}", (_LOOSE,), _PRODUCT),
    "exp2": ("2^{{{}}}", (_LOOSE,), _PRODUCT),
    "expm1": ("e^{{{}}} - 1", (_LOOSE,), _SUM),
    "log1p": (r"\log\left(1 + {}\right)", (_SUM,), _PRODUCT),
    "pow": ("{}^{{{}}}", (_TIGHT, _LOOSE), _PRODUCT),
    "sqrt": (r"\sqrt{{{}}}", (_LOOSE,), _TIGHT),
    "rsqrt": (r"\frac{{1}}{{\sqrt{{{}}}}}", (_LOOSE,), _TIGHT),
    "abs": (r"\left|{}\right|", (_LOOSE,), _TIGHT),
    "floor": (r"\left\lfloor {} \right\rfloor", (_LOOSE,), _TIGHT),
    "ceil": (r"\left\lceil {} \right\rceil", (_LOOSE,), _TIGHT),
    "select": (r"\begin{{cases}} {1} & {0} \\ {2} & \text{{else}} \end{{cases}}", (_LOOSE, _LOOSE, _LOOSE), _LOOSE),
}


def _held(part: tuple[str, int], least: int) -> str:
    return part[0] if part[1] >= least else rf"\left({part[0]}\right)"


def _number(value: Any) -> str:
    known = {
        0.7071067811865476: r"\frac{1}{\sqrt{2}}",
        0.7978845608028654: r"\sqrt{2/\pi}",
        0.6931471805599453: r"\ln 2",
    }
    if value in known:
        return known[value]
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))


def _written(name: str, parts: list[tuple[str, int]], params: dict[str, Any]) -> tuple[str, int]:
    """One primitive."""
    if name in ("broadcast_in_dim", "convert", "reshape", "alias"):
        return parts[0]
    if name == "constant":
        if isinstance(params["value"], complex) or params["value"] != params["value"] or abs(params["value"]) > 1e9:
            raise Unwritable("a number")
        return _number(params["value"]), _TIGHT if params["value"] >= 0 else _SUM
    if name in _NOTATIONS:
        text, least, firm = _NOTATIONS[name]
        return text.format(*map(_held, parts, least)), firm
    if name in _RELATIONS:
        return rf"{_held(parts[0], _SUM)} {_RELATIONS[name]} {_held(parts[1], _SUM)}", _LOOSE
    if name in _FUNCTIONS:
        inside = ", ".join(p[0] for p in parts)
        return rf"{_FUNCTIONS[name]}\left({inside}\right)", _PRODUCT
    raise Unwritable(name)


def formula(name: str, op: Operator) -> str | None:
    """The formula of an operator by its name; None where there is none that is short."""
    return FORMULAS.get(name) or (derived(op) if op.shape_class == "pointwise" else None)
