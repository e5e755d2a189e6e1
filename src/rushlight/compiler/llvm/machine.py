"""LLVM: an IR module to a relocatable object, for this processor or another one of its family. Imported only when no
cache tier has the kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache as once
from typing import NamedTuple

try:
    import llvmlite.binding as llvm
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rushlight needs the package llvmlite to compile a kernel; without it a process runs what load_package() "
        "gives, and kernels that the cache has",
        name=error.name,
    ) from error

from rushlight.compiler import counters
from rushlight.compiler.llvm import ir, objfile
from rushlight.core import locks

_LEVEL = 2


class Target(NamedTuple):
    """A processor as LLVM knows it: its name, and the features that it has or lacks beside those of the name.

    masks: it reads and writes part of a vector as easily as all of it (AVX-512 with bytes and words).
    """

    cpu: str
    features: str
    masks: bool


@once
def host() -> Target:
    """The processor that this runs on."""
    features = llvm.get_host_cpu_features()
    text = ",".join(("+" if on else "-") + name for name, on in sorted(features.items()))
    return Target(llvm.get_host_cpu_name(), text, bool(features.get("avx512bw")))


_chosen: ContextVar[Target | None] = ContextVar("target", default=None)


def target() -> Target:
    """The processor that code is made for now."""
    return _chosen.get() or host()


@contextmanager
def made_for(chosen: Target) -> Iterator[None]:
    """Within the block code is made for this processor."""
    before = _chosen.set(chosen)
    try:
        yield
    finally:
        _chosen.reset(before)


def target_suffix() -> str:
    """What the names of code in the cache end in, where it is made for another processor than this one."""
    chosen = target()
    return "" if chosen == host() else f"\nfor {chosen.cpu} {chosen.features}"


@once
def _machine_of(chosen: Target) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    made = llvm.Target.from_default_triple()
    return made.create_target_machine(
        cpu=chosen.cpu, features=chosen.features, opt=_LEVEL, reloc="pic", codemodel="small"
    )


def _machine() -> llvm.TargetMachine:
    return _machine_of(target())


def masks() -> bool:
    """Whether the processor reads and writes part of a vector as easily as all of it."""
    return target().masks


def _prepare(module: ir.Module) -> llvm.ModuleRef:
    # no-builtins: no loop may become a call of memset or memcpy; prefer-vector-width keeps whole 512-bit vectors.
    attributes = '"no-builtins" "prefer-vector-width"="512" "no-jump-tables"="true"'
    if not masks():  # of 16 registers many values wait on the stack: in whole lines of the cache, wherever that begins
        attributes += " alignstack(64)"
    return llvm.parse_assembly(module.text(llvm.get_default_triple(), attributes))


def optimised(module: ir.Module) -> llvm.ModuleRef:
    """The module after LLVM's passes.

    Not the standard pipeline: the vectors are explicit and values are shared already, so all that is left to do is to
    turn variables into registers and to merge blocks, with no pass that could turn a loop into a call of memset.
    Combining instructions is left out: it took time, and maxima and bits of random numbers suffered.
    """
    ref = _prepare(module)
    passes = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(speed_level=_LEVEL))
    manager = llvm.create_new_function_pass_manager()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    for fn in ref.functions:
        if not fn.is_declaration:
            manager.run(fn, passes)
    return ref


@contextmanager
def _fewer_passes(strength_reduction: bool) -> Iterator[None]:
    """Passes of LLVM's code generator that find nothing to win in our kernels, and are among its slowest, are off.

    Strength reduction rewrites address arithmetic in loops: the processor's addressing modes take ours as it is, but
    for the short loops of some kernels. CodeGenPrepare moves it next to its uses, and the scheduler after register
    allocation reorders what the first scheduler ordered. LLVM has no switch of a function or a module for them, only
    the process's: they are put back at once.
    """
    off = {"disable-cgp": 1, "disable-post-ra": 1, "disable-lsr": int(not strength_reduction)}
    try:
        # all of them: an exception of a signal handler may have kept the last user from putting one back
        for name, value in off.items():
            llvm.set_option("rushlight", f"-{name}={value}")
        yield
    finally:
        for name in off:
            llvm.set_option("rushlight", f"-{name}=0")


def compile_object(module: ir.Module, strength_reduction: bool = False) -> bytes:
    """Optimise the module and emit an object file for the host."""
    with _fewer_passes(strength_reduction):
        code: bytes = _machine().emit_object(optimised(module))
        return code


def machine_code(make: Callable[[], ir.Module], strength_reduction: bool = False) -> objfile.Made:
    """The code of the module that `make` makes, ready to be loaded; the time that all of it takes is counted."""
    start = time.perf_counter()
    with locks.no_collections():
        made = objfile.flatten(compile_object(make(), strength_reduction))
    counters.count("ms", 1000 * (time.perf_counter() - start))
    return made


def assembly(module: ir.Module, strength_reduction: bool = False) -> str:
    """The machine code as text, for tests and for `explain`."""
    with _fewer_passes(strength_reduction):
        text: str = _machine().emit_assembly(optimised(module))
        return text
