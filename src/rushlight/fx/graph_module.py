"""`GraphModule`: a module whose forward is the code of a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import os
from pathlib import Path
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.graph import Graph, PythonCode, _PyTreeCodeGen
from rushlight.fx.tracing import Tracer
from rushlight.nn import Module

__all__ = ["GraphModule", "reduce_graph_module"]

_counter = itertools.count()
# Globals that every generated function has; a pickle names the others.
_GIVEN = frozenset(("torch", "inf", "nan", "NoneType", "fx_pytree", "pytree"))
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"  # what of `meta` a copy has as attributes


def _compile(code: PythonCode) -> Any:
    """The function `forward` of generated code, with its source where tracebacks and debuggers find it."""
    name = f"<eval_with_key>.{next(_counter)}"
    linecache.cache[name] = (len(code.src), None, code.src.splitlines(True), name)
    space = dict(code.globals)
    exec(compile(code.src, name, "exec"), space)
    return space["forward"]


def _copy_attr(source: Module, target: Module, path: str) -> None:
    """Give `target` the attribute at a path of `source`, making empty modules on the way."""
    *parts, last = path.split(".")
    for part in parts:
        found, into = getattr(source, part), getattr(target, part, None)
        if found is into:
            return
        if into is None:
            into = Module()
            setattr(target, part, into)
        source, target = found, into
    value = getattr(source, last)
    if last in getattr(source, "_buffers", {}):
        target.register_buffer(last, value, last not in source._non_persistent_buffers_set)
    elif isinstance(value, Tensor) and not isinstance(value, _parameter()):
        target.register_buffer(last, value)
    else:
        setattr(target, last, value)


def _parameter() -> type:
    from rushlight.nn import Parameter

    return Parameter


def _assign(target: Module, path: str, value: Any) -> None:
    *parts, last = path.split(".")
    for part in parts:
        into = getattr(target, part, None)
        if into is None:
            into = Module()
            setattr(target, part, into)
        target = into
    if isinstance(value, Tensor) and not isinstance(value, _parameter()):
        target.register_buffer(last, value)
    else:
        setattr(target, last, value)


class GraphModule(Module):
    """A module whose `forward` runs a graph; `graph` and `code` show it, `recompile()` takes over what was edited.

    root: a module, whose attributes that the graph names are taken over, or a dict from paths to them. graph: a Graph,
    which is copied. class_name: what the class is called.
    """

    _graph: Graph
    _code: str
    _in_spec: Any
    _out_spec: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # A class of its own for each instance: forward belongs to a class, and two instances have two.
        for base in cls.__mro__:
            if base.__qualname__.endswith("GraphModuleImpl"):
                continue
            found = base
            break

        class GraphModuleImpl(found):  # type: ignore[misc, valid-type]
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, str(node.target))
        elif isinstance(root, dict):
            paths = dict.fromkeys(str(node.target) for node in graph.nodes if node.op in ("get_attr", "call_module"))
            for path in sorted(paths, key=lambda p: p.count(".")):
                if path not in root:
                    raise RuntimeError(f"GraphModule(): 'root' must have what the graph names; it lacks {path!r}")
                _assign(self, path, root[path])
        else:
            raise RuntimeError(f"GraphModule(): 'root' must be a module or a dict; found {type(root).__name__}")
        self.graph = graph
        self.meta: dict[str, Any] = {}
        self._tracer_cls = (
            graph._tracer_cls if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__ else None
        )

    @property
    def graph(self) -> Graph:
        """The graph; after an edit call `recompile()`."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"GraphModule: 'graph' must be a Graph; found {type(g).__name__}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Make forward anew from the graph; returns its code."""
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            self._in_spec = self._graph._codegen.pytree_info.in_spec
            self._out_spec = self._graph._codegen.pytree_info.out_spec
        code = self._graph.python_code(root_module="self")
        self._code = code.src
        forward = _compile(code)
        type(self).forward = forward
        return code

    # ---- submodules by path
    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a path, making modules on the way; False where something else is in the way."""
        *parts, last = target.split(".")
        mod: Module = self
        for part in parts:
            if not hasattr(mod, part):
                setattr(mod, part, Module())
            found = getattr(mod, part)
            if not isinstance(found, Module):
                return False
            mod = found
        mod.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at a path; False where there is none."""
        *parts, last = target.split(".")
        mod: Any = self
        for part in parts:
            mod = getattr(mod, part, None)
            if not isinstance(mod, Module):
                return False
        if not isinstance(getattr(mod, last, None), Module):
            return False
        delattr(mod, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node calls or reads, nor holds within one that it does."""
        used: list[str] = []
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used += [".".join(parts[: i + 1]) for i in range(len(parts))]
                if node.op == "call_module":
                    found = self.get_submodule(str(node.target))
                    used += [f"{node.target}.{n}" for n, _ in found.named_modules() if n]
        for name in [n for n, _ in self.named_modules() if n and n not in used]:
            self.delete_submodule(name)

    # ---- text and files
    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        **kwargs: Any,
    ) -> str:
        """The code as a class, printed and returned; values are annotated with what `meta` knows of them."""
        code = self._graph.python_code(
            root_module="self", verbose=True, include_stride=include_stride, include_device=include_device
        )
        body = "\n".join("    " + line if line.strip() else "" for line in code.src.strip("\n").split("\n"))
        if not any(node.stack_trace for node in self._graph.nodes):
            head, colon, rest = body.partition(":\n        ")
            body = f"{head}{colon}# No stacktrace found for following nodes\n        {rest}" if colon else body
        text = f"class {type(self).__name__}(torch.nn.Module):\n{body}"
        if print_output:
            print(text)
        return text

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the code and the state into a folder that can be imported as a package with a class `module_name`."""
        import rushlight

        place = Path(folder)
        place.mkdir(exist_ok=True)
        rushlight.save(self.state_dict(), place / "state_dict.pt")
        lines = [
            "import torch",
            "from torch.nn import *",
            "",
            f"class {module_name}(torch.nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
        ]
        for name, module in self.named_children():
            rushlight.save(module, place / f"{name}.pt")
            lines.append(
                f"        self.add_module({name!r}, torch.load(r'{place / f'{name}.pt'}', weights_only=False))"
            )
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is not None:
                make = (
                    "torch.nn.Parameter(torch.empty({}, dtype={}))"
                    if name in self._parameters
                    else "torch.empty({}, dtype={})"
                )
                made = make.format(list(value.shape), str(value.dtype).replace("rushlight.", "torch."))
                lines.append(
                    "        "
                    f"self.{'register_parameter' if name in self._parameters else 'register_buffer'}({name!r}, "
                    f"{made})"
                )
        lines.append("        self.load_state_dict(torch.load(r'{}'))".format(place / "state_dict.pt"))
        lines += ["    " + line if line.strip() else "" for line in self._code.split("\n")]
        (place / "module.py").write_text("\n".join(lines) + "\n")
        (place / "__init__.py").write_text("from .module import *\n")

    def __str__(self) -> str:
        return (
            f"{super().__str__()}\n{self._code}\n# To see more debug info, please use `graph_module.print_readable()`"
        )

    # ---- copies
    def __reduce__(self) -> tuple[Any, ...]:
        state = self.__dict__.copy()
        graph = state.pop("_graph")
        code = graph.python_code(root_module="self")
        names = {k: v for k, v in code.globals.items() if k not in _GIVEN}
        return reduce_graph_module, (state, code.src, names)

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        parts = _CodeOnlyModule(
            {k: copy.deepcopy(v, memo) for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        )
        new = GraphModule(parts, copy.deepcopy(self._graph, memo))
        for k, v in parts.__dict__.items():
            if k not in new.__dict__ or k in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "training"):
                new.__dict__[k] = v
        new.meta = getattr(self, "meta", {}).copy()
        for k, v in new.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(new, k, v)
        return new

    def __copy__(self) -> GraphModule:
        return GraphModule(self, self.graph)


class _CodeOnlyModule(Module):
    """A module with the attributes of another, for its code to run on."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(body)


def reduce_graph_module(state: dict[str, Any], src: str, names: dict[str, Any]) -> GraphModule:
    """The GraphModule that `__reduce__` took apart: its code is traced again, with every submodule a leaf."""

    class KeepModules(Tracer):
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    spaces = {**Graph().python_code("self").globals, **names}

    class CodeOnly(_CodeOnlyModule):
        forward = _compile(PythonCode(src, spaces))

    parts = CodeOnly({k: v for k, v in state.items() if k != "_code"})
    tracer = KeepModules()
    graph = tracer.trace(parts)
    graph._tracer_cls = state.get("_tracer_cls")
    new = GraphModule(parts, graph)
    for k, v in state.items():  # what is an attribute of the module, and no part of the graph
        if not hasattr(new, k):
            setattr(new, k, v)
    return new
