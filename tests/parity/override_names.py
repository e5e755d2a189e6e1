"""Write, as JSON, under what names `__torch_function__` sees Python's syntax, and the attributes, methods and functions
of tensors.

Run by plain Python (PyTorch) and by `python -m rushlight`; test_override_names.py compares. Names -> the list of names
that a logging subclass was handed.
"""

from __future__ import annotations

import copy
import io
import json
import math
import operator
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
LOG: list[str] = []
FOUND: dict[str, list[str]] = {}


class Logging(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", None)
        if name in ("__get__", "__set__"):
            name = f"{getattr(func.__self__, '__name__', '?')}.{name}"
        LOG.append(str(name))
        return super().__torch_function__(func, types, args, kwargs or {})


def make(*shape: int, dtype: Any = None) -> Any:
    t = torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)
    return (t if dtype is None else t.to(dtype)).as_subclass(Logging)


def run(name: str, fn: Callable[[], Any]) -> None:
    LOG.clear()
    try:
        fn()
    except Exception:
        FOUND[name] = ["refused"]
    else:
        FOUND[name] = list(LOG)


def syntax() -> None:
    one, v, m, i = make(1), make(3), make(2, 3), make(1, dtype=torch.int64)
    cases: dict[str, Callable[[], Any]] = {
        "bool": lambda: bool(one),
        "float": lambda: float(one),
        "int": lambda: int(one),
        "complex": lambda: complex(one),
        "index": lambda: operator.index(i),
        "list index": lambda: [1, 2, 3][i],
        "len": lambda: len(v),
        "in": lambda: 2.0 in v,
        "iter": lambda: list(v),
        "unpack": lambda: [*m],
        "repr": lambda: repr(v),
        "str": lambda: str(v),
        "format": lambda: format(make(), ".2f"),
        "f": lambda: f"{v}",
        "deepcopy": lambda: copy.deepcopy(v),
        "copy": lambda: copy.copy(v),
        "pickle": lambda: pickle.dumps(v),
        "reversed": lambda: reversed(v),
        "hash": lambda: hash(v),
        "dir": lambda: dir(v),
        "if": lambda: 1 if one else 2,
        "not": lambda: not one,
        "round": lambda: round(v),
        "abs": lambda: abs(v),
        "divmod": lambda: divmod(v, 2),
        "setitem": lambda: v.__setitem__(0, 5.0),
        "getitem": lambda: v[0],
        "mask": lambda: v[v > 1],
        "sum": lambda: sum(v),
        "max": lambda: max(v),
        "sorted": lambda: sorted(v),
        "range": lambda: range(i),
        "floor": lambda: math.floor(one),
        "sqrt": lambda: math.sqrt(one),
        "save": lambda: torch.save(v, io.BytesIO()),
        "is_tensor": lambda: torch.is_tensor(v),
        "numel": lambda: torch.numel(v),
    }
    for name, fn in cases.items():
        run(f"syntax.{name}", fn)
    for o in (
        "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge iadd isub imul "
        "itruediv ifloordiv imod ipow iand ior ixor "
        "ilshift irshift"
    ).split():
        f = getattr(operator, o)
        for kind in (torch.float32, torch.int64):
            a, b = make(3, dtype=kind), make(3, dtype=kind)
            plain = a.as_subclass(torch.Tensor)
            for label, pair in {
                "tensors": (a, b),
                "number": (a, 2),
                "plain first": (plain, b),
                "number first": (2, b),
            }.items():
                run(f"{o}.{kind}.{label}".replace("torch.", ""), lambda f=f, pair=pair: f(*pair))
    for o in "neg pos inv not_ abs truth".split():
        run(f"syntax.{o}", lambda o=o: getattr(operator, o)(make(1, dtype=torch.int64)))


# Of these calls the names depend on how the implementation goes on from there, or they have effects outside.
LEFT_OUT = frozenset(
    """__class__ __dict__ __doc__ __module__ __weakref__ __new__ __init__ __torch_function__ __torch_dispatch__
    __getattribute__ __setattr__ __delattr__
    __subclasshook__ __init_subclass__ __getstate__ __sizeof__ __reduce__ __dir__ backward share_memory_ record_stream
    pin_memory cuda xpu hpu ipu mtia storage
    _typed_storage register_hook module_load set_ resize_ resize_as_ resize resize_as __getnewargs__ __dlpack__ new
    __setstate__ apply_ map_ map2_ to_padded_tensor
    save load compile set_default_tensor_type seed manual_seed set_rng_state from_file cond while_loop
    set_default_dtype set_default_device dsmm saddmm spmm hsmm smm
    sspaddmm set_num_threads set_num_interop_threads get_file_path prepare_multiprocessing_environment eval typename
    classproperty set_printoptions import_ir_module vmap
    from_blob tensor as_tensor asarray from_dlpack sym_sum result_type""".split()
)


def members() -> None:
    for d in sorted(set(dir(torch.Tensor)) - LEFT_OUT):
        if not callable(torch.Tensor.__dict__.get(d) or getattr(torch.Tensor, d, None)):
            t = make(2, 3)
            run(f"Tensor.{d}", lambda t=t, d=d: getattr(t, d))
            continue
        for label in ("float",) if d[:1] != "_" else ("float", "int64"):
            for k, args in enumerate(((), (0,), ("T",), (2.0,))):
                t = make(3, 3, dtype=getattr(torch, label))
                given = tuple(make(3, 3, dtype=getattr(torch, label)) if x == "T" else x for x in args)
                run(f"Tensor.{d}.{label}.{k}", lambda t=t, d=d, given=given: getattr(t, d)(*given))


def functions() -> None:
    for space, module in (
        ("torch", torch),
        ("F", F),
        ("linalg", torch.linalg),
        ("special", torch.special),
        ("fft", torch.fft),
    ):
        for d in sorted(set(dir(module)) - LEFT_OUT):
            f = getattr(module, d, None)
            if (
                not callable(f)
                or isinstance(f, type)
                or d.startswith("_")
                or space != "torch"
                and not (getattr(f, "__module__", "") or "").startswith("torch")
            ):
                continue
            for shape in ((3, 3), (1, 2, 8, 8)) if space == "F" else ((3, 3),):
                for k, args in enumerate((("T",), ("T", "T"), ("T", 2.0), ("TT",), ("T", "T", "T"), ("T", 2))):
                    given = tuple(
                        make(*shape) if x == "T" else [make(*shape), make(*shape)] if x == "TT" else x for x in args
                    )
                    run(f"{space}.{d}.{len(shape)}.{k}", lambda f=f, given=given: f(*given))


syntax()
members()
functions()
with open(sys.argv[1], "w") as file:
    json.dump(FOUND, file)
