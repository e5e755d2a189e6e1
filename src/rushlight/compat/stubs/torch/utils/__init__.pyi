# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from torch.utils import benchmark as benchmark
from torch.utils import bottleneck as bottleneck
from torch.utils import checkpoint as checkpoint
from torch.utils import collect_env as collect_env
from torch.utils import cpp_extension as cpp_extension
from torch.utils import data as data
from torch.utils import dlpack as dlpack
from torch.utils import flop_counter as flop_counter
from torch.utils import hooks as hooks
from torch.utils import model_zoo as model_zoo
from torch.utils import module_tracker as module_tracker
from torch.utils import selective as selective
from torch.utils import serialization as serialization
from torch.utils import throughput_benchmark as throughput_benchmark
from torch.utils import weak as weak
