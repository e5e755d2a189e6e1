# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.testing._comparison import assert_allclose as assert_allclose
from rushlight.testing._comparison import assert_close as assert_close
from rushlight.testing._creation import make_tensor as make_tensor
from torch.testing import samples as samples
