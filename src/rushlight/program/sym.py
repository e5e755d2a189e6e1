"""Symbolic sizes: integer polynomials over symbols, with guards recorded where Python code compares them.

A `Sym` stands for an integer that is known only when a program is launched. Arithmetic builds a normal form (a sum of
coefficient * product of atoms), so equal sizes are usually seen to be equal. A comparison that the normal form does not
decide is answered by the example sizes (the hints) of the trace, and recorded in `SymEnv.guards`: a cached program is
valid for all sizes under which every recorded comparison has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, overload

Monomial = tuple["Atom", ...]


class Atom:
    """A symbol (`op == "var"`, args = (index,)) or an opaque floordiv/mod/min/max of two sizes.

    There is one object for equal atoms (see `var_atom` and `call_atom`), so that they compare and hash by identity, in
    C: a trace does little else. Arguments that are Syms belong to no environment; an atom means the same in all copies
    of one.
    """

    __slots__ = ("args", "key", "op", "order")

    def __init__(self, op: str, args: tuple[Any, ...]) -> None:
        self.op, self.args = op, args
        self.key: tuple[Any, ...] = (op, *(_nested(x) for x in args))
        self.order = repr(self.key)  # what atoms are sorted by within a monomial


_vars: dict[int, Atom] = {}
_calls: dict[tuple[Any, ...], Atom] = {}
_order = attrgetter("order")


def _nested(x: Int) -> Any:
    """A size as tuples that do not depend on the order of its terms."""
    if not isinstance(x, Sym):
        return x
    return ("sym", *sorted(((tuple(a.key for a in m), c) for m, c in x.terms.items()), key=repr))


def var_atom(index: int) -> Atom:
    """The atom of symbol number `index`."""
    return _vars.get(index) or _vars.setdefault(index, Atom("var", (index,)))


def call_atom(op: str, a: Int, b: Int) -> Atom:
    """The atom of an operation on two sizes that is no polynomial of them."""
    key = (op, a.key if isinstance(a, Sym) else a, b.key if isinstance(b, Sym) else b)
    found = _calls.get(key)
    if found is None:
        found = _calls.setdefault(key, Atom(op, tuple(Sym(None, x.terms) if isinstance(x, Sym) else x for x in (a, b))))
    return found


class Guard:
    """`lhs op rhs` must be `expected` for the traced program to be valid; op is "==" or "<" or "<="."""

    __slots__ = ("expected", "lhs", "op", "rhs")

    def __init__(self, op: str, lhs: Int, rhs: Int, expected: bool) -> None:
        self.op, self.lhs, self.rhs, self.expected = op, lhs, rhs, expected

    def __repr__(self) -> str:
        return f"{'' if self.expected else 'not '}{self.lhs} {self.op} {self.rhs}"


class SymEnv:
    """The symbols of one program: their hints (example values) and the guards found so far."""

    def __init__(self, hints: list[int] | None = None) -> None:
        self.hints: list[int] = list(hints or ())
        self.names: list[str] = [f"s{i}" for i in range(len(self.hints))]
        self.guards: list[Guard] = []
        self._known: dict[Any, bool] = {}
        self._replace: dict[Atom, Int] = {}
        self._signed: set[int] = set()
        # Symbols of numbers that a caller writes (windows, widths, output sizes): a kernel has no variants by them.
        self.given: frozenset[int] = frozenset()
        # Whether somebody has looked at an example value without a guard: what was made then may be for it alone.
        self.by_example = False
        # identifies the equalities in `_replace`: a Sym keeps what it was simplified to under them
        self._state = object()

    def copy(self) -> SymEnv:
        """An independent environment with the same symbols, guards and known equalities."""
        new = SymEnv(self.hints)
        new.names, new.guards = list(self.names), list(self.guards)
        new._known = dict(self._known)
        new._replace = {atom: new.adopt(x) for atom, x in self._replace.items()}
        new._signed.update(self._signed)
        new.given, new.by_example = self.given, self.by_example
        return new

    def knowledge(self) -> tuple[Any, ...]:
        """All that is known about the sizes, whether or not a guard says it, in words that are the same in every
        process."""
        known = sorted((op, _words(key), answer) for (op, key), answer in self._known.items())
        return (
            sorted(self._signed),
            known,
            [(atom.order, _words(_terms(x).items())) for atom, x in self._replace.items()],
        )

    @property
    def has_equal_sizes(self) -> bool:
        """Whether guards have found sizes equal that are written differently."""
        return bool(self._replace)

    def adopt(self, x: Int) -> Int:
        """The same size in this environment; `x` was written in the environment that this one is a copy of."""
        if not isinstance(x, Sym) or x.env is self:
            return x
        new = Sym(self, x.terms)
        new._key = x._key
        return new

    def new(self, hint: int, name: str | None = None) -> Sym:
        """A fresh symbol with its example value; its index is `len(env.hints)` before the call."""
        index = len(self.hints)
        self.hints.append(int(hint))
        self.names.append(name or f"s{index}")
        return self.var(index)

    def var(self, index: int) -> Sym:
        return Sym(self, {(var_atom(index),): 1})

    def follows_given(self, x: Int) -> bool:
        """Whether `x` depends on a symbol of `given`."""
        if not self.given or not isinstance(x, Sym):
            return False
        return any(
            a.args[0] in self.given if a.op == "var" else any(map(self.follows_given, a.args))
            for mono in x.terms
            for a in mono
        )

    def hint(self, x: Int) -> int:
        """The example value of `x`."""
        if not isinstance(x, Sym):
            return int(x)
        total = 0
        for mono, c in x.terms.items():
            for atom in mono:
                c *= self._atom_hint(atom)
            total += c
        return total

    def looked_at(self, x: Sym) -> int:
        """`hint`, for what goes by the example's sizes without a guard that would say so."""
        self.by_example = True
        return self.hint(x)

    def _atom_hint(self, atom: Atom) -> int:
        if atom.op == "var":
            index: int = atom.args[0]
            return self.hints[index]
        a, b = (self.hint(v) for v in atom.args)
        return {"floordiv": lambda: a // b, "mod": lambda: a % b, "min": lambda: min(a, b), "max": lambda: max(a, b)}[
            atom.op
        ]()

    def simplify(self, x: Int) -> Int:
        """Rewrite `x` by the equalities that guards have established."""
        replace = self._replace
        if not replace or not isinstance(x, Sym):
            return x
        if x._state is self._state:
            return x if x._simple is None else x._simple
        found: Int | None = None
        for mono in x.terms:
            if not replace.keys().isdisjoint(mono):
                by = lambda atom: replace[atom] if atom in replace else Sym(self, {(atom,): 1})
                found = self.simplify(x.evaluated(by))
                break
        return x.became(found, self._state)

    def decide(self, op: str, lhs: Int, rhs: Int) -> bool:
        """Answer `lhs op rhs` (op: "==", "<", "<="), recording a guard when the answer depends on the sizes."""
        lhs, rhs = self.simplify(lhs), self.simplify(rhs)
        diff = lhs - rhs
        if not isinstance(diff, Sym):
            return _compare(op, diff)
        key = (op, diff.key)
        if key in self._known:
            return self._known[key]
        if (sure := self._provable(op, diff)) is not None:
            return sure
        answer = _compare(op, self.hint(diff))
        self._known[key] = answer
        self.guards.append(Guard(op, lhs, rhs, answer))
        if op == "==" and answer:
            self._unify(lhs, rhs)
        return answer

    ask = decide  # what a comparison in a program gives

    def sure(self, op: str, lhs: Int, rhs: Int) -> bool | None:
        """The answer of `decide` where no guard is needed for it; None elsewhere."""
        diff = self.simplify(lhs) - self.simplify(rhs)
        if not isinstance(diff, Sym):
            return _compare(op, diff)
        known = self._known.get((op, diff.key))
        return self._provable(op, diff) if known is None else known

    def _provable(self, op: str, diff: Sym) -> bool | None:
        # Symbols are sizes >= 0 unless created by `new_signed`; only a sum of terms of one sign is decided here.
        const, up, down = 0, False, False
        for mono, c in diff.terms.items():
            for a in mono:
                if a.op != "var" or a.args[0] in self._signed:
                    return None
            if not mono:
                const = c
            elif c > 0:
                up = True
            else:
                down = True
        if up == down:
            return None
        if up:
            return False if const > 0 or (op == "<" and const >= 0) else None
        if op == "<=" and const <= 0:
            return True
        return op != "==" if const < 0 else None

    def new_signed(self, hint: int, name: str | None = None) -> Sym:
        """A fresh symbol that may be negative (a stride, an offset, an int argument)."""
        self._signed.add(len(self.hints))
        return self.new(hint, name)

    def _unify(self, lhs: Int, rhs: Int) -> None:
        for a, b in ((lhs, rhs), (rhs, lhs)):
            if isinstance(a, Sym) and len(a.terms) == 1:
                ((mono, c),) = a.terms.items()
                if c == 1 and len(mono) == 1:
                    atom = mono[0]
                    if not (isinstance(b, Sym) and any(atom in m for m in b.terms)):
                        self._replace[atom] = b
                        self._state = object()
                        return


class Sym:
    """A symbolic integer; arithmetic with ints and Syms gives Syms, comparisons give bools and record guards."""

    __slots__ = ("_key", "_simple", "_state", "env", "terms")

    def __init__(self, env: SymEnv | None, terms: dict[Monomial, int]) -> None:
        self.env: SymEnv = env  # type: ignore[assignment]  # None within an atom, where nothing is compared
        self.terms = terms
        self._key: frozenset[tuple[Monomial, int]] | None = None
        self._state: object = None  # of `env.simplify`: the equalities that it was last rewritten by,
        self._simple: Int | None = None  # and what it became; None: itself

    def became(self, simple: Int | None, state: object) -> Int:
        """Keep what `env.simplify` has made of it by these equalities (None: itself), and return it."""
        self._state, self._simple = state, simple
        return self if simple is None else simple

    @property
    def key(self) -> frozenset[tuple[Monomial, int]]:
        """Equal for equal normal forms; made when first needed, since most Syms are steps on the way to others."""
        if self._key is None:
            self._key = frozenset(self.terms.items())
        return self._key

    def evaluated(self, of_atom: Callable[[Atom], Any], number: Callable[[int], Any] = int) -> Any:
        """The sum of products with what `of_atom` gives in the place of each atom, and `number` of each coefficient."""
        total = number(0)
        for mono, c in self.terms.items():
            term = number(c)
            for atom in mono:
                term = term * of_atom(atom)
            total = total + term
        return total

    def words(self) -> list[tuple[str, int]]:
        """Its normal form in words that are the same in every process."""
        return _words(self.terms.items())

    @staticmethod
    def _make(env: SymEnv, terms: dict[Monomial, int]) -> Int:
        """The size of these terms, none of which is zero."""
        if len(terms) <= 1:
            if not terms:
                return 0
            if () in terms:
                return terms[()]
        return Sym(env, terms)

    # -- arithmetic -------------------------------------------------------------------------------------------------
    def __add__(self, other: Int) -> Int:
        if not isinstance(other, (int, Sym)):
            return NotImplemented
        terms = self.terms.copy()
        for m, c in other.terms.items() if isinstance(other, Sym) else (((), int(other)),):
            if total := terms.get(m, 0) + c:
                terms[m] = total
            else:
                terms.pop(m, None)
        return Sym._make(self.env, terms)

    __radd__ = __add__

    def __neg__(self) -> Int:
        return Sym(self.env, {m: -c for m, c in self.terms.items()})

    def __pos__(self) -> Sym:
        return self

    def __sub__(self, other: Int) -> Int:
        if not isinstance(other, Sym):
            return self + (-other) if isinstance(other, int) else NotImplemented
        terms = self.terms.copy()
        for m, c in other.terms.items():
            if total := terms.get(m, 0) - c:
                terms[m] = total
            else:
                terms.pop(m, None)
        return Sym._make(self.env, terms)

    def __rsub__(self, other: Int) -> Int:
        return (-self) + other if isinstance(other, (int, Sym)) else NotImplemented

    def __mul__(self, other: Int) -> Int:
        if isinstance(other, int):
            return self if other == 1 else Sym(self.env, {m: c * other for m, c in self.terms.items()}) if other else 0
        if not isinstance(other, Sym):
            return NotImplemented
        terms: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                m = tuple(sorted(m1 + m2, key=_order)) if m1 and m2 else m1 or m2
                terms[m] = terms.get(m, 0) + c1 * c2
        if 0 in terms.values():
            terms = {m: c for m, c in terms.items() if c}
        return Sym._make(self.env, terms)

    __rmul__ = __mul__

    def __floordiv__(self, other: Int) -> Int:
        return _floordiv(self.env, self, other)

    def __rfloordiv__(self, other: Int) -> Int:
        return _floordiv(self.env, other, self)

    def __mod__(self, other: Int) -> Int:
        return _mod(self.env, self, other)

    def __rmod__(self, other: Int) -> Int:
        return _mod(self.env, other, self)

    def __divmod__(self, other: Int) -> tuple[Int, Int]:
        return self // other, self % other

    def __pow__(self, n: int) -> Int:
        result: Int = 1
        for _ in range(n):
            result = result * self
        return result

    def __truediv__(self, other: float | Sym) -> float:
        return int(self) / (int(other) if isinstance(other, Sym) else other)

    def __rtruediv__(self, other: float) -> float:
        return other / int(self)

    def __abs__(self) -> Int:
        return -self if self < 0 else self

    # -- comparison -------------------------------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Sym)):
            return NotImplemented
        if other is self or (isinstance(other, Sym) and other.terms == self.terms):
            return True
        return self.env.ask("==", self, other)

    def __ne__(self, other: object) -> bool:
        return opposite(self == other)  # type: ignore[no-any-return]

    def __lt__(self, other: Int) -> bool:
        return self.env.ask("<", self, other)

    def __le__(self, other: Int) -> bool:
        return self.env.ask("<=", self, other)

    def __gt__(self, other: Int) -> bool:
        return opposite(self.env.ask("<=", self, other))  # type: ignore[no-any-return]

    def __ge__(self, other: Int) -> bool:
        return opposite(self.env.ask("<", self, other))  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return not self.env.decide("==", self, 0)

    def __hash__(self) -> int:
        return hash(self.key)

    def __int__(self) -> int:
        """The example value, and a guard that pins the program to it."""
        value = self.env.hint(self)
        self.env.decide("==", self, value)
        return value

    __index__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __repr__(self) -> str:
        return _text(self.env, self)


Int = int | Sym


class Undecided:
    """The answer of comparisons that all hold, or with `negated` not all, as long as nobody needs it: where Python asks
    whether it is true, it is decided, and guards say so.

    Args:
        parts: the comparisons, each with its environment, and whether its opposite is meant.
    """

    __slots__ = ("negated", "parts")

    def __init__(self, *parts: tuple[SymEnv, str, Int, Int, bool], negated: bool = False) -> None:
        self.parts, self.negated = parts, negated

    def sure(self) -> bool | None:
        """The answer where no guard is needed for it; None elsewhere."""
        found: bool | None = True
        for env, op, lhs, rhs, other in self.parts:
            answer = env.sure(op, lhs, rhs)
            if answer is other:
                return self.negated
            if answer is None:
                found = None
        return None if found is None else not self.negated

    def opposite(self) -> Undecided:
        """True where this is False."""
        if len(self.parts) > 1:
            return Undecided(*self.parts, negated=not self.negated)
        ((env, op, lhs, rhs, other),) = self.parts
        return Undecided((env, op, lhs, rhs, not other))

    def __bool__(self) -> bool:
        return all(env.decide(op, lhs, rhs) != other for env, op, lhs, rhs, other in self.parts) != self.negated

    def __and__(self, other: Any) -> Any:
        if isinstance(other, Undecided):
            lazy = not (self.negated or other.negated)
            return Undecided(*self.parts, *other.parts) if lazy else bool(self) & bool(other)
        return NotImplemented if not isinstance(other, bool) else self if other else False

    def __or__(self, other: Any) -> Any:
        if isinstance(other, (bool, Undecided)):
            return opposite(opposite(self) & opposite(other))
        return NotImplemented

    __rand__, __ror__ = __and__, __or__

    def __int__(self) -> int:
        return int(bool(self))

    __index__ = __int__

    def __add__(self, other: Any) -> Any:
        return bool(self) + other

    def __mul__(self, other: Any) -> Any:
        return bool(self) * other

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: Any) -> Any:
        return bool(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - bool(self)

    def __eq__(self, other: object) -> bool:
        return bool(self) == (bool(other) if isinstance(other, Undecided) else other)

    def __hash__(self) -> int:
        return hash(bool(self))

    def __repr__(self) -> str:
        text = " and ".join(repr(Guard(op, lhs, rhs, not other)) for _, op, lhs, rhs, other in self.parts)
        return f"not ({text})" if self.negated else text


def opposite(answer: Any) -> Any:
    """True where `answer` is False."""
    return not answer if type(answer) is bool else answer.opposite()


def _compare(op: str, diff: int) -> bool:
    return diff == 0 if op == "==" else diff < 0 if op == "<" else diff <= 0


def _terms(x: Int) -> dict[Monomial, int]:
    return x.terms if isinstance(x, Sym) else {(): int(x)}


def _words(terms: Iterable[tuple[Monomial, int]]) -> list[tuple[str, int]]:
    return sorted(("*".join([a.order for a in mono]), c) for mono, c in terms)


def _text(env: SymEnv | None, x: Int) -> str:
    if not isinstance(x, Sym):
        return str(x)
    parts = []
    for m, c in x.terms.items():
        names = [_atom_name(env, a) for a in m]
        parts.append("*".join(([str(c)] if c != 1 or not m else []) + names))
    return " + ".join(parts)


def _atom_name(env: SymEnv | None, a: Atom) -> str:
    if a.op == "var":
        return f"s{a.args[0]}" if env is None else env.names[a.args[0]]
    return f"{a.op}({_text(env, a.args[0])}, {_text(env, a.args[1])})"


def _exact_quotient(a: Int, b: Int) -> dict[Monomial, int] | None:
    """a / b when b is one term that divides every term of a."""
    tb = _terms(b)
    if len(tb) != 1:
        return None
    ((mb, cb),) = tb.items()
    out: dict[Monomial, int] = {}
    for m, c in _terms(a).items():
        rest = list(m)
        for atom in mb:
            if atom not in rest:
                return None
            rest.remove(atom)
        if cb == 0 or c % cb:
            return None
        out[tuple(rest)] = c // cb
    return out


def _floordiv(env: SymEnv, a: Int, b: Int) -> Int:
    a, b = env.simplify(a), env.simplify(b)
    if not isinstance(a, Sym) and not isinstance(b, Sym):
        return a // b
    if not isinstance(b, Sym) and b == 1:
        return a
    if not isinstance(a, Sym) and a == 0:
        return 0
    exact = _exact_quotient(a, b)
    if exact is not None:
        return Sym._make(env, exact)
    if isinstance(a, Sym) and isinstance(b, Sym) and a.terms == b.terms:
        return 1
    return Sym(env, {(call_atom("floordiv", a, b),): 1})


def _mod(env: SymEnv, a: Int, b: Int) -> Int:
    a, b = env.simplify(a), env.simplify(b)
    if not isinstance(a, Sym) and not isinstance(b, Sym):
        return a % b
    if _exact_quotient(a, b) is not None:
        return 0
    return Sym(env, {(call_atom("mod", a, b),): 1})


def _pick(op: str, a: Int, b: Int) -> Int:
    if not isinstance(a, Sym) and not isinstance(b, Sym):
        return min(a, b) if op == "min" else max(a, b)
    env = a.env if isinstance(a, Sym) else b.env  # type: ignore[union-attr]
    a, b = env.simplify(a), env.simplify(b)
    diff = a - b
    if isinstance(diff, int):
        return (a if diff <= 0 else b) if op == "min" else (a if diff >= 0 else b)
    return Sym(env, {(call_atom(op, a, b),): 1})


def sym_min(a: Int, b: Int) -> Int:
    """min without a guard."""
    return _pick("min", a, b)


def sym_max(a: Int, b: Int) -> Int:
    """max without a guard."""
    return _pick("max", a, b)


def hint(x: Int) -> int:
    """The example value of an int or Sym, without recording a guard."""
    if not isinstance(x, Sym):
        return int(x)
    return x.env.looked_at(x)


def hints(sizes: Iterable[Int]) -> list[int]:
    """The example values of several, as messages show a shape."""
    return [hint(n) for n in sizes]


def same(a: Int, b: Int) -> bool:
    """Whether two sizes are provably equal, without recording a guard."""
    if a is b:
        return True
    if isinstance(a, Sym):
        env = a.env
    elif isinstance(b, Sym):
        env = b.env
    else:
        return a == b
    a, b = env.simplify(a), env.simplify(b)
    if isinstance(a, Sym):
        return isinstance(b, Sym) and a.terms == b.terms
    return not isinstance(b, Sym) and a == b


@overload
def prod(sizes: Iterable[int]) -> int: ...
@overload
def prod(sizes: Iterable[Any]) -> Int: ...
def prod(sizes: Iterable[Any]) -> Int:
    """The product of sizes."""
    total: Int = 1
    for s in sizes:
        total = total * s
    return total
