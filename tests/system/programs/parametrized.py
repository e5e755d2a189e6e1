"""Parametrizations, pruning, weight norm, fusion: nn.utils on small layers."""
import torch, copy, numpy as np
import torch.nn as nn
import torch.nn.utils.prune as prune
P=torch.nn.utils.parametrize; PP=torch.nn.utils.parametrizations
g=np.random.default_rng(0)
def lin(a=4,b=3):
    l=nn.Linear(a,b)
    with torch.no_grad():
        l.weight.copy_(torch.from_numpy(np.random.default_rng(a*b).standard_normal((b,a)).astype('float32'))); l.bias.zero_()
    return l
x=torch.from_numpy(g.standard_normal((5,4)).astype('float32'))
def show(*a):
    for v in a:
        if isinstance(v,torch.Tensor): print(np.round(v.detach().numpy(),4).tolist()+[] if v.dim() else round(v.item(),4), end=' ')
        else: print(v,end=' ')
    print()
def run(m):
    m.zero_grad()
    y=m(x); y.square().sum().backward()
    show('out',y.sum()); show([(n,tuple(p.shape),round(p.grad.abs().sum().item(),2)) for n,p in m.named_parameters()])
m=PP.weight_norm(lin()); run(m); show(m, list(m.state_dict()))
m.weight=torch.ones(3,4); show(m.weight, m.parametrizations.weight.original0)
c=copy.deepcopy(m); show(type(c).__name__, c.weight)
P.remove_parametrizations(m,'weight'); show(m, m.weight, type(m.weight).__name__, list(m.state_dict()), type(m).__name__); show(P.is_parametrized(c), P.is_parametrized(m))
m=torch.nn.utils.weight_norm(lin()); run(m); sd=m.state_dict(); torch.nn.utils.remove_weight_norm(m); show(m.weight, list(m.state_dict()))
k=PP.weight_norm(lin()); k.load_state_dict(sd); show(k.weight)
class Sym(nn.Module):
    def forward(self,X): return X.triu()+X.triu(1).transpose(-1,-2)
    def right_inverse(self,A): return A.triu()
class Exp2(nn.Module):
    def forward(self,X): return X*2
m=lin(4,4); P.register_parametrization(m,'weight',Sym()); P.register_parametrization(m,'weight',Exp2()); run(m); show(m, m.weight)
with P.cached(): show(m.weight is m.weight)
try: m.weight=torch.eye(4)
except Exception as e: show(type(e).__name__)
P.remove_parametrizations(m,'weight',leave_parametrized=False); show(m.weight)
for f in (lambda: P.register_parametrization(lin(),'nope',Sym()), lambda: P.register_parametrization(lin(4,4),'weight',nn.Flatten(0)), lambda: P.remove_parametrizations(lin(),'weight')):
    try: f()
    except Exception as e: show(type(e).__name__)
m=PP.spectral_norm(lin(),n_power_iterations=50); run(m); show(m.weight.norm(), list(m.state_dict()))
m=nn.utils.spectral_norm(lin(),n_power_iterations=50); run(m); show(m.weight.norm(), list(m.state_dict())); m.eval(); show(m(x).sum()); nn.utils.remove_spectral_norm(m); show(list(m.state_dict()), m.weight.norm())
m=prune.l1_unstructured(lin(),'weight',0.5); run(m); show(m.weight, list(m.state_dict()), prune.is_pruned(m))
prune.ln_structured(m,'weight',1,2,0); show(m.weight_mask, m.weight); show(type(list(m._forward_pre_hooks.values())[0]).__name__)
prune.remove(m,'weight'); show(m.weight, list(m.state_dict()), prune.is_pruned(m))
a,b=lin(),lin(4,5); prune.global_unstructured([(a,'weight'),(b,'weight')],prune.L1Unstructured,amount=10); show(a.weight_mask,b.weight_mask)
m=prune.random_unstructured(lin(),'weight',3); show(m.weight_mask.sum()); m=prune.random_structured(lin(),'weight',2,1); show(m.weight_mask.sum()); m=prune.identity(lin(),'bias'); run(m)
m=prune.custom_from_mask(lin(),'bias',torch.tensor([1.,0,1])); show(m.bias)
m=nn.utils.skip_init(nn.Linear,3,4); show(m, m.weight.shape, m.weight.device)
conv,bn=nn.Conv2d(2,3,2),nn.BatchNorm2d(3)
with torch.no_grad():
    for t in [*conv.parameters(),*bn.parameters(),bn.running_mean]: t.copy_(torch.linspace(-1,1,t.numel()).reshape(t.shape))
conv.eval();bn.eval(); z=torch.from_numpy(g.standard_normal((1,2,3,3)).astype('float32'))
show(bn(conv(z)).sum(), nn.utils.fuse_conv_bn_eval(conv,bn)(z).sum())
l=lin().eval(); b1=nn.BatchNorm1d(3).eval(); show(nn.utils.fuse_linear_bn_eval(l,b1)(x).sum(), b1(l(x)).sum())
lstm=nn.LSTM(4,3)
with torch.no_grad():
    for t in lstm.parameters(): t.copy_(torch.linspace(-1,1,t.numel()).reshape(t.shape))
nn.utils.weight_norm(lstm,'weight_hh_l0'); lstm(x)[0].sum().backward(); show(lstm.weight_hh_l0_g.grad.sum(), lstm(x)[0].sum())
m=P.transfer_parametrizations_and_params(PP.weight_norm(lin()),lin()); show(m.weight)
for om in (None,'cayley','householder','matrix_exp'):
  try:
    for sh in ((4,4),(4,6),(6,4)):
        m=PP.orthogonal(nn.Linear(sh[1],sh[0]),orthogonal_map=om); w=m.weight; k=min(sh); ww=w@w.T if sh[0]<sh[1] else w.T@w
        show('orth', torch.allclose(ww,torch.eye(k),atol=1e-5)); m(torch.ones(1,sh[1])).sum().backward(); show(m.parametrizations.weight.original.grad.shape)
        q=w.detach().clone(); m.weight=q; show(torch.allclose(m.weight,q,atol=1e-5))
        m=PP.orthogonal(nn.Linear(sh[1],sh[0]),orthogonal_map=om,use_trivialization=False); w=m.weight;ww=w@w.T if sh[0]<sh[1] else w.T@w; show('orth', torch.allclose(ww,torch.eye(k),atol=1e-5))
        if om=='householder': q=w.detach().clone(); m.weight=q; show(torch.allclose(m.weight,q,atol=1e-5))
  except AttributeError as e: show(om,e)
