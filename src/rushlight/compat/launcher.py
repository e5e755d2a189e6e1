"""`python -m rushlight script.py`: run a PyTorch program with rushlight in the place of torch.

python -m rushlight SCRIPT [ARG ...]        run a script, or the `__main__.py` of a folder or a zip archive
python -m rushlight -m MODULE [ARG ...]     run a module, as `python -m MODULE` does
python -m rushlight -c CODE [ARG ...]       run a piece of code
python -m rushlight                         Python's prompt, with torch there (or the program that standard input holds)
python -m rushlight -i ...                  any of these, then the prompt with the program's names
python -m rushlight explain OP              show what an operator is and what it compiles to
python -m rushlight show EXPRESSION [FILE]  write a page that shows how tensors lie in their storage, and print its path
python -m rushlight compare SCRIPT ...      run a script on PyTorch too, and name the first call whose results part
python -m rushlight minimize SCRIPT ...     write a file of a few lines that fails as a script does
python -m rushlight doctor                  say what this installation stands on, and what is wrong with it
python -m rushlight --stubs FOLDER          write there what type checkers know `import torch` by, and print its path
python -m rushlight --version
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import io
import os
import pkgutil
import sys
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

__all__ = ["main"]


def _usage(problem: str) -> NoReturn:
    print(f"rushlight: {problem}\n\n{__doc__}", file=sys.stderr)
    raise SystemExit(2)


def _main_module(file: str | None, loader: Any, spec: Any = None) -> ModuleType:
    """A new `__main__` in place of the launcher's, so that the program's classes and functions pickle by that name."""
    module = ModuleType("__main__")
    attributes: dict[str, Any] = {
        "__builtins__": builtins,
        "__loader__": loader,
        "__spec__": spec,
        "__annotations__": {},
    }
    if file is not None:
        attributes.update(__file__=file, __cached__=None)
    if spec is not None:
        attributes.update(__package__=spec.parent, __cached__=spec.cached)
    module.__dict__.update(attributes)
    return module


def _set_path(first: str) -> None:
    # `python -m rushlight` has put the working directory first, the `rushlight` command its own folder: neither is
    # what the program would find under plain `python`. With -P there is no such entry to replace.
    if not sys.flags.safe_path:
        sys.path[0] = first


def _script(path: str) -> tuple[CodeType, ModuleType]:
    if not os.path.exists(path):
        _usage(f"can't open file {path!r}: there is no such file")
    folder = os.path.dirname(os.path.realpath(path))
    # As the interpreter does: `__file__` and the lines of a traceback hold when the program changes its folder.
    path = os.path.abspath(path)
    finder = pkgutil.get_importer(path)
    if finder is not None:
        return _archive(path, finder)
    _set_path(folder)
    with io.open_code(path) as f:
        source = f.read()
    # dont_inherit: this file's __future__ imports are not the program's.
    code = compile(source, path, "exec", dont_inherit=True)
    return code, _main_module(path, importlib.machinery.SourceFileLoader("__main__", path))


def _archive(path: str, finder: Any) -> tuple[CodeType, ModuleType]:
    """The program of a folder or a zip archive: its `__main__.py`."""
    spec = finder.find_spec("__main__")
    if spec is None:
        _usage(f"can't find '__main__' module in {path!r}")
    _set_path(path)
    return spec.loader.get_code("__main__"), _main_module(spec.origin, spec.loader, spec)


_SHELLS = ("IPython", "ipykernel", "ipykernel_launcher")


def _module(name: str) -> tuple[CodeType, ModuleType]:
    _set_path(os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(name + ".__main__")
    except ModuleNotFoundError as e:
        _usage(f"no module named {e.name!r}")
    if spec is None or spec.loader is None:
        _usage(f"no module named {name!r} that can be run")
    code = spec.loader.get_code(spec.name)  # type: ignore[attr-defined]
    if code is None:
        _usage(f"module {name!r} has no Python code to run")
    sys.argv[0] = spec.origin or name
    if name in _SHELLS:
        # The shell that it makes is to show errors as the launcher does.
        sys.argv.insert(1, "--ext=rushlight.compat")
    return code, _main_module(spec.origin, spec.loader, spec)


class _InstallInChild:
    """Unpickling this puts rushlight in the place of torch."""

    def __reduce__(self) -> tuple[Any, ...]:
        from rushlight.compat.alias import install

        return install, ()


def _cover_spawned_children() -> None:
    """Let processes that multiprocessing starts afresh (spawn, forkserver) use rushlight too.

    Such a child imports the program's main file anew. What it reads before that is the preparation data, so the alias
    travels in there. Forked children have it anyway.
    """
    import multiprocessing.spawn as spawn

    plain = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**plain(name), "rushlight": _InstallInChild()}

    spawn.get_preparation_data = get_preparation_data


def _below_launcher(tb: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that is the program's: without the frames that led to its first line."""
    while tb is not None and tb.tb_frame.f_code.co_filename == __file__:
        tb = tb.tb_next
    return tb


def _execute(code: CodeType, module: ModuleType) -> int:
    """Run the program as `__main__`; returns 1 after showing an error that it let out. SystemExit passes through."""
    from rushlight.compat.tracebacks import shorten, tell

    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    except (SystemExit, KeyboardInterrupt):
        # The interpreter gives these their exit status itself.
        raise
    except BaseException as error:
        error.__traceback__ = _below_launcher(error.__traceback__)
        tell(error)
        shorten(error)
        # As the interpreter does for an uncaught error; the program may have put its own hook there.
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _interact(module: ModuleType, banner: str) -> int:
    """Python's prompt with the names of a module; returns the exit status."""
    import code

    hook = getattr(sys, "__interactivehook__", None)
    if hook is not None:
        hook()  # lines can be edited and completed, as far as this Python can do that
    sys.modules["__main__"] = module
    try:
        code.interact(banner, local=module.__dict__, exitmsg="")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    return 0


def _prompt() -> int:
    """What `python` without arguments does: the prompt, or the program that standard input holds."""
    sys.argv = [""]
    _set_path("")
    module = _main_module(None, None)
    if not sys.stdin.isatty():
        return _execute(compile(sys.stdin.read(), "<stdin>", "exec", dont_inherit=True), module)
    torch = importlib.import_module("torch")
    vars(module)["torch"] = torch
    return _interact(module, f"Python {sys.version.split()[0]}, with rushlight as torch {torch.__version__} (imported)")


def _explain(arguments: list[str]) -> int:
    if len(arguments) != 1:
        _usage(f"explain takes the name of one operator; found {len(arguments)} arguments")
    import rushlight

    try:
        rushlight.explain(arguments[0])
        sys.stdout.flush()
    # `| head` has read enough; the interpreter's own flush at exit must not find the pipe again
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except LookupError as error:
        print(f"rushlight: {error.args[0]}", file=sys.stderr)
        return 1
    return 0


def _show(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        _usage(f"show takes an expression and perhaps a file; found {len(arguments)} arguments")
    import ast

    import rushlight
    from rushlight.inspection.strides import page

    expression, *file = arguments
    try:
        tree = ast.parse(expression.strip(), "<expression>", "eval").body
        parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
        names: dict[str, Any] = {"torch": rushlight, "rushlight": rushlight}
        values = [eval(compile(ast.Expression(p), "<expression>", "eval"), names) for p in parts]
        print(page([(ast.unparse(p), v) for p, v in zip(parts, values)], *file).path)
    except Exception as error:  # whatever the expression raises
        print(f"rushlight: show: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def _compare(arguments: list[str]) -> int:
    from rushlight.inspection.compare import main as compare

    return compare(arguments)


def _minimize(arguments: list[str]) -> int:
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m rushlight minimize",
        description="Run a program that fails, and write a file of a few lines that fails the same way.",
    )
    parser.add_argument("--output", metavar="FILE", default="repro.py")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to look for something smaller")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    from rushlight.compat.alias import install
    from rushlight.inspection.minimize import of_program

    output = os.path.abspath(given.output)
    install()
    sys.argv = [given.script, *given.arguments]
    code, module = _script(given.script)
    sys.modules["__main__"] = module
    try:
        found = of_program(lambda: exec(code, module.__dict__), output, given.seconds)
    except RuntimeError as error:
        print(f"rushlight: {error}", file=sys.stderr)
        return 1
    if found is None:
        print("rushlight: minimize: the program ends without an exception", file=sys.stderr)
        return 1
    failure, path = found
    print(f"{type(failure).__name__}: {failure}\n\n{path}:\n{path.read_text()}", end="")
    return 0


def _doctor(arguments: list[str]) -> int:
    if arguments:
        _usage(f"doctor takes no arguments; found {len(arguments)}")
    from rushlight.inspection.doctor import main as doctor

    return doctor()


def _stubs(arguments: list[str]) -> int:
    if len(arguments) != 1:
        _usage(f"--stubs takes one folder; found {len(arguments)} arguments")
    from rushlight.compat.typings import write_stubs

    try:
        print(write_stubs(arguments[0]))
    except OSError as error:
        print(f"rushlight: --stubs: {error}", file=sys.stderr)
        return 1
    return 0


# Given first, unless there is a file of that name.
_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "explain": _explain,
    "doctor": _doctor,
    "show": _show,
    "compare": _compare,
    "minimize": _minimize,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line in `arguments` (default: this process's) and return the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    stay = given[:1] == ["-i"]  # the prompt follows
    if stay:
        given = given[1:]
    first, rest = (given[0], given[1:]) if given else ("", [])
    if first in ("-h", "--help"):
        print(__doc__)
        return 0
    if first in ("-V", "--version"):
        import rushlight
        from rushlight.compat.version import FOLLOWS

        own = rushlight.__version__
        print(f"rushlight {own.partition('+rushlight.')[2] or own}, standing in for torch {FOLLOWS}")
        return 0
    if first == "--stubs":
        return _stubs(rest)
    if first in _COMMANDS and not os.path.exists(first):
        return _COMMANDS[first](rest)

    from rushlight.compat.alias import install

    install()
    _cover_spawned_children()
    try:
        if not given:
            return _prompt()
        if first in ("-m", "-c"):
            if not rest:
                _usage(f"argument expected for the {first} option")
            sys.argv = [first, *rest[1:]]
            if first == "-m":
                code, module = _module(rest[0])
            else:
                _set_path("")
                code, module = compile(rest[0], "<string>", "exec", dont_inherit=True), _main_module(None, None)
        elif first == "-":
            sys.argv = given[:]
            _set_path("")
            code = compile(sys.stdin.read(), "<stdin>", "exec", dont_inherit=True)
            module = _main_module(None, None)
        elif first.startswith("-"):
            _usage(f"unknown option {first}")
        else:
            sys.argv = given[:]
            code, module = _script(first)
    except SyntaxError as error:
        sys.excepthook(SyntaxError, error.with_traceback(None), None)
        return 1
    if not stay:
        return _execute(code, module)
    try:
        _execute(code, module)
    except SystemExit as error:  # the program's names can still be looked at
        print(f"SystemExit: {error.code}", file=sys.stderr)
    return _interact(module, "")
