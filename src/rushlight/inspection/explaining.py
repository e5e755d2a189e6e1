"""`rushlight.explain`: the path of a call, from the signature to the kernels, as text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from rushlight.autograd import grad
from rushlight.autograd.grad_mode import no_grad
from rushlight.core import _native, locks
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.core.nesting import found_in, reached
from rushlight.core.tensor import Tensor, is_grad_enabled
from rushlight.func.tree import flatten
from rushlight.inspection.graph import drawing, nodes_of
from rushlight.inspection.layers import Layers
from rushlight.inspection.measuring import measured
from rushlight.inspection.report import Report
from rushlight.inspection.steps import Compiled, kernel_name, steps
from rushlight.library.operator import OpOverload
from rushlight.library.operator import find as custom
from rushlight.operators.linalg.contraction import contraction_path, einsum, subscripts
from rushlight.operators.table.arguments import call_body
from rushlight.operators.table.compile import compile_call
from rushlight.operators.table.define import FUNCTIONS, TABLE, operator_of
from rushlight.operators.table.dispatch import plain_call
from rushlight.operators.table.trace import operands, trace
from rushlight.operators.table.types import Args, Classes, Function, Kwargs


def explain(
    what: Operator | Named | Callable[..., Any] | Tensor | str,
    *args: Any,
    file: TextIO | None = None,
    html: str | Path | None = None,
    passes: bool = False,
    measure: bool = False,
    **kwargs: Any,
) -> None:
    """Print how a call is carried out: signature, dispatch keys, program, derivative, loop nests, kernels, residuals,
    source.

    Args:
        what: an operator or its name ("softmax", "nn.functional.gelu"); a function or a module: each operator that the
            call runs, with what it launches, then the program and the kernels of each (of a module first its layers
            with their outputs, parameters, multiply-adds and activations, or those that are known without a call;
            of a `jit` function also the most memory that it takes, as one program and operator by operator); an
            optimizer: its step, after which parameters and states are as before; a tensor that has a graph: the nodes
            of its backward, with the values that they keep and the lines that made them.
        args, kwargs: of the call; an operator without any is given a sample, an optimizer takes none.
        file: where to print (default: standard output).
        html: write a page there as well, with the tables and the drawing of the graph.
        passes: print what every pass of the compiler makes of each program, too.
        measure: time the call and each of its kernels, and compare with what the machine's memory and its quickest
            product allow (which are measured once, and kept with the kernels).

    Raises:
        LookupError: for an unknown name.
        TypeError: for what cannot be called.
    """
    report = Report()
    op = find(what) if isinstance(what, str) else what.op if isinstance(what, Named) else what
    if isinstance(op, Operator):
        title = op.name
        _operator(op, args, kwargs, report, passes, measure)
    elif isinstance(op, Tensor):
        title = "a backward"
        if op.grad_fn is None or args or kwargs:
            raise TypeError(
                "explain(): a tensor must have a graph, and takes no arguments; this is a leaf, or has some"
            )
        report.add(drawing(nodes_of(op)))
    elif hasattr(op, "param_groups") and hasattr(op, "step"):
        if args or kwargs:
            raise TypeError(f"explain(): an optimizer takes no arguments; found {len(args) + len(kwargs)}")
        title = f"{type(op).__name__}.step"
        with _as_before(op):
            _calls(title, op.step, (), {}, report, passes, measure)
    elif callable(op):
        title = str(
            next(
                (found for key in ("_qualname", "_qualified_op_name", "__name__") if (found := getattr(op, key, None))),
                type(op).__name__,
            )
        )
        if op is einsum:
            equation, operands = subscripts(args)
            report.say(
                "contraction path\n"
                + indent(
                    "\n".join(contraction_path(equation, [t.shape for t in operands])) or "one operand: nothing to pair"
                )
                + "\n"
            )
        if hasattr(op, "named_modules") and not args and not kwargs:
            layers = Layers(op)
            report.add(layers.table())
            report.say(layers.totals()[0])
        else:
            _calls(title, op, args, kwargs, report, passes, measure)
    else:
        raise TypeError(
            "explain(): expected an operator or its name, a function, a module, an optimizer or a tensor with a graph; "
            f"found {type(op).__name__}"
        )
    if measure and (args or kwargs):
        report.say(measured(op, args, kwargs))
    print(report.text(), end="", file=file or sys.stdout)
    if html is not None:
        Path(html).write_text(report.html(title), encoding="utf-8")


def _operator(
    op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any], report: Report, passes: bool, measure: bool
) -> None:
    """Print all about one operator."""
    say = report.say
    definition = op.definition
    say(f"operator    {op.signature_text()}")
    say(f"defined at  {definition.source}")
    say(f"shape class {op.shape_class}")
    if definition.__doc__:
        say(f"doc         {definition.__doc__.strip().splitlines()[0]}")
    if op.eager is not None:
        say(
            "path        a Python function that runs at every call and calls other operators; explain those for "
            "their programs"
        )
        return
    if not args and not kwargs:
        args, kwargs = sample(op)
    values = bind(op, args, kwargs)
    tensors = list(tensors_of(values))
    active = any(t.requires_grad for t in tensors)
    say("arguments   " + ", ".join(describe(v) for v in values))
    keys = (
        ["autograd"] * active
        + sorted({str(t.device) for t in tensors} or {"cpu"})
        + sorted({t.layout.name for t in tensors})
    )
    special = [k for t in tensors for k in ((type(t).__name__,) if type(t) is not Tensor else ())]
    say("keys        " + " -> ".join(special + keys))
    made = compiled(op, values, active)
    say("\nprogram\n" + indent(str(made.program)))
    show_program(made, say)
    if passes:
        show_passes(made.forms, say)
    show_call(made, report, measure)


def compiled(op: Operator, values: list[Any], active: bool) -> Compiled:
    """A call's program, what it is compiled to, and what the compiler's passes have made on the way."""
    from rushlight.compiler.passes import pipeline

    program, traced, structure = trace(op, values, active)
    with pipeline.watched() as forms:
        call, _, _ = compile_call(
            program,
            traced.sources,
            len(traced.tensors),
            len(traced.scalars),
            traced.active,
            structure,
            op.definition.label,
            views=op.is_view,
        )
    return Compiled(program, call, forms, operands(op, values))


def show_program(made: Compiled, say: Any) -> None:
    """Print the program as the kernels compute it, where it differs from the recorded one."""
    compiled = str(made.form("rounding"))
    if compiled != str(made.program):
        say("\nwith its calls written out\n" + indent(compiled))


def show_passes(forms: list[tuple[str, Any]], say: Any) -> None:
    """Print the form that each pass has made, where it differs from the form that the pass was given."""
    before = ""
    for name, form in forms:
        text = str(form)
        if text != before:
            say(f"\npass {name}\n" + indent(text))
        before = text


class _Watch:
    """Sees every operator that is called while it is a mode, and goes into those that are Python functions."""

    sees_functions = False  # it sees the operators that they call

    def __init__(self) -> None:
        self.seen: list[tuple[Operator, list[Any], str]] = []
        self.path: list[str] = []  # the modules, and operators of the program's own, that are being called
        self.custom: list[tuple[Any, int]] = []  # operators of the program's own, and how many of `seen` each has run
        self.entered: Any = None
        self.layers: Layers | None = None

    @contextmanager
    def on(self) -> Iterator[None]:
        with locks.entered(self):
            yield

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        if isinstance(func, OpOverload):
            return self.of_custom(func, args, kwargs or {})
        inner = getattr(func, "__wrapped__", None)
        if inner is None:
            return func(*args, **(kwargs or {}))
        with self.on():
            return inner(*args, **(kwargs or {}))

    def of_custom(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Go into an operator that the program has defined; a further call of it within goes on as usual."""
        if self.entered is func:
            self.entered = None
            return NotImplemented
        before = len(self.seen)
        self.entered = func
        self.path.append(func.name())
        try:
            with self.on():
                result = func(*args, **kwargs)
        finally:
            self.path.pop()
        self.custom.append((func, len(self.seen) - before))
        return result

    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """Note a call, and do it."""
        if op.eager is not None and out is None:
            made = op.usual_result(values)
            if made is not None:
                return made
            with self.on():
                return call_body(op, values)
        result = plain_call(op, values, out)
        if self.layers is not None:
            self.layers.count(op, values, result)
        self.seen.append((op, values, self.path[-1] if self.path else ""))
        return result

    @contextmanager
    def inside(self, module: Any) -> Iterator[None]:
        """Note in which part of a module an operator is called."""
        handles = []
        for name, part in module.named_modules() if hasattr(module, "named_modules") else ():
            handles.append(part.register_forward_pre_hook(lambda *_, name=name: self.path.append(name)))
            handles.append(part.register_forward_hook(lambda *_: self.path.pop() and None))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def _calls(
    name: str,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    report: Report,
    passes: bool,
    measure: bool,
) -> None:
    """Print which operators a call runs and what each launches, then all about each that is compiled on its own."""
    say = report.say
    watch = _Watch()
    context = getattr(vars(fn).get("_run_", fn) if hasattr(fn, "__dict__") else fn, "_context_", None)
    replayed = context.replayed(args, kwargs) if context is not None else ""  # (before there are hooks)
    with ExitStack() as stack:
        if hasattr(fn, "named_modules"):
            watch.layers = Layers(fn)
            stack.enter_context(watch.layers.watched())
        stack.enter_context(watch.inside(fn))
        stack.enter_context(watch.on())
        fn(*args, **kwargs)
    known: dict[str, tuple[int, Compiled]] = {}
    lines, total = [], 0
    for op, values, part in watch.seen:
        tensors = list(tensors_of(values))
        active = is_grad_enabled() and any(t.requires_grad for t in tensors)
        text = f"{op.name.lstrip('_')}({', '.join(describe(v) for v in values if v is not None)})"
        key = f"{op.name} {active} {text}"
        if key not in known:
            known[key] = (len(known) + 1, compiled(op, values, active))
        number, made = known[key]
        launches = made.launches
        total += len(launches)
        lines.append(
            f"{number:>3}  {shortened(text)}"
            + (f"  in {part}" if part else "")
            + f": {', '.join(launches) or 'a view, no launch'}"
        )
    say(
        "function    "
        f"{name}({', '.join([describe(v) for v in args] + [f'{k}={describe(v)}' for k, v in kwargs.items()])})"
    )
    if watch.layers is not None:
        report.add(watch.layers.table())
        say("\n".join(watch.layers.totals()))
    say(f"calls       {len(watch.seen)} operators, {len(known)} of them different, {total} launches")
    say(indent("\n".join(lines)))
    if context is not None:  # of a compiled function
        say(f"replay      {replayed}")
        for plan in getattr(context.runner, "plans", ()):
            how = f"made call by call: {plan.refused}" if plan.refused else f"{len(plan.parts)} parts"
            say(f"segment     {len(plan.single)} calls; {how}")
    plain = getattr(type(fn), "by_operators", None)
    if plain is not None:
        ours, theirs = (_peak(f, args, kwargs) for f in (fn, plain.fget(fn)))
        say(f"memory      {ours:,} bytes at most, with the gradients of its result; {theirs:,} operator by operator")
    for func, n in dict.fromkeys(watch.custom):
        say(
            f"custom      {func._schema}: {n} operators"
            + "".join(
                f"; {what} registered"
                for what, there in (
                    ("gradient", func.rule),
                    ("vmap", func.vmap),
                    ("meta", func.fake or "meta" in func.kernels),
                )
                if there
            )
        )
    for text, (number, made) in known.items():
        say(f"\n{number}: {shortened(text.split(' ', 2)[2])}\n\nprogram\n" + indent(str(made.program)))
        show_program(made, say)
        if passes:
            show_passes(made.forms, say)
        show_call(made, report, measure)


def _peak(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The most bytes that a call takes beyond those in use before it, and the gradients of its results."""
    most = 0
    for _ in range(2):  # (the first may compile)
        before, _ = _native.allocated()
        _native.reset_peak()
        found = [t for t in flatten(fn(*args, **kwargs))[0] if isinstance(t, Tensor) and t.requires_grad]
        if found:
            leaves = [leaf for leaf in _leaves(found) if leaf.dtype.kind in "fc"]
            grad(found, leaves, [TABLE["ones_like"](t) for t in found], allow_unused=True)
        del found
        most = _native.allocated()[1] - before
    return most


def _leaves(tensors: list[Tensor]) -> list[Tensor]:
    """The leaves that these tensors' graph ends in."""
    nodes = reached([t.grad_fn for t in tensors], lambda node: [n for n, _ in node.next_functions])
    return [v for node in nodes if (v := getattr(node, "variable", None)) is not None]


@contextmanager
def _as_before(optimizer: Any) -> Iterator[None]:
    """Leave an optimizer's parameters and states as they are; parameters without a gradient have one of zeros
    meanwhile.
    """
    from copy import deepcopy

    params = [p for group in optimizer.param_groups for p in group["params"]]
    held = [(p, p.detach().clone(), p.grad) for p in params]
    state, groups = {p: deepcopy(s) for p, s in optimizer.state.items()}, [dict(g) for g in optimizer.param_groups]
    for p in params:
        if p.grad is None:
            p.grad = TABLE["zeros_like"](p)
    try:
        yield
    finally:
        with no_grad():
            for p, value, grad in held:
                p.copy_(value)
                p.grad = grad
        optimizer.state.clear()
        optimizer.state.update(state)
        for group, before in zip(optimizer.param_groups, groups, strict=True):
            group.clear()
            group.update(before)


def tensors_of(values: Any) -> Iterator[Tensor]:
    """The tensors among arguments, those in lists too."""
    return found_in(list(values), Tensor)


def shortened(text: str) -> str:
    """A call on one line."""
    return text if len(text) <= 160 else text[:150] + " ...)"


def show_call(made: Compiled, report: Report, measure: bool) -> None:
    """Print what a compiled call consists of: derivative, plan, steps, loop nests and kernels."""
    say, call = report.say, made.call
    d = call.derivative
    if d is not None:
        names = {0: "input", 1: "output", 2: "extra output"}
        say("\nresiduals   " + (", ".join(f"{names[kind]} {i}" for kind, i in d.residuals) or "none"))
        say("\nderivative program\n" + indent(str(d.backward)))
    plan = call.executable.plan
    say(f"\nplan        {len(plan.allocs)} buffers, {len(plan.steps)} steps, {len(plan.guards)} guards")
    for k, out in enumerate(plan.outputs):
        if out.kind != "buffer":
            say(
                f"output {k}    a view of input {out.index}: {', '.join(s[0] for s in out.steps) or 'itself'} "
                "(metadata alone)"
            )
    if plan.steps:
        table, why, apart = steps(made, measure)
        report.say("")
        report.add(table)
        if why:
            say("\nwhy each is a step\n" + indent("\n".join(why)))
        if apart:
            say("\nin memory between steps\n" + indent("\n".join(apart)))
    _report_steps(plan, "", say)


def _report_steps(plan: Any, within: str, say: Any) -> None:
    """Print the steps of a plan; those of a plan that is itself run in one are numbered within it."""
    for i, step in enumerate(plan.steps):
        number = f"{within}{i}"
        if hasattr(step, "kernel"):
            _report_kernel(f"step {number}:", step.kernel, say)
            continue
        params = {k: v for k, v in step.params.items() if k != "body"}
        say(f"\nstep {number}: library routine {step.name} {params}")
        if step.then is not None:
            _report_kernel("on its pieces", step.then.kernel, say)
        if step.body is not None:
            _report_steps(step.body, f"{number}.", say)


def _report_kernel(which: str, kernel: Any, say: Any) -> None:
    text = kernel.loops.text()
    say(f"\n{which} kernel {kernel_name(text)} ({kernel.kept} kept, {kernel.reduced} reduced dims)\n" + indent(text))


def find(name: str) -> Any:
    """The operator, or function of the package, of a name, with or without its namespace."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if "::" in name:
        try:
            return custom(name)
        except RuntimeError as error:
            raise LookupError(f"explain(): {error}") from None
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
            raise TypeError(
                f"explain(): {op.name}() is missing the argument '{p.name}' (expected {op.signature_text()})"
            )
        else:
            values.append(p.default)
    return values


def sample(op: Operator) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for a demonstration: the operator's first sample whose tensors have two dimensions or more,
    differentiable.
    """
    from rushlight.core import dtypes as dt
    from rushlight.testing import samples

    known = samples.load()
    found = next((known[k] for k in TABLE if k in known and operator_of(k) is op), None)
    if found is None:
        raise TypeError(f"explain(): {op.name}() has no samples; give it arguments")
    dtype = dt.float32 if dt.float32 in found.dtypes else found.dtypes[0]
    good = found.samples(dtype)
    pick = next(
        (s for s in good if isinstance(s.args[0], Tensor) and s.args[0].ndim >= 2 and s.args[0].numel()), good[0]
    )
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
