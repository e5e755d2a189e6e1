"""What an operator is: the specification of one, and of its other forms."""

# Annotations are not postponed here: a NamedTuple compiles those that are text, which costs more than the rest of it.
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind, Param
from rushlight.core.named import Form


class Definition(NamedTuple):
    """The specification of an operator and of its in-place variant; `operator` says what the fields are."""

    name: str
    body: Callable[..., Any]
    namespace: str | None
    shape_class: str
    node: str = ""  # the name of its graph nodes; "" for the usual one of its name
    zero_gradient: bool = False
    keep_results: bool = True
    memory_format: str = ""
    precompile: Callable[..., list[list[Any]]] | None = None
    moves: bool = False
    out_decides: bool = False
    runs_once: bool = False  # its nodes refuse a second run, also where they keep nothing
    of_calls: bool = False  # it is several calls: its nodes have edges only to what they have a gradient for
    of_numbers: bool = True  # a call may have numbers for all of its operands
    some_out: bool = False  # out= may hold only the first results; the others are new tensors

    @property
    def label(self) -> str:
        """The name of its graph nodes, where no rule for the call gives another."""
        from rushlight.operators.table.node_names import usual_name

        return self.node or usual_name(self.name, self.namespace)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.body.__doc__

    @property
    def source(self) -> str:
        """File and line of the definition."""
        code = self.body.__wrapped__.__code__ if hasattr(self.body, "__wrapped__") else self.body.__code__
        return f"{code.co_filename}:{code.co_firstlineno}"


class Shape(NamedTuple):
    """How a public name takes an operator's arguments, see `form`."""

    required: tuple[str, ...]
    convert: Mapping[str, Callable[[str, Any], object]]
    none: Mapping[str, Any]
    same: Mapping[str, str]
    twin: tuple[str, Operator] | None
    defaults: Mapping[str, Any]

    def of(self, op: Operator, twin: Operator | None = None) -> Form:
        """The form of an operator's arguments."""

        def own(name: str) -> Param | None:
            at = op.index.get(self.same.get(name, name))
            return None if at is None else op.params[at]

        params = [self._param(own(name), name) for name in self.required]
        for name, default in self.defaults.items():
            p = own(name)
            # The operator's own default object is static: the core recognizes it by its identity.
            same = p is not None and not p.required and type(p.default) is type(default) and p.default == default
            params.append(self._param(p, name, p.default if p is not None and same else default, False))
        choice, twin = self.twin or ("inplace", twin)
        return Form(op, params, twin, dict(self.convert), dict(self.none), dict(self.same), choice)

    @staticmethod
    def _param(own: Param | None, name: str, default: Any = None, required: bool = True) -> Param:
        kind = Kind.P_STATIC if own is None else own.kind
        optional = default is None and not required or own is not None and own.optional
        return Param(name, kind, default, required, optional)
