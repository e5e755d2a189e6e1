"""Checks of what hooks on gradients return."""
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from rushlight.core.tensor cimport KEY_DEVICE, KEY_META, KEY_SPECIAL, AutogradMeta, Tensor


cdef bint replaced(object hook, object r, object kind, str wanted) except -1:
    """Whether a hook has returned a replacement, which must be a tensor."""
    if r is not None and not isinstance(r, kind):
        raise TypeError(f"hook {_name(hook)}: must return {wanted}, or None; found {type(r).__name__}")
    return r is not None


cdef Tensor exchanged(object hook, Tensor g, object r):
    """The gradient after a hook: what the hook has returned, which must have g's dtype, device and sizes; `g` itself
    for None.
    """
    cdef Tensor t
    cdef bint same
    if not replaced(hook, r, Tensor, "a Tensor in the place of a gradient"):
        return g
    t = <Tensor>r
    if (t.code != g.code or (t.keys ^ g.keys) & (KEY_META | KEY_DEVICE)
            or (g.keys & KEY_DEVICE and t.device != g.device)):
        raise RuntimeError(
            f"hook {_name(hook)} has changed the type of value: a gradient of dtype {g.dtype} on {g.device} must stay "
            f"one; found {t.dtype} on {t.device}")
    if (t.keys | g.keys) & KEY_SPECIAL:
        same = tuple(t.shape) == tuple(g.shape)
    else:
        same = t.ndim_ == g.ndim_ and memcmp(t.sizes, g.sizes, t.ndim_ * sizeof(int64_t)) == 0
    if not same:
        raise RuntimeError(
            f"hook {_name(hook)} has changed the size of value: a gradient of shape {tuple(g.shape)} must stay one; "
            f"found {tuple(t.shape)}")
    return t


cdef list all_exchanged(object hook, list given, object r):
    """The gradients after a hook of a node: as many as before, each checked as above; unchanged for None."""
    cdef list out
    cdef Py_ssize_t i
    if not replaced(hook, r, tuple, f"a tuple with a gradient for each of {len(given)}"):
        return given
    if len(r) != len(given):
        raise RuntimeError(
            f"hook {_name(hook)} has returned an incorrect number of values: {len(given)} gradients are expected; "
            f"found {len(r)}")
    out = list(r)
    for i in range(len(out)):
        if given[i] is not None:
            exchanged(hook, <Tensor>given[i], out[i])
        elif out[i] is not None:
            raise TypeError(f"hook {_name(hook)}: gradient {i} is None and must stay so; found {type(out[i]).__name__}")
    return out


def _name(hook):
    return repr(getattr(hook, "__name__", type(hook).__name__))


cdef Tensor after_hooks(AutogradMeta m, Tensor g):
    """A leaf's gradient after the leaf's hooks."""
    if m is not None and m.hooks is not None:
        for hook in list(m.hooks.values()):
            g = exchanged(hook, g, hook(g))
    return g
