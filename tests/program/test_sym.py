"""Symbolic sizes: normal forms, equalities that guards establish, and copies of an environment."""

from __future__ import annotations

import gc

import pytest

import rushlight
from rushlight import Tensor
from rushlight.core import locks
from rushlight.operators.table.define import operator
from rushlight.program.sym import Sym, SymEnv, hint, same, sym_max, sym_min


def test_equal_sizes_have_equal_keys_however_they_are_written() -> None:
    env = SymEnv()
    m, n = env.new(3), env.new(4)
    assert ((m + n) * 2).key == (2 * n + m + m).key
    assert (m * n // m).key == n.key
    assert same((m + 1) * (n + 1), m * n + m + n + 1)
    assert isinstance(m - m, int) and m - m == 0
    assert (m * 0, m * 1 is m, m + 0 == m) == (0, True, True)
    assert not env.guards


def test_atoms_mean_the_same_in_a_copy() -> None:
    env = SymEnv()
    m, n = env.new(7), env.new(2)
    copy = env.copy()
    for x, y in (
        (m // n, copy.var(0) // copy.var(1)),
        (m % n, copy.var(0) % copy.var(1)),
        (sym_min(m, n), sym_min(copy.var(0), copy.var(1))),
        (sym_max(m + 1, n), sym_max(copy.var(0) + 1, copy.var(1))),
    ):
        assert isinstance(x, Sym) and isinstance(y, Sym)
        assert (x.key, hint(x), repr(x)) == (y.key, hint(y), repr(y))
        assert same(copy.adopt(x) * 2, y + y)


def test_an_equality_learnt_later_is_used_from_then_on() -> None:
    env = SymEnv()
    m, n, k = env.new(4), env.new(4), env.new(4)
    size = m * n + k
    assert not same(size, n * n + k)
    assert m == n
    assert same(size, n * n + k) and not same(size, n * n + n)
    before = env.copy()
    assert k == n
    assert same(size, n * n + n)
    assert not same(before.adopt(size), before.adopt(n * n + n)), "an equality of the original holds in its copy"
    assert [repr(g) for g in env.guards] == ["s0 == s1", "s2 == s1"]


def test_sizes_within_an_atom_cannot_be_compared() -> None:
    env = SymEnv()
    ((atom,),) = (env.new(7) // env.new(2)).terms
    with pytest.raises(AttributeError):
        bool(atom.args[0] == 7)


def test_a_call_is_traced_without_collections_and_leaves_the_collector_as_it_was() -> None:
    seen = []

    @operator(register=False)
    def nothing(input: Tensor) -> Tensor:
        seen.append(gc.isenabled())
        return input + 1

    assert gc.isenabled()
    nothing(rushlight.ones(3))
    assert seen == [False] and gc.isenabled()
    with pytest.raises(ZeroDivisionError), locks.no_collections():
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    try:
        nothing(rushlight.ones(3, 3))
        assert not gc.isenabled()
    finally:
        gc.enable()
