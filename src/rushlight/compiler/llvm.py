"""LLVM: an IR module to a relocatable object for this processor. Imported only when no cache tier has the kernel."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import llvmlite.binding as llvm
from llvmlite import ir

_LEVEL = 2


@cache
def _machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=_features(), opt=_LEVEL, reloc="pic", codemodel="small")


def _features() -> str:
    features = llvm.get_host_cpu_features()
    return ",".join(("+" if on else "-") + name for name, on in sorted(features.items()))


def _prepare(module: ir.Module) -> llvm.ModuleRef:
    module.triple = llvm.get_default_triple()
    text = str(module)
    # no-builtins: no loop may become a call of memset or memcpy; prefer-vector-width keeps whole 512-bit vectors.
    attributes = '"no-builtins" "prefer-vector-width"="512" "no-jump-tables"="true"'
    text = text.replace('define i64 @"k"(ptr %".1", ptr %".2", i64 %".3", i64 %".4")', f'define i64 @"k"(ptr %".1", ptr %".2", i64 %".3", i64 %".4") {attributes}')
    if attributes not in text:
        raise AssertionError("compiler: the kernel function's header is not as expected")
    module_ref = llvm.parse_assembly(text)
    return module_ref


def optimised(module: ir.Module) -> llvm.ModuleRef:
    """The module after LLVM's passes.

    Not the standard pipeline: the vectors are explicit and values are shared already, so all that is left to do is to turn
    variables into registers and to clean up. Measured, that gives code as fast as -O2's in a quarter of the time (and no
    pass that could turn a loop into a call of memset).
    """
    ref = _prepare(module)
    passes = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(speed_level=_LEVEL))
    manager = llvm.create_new_function_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    for fn in ref.functions:
        if not fn.is_declaration:
            manager.run(fn, passes)
    return ref


@contextmanager
def _strength_reduction(on: bool) -> Iterator[None]:
    """Whether LLVM's code generator may rewrite address arithmetic in loops.

    Addresses are what the processor's addressing modes take already, so the pass finds nothing to win in most kernels and is one
    of the dearest. LLVM has no switch of a function or a module for it, only the process's: it is put back at once.
    """
    if not on:
        llvm.set_option("rushlight", "-disable-lsr=1")
    try:
        yield
    finally:
        if not on:
            llvm.set_option("rushlight", "-disable-lsr=0")


def compile_object(module: ir.Module, strength_reduction: bool = False) -> bytes:
    """Optimise the module and emit an object file for the host."""
    with _strength_reduction(strength_reduction):
        return _machine().emit_object(optimised(module))


def assembly(module: ir.Module, strength_reduction: bool = False) -> str:
    """The machine code as text, for tests and for `explain`."""
    with _strength_reduction(strength_reduction):
        return _machine().emit_assembly(optimised(module))
