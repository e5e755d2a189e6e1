"""The form of errors that refuse what was given, and the walk through graphs."""

from __future__ import annotations

from typing import NoReturn

import pytest

from rushlight.core.checks import check_argument, check_that
from rushlight.core.nesting import reached


def test_what_an_error_says() -> None:
    with pytest.raises(RuntimeError, match=r"^f\(\): 'p' must be in \[0, 1\]; found 2$"):
        check_argument(False, "f()", "p", "be in [0, 1]", 2)
    with pytest.raises(ValueError, match=r"^F: the elements of 'p' must be at least 0; found \[-1\]$"):
        check_that([], "F", "the elements of 'p'", lambda: "be at least 0", lambda: [-1], ValueError)
    with pytest.raises(TypeError, match=r"found <class 'int'>$"):  # a class is a value, no function that makes one
        check_argument(None, "f()", "cls", "be derived from Tensor", int, TypeError)


def test_nothing_is_written_out_without_an_error() -> None:
    def never() -> NoReturn:
        raise AssertionError

    check_argument(True, "f()", "p", never, never)
    check_that([0], "f()", "p", never, never)


def test_each_object_of_a_graph_is_reached_once() -> None:
    class Place:
        def __init__(self, name: str) -> None:
            self.name, self.next = name, list[Place | None]()

        def __eq__(self, other: object) -> NoReturn:
            raise AssertionError("places are compared")

    a, b, c, d = (Place(name) for name in "abcd")
    a.next, b.next, c.next = [b, None, c], [d, a], [d]
    asked: list[str] = []

    def behind(place: Place) -> list[Place | None]:
        asked.append(place.name)
        return place.next

    assert [place.name for place in reached([None, a], behind)] == ["a", "c", "d", "b"]
    assert asked == ["a", "c", "d", "b"]
    asked.clear()
    assert next(reached([a], behind)) is a and not asked  # asked when the object has been looked at
    assert list(reached([], behind)) == list(reached([None], behind)) == []
