"""LLVM's assembly text, written as the generators go: types, constants, functions, and a builder of instructions.

A value is a type and a name. An instruction is one line of text, appended to its block when it is made; nothing else is
kept of it, so there is no graph of objects to build, to print and to collect. Types are interned and compared by
identity.

Within a block an instruction without side effects is written once: the same text again gives the same value. (Not so
what puts vectors together, which is hardly ever there already.) Integers are folded where that is free to see (both
operands constant, x + 0, x * 1, an offset of 0). Floating point is never folded: signed zeros, NaN and rounding are the
processor's.

Results are numbered, not named, because LLVM parses that faster; it wants the numbers in the order of the text.
So a block's place in the text is where it is first written to, and what is written elsewhere later on has a name:
variables, which are made in the first block, and phis. Syntax: the LLVM Language Reference Manual.
"""

from __future__ import annotations

import math
import operator
import struct
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, lru_cache
from itertools import count
from typing import Any


# -- types
# ---------------------------------------------------------------------------------------------------------------
class Type:
    """A type; made by the functions below alone, one object a type.

    text: as LLVM writes it; suffix: as the names of intrinsics have it; kind: "i" integer, "f" floating, "p" address,
    "v" nothing, "a" array; width: an integer's bits; count: of a vector's lanes or an array's elements, 0 for a scalar;
    element: of those, else itself. A vector's kind and width are its element's.
    """

    __slots__ = ("count", "element", "kind", "suffix", "text", "width")

    def __init__(
        self, kind: str, text: str, suffix: str, width: int = 0, element: Type | None = None, n: int = 0
    ) -> None:
        self.kind, self.text, self.suffix, self.width, self.element, self.count = (
            kind,
            text,
            suffix,
            width,
            element or self,
            n,
        )

    def __repr__(self) -> str:
        return self.text

    def __call__(self, x: float) -> Value:
        """The constant x (of a vector: in every lane)."""
        return constant(self, x)


@cache
def integer(width: int) -> Type:
    """i<width>."""
    return Type("i", f"i{width}", f"i{width}", width)


@cache
def vector(element: Type, n: int) -> Type:
    """n lanes of a scalar type."""
    return Type(element.kind, f"<{n} x {element.text}>", f"v{n}{element.suffix}", element.width, element, n)


@cache
def array(element: Type, n: int) -> Type:
    """n elements in memory."""
    return Type("a", f"[{n} x {element.text}]", "", 0, element, n)


I1, I8, I16, I32, I64 = (integer(n) for n in (1, 8, 16, 32, 64))
F16, F32, F64 = Type("f", "half", "f16", 16), Type("f", "float", "f32", 32), Type("f", "double", "f64", 64)
BF16 = Type("f", "bfloat", "bf16", 16)
PTR, VOID = Type("p", "ptr", "p0"), Type("v", "void", "isVoid")


# -- values
# --------------------------------------------------------------------------------------------------------------
class Value:
    """A result, an argument or a constant: `text` names it. value: of an integer constant (in every lane), else
    None. narrow: the bits that this is the wider form of, where that is known.
    """

    __slots__ = ("narrow", "text", "type", "value")

    def __init__(self, type_: Type, text: str, value: int | None = None) -> None:
        self.type, self.text, self.value = type_, text, value
        self.narrow: Value | None = None

    def __repr__(self) -> str:
        return f"{self.type.text} {self.text}"


def constant(t: Type, x: float) -> Value:
    """The number x as a constant of type t, in every lane of a vector.

    Integers are taken modulo 2^width. Floats are rounded to the type's precision, those past its range to infinity.

    Raises:
        TypeError: there are no numbers of this type.
    """
    if x == 0 and t.kind == "f":  # the cache cannot tell the zeros apart
        return _zero(t) if str(x)[0] != "-" else _constant(t, -0.0)
    return _constant(t, x)


@cache
def _zero(t: Type) -> Value:
    return Value(t, "zeroinitializer" if t.count else "0.0", None if t.kind == "f" else 0)


@lru_cache(maxsize=8192)
def _constant(t: Type, x: float) -> Value:
    e = t.element
    if t.kind == "i":
        n = int(x) & ((1 << e.width) - 1)
        if n == 0 and t.count:
            return _zero(t)
        n -= n >> (e.width - 1) << e.width
        text = str(n) if e.width > 1 else "true" if n else "false"
        return Value(t, f"splat ({e.text} {text})" if t.count else text, n)
    if t.kind != "f":
        raise TypeError(f"constant: expected an integer or floating type; found {t}")
    if e is not F64:  # written as the double of the same value
        code = "e" if e is F16 else "f"
        try:
            x = struct.unpack(code, struct.pack(code, x))[0]
        except OverflowError:
            x = math.copysign(math.inf, x)
    text = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
    return Value(t, f"splat ({e.text} {text})" if t.count else text)


@cache
def lanes(element: Type, numbers: tuple[int, ...]) -> Value:
    """The vector of these integers."""
    return Value(vector(element, len(numbers)), f"<{', '.join([f'{element.text} {n}' for n in numbers])}>")


@cache
def undefined(t: Type) -> Value:
    """A value whose lanes are all written, or read by nobody."""
    return Value(t, "poison")


NULL = Value(PTR, "null")


# -- modules, functions, blocks
# ------------------------------------------------------------------------------------------
class Module:
    """Functions and constant tables; attributes: LLVM's, of the functions that are defined here."""

    def __init__(self, name: str = "", attributes: str = "") -> None:
        self.name, self.attributes = name, attributes
        self.functions: dict[str, Function] = {}
        self.tables: dict[str, Value] = {}
        self._definitions: list[str] = []

    def table(self, name: str, element: Type, words: Callable[[], Sequence[int]]) -> Value:
        """The address of a private constant array of integers; words() is asked for once per process: a name is one
        table for good.
        """
        found = self.tables.get(name)
        if found is None:
            text = _tables.get((name, element))
            if text is None:
                numbers = words()
                elements = ", ".join([f"{element.text} {n}" for n in numbers])
                text = _tables[name, element] = (
                    f'@"{name}" = private unnamed_addr constant {array(element, len(numbers))} [{elements}]'
                )
            self._definitions.append(text)
            found = self.tables[name] = Value(PTR, f'@"{name}"')
        return found

    def text(self, triple: str = "", attributes: str = "") -> str:
        """LLVM's text, for a machine; attributes: those of every function defined, beside the module's own."""
        attributes = f"{attributes} {self.attributes}".strip()
        target = [f'target triple = "{triple}"'] if triple else []
        functions = [f.definition(attributes) for f in self.functions.values()]
        return "\n".join([f"; module {self.name}", *target, *self._definitions, *functions, *_WEIGHTS, ""])

    def __str__(self) -> str:
        return self.text()


_tables: dict[tuple[str, Type], str] = {}
# How likely a branch is to be taken: likely, and unlikely.
_WEIGHTS = ('!0 = !{!"branch_weights", i32 99, i32 1}', '!1 = !{!"branch_weights", i32 1, i32 99}')


class Function:
    """A function of a module: a declaration until it has a block."""

    def __init__(
        self, module: Module, returns: Type, parameters: Sequence[Type], name: str, pure: bool = False
    ) -> None:
        self._module, self.returns, self.name = weakref.ref(module), returns, name
        self.parameters = tuple(parameters)
        self.args = [Value(t, f"%x{k}") for k, t in enumerate(parameters)]
        self.blocks: list[Block] = []
        self.number = count().__next__  # what makes the names of blocks, variables and phis unique
        self.result = count().__next__  # the numbers of results
        self.pure = pure  # it computes, and does not touch memory: a call may be shared like an instruction
        module.functions[name] = self

    @property
    def module(self) -> Module:
        """The module, which holds the function and not the other way round: all goes with the last reference to it, in
        no cycle.
        """
        module = self._module()
        if module is None:
            raise RuntimeError(f"the module of function {self.name!r} is gone")
        return module

    def append_basic_block(self, name: str = "b") -> Block:
        """A new block, labelled by the name and a number; its place is behind the others when it is first written
        to.
        """
        return Block(f"{name}.{self.number()}")

    def place(self, block: Block) -> None:
        """Put a block behind the others, if it has no place yet."""
        if block.take_place():
            self.blocks.append(block)

    def definition(self, attributes: str) -> str:
        if not self.blocks:
            return f'declare {self.returns} @"{self.name}"({", ".join([t.text for t in self.parameters])})'
        head = f"define {self.returns} @{self.name}({', '.join([repr(a) for a in self.args])}) {attributes} {{"
        return "\n".join([head, *[b.definition() for b in self.blocks], "}"])


class Block:
    """A basic block: its lines so far, the values that they name by their text, and what ends it."""

    __slots__ = ("known", "lines", "name", "phis", "placed", "terminator")

    def __init__(self, name: str) -> None:
        self.name, self.placed = name, False
        self.phis: list[Phi] = []
        self.lines: list[str] = []
        self.known: dict[str, Value] = {}
        self.terminator = ""

    def take_place(self) -> bool:
        """Whether it has had none so far; from now on it has."""
        was, self.placed = self.placed, True
        return not was

    def end(self, text: str) -> None:
        """Write what ends it."""
        if self.terminator:
            raise AssertionError(f"block {self.name} has ended already: {self.terminator}")
        self.terminator = text

    def definition(self) -> str:
        return "\n".join([f"{self.name}:", *[p.definition() for p in self.phis], *self.lines, self.terminator])


class Phi(Value):
    """A value that depends on the block from which its block is entered."""

    __slots__ = ("incoming",)

    def __init__(self, type_: Type, text: str) -> None:
        super().__init__(type_, text)
        self.incoming: list[str] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        """`value`, when control comes from `block`."""
        if value.type is not self.type:
            raise _disagree("phi", self.type, value.type)
        self.incoming.append(f"[{value.text}, %{block.name}]")

    def definition(self) -> str:
        return f"{self.text} = phi {self.type.text} {', '.join(self.incoming)}"


def _disagree(what: str, x: Type, y: Type) -> TypeError:
    return TypeError(f"{what}: expected operands of one type; found {x} and {y}")


def _truth(what: str, x: Value, y: Value) -> Type:
    """The type of a comparison of two values, which must be of one type."""
    if x.type is not y.type:
        raise _disagree(what, x.type, y.type)
    return vector(I1, x.type.count) if x.type.count else I1


# -- instructions
# --------------------------------------------------------------------------------------------------------
def _floating(op: str) -> Callable[[IRBuilder, Value, Value], Value]:
    """A method for a floating instruction of two operands: one IEEE operation."""

    def emit(self: IRBuilder, x: Value, y: Value) -> Value:
        t = x.type
        if t is not y.type:
            raise _disagree(op, t, y.type)
        return self.pure(t, f"{op} {t.text} {x.text}, {y.text}")

    return emit


def _integers_compared(sign: str) -> Callable[[IRBuilder, str, Value, Value], Value]:
    """A method for x op y of integers; op as in Python."""

    def emit(self: IRBuilder, op: str, x: Value, y: Value) -> Value:
        truth = _truth("icmp", x, y)
        name, holds = _COMPARISONS[op]
        if x.value is not None and y.value is not None and (sign == "s" or op in ("==", "!=")):
            return constant(truth, holds(x.value, y.value))
        return self.pure(truth, f"icmp {name if op in ('==', '!=') else sign + name} {x.type.text} {x.text}, {y.text}")

    return emit


def _floats_compared(order: str) -> Callable[[IRBuilder, str, Value, Value], Value]:
    """A method for x op y of floats; "uno": whether either is NaN."""

    def emit(self: IRBuilder, op: str, x: Value, y: Value) -> Value:
        truth = _truth("fcmp", x, y)
        name = "uno" if op == "uno" else order + _COMPARISONS[op][0]
        return self.pure(truth, f"fcmp {name} {x.type.text} {x.text}, {y.text}")

    return emit


def _integral(
    op: str,
    neutral: int | None = None,
    fold: Callable[[int, int], int] | None = None,
    commutes: bool = False,
    zero: int | None = None,
) -> Callable[[IRBuilder, Value, Value], Value]:
    """A method for an integer instruction of two operands: x op neutral is x, x op zero is zero; fold(a, b) is done on
    constants.
    """

    def emit(self: IRBuilder, x: Value, y: Value) -> Value:
        t = x.type
        if t is not y.type:
            raise _disagree(op, t, y.type)
        a, b = x.value, y.value
        if b is not None:
            if b == neutral:
                return x
            if b == zero:
                return y
            if a is not None and fold is not None:
                return constant(t, fold(a, b))
        if a is not None and commutes:
            if a == neutral:
                return y
            if a == zero:
                return x
        return self.pure(t, f"{op} {t.text} {x.text}, {y.text}")

    return emit


def _cast(op: str) -> Callable[[IRBuilder, Value, Type], Value]:
    """A method for a conversion; to its own type a value goes as it is."""

    def emit(self: IRBuilder, x: Value, t: Type) -> Value:
        if x.type is t:
            return x
        if x.type.count != t.count and op != "bitcast":
            raise TypeError(f"{op}: expected as many lanes; found {x.type} to {t}")
        if x.value is not None and op in ("trunc", "sext"):
            return constant(t, x.value)
        return self.pure(t, f"{op} {x.type.text} {x.text} to {t.text}")

    return emit


_COMPARISONS: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    "==": ("eq", operator.eq),
    "!=": ("ne", operator.ne),
    "<": ("lt", operator.lt),
    "<=": ("le", operator.le),
    ">": ("gt", operator.gt),
    ">=": ("ge", operator.ge),
}


class IRBuilder:
    """Writes instructions at the end of a block (before what ends it).

    Arithmetic, comparisons, casts and addresses are written once per block. Operands are checked to agree in type;
    a TypeError names the instruction and both types.
    """

    def __init__(self, function: Function, block: Block | None = None) -> None:
        self.function, self.module = function, function.module
        self._result = function.result
        self.block = block or function.append_basic_block("entry")
        self._lines, self._known = self.block.lines, self.block.known
        function.place(self.block)

    # -- places
    # ----------------------------------------------------------------------------------------------------------
    def position_at_end(self, block: Block) -> None:
        """Go on writing at the end of a block."""
        self.function.place(block)
        self.block, self._lines, self._known = block, block.lines, block.known

    def append_basic_block(self, name: str = "b") -> Block:
        return self.function.append_basic_block(name)

    @contextmanager
    def goto_block(self, block: Block) -> Iterator[None]:
        """Write meanwhile at the end of an earlier block: instructions without a result (stores), and its end."""
        before = self.block
        self.position_at_end(block)
        yield
        self.position_at_end(before)

    def pure(self, t: Type, text: str) -> Value:
        """The value of type t of an instruction without side effects; this block's own, if it has one with this
        text.
        """
        value = self._known.get(text)
        if value is None:
            value = self._known[text] = Value(t, f"%{self._result()}")
            self._lines.append(f"{value.text} = {text}")
        return value

    def _fresh(self, t: Type, text: str) -> Value:
        value = Value(t, f"%{self._result()}")
        self._lines.append(f"{value.text} = {text}")
        return value

    # -- arithmetic
    # ------------------------------------------------------------------------------------------------------
    fadd, fsub, fmul, fdiv = (_floating(op) for op in ("fadd", "fsub", "fmul", "fdiv"))
    add, mul = _integral("add", 0, operator.add, True), _integral("mul", 1, operator.mul, True, 0)
    sub = _integral("sub", 0, operator.sub)
    sdiv, udiv, srem, urem = _integral("sdiv", 1), _integral("udiv", 1), _integral("srem"), _integral("urem")
    and_ = _integral("and", -1, operator.and_, True, 0)
    or_, xor = _integral("or", 0, operator.or_, True), _integral("xor", 0, operator.xor, True)
    shl, lshr, ashr = _integral("shl", 0), _integral("lshr", 0), _integral("ashr", 0)

    def fneg(self, x: Value) -> Value:
        return self.pure(x.type, f"fneg {x.type.text} {x.text}")

    def neg(self, x: Value) -> Value:
        return self.sub(constant(x.type, 0), x)

    def not_(self, x: Value) -> Value:
        return self.xor(x, constant(x.type, -1))

    # -- comparisons
    # -----------------------------------------------------------------------------------------------------
    icmp_signed, icmp_unsigned = _integers_compared("s"), _integers_compared("u")
    # false, and true, for NaN
    fcmp_ordered, fcmp_unordered = _floats_compared("o"), _floats_compared("u")

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        t, c = yes.type, condition.type
        if t is not no.type:
            raise _disagree("select", t, no.type)
        if c.element is not I1 or c.count not in (0, t.count):
            raise TypeError(f"select: expected a condition of i1 in as many lanes as {t}; found {c}")
        if condition.value is not None:
            return yes if condition.value else no
        return self.pure(t, f"select {c.text} {condition.text}, {t.text} {yes.text}, {t.text} {no.text}")

    # -- conversions
    # -----------------------------------------------------------------------------------------------------
    trunc, zext, sext = _cast("trunc"), _cast("zext"), _cast("sext")
    fptrunc, fpext, sitofp, uitofp = (_cast(op) for op in ("fptrunc", "fpext", "sitofp", "uitofp"))
    fptosi, fptoui = _cast("fptosi"), _cast("fptoui")
    bitcast, ptrtoint, inttoptr = (_cast(op) for op in ("bitcast", "ptrtoint", "inttoptr"))

    # -- vectors
    # ---------------------------------------------------------------------------------------------------------
    def broadcast(self, x: Value, n: int) -> Value:
        """The scalar x in n lanes."""
        t = vector(x.type, n)
        if x.text[0] != "%":  # a constant
            return Value(
                t, "zeroinitializer" if x.value == 0 or x.text == "0.0" else f"splat ({x.type.text} {x.text})", x.value
            )
        one = self._fresh(t, f"insertelement {t.text} poison, {x.type.text} {x.text}, i32 0")
        return self._fresh(t, f"shufflevector {t.text} {one.text}, {t.text} poison, <{n} x i32> zeroinitializer")

    def shuffle(self, x: Value, y: Value | None, mask: Sequence[int]) -> Value:
        """The lanes `mask` of x and y laid end to end; without y, of x."""
        t, other = x.type, y or undefined(x.type)
        if other.type is not t:
            raise _disagree("shufflevector", t, other.type)
        out, places = vector(t.element, len(mask)), lanes(I32, tuple(mask))
        return self._fresh(
            out, f"shufflevector {t.text} {x.text}, {t.text} {other.text}, {places.type.text} {places.text}"
        )

    def extract_element(self, v: Value, place: Value) -> Value:
        if not v.type.count:
            raise TypeError(f"extractelement: expected a vector; found {v.type}")
        return self.pure(v.type.element, f"extractelement {v.type.text} {v.text}, {place.type.text} {place.text}")

    def any_lane(self, mask: Value) -> Value:
        """Whether a vector of i1 is true in any lane; an i1 as it is."""
        if not mask.type.count:
            return mask
        bits = integer(mask.type.count)
        return self.icmp_unsigned("!=", self.bitcast(mask, bits), bits(0))

    def insert_element(self, v: Value, x: Value, place: Value) -> Value:
        if not v.type.count or v.type.element is not x.type:
            raise TypeError(f"insertelement: expected a vector and one of its elements; found {v.type} and {x.type}")
        return self._fresh(
            v.type, f"insertelement {v.type.text} {v.text}, {x.type.text} {x.text}, {place.type.text} {place.text}"
        )

    # -- memory
    # ----------------------------------------------------------------------------------------------------------
    def alloca(self, t: Type) -> Value:
        """A variable, made in the function's first block: one made in a loop would grow the stack at each turn."""
        value = Value(PTR, f"%a{self.function.number()}")
        self.function.blocks[0].lines.append(f"{value.text} = alloca {t.text}")
        return value

    def gep(self, p: Value, index: Sequence[Value], source_etype: Type, inbounds: bool = False) -> Value:
        """The address of the element of p that the indices name, p pointing at `source_etype`."""
        if p.type is not PTR:
            raise TypeError(f"getelementptr: expected an address; found {p.type}")
        if all(i.value == 0 for i in index):
            return p
        places = ", ".join([f"{i.type.text} {i.text}" for i in index])
        return self.pure(
            PTR, f"getelementptr {'inbounds ' if inbounds else ''}{source_etype.text}, ptr {p.text}, {places}"
        )

    def load(self, p: Value, typ: Type, align: int | None = None) -> Value:
        """The value of this type at p; align in bytes, the type's own when None."""
        if p.type is not PTR:
            raise TypeError(f"load: expected an address; found {p.type}")
        return self._fresh(typ, f"load {typ.text}, ptr {p.text}" + (f", align {align}" if align else ""))

    def store(self, v: Value, p: Value, align: int | None = None) -> None:
        if p.type is not PTR:
            raise TypeError(f"store: expected an address; found {p.type}")
        self._lines.append(f"store {v.type.text} {v.text}, ptr {p.text}" + (f", align {align}" if align else ""))

    # -- calls
    # -----------------------------------------------------------------------------------------------------------
    def call(self, f: Function, args: Sequence[Value]) -> Value:
        if tuple([a.type for a in args]) != f.parameters:
            raise TypeError(f"call of {f.name}: expected {list(f.parameters)}; found {[a.type for a in args]}")
        text = f'call {f.returns.text} @"{f.name}"({", ".join([f"{a.type.text} {a.text}" for a in args])})'
        if f.returns is VOID:
            self._lines.append(text)
            return Value(VOID, "")
        return self.pure(f.returns, text) if f.pure else self._fresh(f.returns, text)

    def intrinsic(self, name: str, returns: Type, args: Sequence[Value]) -> Value:
        """Call LLVM's intrinsic llvm.<name>, the suffixes of its types included."""
        return self.declared(f"llvm.{name}", returns, args, pure=not name.startswith(("masked.", "prefetch")))

    def declared(self, name: str, returns: Type, args: Sequence[Value], pure: bool) -> Value:
        """Call a function that is defined elsewhere; it is declared once per module."""
        f = self.module.functions.get(name)
        if f is None:
            f = Function(self.module, returns, [a.type for a in args], name, pure)
        return self.call(f, args)

    # -- control
    # ---------------------------------------------------------------------------------------------------------
    def phi(self, t: Type) -> Phi:
        phi = Phi(t, f"%f{self.function.number()}")
        self.block.phis.append(phi)
        return phi

    def branch(self, to: Block) -> None:
        self.block.end(f"br label %{to.name}")

    def cbranch(self, condition: Value, yes: Block, no: Block, likely: bool | None = None) -> None:
        """likely: whether `yes` is, when that is known."""
        if condition.type is not I1:
            raise TypeError(f"br: expected a condition of type i1; found {condition.type}")
        weights = "" if likely is None else ", !prof !0" if likely else ", !prof !1"
        self.block.end(f"br i1 {condition.text}, label %{yes.name}, label %{no.name}{weights}")

    def ret(self, v: Value) -> None:
        if v.type is not self.function.returns:
            raise TypeError(f"ret: expected {self.function.returns}; found {v.type}")
        self.block.end(f"ret {v.type.text} {v.text}")

    def ret_void(self) -> None:
        self.block.end("ret void")

    @contextmanager
    def _side(self, block: Block, after: Block) -> Iterator[None]:
        self.position_at_end(block)
        yield
        if not self.block.terminator:
            self.branch(after)

    @contextmanager
    def if_then(self, condition: Value, likely: bool | None = None) -> Iterator[None]:
        """What is written inside runs when the condition (i1) holds; the builder goes on behind it."""
        then, after = self.append_basic_block("then"), self.append_basic_block("after")
        self.cbranch(condition, then, after, likely)
        with self._side(then, after):
            yield
        self.position_at_end(after)

    @contextmanager
    def if_else(
        self, condition: Value, likely: bool | None = None
    ) -> Iterator[tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]:
        """Gives two contexts, to be entered in turn: for a condition that holds, and for one that does not."""
        then, otherwise, after = (self.append_basic_block(n) for n in ("then", "else", "after"))
        self.cbranch(condition, then, otherwise, likely)
        yield self._side(then, after), self._side(otherwise, after)
        self.position_at_end(after)
