"""Writes the reference: a page for each namespace, with every public class and function that is no operator.

    python tools/site_build/reference.py build/site-sources

An operator of the table has a page of its own, which the lists here link to. Examples (`examples.py`) are run, and what
they print stands below them.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import operator_pages as table
import rushlight
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.inspection.documentation import argument, parse
from rushlight.inspection.method_arguments import METHOD_ARGUMENTS
from site_build import differences
from site_build.examples import EXAMPLES, RAISES

# Namespaces, what they are for, and whether they have a page for each file that defines their names.
NAMESPACES: dict[str, tuple[str, bool]] = {
    "": ("settings, files, random numbers, compositions of operators, and types", False),
    "nn": ("layers, losses and containers", True),
    "nn.functional": ("the functions behind the layers", False),
    "nn.init": ("initial values of weights", False),
    "nn.utils": ("clipping, vectors of parameters, norms of weights", False),
    "nn.utils.parametrize": ("parameters computed from others", False),
    "nn.utils.prune": ("masks over parameters", False),
    "nn.utils.rnn": ("sequences of several lengths", False),
    "nn.attention": ("which attention is used", False),
    "nn.parallel": ("accepted for programs that split batches", False),
    "optim": ("optimizers", False),
    "optim.lr_scheduler": ("schedules of the learning rate", False),
    "optim.swa_utils": ("averages of weights", False),
    "utils.data": ("datasets, samplers and loaders", False),
    "utils.checkpoint": ("computing activations again in the backward", False),
    "utils.dlpack": ("arrays of other libraries", False),
    "autograd": ("gradients, and functions with a backward of their own", False),
    "autograd.functional": ("Jacobians and Hessians of functions", False),
    "autograd.forward_ad": ("tangents", False),
    "autograd.graph": ("the graph of a backward, and hooks on it", False),
    "func": ("transforms of functions", False),
    "amp": ("computing in lower precision", False),
    "distributions": ("random variables with densities", False),
    "distributions.constraints": ("what values a parameter may have", False),
    "fx": ("programs of modules, as graphs to read and rewrite", False),
    "jit": ("a function as one program; the names of TorchScript", False),
    "compiler": ("what compiles", False),
    "library": ("operators of one's own", False),
    "export": ("a module's forward as a graph in a file", False),
    "profiler": ("where time goes", False),
    "random": ("the state of random numbers", False),
    "serialization": ("what files may hold", False),
    "sparse": ("sparse tensors", False),
    "masked": ("tensors with a mask", False),
    "testing": ("comparing tensors", False),
    "hub": ("models from repositories", False),
    "multiprocessing": ("processes that share tensors", False),
    "overrides": ("classes that stand for tensors", False),
}


@dataclass(frozen=True)
class Thing:
    """A public class or function."""

    namespace: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        """Its name below the package."""
        return f"{self.namespace}.{self.name}".strip(".")

    @property
    def file(self) -> str:
        """The file that defines it, without its folders."""
        return str(getattr(self.value, "__module__", "")).rpartition(".")[2]


def module(namespace: str) -> Any:
    """The module of a namespace."""
    return importlib.import_module(f"rushlight.{namespace}".rstrip("."))


def public(namespace: str) -> Iterator[tuple[str, Any]]:
    """The public names of a namespace and what they are: what it lists, else what is defined in it."""
    found = module(namespace)
    listed = list(getattr(found, "__all__", ()))
    names = listed or [n for n in dir(found) if not n.startswith("_")]
    if not namespace:
        names = sorted({*names, *(n for n in dir(found) if not n.startswith("_"))})
    for name in dict.fromkeys(names):
        try:
            value = getattr(found, name)
        except (AttributeError, ImportError):
            continue  # it needs a package that is not installed
        home = str(getattr(value, "__module__", "rushlight"))
        if inspect.ismodule(value) or not callable(value) or not home.startswith("rushlight"):
            continue
        if (
            not listed
            and namespace
            and not (home.startswith(f"rushlight.{namespace}") or isinstance(value, (Operator, Named)))
        ):
            continue  # imported there for use
        yield name, value


def things(namespace: str) -> list[Thing]:
    """What a namespace's page describes: classes and functions that are no operators of the table."""
    return [
        Thing(namespace, n, v)
        for n, v in public(namespace)
        if not isinstance(v, (Operator, Named)) and not n.endswith(_KINDS_OF_TENSORS)
    ]


_KINDS_OF_TENSORS = (
    "Storage",
    "FloatTensor",
    "IntTensor",
    "LongTensor",
    "HalfTensor",
    "DoubleTensor",
    "ByteTensor",
    "CharTensor",
    "ShortTensor",
    "BoolTensor",
    "BFloat16Tensor",
)


# -------------------------------------------------------------------------------------------------------------- entries
def signature(value: Any) -> str:
    """The arguments as source text, without what makes lines long and says nothing (`Any`)."""
    try:
        text = str(inspect.signature(value))
    except (ValueError, TypeError):
        return "(...)"
    text = re.sub(r"(: |-> )['\"]([^'\"]*)['\"]", r"\1\2", text)
    text = re.sub(r": (?:typing\.)?Any(?=[,)=\s])", "", text)
    text = re.sub(r"<(?:module|class|function|built-in function) '?([\w.]+)'?[^>]*>", r"\1", text)
    text = (
        re.sub(r"<[^>]*>", "...", text).replace(" -> None", "")
        if inspect.isclass(value)
        else re.sub(r"<[^>]*>", "...", text)
    )
    return re.sub(r"([(,]\s*\*?\*?\w+) = ", r"\1=", text)


def described(thing: Thing, depth: int = 0) -> dict[str, str]:
    """What is said of each argument: by the docstring, by that of the one it refers to, or for every argument of the
    name.
    """
    doc = parse(inspect.getdoc(thing.value))
    said = dict(doc.arguments)
    if doc.like and depth < 4 and (other := find(thing, doc.like)) is not None:
        said = described(other, depth + 1) | said
    if inspect.isclass(thing.value) and depth < 4:
        for base in thing.value.__mro__[1:3]:
            said = parse(inspect.getdoc(base)).arguments | said
    return said


def find(thing: Thing, name: str) -> Thing | None:
    """What a docstring refers to: a name of the same file, namespace or package."""
    homes = [sys.modules.get(str(getattr(thing.value, "__module__", ""))), module(thing.namespace), rushlight]
    for home in homes:
        value: Any = home
        for part in name.removeprefix("torch.").split("."):
            value = getattr(value, part, None)
        if value is not None:
            return Thing(thing.namespace, name, value)
    return None


def parameters(value: Any) -> list[str]:
    """The names of the arguments that a caller has."""
    try:
        listed = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        return []
    return [p.name for p in listed if not p.name.startswith("_") and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def arguments(thing: Thing) -> dict[str, str | None]:
    """Every argument with what is said of it; None where nothing is."""
    own = described(thing)
    return {n: own.get(n) or argument(thing.name, n) for n in parameters(thing.value)}


_NOUN = re.compile(
    r"(A|An|The|Whether|How|What|Which|Where|As|All|True|Each|Values?|Tensors?|Weight|Counters|Public|Several|"
    r"For every|"
    r"One|Two|Numbers?|Every|None|0, 1)\b|[(`]|\w+ of |\w+\(|beta |x with|interpolate|softmax|true_fn|max"
)
_DECORATOR = "The function; without one, a decorator."
# What is returned where neither the first sentence nor the annotation says it.
RETURNS: dict[str, str] = {
    **dict.fromkeys(
        (
            "library.custom_op",
            "library.impl",
            "library.impl_abstract",
            "library.register_autocast",
            "library.register_fake",
            "library.register_kernel",
            "library.register_torch_dispatch",
            "library.register_vmap",
            "amp.custom_bwd",
            "amp.custom_fwd",
            "fx.wrap",
        ),
        _DECORATOR,
    ),
    "load": "What was saved.",
    "serialization.load": "What was saved.",
    "jit.load": "The module.",
    "library.define": "Nothing; without a signature, a decorator.",
    "utils.data.default_collate": "A batch: tensors, or containers of them as the samples are.",
    "utils.data.default_convert": "The sample with tensors.",
    "utils.checkpoint.checkpoint_sequential": "What the last function gives.",
    "overrides.handle_torch_function": "What the class or mode gives.",
    "overrides.redispatch_function": "What the function gives.",
    "distributions.constraints.dependent": "A constraint, or a property with one.",
    "nn.init.sparse_": "The tensor itself, changed in place.",
    "sparse.as_sparse_gradcheck": "The function itself.",
    "set_num_threads": "Nothing.",
}


def returns(thing: Thing) -> str | None:
    """What a function returns where its docstring has no section for that; None where that is not known."""
    text = parse(inspect.getdoc(thing.value)).text
    if thing.path in RETURNS:
        return RETURNS[thing.path]
    if said := re.search(r"\breturns ([^.;]+)", text, re.IGNORECASE):
        return f"{said[1][0].upper()}{said[1][1:]}."
    try:
        annotation = str(inspect.signature(thing.value).return_annotation).strip("'\"")
    except (ValueError, TypeError):
        annotation = "Any"
    if annotation in ("None", "NoReturn", "Never"):
        return "Nothing."
    if text.startswith("NotImplementedError"):
        return "Nothing: it raises."
    if annotation.startswith(("Iterator[None]", "AbstractContextManager")):
        return "A context manager."
    if annotation == "Tensor" and thing.name.endswith("_"):
        return "The tensor itself, changed in place."
    if _NOUN.match(text):
        return "What the first sentence says."
    return f"`{annotation}`." if annotation not in ("Any", "<class 'inspect._empty'>") else None


def entry(thing: Thing) -> str:
    """One class or function."""
    doc = parse(inspect.getdoc(thing.value))
    kind = "class" if inspect.isclass(thing.value) else "function"
    text = f"\n## {thing.name}\n\n```{{py:{kind}}} {thing.name}{signature(thing.value)}\n:no-contents-entry:\n```\n\n"
    text += table.plain(doc.text) + "\n"
    said = arguments(thing)
    if said:
        text += "\n**Args:**\n\n" + "".join(f"- `{n}`{': ' + table.plain(s) if s else ''}\n" for n, s in said.items())
    for section in ("Returns", "Yields", "Raises", "Source", "Note"):
        if lines := doc.sections.get(section):
            text += f"\n**{section}:** {table.plain(' '.join(' '.join(lines).split()))}\n"
    if inspect.isclass(thing.value):
        text += listed(thing)
    elif "Returns" not in doc.sections and (gives := returns(thing)) and not gives.startswith("What the first"):
        text += f"\n**Returns:** {gives if gives.startswith('`') else table.plain(gives)}\n"
    if code := EXAMPLES.get(thing.path):
        shown = table.transcript(code, RAISES.get(thing.path, "")).replace(f"{table.ROOT}/", "")
        text += f"\n```python\n{shown}```\n"
    if different := differences.about(thing.path):
        text += f"\n{different}\n"
    return text


@dataclass(frozen=True)
class Method:
    """A public method or property that a class defines itself."""

    owner: Thing
    name: str
    value: Any
    called: bool  # it is no property

    @property
    def doc(self) -> str:
        """Its docstring, or that of the method that it replaces."""
        return inspect.getdoc(getattr(self.owner.value, self.name) if self.called else self.value) or ""

    def arguments(self) -> dict[str, str | None]:
        """Every argument with what is said of it by the docstring, the class's or the lists; None: nothing is."""
        if not self.called:
            return {}
        own, of_class = parse(self.doc).arguments, parse(inspect.getdoc(self.owner.value)).arguments
        return {
            n: own.get(n)
            or METHOD_ARGUMENTS.get(f"{self.name}:{n}")
            or METHOD_ARGUMENTS.get(n)
            or of_class.get(n)
            or argument(self.name, n)
            for n in parameters(self.value)
            if n not in ("self", "cls")
        }

    def says_result(self) -> bool:
        """Whether it is said what it returns; of a property, what it is."""
        sections = parse(self.doc).sections
        if not self.called or "Returns" in sections or "Yields" in sections:
            return bool(self.doc)
        return returns(Thing(self.owner.namespace, self.name, self.value)) is not None


def methods(thing: Thing) -> list[Method]:
    """The public methods and properties of a class; those of tensors are operators, which have pages."""
    found: list[Method] = []
    if not inspect.isclass(thing.value) or issubclass(thing.value, rushlight.Tensor):
        return found
    for name, value in vars(thing.value).items():
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        read = isinstance(value, property) or inspect.isgetsetdescriptor(value) or not callable(plain)
        if not name.startswith("_") and (inspect.isroutine(plain) or isinstance(value, property)):
            found.append(Method(thing, name, value if read else plain, not read))
    return found


def listed(thing: Thing) -> str:
    """A class's methods, each with what it does and what its arguments mean."""
    rows = ""
    for m in methods(thing):
        call = re.sub(r"\((self|cls)(, )?", "(", signature(m.value), count=1) if m.called else ""
        call = re.sub(r"( -> .*|: [^,)=]+(?=[,)=]))", "", call)
        doc = parse(m.doc).text.partition("\n\n")[0]
        rows += f"- `{m.name}{call}`" + (f": {table.plain(' '.join(doc.split()))}\n" if doc else "\n")
        rows += "".join(f"  - `{n}`: {table.plain(said)}\n" for n, said in m.arguments().items() if said)
    return f"\n**Methods:**\n\n{rows}" if rows else ""


# ---------------------------------------------------------------------------------------------------------------- pages
def pages() -> Iterator[tuple[str, str]]:
    """(name of the file, text) of every page."""
    where = {name: e.page for e in table.entries() for name in [*e.functions, *(f"Tensor.{m}" for m in e.methods)]}
    rows = ""
    for namespace, (about, by_file) in NAMESPACES.items():
        own, called = things(namespace), f"torch.{namespace}".rstrip(".")
        files = list(dict.fromkeys(t.file for t in own)) if by_file else []
        home = f"```{{py:currentmodule}} {called}\n```\n\n"
        text = f"# {called}\n\n{home}{about[0].upper()}{about[1:]}.\n"
        if files:
            for file in files:
                members = [t for t in own if t.file == file]
                title = parse(sys.modules[members[0].value.__module__].__doc__).text.partition("\n\n")[0]
                text += f"\n- [{file}]({called}-{file}.md): " + ", ".join(
                    f"[{t.name}]({called}-{file}.md#{t.name.lower()})" for t in members
                )
                page = f"# {called}: {file}\n\n{home}{table.plain(title)}\n" + "".join(map(entry, members))
                yield f"{called}-{file}.md", "---\norphan: true\n---\n\n" + page
            text += "\n"
        listed = [(n, v) for n, v in public(namespace) if isinstance(v, (Operator, Named))]
        links = [f"[{n}](../operators/{where[p]})" for n, _ in listed if (p := f"{namespace}.{n}".strip(".")) in where]
        if links:
            text += f"\nOperators, which have pages of their own ({len(links)}): {', '.join(links)}\n"
        text += "" if files else "".join(map(entry, own))
        yield f"{called}.md", text
        rows += f"| [{called}]({called}.md) | {about} | {len(own)} | {len(links)} |\n"
    yield (
        "index.md",
        (
            "# Reference\n\nEvery public class and function, by namespace; `torch` is rushlight: `import rushlight as "
            "torch`, or a program under `python -m rushlight`. [Operators](../operators/index.md) have pages of "
            "their own, by shape class and by family.\n\n"
            "| namespace | for | classes and functions | operators |\n| --- | --- | --- | --- |\n"
            + rows
            + "\n```{toctree}\n:hidden:\n\n"
            + "".join(f"torch.{n}".rstrip(".") + "\n" for n in NAMESPACES)
            + "```\n"
        ),
    )


def main() -> None:
    folder = Path(sys.argv[1]) / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / name).write_text(text)
    everything = [t for n in NAMESPACES for t in things(n)]
    shown = sum(t.path in EXAMPLES for t in everything)
    print(f"site: reference of {len(everything)} classes and functions, {shown} with an example that was run")


if __name__ == "__main__":
    main()
