"""Constructors that are a base's with other defaults."""

from __future__ import annotations

import inspect

import pytest

from rushlight.core.naming import with_defaults


class Root:
    def __init__(self) -> None:
        self.begun = True


class Base(Root):
    def __init__(self, a: int, b: int = 1, c: int | None = 2, *, d: bool = True) -> None:
        super().__init__()
        self.all = (a, b, c, d)


@with_defaults(c=7)
class Later(Base):
    """A class."""


@with_defaults(a=5, b=6)
class Sooner(Later):
    """Another, on top of it."""


def test_defaults_of_its_own() -> None:
    assert Base(0).all == (0, 1, 2, True)
    assert Later(0).all == (0, 1, 7, True) and Later(0, 3, d=False).all == (0, 3, 7, False)
    assert Sooner().all == (5, 6, 7, True) and Sooner().begun
    assert (
        str(inspect.signature(Sooner))
        == "(a: 'int' = 5, b: 'int' = 6, c: 'int | None' = 7, *, d: 'bool' = True) -> 'None'"
    )
    assert Later.__init__.__qualname__ == "Later.__init__" and Later.__init__ is not Base.__init__
    with pytest.raises(TypeError, match=r"Later\.__init__\(\) missing 1 required positional argument: 'a'"):
        Later()  # type: ignore[call-arg]


@pytest.mark.parametrize("defaults", [{"e": 1}, {"d": False}, {"self": 1}])
def test_arguments_that_can_have_none(defaults: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"the last of the arguments .* must have defaults; found"):
        with_defaults(**defaults)(type("Other", (Base,), {}))
