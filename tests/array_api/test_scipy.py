"""SciPy's functions on tensors, by its array API support: a tensor in, a tensor out, NumPy's values.

SciPy reads SCIPY_ARRAY_API when it is imported, so that the calls run in a process of their own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from calls import each_call

from processes import RUSHLIGHT, printed

pytest.importorskip("scipy")

# Name -> an expression of x and y (20 x 3), p (positive, 20 x 3). Compiled parts of SciPy are among them (erf, label,
# linkage): those go by NumPy and come back.
CALLS = {
    "stats.zscore": "stats.zscore(x, axis=0)",
    "stats.skew": "stats.skew(x, axis=1)",
    "stats.ttest_ind": "tuple(stats.ttest_ind(x, y)[:2])",
    "stats.pearsonr": "stats.pearsonr(x[:, 0], y[:, 0]).statistic",
    "stats.gmean": "stats.gmean(p)",
    "stats.rankdata": "stats.rankdata(x)",
    "stats.circmean": "stats.circmean(p)",
    "special.logsumexp": "special.logsumexp(x, axis=0)",
    "special.softmax": "special.softmax(x, axis=1)",
    "special.erf": "special.erf(x)",
    "special.xlogy": "special.xlogy(x, p)",
    "special.betainc": "special.betainc(p, p + 1, special.expit(x))",
    "fft.fft": "fft.fft(x, axis=0)",
    "fft.dct": "fft.dct(x)",
    "signal.detrend": "signal.detrend(x, axis=0)",
    "signal.fftconvolve": "signal.fftconvolve(x, y)",
    "signal.lfilter": "signal.lfilter(p[:3, 0], p[:3, 1], x, axis=0)",
    "signal.hilbert": "signal.hilbert(x, axis=0)",
    "integrate.cumulative_trapezoid": "integrate.cumulative_trapezoid(x, axis=0)",
    "integrate.tanhsinh": "integrate.tanhsinh(lambda t: t**2, p[:, 0] * 0, p[:, 0]).integral",
    "optimize.rosen": "optimize.rosen(x)",
    "differentiate.derivative": "differentiate.derivative(lambda t: t.__array_namespace__().exp(t), x[:, 0]).df",
    "cluster.vq.vq": "vq.vq(x, y[:3])",
    "cluster.hierarchy.linkage": "hierarchy.linkage(x)",
    "ndimage.label": "ndimage.label(x > 0)[0]",
    "spatial.transform.Rotation": "transform.Rotation.from_rotvec(x).as_matrix()",
}

PROGRAM = """
import json, sys, warnings
import numpy as np
import rushlight as rl
from scipy import differentiate, fft, integrate, ndimage, optimize, signal, special, stats
from scipy.cluster import hierarchy, vq
from scipy.spatial import transform

rng = np.random.default_rng(0)
arrays = {"x": rng.normal(size=(20, 3)), "y": rng.normal(size=(20, 3)), "p": 0.1 + np.abs(rng.normal(size=(20, 3)))}
found = {}
for name, call in json.load(sys.stdin).items():
    try:
        tensors = {k: rl.tensor(v) for k, v in arrays.items()}
        ours, theirs = (eval(call, {**globals(), **values}) for values in (tensors, arrays))
        ours, theirs = (r if isinstance(r, tuple) else (r,) for r in (ours, theirs))
        kinds = [type(a).__name__ for a in ours]
        assert len(ours) == len(theirs) and all(isinstance(a, rl.Tensor) for a in ours), f"the results are {kinds}"
        for a, b in zip(ours, theirs):
            same = a.dtype.kind == np.asarray(b).dtype.kind and tuple(a.shape) == np.shape(b)
            assert same, f"{a.dtype} {tuple(a.shape)}"
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-10, atol=1e-12)
        found[name] = ""
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


test_scipy = each_call(PROGRAM, CALLS)


UNDER_THE_ALIAS = """
import torch
from scipy import special, stats

x = torch.tensor([[0.5, 1.5, 3.0], [2.0, -1.0, 0.0]], dtype=torch.float64)
for call in (stats.zscore, special.logsumexp, special.erf):
    result, expected = call(x), torch.tensor(call(x.numpy()))
    assert isinstance(result, torch.Tensor) and torch.allclose(result, expected), call
print(torch.__name__)
"""


def test_a_program_that_imports_torch(tmp_path: Path) -> None:
    """SciPy knows PyTorch's tensors by that module, and goes by its own namespace for them; rushlight in its place
    serves that too.
    """
    script = tmp_path / "program.py"
    script.write_text(UNDER_THE_ALIAS)
    shown = printed(*RUSHLIGHT, script, env={"SCIPY_ARRAY_API": "1"})
    assert shown.split() == ["torch"]
