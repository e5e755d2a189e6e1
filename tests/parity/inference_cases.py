"""What becomes of tensors made in inference mode: small programs, each a function that returns a value or raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SOURCE = """
def made(*s):
    with torch.inference_mode(): return torch.arange(1., 7.).reshape(2, 3).clone() if not s else torch.ones(*s)
def w(): return torch.full((2, 3), 2.0, requires_grad=True)
def flags():
    t = made(); return t.is_inference(), torch.is_inference(t), t.requires_grad, t.grad_fn, t.is_leaf
def version(): return made()._version
def version_in():
    with torch.inference_mode(): return torch.ones(2)._version
def version_normal_in():
    x = torch.ones(2)
    with torch.inference_mode():
        x.add_(1); return x._version, x.is_inference()
def rg_out(): t = made(); t.requires_grad_(); return t.requires_grad
def rg_set(): t = made(); t.requires_grad = True; return t.requires_grad
def rg_false(): t = made(); t.requires_grad_(False); return t.requires_grad
def rg_in():
    with torch.inference_mode():
        t = torch.ones(2); t.requires_grad_(); return t.requires_grad, t.is_inference()
def rg_factory_in():
    with torch.inference_mode():
        t = torch.ones(2, requires_grad=True); return t.requires_grad, t.is_inference(), t.is_leaf
def rg_tensor_in():
    with torch.inference_mode():
        t = torch.tensor([1., 2.], requires_grad=True)
    return t.requires_grad, t.is_inference()
def rg_used_out():
    with torch.inference_mode():
        t = torch.ones(2, requires_grad=True)
    return (t * 2).requires_grad
def rg_used_out_bw():
    with torch.inference_mode():
        t = torch.ones(2, requires_grad=True)
    (t * 2).sum().backward(); return t.grad
def rg_mul_self():
    with torch.inference_mode():
        t = torch.ones(2, requires_grad=True)
    return t * t
def param_in():
    with torch.inference_mode():
        l = nn.Linear(3, 2)
    return l.weight.is_inference(), l.weight.requires_grad
def param_of(): return nn.Parameter(made()).requires_grad
def param_of_nog(): p = nn.Parameter(made(), requires_grad=False); return p.requires_grad, p.is_inference()
def mul(): return (w() * made()).sum()
def mul_rev(): return (made() * w()).sum()
def add(): r = w() + made(); r.sum().backward(); return r.requires_grad, r.is_inference()
def add_infer(): r = made() + made(); return r.is_inference()
def mul_nograd():
    with torch.no_grad(): r = w() * made()
    return r.is_inference(), r.requires_grad
def mm(): return (w() @ made().t()).sum()
def mm_norg(): return (torch.ones(2, 3) @ made().t()).is_inference()
def linear(): return nn.Linear(3, 2)(made()).sum()
def linear_frozen():
    l = nn.Linear(3, 2); l.requires_grad_(False); r = l(made()); return r.requires_grad, r.is_inference()
def conv(): return nn.Conv2d(1, 1, 1)(made(1, 1, 2, 2)).sum()
def embedding():
    with torch.inference_mode(): i = torch.tensor([0, 1])
    return nn.Embedding(3, 2)(i).sum()
def index():
    with torch.inference_mode(): i = torch.tensor([0, 1])
    return w()[i].sum()
def where():
    with torch.inference_mode(): i = torch.ones(2, 3, dtype=torch.bool)
    return torch.where(i, w(), w()).sum().detach() * 0
def mask_fill():
    with torch.inference_mode(): i = torch.ones(2, 3, dtype=torch.bool)
    return w().masked_fill(i, 0.).sum().detach()
def relu_layer(): return F.relu(made()).is_inference()
def exp(): return made().exp().is_inference()
def ce():
    with torch.inference_mode(): y = torch.tensor([0, 1])
    return F.cross_entropy(w(), y).requires_grad
def mse(): return F.mse_loss(w(), made()).requires_grad
def clone_mul(): c = made().clone(); r = (c * w()).sum(); r.backward(); return c.is_inference()
def detach_(): c = made().detach(); return c.is_inference()
def view_out(): c = made().view(-1); return c.is_inference(), c._is_view()
def view_out_version(): return made().view(-1)._version
def slice_out(): c = made()[0]; return c.is_inference(), c._is_view()
def t_out(): return made().t().is_inference()
def view_in_normal():
    x = torch.ones(2, 3)
    with torch.inference_mode(): v = x.view(-1); return v.is_inference(), v._is_view(), v._base is x
def view_in_normal_after():
    x = torch.ones(2, 3)
    with torch.inference_mode(): v = x.view(-1)
    return v.is_inference(), v._version, v.is_leaf, v.requires_grad
def view_in_of_grad():
    x = w()
    with torch.inference_mode(): v = x.view(-1)
    return v.is_inference(), v.requires_grad, v.grad_fn, v.is_leaf
def view_in_of_grad_write():
    x = w() * 1
    with torch.inference_mode(): v = x.view(-1)
    v.mul_(2); return v.requires_grad, x.grad_fn is not None
def view_in_of_grad_write_in():
    x = w() * 1
    with torch.inference_mode(): v = x.view(-1); v.mul_(2)
    return x._version, v.is_inference()
def view_in_normal_save():
    x = torch.ones(2, 3)
    with torch.inference_mode(): v = x.view(-1)
    return (v * w().view(-1)).sum().detach()
def view_of_leaf_write_in():
    x = w()
    with torch.inference_mode(): x.mul_(2)
    return x._version
def leaf_write_in():
    x = w()
    with torch.inference_mode(): x.add_(1); return x.is_inference(), x._version, x.requires_grad
def nonleaf_write_in():
    x = w() * 1
    with torch.inference_mode():
        x.add_(1); return x.is_inference(), x._version, x.requires_grad, type(x.grad_fn).__name__
def saved_then_written_in():
    a = w(); x = a * 1; y = x * x
    with torch.inference_mode(): x.add_(1)
    y.sum().backward()
def inplace_out(): t = made(); t.add_(1); return t
def inplace_out_mul(): t = made(); t.mul_(2.); return t
def inplace_zero(): t = made(); t.zero_(); return t
def inplace_copy(): t = made(); t.copy_(torch.ones(2, 3)); return t
def inplace_fill(): t = made(); t.fill_(1); return t
def inplace_set(): t = made(); t[0] = 1; return t
def inplace_set_t(): t = made(); t[0] = torch.ones(3); return t
def inplace_setmask(): t = made(); t[t > 2] = 0; return t
def inplace_nograd():
    t = made()
    with torch.no_grad(): t.add_(1)
    return t
def inplace_in():
    t = made()
    with torch.inference_mode(): t.add_(1)
    return t
def inplace_with_grad(): t = made(); t.add_(w()); return t
def inplace_with_grad_in():
    t = made()
    with torch.inference_mode(): t.add_(w())
    return t.requires_grad
def inplace_view_out(): t = made(); t.view(-1).add_(1); return t
def inplace_normal_by_inf(): x = torch.ones(2, 3); x.add_(made()); return x.is_inference()
def inplace_grad_by_inf(): x = w() * 1; x.add_(made()); return x.is_inference(), x.requires_grad
def inplace_grad_mul_by_inf(): x = w() * 1; x.mul_(made()); return x.is_inference(), x.requires_grad
def copy_grad_by_inf(): x = w() * 1; x.copy_(made()); return x.is_inference(), x.requires_grad
def out_inf(): t = made(); torch.add(torch.ones(2, 3), 1, out=t); return t
def out_inf_in():
    t = made()
    with torch.inference_mode(): torch.add(torch.ones(2, 3), 1, out=t)
    return t
def out_normal_in():
    t = torch.ones(2, 3)
    with torch.inference_mode(): torch.add(made(), 1, out=t)
    return t, t.is_inference(), t._version
def uniform(): t = made(); t.uniform_(); return 0
def normal_init(): t = made(); nn.init.normal_(t); return 0
def resize(): t = made(); t.resize_(3); return t.shape
def tunsq(): t = made(); t.unsqueeze_(0); return t.shape
def tt_(): t = made(); t.t_(); return t.shape
def sq_nograd():
    t = made()
    with torch.no_grad(): t.t_()
    return t.shape
def set_data(): t = made(); t.data = torch.ones(4); return t.is_inference()
def data_of(): d = made().data; return d.is_inference(), d.add_(1).sum()
def set_data_to_inf(): t = torch.ones(2); t.data = made(); return t.is_inference(), t._version
def param_data_inf(): p = nn.Parameter(torch.ones(2, 3)); p.data = made(); return p.is_inference(), p.requires_grad
def param_data_copy():
    p = nn.Parameter(torch.ones(2, 3)); p.data.copy_(made()); return p.is_inference(), p.requires_grad
def load_sd():
    l = nn.Linear(3, 2); l.load_state_dict({"weight": made(), "bias": made(2)}); return l.weight.is_inference()
def load_sd_assign():
    l = nn.Linear(3, 2); l.load_state_dict({"weight": made(), "bias": made(2)}, assign=True)
    return l.weight.is_inference(), l.weight.requires_grad
def load_sd_in():
    l = nn.Linear(3, 2)
    with torch.inference_mode(): l.load_state_dict({"weight": made(), "bias": made(2)})
    return l.weight.is_inference(), l.weight._version
def deepcopy(): return copy.deepcopy(made()).is_inference()
def pick(): return pickle.loads(pickle.dumps(made())).is_inference()
def saveload():
    b = io.BytesIO(); torch.save(made(), b); b.seek(0); return torch.load(b).is_inference()
def numpy(): t = made(); n = t.numpy(); n[0] = 0; return t.is_inference(), t.sum()
def tolist(): return made().tolist()
def item(): return made()[0, 0].item()
def contiguous(): t = made(); return t.contiguous() is t, t.contiguous().is_inference()
def to_same(): t = made(); return t.to(torch.float32) is t
def to_double(): return made().to(torch.float64).is_inference()
def requires_detach(): t = made(); t.detach_(); return t.is_inference()
def function_save():
    class M(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b): ctx.save_for_backward(b); return a * b
        @staticmethod
        def backward(ctx, g): b, = ctx.saved_tensors; return g * b, None
    y = M.apply(w(), made()); y.sum().backward(); return 0
def function_attr():
    class M(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b): ctx.b = b; return a * b
        @staticmethod
        def backward(ctx, g): return g * ctx.b, None
    x = w(); M.apply(x, made()).sum().backward(); return x.grad
def function_returns():
    class M(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            with torch.inference_mode(): r = a * 2
            return r
        @staticmethod
        def backward(ctx, g): return g * 2
    x = w(); y = M.apply(x); y.sum().backward(); return x.grad, y.is_inference()
def backward_in():
    x = w(); y = (x * x).sum()
    with torch.inference_mode(): y.backward()
    return x.grad
def backward_in2():
    with torch.inference_mode(): x = w(); y = (x * x).sum(); return y.requires_grad
def grad_in():
    x = w(); y = (x * x).sum()
    with torch.inference_mode(): g, = torch.autograd.grad(y, x)
    return g
def backward_gradient_inf():
    x = w(); y = x * x; y.backward(made()); return x.grad, x.grad.is_inference()
def backward_gradient_inf_cg():
    x = w(); y = x * x; g, = torch.autograd.grad(y, x, made(), create_graph=True); return g.requires_grad
def grad_set(): x = w(); x.grad = made(); return x.grad.is_inference()
def grad_set_acc(): x = w(); x.grad = made(); (x * 2).sum().backward(); return x.grad, x.grad.is_inference()
def opt_step_inf():
    x = w(); o = torch.optim.SGD([x], 0.1); x.grad = made(); o.step(); return x
def zero_grad_inf():
    x = w(); o = torch.optim.SGD([x], 0.1); x.grad = made(); o.zero_grad(set_to_none=False); return x.grad
def nested_enable():
    with torch.inference_mode():
        with torch.enable_grad():
            x = w(); y = x * x; return x.is_inference(), y.is_inference(), y.requires_grad, torch.is_grad_enabled()
def nested_off():
    with torch.inference_mode():
        with torch.inference_mode(False):
            x = w(); y = x * x; y.sum().backward(); return x.is_inference(), y.is_inference(), y.requires_grad, x.grad
def nested_off_use():
    with torch.inference_mode():
        t = torch.ones(2, 3)
        with torch.inference_mode(False):
            return (w() * t).sum()
def nested_off_write():
    with torch.inference_mode():
        t = torch.ones(2, 3)
        with torch.inference_mode(False): t.add_(1)
    return t
def deco():
    @torch.inference_mode()
    def f(x): return x * 2
    return f(w()).is_inference()
def deco_bare():
    @torch.inference_mode
    def f(x): return x * 2
    return f(w()).is_inference()
def bn_then_train():
    b = nn.BatchNorm1d(3)
    with torch.inference_mode(): b.train(); b(torch.ones(4, 3))
    b(torch.randn(4, 3)).sum().backward(); return b.weight.grad is not None
def cache_rot():
    class M(nn.Module):
        def __init__(s): super().__init__(); s.l = nn.Linear(3, 3); s.c = None
        def forward(s, x):
            if s.c is None: s.c = torch.arange(3.) + 1
            return s.l(x) * s.c
    m = M()
    with torch.inference_mode(): m(torch.ones(1, 3))
    return m(torch.ones(1, 3)).sum()
def unbind(): return [t.is_inference() for t in made().unbind(0)], [t.is_inference() for t in made().chunk(2)]
def unbind_in():
    x = torch.ones(2, 3)
    with torch.inference_mode():
        return (
            [t.is_inference() for t in x.unbind(0)], x.expand(2, 2, 3).is_inference(), x.reshape(-1).is_inference(),
            x.flatten().is_inference(), x.contiguous().is_inference(), x.detach().is_inference(),
            x.to(torch.float32).is_inference(), x.data.is_inference(), x.clone().is_inference()
        )
def max_in():
    with torch.inference_mode(): v, i = torch.ones(2, 3).max(1); return v.is_inference(), i.is_inference()
def sum_saved(): return (w().pow(2) * made().sum()).sum()
def dropout_mask(): return F.dropout(made(), 0.5).is_inference()
def checkpoint():
    from torch.utils.checkpoint import checkpoint
    l = nn.Linear(3, 2); y = checkpoint(l, made(), use_reentrant=False); y.sum().backward(); return 0
def vmap(): return torch.func.vmap(lambda a: a * 2)(made()).is_inference()
def fgrad(): return torch.func.grad(lambda a: (a * a).sum())(made())
def fgrad_in():
    with torch.inference_mode(): return torch.func.grad(lambda a: (a * a).sum())(torch.ones(3))
def jvp(): return torch.func.jvp(lambda a: a * a, (made(),), (made(),))
def hook(): made().register_hook(lambda g: g)
def retain(): made().retain_grad()
def swap(): t = made(); t.set_(torch.ones(3)); return t.shape
def foreach(): t = made(); torch._foreach_add_([t], 1); return t
def foreach_grad():
    with torch.inference_mode(): ps = [torch.ones(2)]
    return torch._foreach_mul([torch.ones(2, requires_grad=True)], ps)[0].requires_grad
def cat(): r = torch.cat([made(), w()]); r.sum().backward(); return r.is_inference()
def cat_inf(): r = torch.cat([made(), made()]); return r.is_inference()
def cumprod(): return w().cumprod(0).mul(made())
def addmm(): return torch.addmm(made(2), torch.ones(2, 3), torch.ones(3, 2, requires_grad=True))
def addmm2(): return torch.addmm(torch.ones(2), made(), torch.ones(3, 2, requires_grad=True))
def bmm(): return torch.einsum("ij,kj->ik", made(), w())
def mha():
    m = nn.MultiheadAttention(4, 2); x = made(3, 1, 4); return m(x, x, x)[0].sum()
def norm(): return nn.LayerNorm(3)(made()).sum()
def pow_t(): return w() ** made()
def div(): return w() / made()
def div_num(): return made() / w()
def sub(): (made() - w()).sum().backward()
def lerp(): return torch.lerp(w(), w(), made())
def gather():
    with torch.inference_mode(): i = torch.zeros(2, 1, dtype=torch.long)
    return w().gather(1, i)
def set_item_norm(): x = torch.ones(2, 3) ; x[0] = made()[0]; return x.is_inference()
def set_item_grad(): x = w() * 1; x[0] = made()[0]; x.sum().backward(); return x.requires_grad
def aliasout(): x = torch.ones(2, 3); y = x.add(made()); return y.is_inference(), y._version
def nondiff_int():
    with torch.inference_mode(): t = torch.arange(3)
    t += 1; return t
def iadd(): t = made(); t += 1; return t
def from_numpy_in():
    import numpy as np
    with torch.inference_mode():
        return (
            torch.from_numpy(np.ones(2)).is_inference(), torch.empty(0).is_inference(),
            torch.Tensor([1.]).is_inference(), torch.randn(2).is_inference(), torch.randperm(3).is_inference()
        )
def closure_of_transform():
    b = made()
    with torch.inference_mode(): return torch.func.vjp(lambda a: a * b, torch.ones(2, 3))[1](b)[0].tolist()
def hessian_in():
    with torch.inference_mode(): return torch.func.hessian(lambda a: (a ** 3).sum())(torch.ones(2)).tolist()
def unwritten_when_refused():
    x = w() * 1
    try: x.mul_(made())
    except RuntimeError: return x.detach(), x._version
def built(make, *a):
    with torch.inference_mode(): return make(*a)
def trained(m, x):
    o = m(x); o = o[0] if isinstance(o, tuple) else o
    o.sum().backward(); return [p.grad is not None for p in m.parameters()]
def model_linear(): return trained(built(nn.Linear, 3, 2), torch.ones(1, 3))
def model_linear_grad(): return trained(built(nn.Linear, 3, 2), torch.ones(1, 3, requires_grad=True))
def model_conv(): return trained(built(nn.Conv2d, 1, 1, 2), torch.ones(1, 1, 3, 3))
def model_conv_grad(): return trained(built(nn.Conv2d, 1, 1, 2), torch.ones(1, 1, 3, 3, requires_grad=True))
def model_conv_transpose(): return trained(built(nn.ConvTranspose1d, 1, 1, 2), torch.ones(1, 1, 3))
def model_layer_norm(): return trained(built(nn.LayerNorm, 3), torch.ones(2, 3))
def model_group_norm(): return trained(built(nn.GroupNorm, 1, 3), torch.ones(2, 3))
def model_batch_norm(): return trained(built(nn.BatchNorm1d, 3), torch.ones(2, 3))
def model_embedding(): return trained(built(nn.Embedding, 3, 2), torch.tensor([1]))
def model_lstm(): return trained(built(nn.LSTM, 3, 2), torch.ones(2, 1, 3))
def model_deep():
    return trained(built(lambda: nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))), torch.ones(2, 3))
def model_mixed_last(): return trained(nn.Sequential(nn.Linear(3, 3), built(nn.Linear, 3, 2)), torch.ones(2, 3))
def model_mixed_first(): return trained(nn.Sequential(built(nn.Linear, 3, 3), nn.Linear(3, 2)), torch.ones(2, 3))
def model_frozen():
    return trained(nn.Sequential(built(nn.Linear, 3, 3).requires_grad_(False), nn.Linear(3, 2)), torch.ones(2, 3))
def model_copied(): return trained(copy.deepcopy(built(nn.Linear, 3, 2)), torch.ones(2, 3))
def model_unfrozen(): return built(nn.Linear, 3, 2).requires_grad_(False).requires_grad_(True).weight.requires_grad
def model_state(): nn.Linear(3, 2).load_state_dict(built(nn.Linear, 3, 2).state_dict())
def model_stepped():
    m = built(nn.Linear, 3, 2); o = torch.optim.Adam(m.parameters())
    for p in m.parameters(): p.grad = torch.ones_like(p)
    o.step()
def model_grad(): m = built(nn.Linear, 3, 2); return torch.autograd.grad(m(torch.ones(1, 3)).sum(), m.weight)
def parameter_alone():
    p = built(nn.Linear, 3, 2).weight
    found = (
        p.sum(), p.relu(), p.view(-1), p.t(), p.exp(), p[0], p.softmax(0), -p, p * p, p.clamp(0, 1), p ** 2,
        torch.cat([p, p]), p.expand(2, 2, 3)
    )
    return [x.requires_grad for x in found]
def parameter_and_number():
    p = built(nn.Linear, 3, 2).weight
    return [x.requires_grad for x in (p * 2, p + 2, p - 2, p / 2, 2 - p, 2 / p, p % 2, torch.rsub(p, 2))]
def parameter_and_other():
    p, x = built(nn.Linear, 3, 2).weight, torch.ones(2, 3)
    found = (
        p + x, p * x, x * p, p / x, x @ p.clone().t(), p[torch.tensor([0])], p.index_select(0, torch.tensor([0])),
        torch.stack([p, x]), torch.where(x > 0, p, x), torch.addmm(x[0], x.t(), p)
    )
    return [x.requires_grad for x in found], p.clone().requires_grad
"""


def cases(library: Any) -> dict[str, Callable[[], Any]]:
    """The programs by name, on PyTorch or rushlight."""
    import copy
    import io
    import pickle

    space: dict[str, Any] = {
        "torch": library,
        "nn": library.nn,
        "F": library.nn.functional,
        "copy": copy,
        "io": io,
        "pickle": pickle,
    }
    before = set(space)
    exec(SOURCE, space)
    return {
        k: v for k, v in space.items() if k not in before and k not in ("__builtins__", "made", "w", "built", "trained")
    }
