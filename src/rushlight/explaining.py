"""`rushlight.explain`: the road of a call, from the signature to the kernels, as text."""
from __future__ import annotations

import sys
from typing import Any, TextIO

from rushlight.core.dispatch import CompiledCall, Named, Operator
from rushlight.core.tensor import Tensor
from rushlight.operators._define import TABLE, compile_call, trace


def explain(op: Operator | Named | str, *args: Any, file: TextIO | None = None, **kwargs: Any) -> None:
    """Print how a call is carried out: signature, dispatch keys, program, derivative, loop nests, kernels, residuals, source.

    Args: op: an operator or its name ("softmax", "nn.functional.gelu"). args, kwargs: of the call; without any, a sample is made up.
    file: where to print (default: standard output). Errors: LookupError for an unknown name, TypeError for a Python-level operator without a program.
    """
    out = file or sys.stdout
    op = find(op) if isinstance(op, str) else op.op if isinstance(op, Named) else op
    if not isinstance(op, Operator):
        raise TypeError(f"explain(): expected an operator or its name, got {type(op).__name__}")
    say = lambda *text: print(*text, file=out)
    definition = op.definition
    say(f"operator    {op.signature_text()}")
    say(f"defined at  {definition.source}")
    say(f"shape class {op.shape_class}")
    if definition.__doc__:
        say(f"doc         {definition.__doc__.strip().splitlines()[0]}")
    if op.eager is not None:
        say("road        a Python function that runs at every call and calls other operators; explain those for their programs")
        return
    if not args and not kwargs:
        args, kwargs = sample(op)
    values = bind(op, args, kwargs)
    tensors = [t for v in values for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, Tensor)]
    active = any(t.requires_grad for t in tensors)
    say("arguments   " + ", ".join(describe(v) for v in values))
    keys = ["autograd"] * active + sorted({str(t.device) for t in tensors} or {"cpu"}) + sorted({t.layout.name for t in tensors})
    special = [k for t in tensors for k in ((type(t).__name__,) if type(t) is not Tensor else ())]
    say("keys        " + " -> ".join(special + keys))
    program, traced, structure = trace(op, values, active)
    from rushlight.transforms import inline_calls

    say("\nprogram\n" + indent(str(program)))
    if any(e.prim.kind == "call" for e in program.eqns):
        say("\nwith its calls written out\n" + indent(str(inline_calls(program))))
    call = compile_call(program, traced.sources, len(traced.tensors), len(traced.scalars), traced.active, structure, definition.label, views=op.is_view)
    report(call, say)


def report(call: CompiledCall, say: Any) -> None:
    """Print what a compiled call consists of: derivative, plan, loop nests and kernels."""
    d = call.derivative
    if d is not None:
        names = {0: "input", 1: "output", 2: "extra output"}
        say("\nresiduals   " + (", ".join(f"{names[kind]} {i}" for kind, i in d.residuals) or "none"))
        say("\nderivative program\n" + indent(str(d.backward)))
    plan = call.executable.plan
    say(f"\nplan        {len(plan.allocs)} buffers, {len(plan.steps)} steps, {len(plan.guards)} guards")
    for k, out in enumerate(plan.outputs):
        if out.kind != "buffer":
            say(f"output {k}    a view of input {out.index}: {', '.join(s[0] for s in out.steps) or 'itself'} (metadata alone)")
    for i, step in enumerate(plan.steps):
        if hasattr(step, "kernel"):
            kernel, text = step.kernel, step.kernel.loops.text()
            say(f"\nstep {i}: kernel {kernel_name(text)} ({kernel.kept} kept, {kernel.reduced} reduced dims)\n" + indent(text))
        else:
            say(f"\nstep {i}: library routine {step.name} {step.params}")


def kernel_name(text: str) -> str:
    """A kernel's name: a hash of what it computes."""
    from hashlib import blake2b

    return blake2b(text.encode(), digest_size=8).hexdigest()


def find(name: str) -> Operator:
    """The operator of a name, with or without its namespace."""
    for key in (name, f"nn.functional.{name}", f"special.{name}", f"linalg.{name}"):
        if key in TABLE:
            return TABLE[key]
    import difflib

    near = difflib.get_close_matches(name, TABLE, n=1)
    raise LookupError(f"explain(): there is no operator {name!r}" + (f"; the nearest is {near[0]!r}" if near else ""))


def bind(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The values of a call in the order of the parameters."""
    values: list[Any] = []
    for i, p in enumerate(op.params):
        if i < len(args):
            values.append(args[i])
        elif p.name in kwargs:
            values.append(kwargs[p.name])
        elif p.required:
            raise TypeError(f"explain(): {op.name}() is missing the argument '{p.name}' (expected {op.signature_text()})")
        else:
            values.append(p.default)
    return values


def sample(op: Operator) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for a demonstration: the operator's first sample whose tensors have two dimensions or more, differentiable."""
    from rushlight.core import dtypes as dt
    from rushlight.testing import samples

    known = samples.load()
    found = next((known[k] for k, v in TABLE.items() if v is op and k in known), None)
    if found is None:
        raise TypeError(f"explain(): {op.name}() has no samples; give it arguments")
    dtype = dt.float32 if dt.float32 in found.dtypes else found.dtypes[0]
    good = found.samples(dtype)
    pick = next((s for s in good if isinstance(s.args[0], Tensor) and s.args[0].ndim >= 2 and s.args[0].numel()), good[0])
    for v in pick.args:
        if isinstance(v, Tensor) and v.dtype.kind in "fc" and v.is_leaf:
            v.requires_grad = True
    return pick.args, pick.kwargs


def describe(v: Any) -> str:
    """A value in a few characters: float32[3, 4]*, the star for requires_grad."""
    if isinstance(v, Tensor):
        return f"{v.dtype.name}{list(v.shape)}" + ("*" if v.requires_grad else "")
    if isinstance(v, (tuple, list)):
        return "[" + ", ".join(map(describe, v)) + "]"
    return repr(v)


def indent(text: str) -> str:
    """Text moved four columns to the right."""
    return "\n".join("    " + line for line in text.splitlines())
