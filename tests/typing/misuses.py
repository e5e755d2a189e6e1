"""Mistakes that a checker must find: each line with `expect:` has an error of that kind, and no other line has one."""

from __future__ import annotations

import rushlight

x = rushlight.ones(2, 3)
x.sotfmax(0)  # expect: attr-defined
rushlight.sofmax(x, 0)  # expect: attr-defined
x.sum(dimension=0)  # expect: call-arg
x.softmax("0")  # expect: arg-type
print(x.topk(2).value)  # expect: attr-defined
rushlight.nn.functional.gelo(x)  # expect: attr-defined
