"""Instances of every class of the compiled modules as `cls.__new__(cls)` leaves them, put to every use that Python has
for them.

A process for each class: `python tests/system/unfinished.py CLASS [ROUNDS [SEED]]`. What is wrong is a crash; errors
are right.
"""

from __future__ import annotations

import copy
import enum
import faulthandler
import gc
import pickle
import random
import sys
import warnings
from typing import Any

import rushlight as rl
import rushlight.operators
from rushlight.nn import Parameter
from rushlight.nn.parameter import Buffer, UninitializedBuffer, UninitializedParameter
from rushlight.operators.table.define import METHODS, TABLE


def classes() -> dict[str, type]:
    """The classes of the compiled modules, and Python's on top of them, by name."""
    found: dict[str, type] = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("rushlight") and (getattr(module, "__file__", None) or "").endswith(".so"):
            found.update(
                {
                    f"{c.__module__}.{c.__qualname__}": c
                    for c in vars(module).values()
                    if isinstance(c, type)
                    and c.__module__.startswith("rushlight.core")
                    and c is not rl.device
                    and not issubclass(c, enum.Enum)  # Python's own, whose members are all there are
                }
            )
    for c in (rl.Generator, rl.Size, rl.dtype, Parameter, Buffer, UninitializedParameter, UninitializedBuffer):
        found[f"{c.__module__}.{c.__qualname__}"] = c
    return found


def subclass(base: type, r: random.Random) -> type:
    """A class on top of `base` that leaves out some of what makes an instance."""
    body: dict[str, Any] = {}
    if r.random() < 0.5:
        body["__init__"] = lambda self, *args, **kwargs: None
    if r.random() < 0.3:
        body["__new__"] = staticmethod(lambda cls, *args, **kwargs: base.__new__(cls))
    if r.random() < 0.2:
        body["__slots__"] = ()
    if r.random() < 0.3 and issubclass(base, rl.Tensor):
        body["__torch_function__"] = (
            rl._C._disabled_torch_function_impl if hasattr(rl, "_C") else rl.core.tensor._disabled_torch_function_impl
        )
    return type("Sub", (base,), body)


def instances(cls: type) -> list[Any]:
    """What __new__ makes, and copies of that."""
    made: list[Any] = []
    for make in (
        lambda: cls.__new__(cls),
        lambda: object.__new__(cls),
        lambda: copy.copy(made[0]),
        lambda: copy.deepcopy(made[0]),
        lambda: pickle.loads(pickle.dumps(made[0])),
        lambda: cls(),
    ):
        try:
            made.append(make())
        except Exception:
            continue
    return made


def arguments() -> list[Any]:
    return [
        None,
        0,
        1,
        -1,
        2**62,
        0.5,
        "x",
        (),
        [],
        (2, 3),
        rl.ones(2),
        rl.Tensor.__new__(rl.Tensor),
        rl.UntypedStorage.__new__(rl.UntypedStorage),
        rl.float32,
        {},
    ]


# What ends the process or waits by its own nature.
LEFT_OUT = {
    "__class__",
    "__del__",
    "__init_subclass__",
    "__subclasshook__",
    "set_printoptions",
    "set_default_device",
    "set_default_dtype",
}
SECONDS = 30


def use(x: Any, r: random.Random, few: bool = False) -> None:
    """Read every attribute, call every method with none and one argument, and Python's syntax."""
    names = [n for n in dir(type(x)) if n not in LEFT_OUT]
    if few:
        names = r.sample(names, min(25, len(names)))
    for n in names:
        try:
            found = getattr(x, n)
        except Exception:
            continue
        if callable(found):
            for args in ((), (r.choice(arguments()),), (r.choice(arguments()), r.choice(arguments()))):
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                try:
                    found(*args)
                except Exception:
                    continue
    for act in (
        lambda: repr(x),
        lambda: x + 1,
        lambda: 1 + x,
        lambda: x[0],
        lambda: x == x,
        lambda: bool(x),
        lambda: len(x),
        lambda: list(x),
        lambda: x(),
        lambda: x @ x,
        lambda: memoryview(x).tolist(),
        lambda: bytes(x),
        lambda: x.__setstate__(None),
        lambda: hash(x),
        lambda: -x,
        lambda: rl.save(x, "/dev/null"),
    ):
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            act()
        except Exception:
            continue


def apply_table(x: Any, r: random.Random, some: int | None = None) -> None:
    """Call the operators of the table on it."""
    operators = sorted({**METHODS, **TABLE}.items())
    for name, op in operators if some is None else r.sample(operators, some):
        if name in LEFT_OUT or name.startswith("from_file"):
            continue
        for args in ((x,), (x, x), (rl.ones(2), x)):
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                op(*args)
            except Exception:
                continue


def main() -> None:
    warnings.simplefilter("ignore")
    name = sys.argv[1]
    rounds, seed = (int(a) for a in (*sys.argv[2:4], *("1", "0")[len(sys.argv) - 2 :]))
    cls = classes()[name]
    r = random.Random(seed)
    for x in instances(cls):
        use(x, r)
        if isinstance(x, rl.Tensor):
            apply_table(x, r, 60)
    for k in range(rounds):
        try:
            made = instances(subclass(cls, r))
        except TypeError:  # a class that takes no subclasses
            break
        for x in made:
            use(x, r, few=k > 0)
            if isinstance(x, rl.Tensor) and k % 20 == 0:
                apply_table(x, r, 5)
    gc.collect()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(classes()))
    else:
        main()
