# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.distributed._lacking import lacking as lacking
from rushlight.distributed.rpc import is_available as is_available

class BackendType(_Made): ...
class RRef(_Made): ...
class RpcBackendOptions(_Made): ...
class TensorPipeRpcBackendOptions(_Made): ...
class WorkerInfo(_Made): ...
get_worker_info: _Function
init_rpc: _Function
remote: _Function
rpc_async: _Function
rpc_sync: _Function
shutdown: _Function
