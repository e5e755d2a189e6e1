# ruff: noqa
"""Calls of torch.distributed in a group of one, and modules trained in it: what each line prints is compared, by
PyTorch and by rushlight; of errors the type.
"""

import datetime
import os
import tempfile
import warnings

import torch
import torch.distributed as d
import torch.nn as nn

warnings.simplefilter("ignore")


def T(name, f, *a, **k):
    try:
        print(name, f(*a, **k))
    except Exception as e:
        print(name, type(e).__name__)


print(
    d.is_available(),
    d.is_initialized(),
    d.is_gloo_available(),
    d.is_nccl_available(),
    d.is_mpi_available(),
    d.is_torchelastic_launched(),
)
T("rank0", d.get_rank)
T("ws0", d.get_world_size)
T("barrier0", d.barrier)
T("ar0", d.all_reduce, torch.ones(1))
T("be", d.get_backend)
T("destroy0", d.destroy_process_group)
for k in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK"):
    os.environ.pop(k, None)
T("init none", d.init_process_group, "gloo")
os.environ["RANK"] = "0"
T("init rank", d.init_process_group, "gloo")
os.environ.update(WORLD_SIZE="1")
T("init ws", d.init_process_group, "gloo")
os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29571")
T("init", d.init_process_group, "gloo")
print(
    d.is_initialized(),
    d.get_rank(),
    d.get_world_size(),
    d.get_backend(),
    d.group.WORLD is not None,
    d.GroupMember.WORLD is d.group.WORLD,
)
T("init twice", d.init_process_group, "gloo")
t = torch.arange(4.0)
T("all_reduce", d.all_reduce, t)
print(t)
for op in ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"):
    T("op " + op, d.all_reduce, torch.arange(3.0), getattr(d.ReduceOp, op))
    T("opi " + op, d.all_reduce, torch.arange(3), op=getattr(d.ReduceOp, op))
w = d.all_reduce(t, async_op=True)
print(
    type(w).__name__,
    isinstance(w, d.Work),
    w.wait(),
    w.is_completed(),
    w.is_success() if hasattr(w, "is_success") else None,
    w.exception(),
)
T("fut", lambda: w.get_future().wait())
T("res", w.result)
T("broadcast", d.broadcast, t, 0)
T("broadcast1", d.broadcast, t, 1)
o = [torch.zeros(4)]
T("all_gather", d.all_gather, o, t)
print(o)
T("ag2", d.all_gather, [torch.zeros(4)] * 2, t)
T("ag3", d.all_gather, [torch.zeros(3)], t)
T("ag4", d.all_gather, [torch.zeros(4, dtype=int)], t)
T("ag5", d.all_gather, torch.zeros(4), t)
o = torch.zeros(4)
T("agit", d.all_gather_into_tensor, o, t)
print(o)
T("agit2", d.all_gather_into_tensor, torch.zeros(8), t)
T("agit3", d.all_gather_into_tensor, torch.zeros(1, 4), t)
T("reduce", d.reduce, t, 0)
T("reduce1", d.reduce, t, 1)
o = torch.zeros(4)
T("reduce_scatter", d.reduce_scatter, o, [t])
print(o)
T("rs2", d.reduce_scatter, o, [t, t])
o = torch.zeros(4)
T("rst", d.reduce_scatter_tensor, o, t)
print(o)
o = torch.zeros(4)
T("scatter", d.scatter, o, [t], 0)
print(o)
T("scatter none", d.scatter, o, None, 0)
T("scatter2", d.scatter, o, [t, t])
T("scatter3", d.scatter, o)
o = [torch.zeros(4)]
T("gather", d.gather, t, o, 0)
print(o)
T("gather none", d.gather, t)
T("gather1", d.gather, t, o, 1)
o = [torch.zeros(4)]
T("a2a", d.all_to_all, o, [t])
print(o)
o = torch.zeros(4)
T("a2as", d.all_to_all_single, o, t)
print(o)
T("a2as splits", d.all_to_all_single, o, t, [4], [4])
T("a2as bad", d.all_to_all_single, o, t, [3], [4])
T("barrier", d.barrier)
T("barrier async", lambda: d.barrier(async_op=True).wait())
T("monitored", d.monitored_barrier)
l = [None]
T("ago", d.all_gather_object, l, {"a": 1})
print(l)
l = [{"x": torch.ones(1)}, 3]
T("bol", d.broadcast_object_list, l, 0)
print(l)
l = [None]
T("go", d.gather_object, "x", l)
print(l)
l = [None]
T("so", d.scatter_object_list, l, ["y"])
print(l)
T("so2", d.scatter_object_list, l, ["y", "z"])
T("go2", d.gather_object, "x")
T("send", d.send, t, 0)
T("new_group", lambda: type(d.new_group([0])).__name__)
T("new_group1", d.new_group, [0, 1])
T("ng none", lambda: d.get_world_size(d.new_group()))
T("ranks", d.get_process_group_ranks, d.group.WORLD)
T("gr", d.get_group_rank, d.group.WORLD, 0)
T("gr1", d.get_group_rank, d.group.WORLD, 1)
T("glr", d.get_global_rank, d.group.WORLD, 0)
T("node", d.get_node_local_rank, 5)
T("node none", d.get_node_local_rank)
T("sup", d.supports_complex, d.ReduceOp.SUM)
T("cplx", d.all_reduce, torch.ones(2, dtype=torch.complex64))
T("cplxmax", d.all_reduce, torch.ones(2, dtype=torch.complex64), d.ReduceOp.MAX)
T("sparse", d.all_reduce, 3)
T("list", d.all_reduce, [t])
T("bool", d.all_reduce, torch.ones(2, dtype=torch.bool))
T("half", d.all_reduce, torch.ones(2).half())
T("noncontig", d.all_reduce, torch.ones(3, 4).t())
T("reqgrad", d.all_reduce, torch.ones(2, requires_grad=True))
print(
    repr(d.ReduceOp.SUM),
    d.ReduceOp.SUM == d.ReduceOp.SUM,
    repr(d.ReduceOp),
    str(d.ReduceOp.MAX),
    type(d.ReduceOp.SUM).__name__,
)
pg = d.group.WORLD
print(type(pg).__name__, pg.rank(), pg.size(), pg.name(), pg.group_desc if hasattr(pg, "group_desc") else None)
T("group kw", lambda: d.all_reduce(t, group=pg))
T("pg.allreduce", lambda: pg.allreduce([t]).wait())
T("pg.barrier", lambda: pg.barrier().wait())
T("pg.ag", lambda: pg.allgather([[torch.zeros(4)]], [t]).wait())
T("backend str", lambda: d.Backend("GLOO"))
T("backend bad", lambda: d.Backend("foo"))
T("avail", d.is_backend_available, "gloo")
T("avail2", d.is_backend_available, "foo")
T("default", lambda: d.distributed_c10d._get_default_group() is pg)
T("coalesced", lambda: d.all_reduce_coalesced([t, t]))
T("destroy", d.destroy_process_group)
print(d.is_initialized(), d.group.WORLD)
T("destroy2", d.destroy_process_group)
T("ws", d.get_world_size)
T("rank", d.get_rank)
f = tempfile.mktemp()
T("file", d.init_process_group, "gloo", init_method=f"file://{f}", rank=0, world_size=1)
print(d.get_rank())
d.destroy_process_group()
T("tcp", d.init_process_group, "gloo", init_method="tcp://127.0.0.1:29577", rank=0, world_size=1)
d.destroy_process_group()
T("tcp norank", d.init_process_group, "gloo", init_method="tcp://127.0.0.1:29578")
T("store", lambda: d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1))
print(d.is_initialized())
d.destroy_process_group()
T("store norank", lambda: d.init_process_group("gloo", store=d.HashStore()))
T(
    "fstore",
    lambda: d.init_process_group(
        "gloo", store=d.FileStore(tempfile.mktemp(), 1), rank=0, world_size=1, timeout=datetime.timedelta(seconds=5)
    ),
)
d.destroy_process_group()
T("both", lambda: d.init_process_group("gloo", store=d.HashStore(), init_method="env://", rank=0, world_size=1))
T("nccl", d.init_process_group, "nccl", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
print(d.is_initialized())
d.is_initialized() and d.destroy_process_group()
T("mpi", d.init_process_group, "mpi")
T("bad", d.init_process_group, "foo", rank=0, world_size=1)
T("none", lambda: d.init_process_group(init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1))
print(d.is_initialized() and d.get_backend())
d.is_initialized() and d.destroy_process_group()
T("cpu:gloo", lambda: d.init_process_group("cpu:gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1))
print(d.is_initialized() and d.get_backend())
d.is_initialized() and d.destroy_process_group()
T("method", d.init_process_group, "gloo", init_method="foo://x", rank=0, world_size=1)
T("rank1", d.init_process_group, "gloo", init_method=f"file://{tempfile.mktemp()}", rank=1, world_size=1)
d.is_initialized() and d.destroy_process_group()
s = d.HashStore()
s.set("a", "1")
print(s.get("a"), s.add("n", 2), s.add("n", 3), s.check(["a"]), s.num_keys(), s.delete_key("a"), s.check(["a"]))
T("get missing", lambda: (s.set_timeout(datetime.timedelta(seconds=0.1)), s.get("zz")))
p = d.PrefixStore("p", s)
p.set("k", b"v")
print(p.get("k"), s.get("p/k"), s.compare_set("c", "", "x"), s.compare_set("c", "x", "y"))
T(
    "tcpstore",
    lambda: (lambda q: (q.set("a", "b"), q.get("a"), q.host, type(q.port)))(d.TCPStore("127.0.0.1", 0, 1, True)),
)
T("wait", lambda: s.wait(["c"]))
from torch.nn.parallel import DistributedDataParallel as DDP

T("no group", lambda: DDP(nn.Linear(2, 2)))
d.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
T("noparam", lambda: DDP(nn.ReLU()))
D = DDP(m)
print(
    list(D.state_dict())[:2],
    D.module is m,
    D.device_ids,
    D.output_device,
    D.dim,
    D.device,
    D.device_type,
    D.broadcast_buffers,
    D.find_unused_parameters,
    D.require_backward_grad_sync,
    D.static_graph,
    D.gradient_as_bucket_view,
    type(D.process_group).__name__,
    D.training,
)
x = torch.arange(8.0).reshape(4, 2)
o = torch.optim.SGD(D.parameters(), 0.1)
for _ in range(3):
    o.zero_grad()
    l = D(x).pow(2).mean()
    l.backward()
    o.step()
print([round(v, 4) for p in m.parameters() for v in p.detach().flatten().tolist()][:6], round(l.item(), 4))
with D.no_sync():
    print(D.require_backward_grad_sync)
    D(x).sum().backward()
D(x).sum().backward()
print(D.require_backward_grad_sync)


class U(nn.Module):
    def __init__(s):
        super().__init__()
        s.a = nn.Linear(2, 2)
        s.b = nn.Linear(2, 2)

    def forward(s, x, use=False):
        return s.b(s.a(x)) if use else s.a(x)


u = DDP(U())
u(x).sum().backward()
T("unused", lambda: u(x).sum())
u = DDP(U(), find_unused_parameters=True)
u(x).sum().backward()
T("unused ok", lambda: u(x).shape)
print(u.module.b.weight.grad)
u = DDP(U())
u(x, use=True)
T("two forwards", lambda: (u(x, use=True).sum().backward(), u(x, use=True).sum().backward())[0])


def hook(state, bucket):
    state.append(
        (
            bucket.index(),
            tuple(bucket.buffer().shape),
            bucket.is_last(),
            len(bucket.parameters()),
            len(bucket.gradients()),
        )
    )
    f = torch.futures.Future()
    f.set_result(bucket.buffer() * 2)
    return f


s = []
h = DDP(nn.Linear(2, 1))
h.register_comm_hook(s, hook)
h(x).sum().backward()
print(s, h.module.weight.grad)
T("hook twice", h.register_comm_hook, s, hook)
T("hook bad", lambda: DDP(nn.Linear(2, 1)).register_comm_hook(None, 3))
with D.join():
    D(x).sum().backward()
T("ids", lambda: DDP(nn.Linear(2, 2), device_ids=[0]))
T("ids", lambda: DDP(nn.Linear(2, 2), device_ids=[]) is not None)
T("frozen", lambda: DDP(nn.Linear(2, 2).requires_grad_(False)))
T("repr", lambda: repr(DDP(nn.Linear(2, 2))))
import pickle, copy

T("eval", lambda: D.eval().training)
T("ddp of ddp", lambda: DDP(DDP(nn.Linear(2, 2)))(x).shape)
nn.parallel.DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(m, ["0.weight"])
T("static", lambda: D._set_static_graph())
T("logging", lambda: type(D._get_ddp_logging_data()).__name__)
sy = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(2))
T("sync", lambda: DDP(sy)(x).shape)
from torch.utils.data import DistributedSampler, DataLoader

sa = DistributedSampler(range(10))
print(list(sa), sa.num_replicas, sa.rank)
sa.set_epoch(3)
print(list(sa))
print(list(DistributedSampler(range(5), shuffle=False)))
T("m", d.monitored_barrier)
import torch.distributed.nn.functional as fn

y = torch.ones(2, requires_grad=True)
z = fn.all_reduce(y * 2)
z.sum().backward()
print(z.detach(), y.grad)
for r in (
    fn.all_gather(y)[0],
    fn.broadcast(y, 0),
    fn.gather(y)[0],
    fn.reduce(y, 0),
    fn.scatter([y], 0),
    fn.all_to_all([torch.empty(2)], [y])[0],
    fn.reduce_scatter(torch.empty(2), [y]),
):
    print(r.detach(), torch.autograd.grad((r * r).sum(), y))
import torch.distributed._functional_collectives as values

g, m = d.group.WORLD, torch.arange(12.0).reshape(4, 3).requires_grad_()
for name, call in (
    ("all_reduce", lambda x: values.all_reduce(x, "sum", g)),
    ("all_reduce max", lambda x: values.all_reduce(x, "max", [0])),
    ("broadcast", lambda x: values.broadcast(x, 0, g)),
    ("all_gather_tensor", lambda x: values.all_gather_tensor(x, 1, g)),
    ("all_gather_tensor_autograd", lambda x: values.all_gather_tensor_autograd(x, 0, g)),
    ("reduce_scatter_tensor", lambda x: values.reduce_scatter_tensor(x, "sum", 1, g)),
    ("reduce_scatter_tensor_autograd", lambda x: values.reduce_scatter_tensor_autograd(x, "sum", 0, g)),
    ("all_to_all_single", lambda x: values.all_to_all_single(x, None, None, g)),
    ("all_to_all_single sizes", lambda x: values.all_to_all_single(x, [4], [4], g)),
    ("all_to_all_single_autograd", lambda x: values.all_to_all_single_autograd(x, [4], [4], g)),
    ("coalesced", lambda x: values.all_reduce_coalesced([x, x], "sum", g)[1]),
    ("gathered", lambda x: values.all_gather_into_tensor_coalesced([x, x], g)[1]),
    ("scattered", lambda x: values.reduce_scatter_tensor_coalesced([x, x], "sum", [0, 1], g)[1]),
):
    y = values.wait_tensor(call(m.detach()))
    print(name, tuple(y.shape), y.tolist())
for call in (values.all_gather_tensor_autograd, values.all_to_all_single_autograd):
    y = call(m * 2, *((0,) if call is values.all_gather_tensor_autograd else ([4], [4])), g)
    print(torch.autograd.grad((y * y).sum(), m))

import importlib

# What packages import where distributed training is available.
for line in """
_functional_collectives: wait_tensor all_to_all_single_autograd AsyncCollectiveTensor
_composable.fsdp: fully_shard FSDPModule MixedPrecisionPolicy CPUOffloadPolicy OffloadPolicy
_composable.replicate: replicate
_tensor: DTensor Shard Replicate
algorithms._checkpoint.checkpoint_wrapper: checkpoint_wrapper CheckpointImpl apply_activation_checkpointing
algorithms._checkpoint.checkpoint_wrapper: offload_wrapper
algorithms.ddp_comm_hooks: register_ddp_comm_hook DDPCommHookType
algorithms.ddp_comm_hooks.default_hooks: allreduce_hook fp16_compress_hook
algorithms.ddp_comm_hooks.post_localSGD_hook: PostLocalSGDState post_localSGD_hook
algorithms.ddp_comm_hooks.powerSGD_hook: PowerSGDState powerSGD_hook batched_powerSGD_hook
algorithms.join: Join Joinable JoinHook
algorithms.model_averaging.averagers: ModelAverager PeriodicModelAverager
checkpoint: save load FileSystemReader FileSystemWriter
checkpoint.default_planner: DefaultLoadPlanner DefaultSavePlanner _EmptyStateDictLoadPlanner
checkpoint.filesystem: FileSystemReader FileSystemWriter
checkpoint.format_utils: dcp_to_torch_save torch_save_to_dcp
checkpoint.hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
checkpoint.metadata: Metadata STATE_DICT_TYPE
checkpoint.optimizer: load_sharded_optimizer_state_dict
checkpoint.planner: LoadPlan SavePlan ReadItem
checkpoint.state_dict: StateDictOptions get_model_state_dict set_optimizer_state_dict
checkpoint.state_dict_loader: _load_state_dict
checkpoint.stateful: Stateful
device_mesh: DeviceMesh init_device_mesh
elastic.multiprocessing.errors: ChildFailedError record
fsdp: FullyShardedDataParallel ShardingStrategy StateDictType CPUOffload MixedPrecision BackwardPrefetch
fsdp.api: StateDictConfig FullStateDictConfig ShardedOptimStateDictConfig
fsdp.fully_sharded_data_parallel: FullyShardedDataParallel FlatParameter StateDictType
fsdp.sharded_grad_scaler: ShardedGradScaler
fsdp.wrap: ModuleWrapPolicy wrap enable_wrap size_based_auto_wrap_policy transformer_auto_wrap_policy
launcher.api: LaunchConfig elastic_launch
optim: ZeroRedundancyOptimizer
pipelining: pipeline SplitPoint ScheduleGPipe PipelineStage
run: get_args_parser run main
tensor: DTensor Shard Replicate Placement distribute_tensor
tensor.experimental: context_parallel implicit_replication
tensor.parallel: parallelize_module ColwiseParallel RowwiseParallel SequenceParallel loss_parallel
tensor.placement_types: Shard Replicate Placement _StridedShard
""".split("\n")[1:-1]:
    namespace, names = line.split(": ")
    here = importlib.import_module(f"torch.distributed.{namespace}")
    print(namespace, [(n, isinstance(getattr(here, n), type)) for n in names.split() if n != "STATE_DICT_TYPE"])
from torch.distributed.tensor import Partial, Replicate, Shard

for a in (Shard(0), Shard(dim=-1), Replicate(), Partial(), Partial("avg")):
    print(repr(a), str(a), a.is_shard(), a.is_shard(0), a.is_replicate(), a.is_partial(), type(a).__module__)
    print([a == b for b in (Shard(0), Replicate(), Partial("sum"), Partial("avg"))], len({a, a}))
import dataclasses
from torch.distributed import fsdp

for n in sorted(n for n in fsdp.__all__ if n[0].isupper()):
    c = getattr(fsdp, n)
    if dataclasses.is_dataclass(c):
        print(
            n,
            [f.name for f in dataclasses.fields(c)],
            "" if n in ("StateDictSettings", "DataParallelMeshDims") else c(),
        )
    elif hasattr(c, "__members__"):
        print(n, list(c))
d.destroy_process_group()
