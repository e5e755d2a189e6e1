"""Special functions in PyTorch's names: the operators of the table whose namespace is special, and those of the
package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.core.named import Named
from rushlight.operators.table.define import TABLE, public_names

# What is named differently in the package, and what has the same name there.
_RENAMED = {
    "expit": "sigmoid",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "multigammaln": "mvlgamma",
    "psi": "digamma",
}
_SAME = (
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expm1",
    "i0",
    "log1p",
    "log_softmax",
    "logit",
    "logsumexp",
    "polygamma",
    "round",
    "sinc",
    "softmax",
    "xlogy",
)

globals().update(public_names("special"))
globals().update(
    {
        name: Named(TABLE[there], name, "special")
        for name, there in {**dict(zip(_SAME, _SAME, strict=True)), **_RENAMED}.items()
    }
)

if TYPE_CHECKING:
    from rushlight.special._operators import *  # noqa: F403  # by tools/stubs.py
