"""Whether static arguments are what their annotations say, and errors that name the operator and the argument.

The core checks tensors, numbers and ints as it binds them. All other arguments are part of the cache's key, so it is
enough to look at them once per key, when a call is traced; those of eager operators are looked at when the call has
failed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.errors import LinAlgError
from rushlight.core.flatten import Kind
from rushlight.core.named import Named
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.table.arrays import ValuesDiffer
from rushlight.operators.table.types import ByRank
from rushlight.program.sym import Sym

# Patterns, compiled when an error is reworded.
_SPEAKER = r"[A-Za-z_][\w.]*\(\): "  # an operator's name before a message
_OF_PRIMITIVE = r"^\w+: "
_NOT_DEFINED = r"not defined for (\w+)"
_PLACE = r"(argument '(\w+)')(?: \(position (\d+)\)|(?= must))"
_SYMBOL = r"\bs(\d+)\b"
# the kinds of parameters that are part of the cache's key, or may be
STATIC = frozenset(map(int, (Kind.P_STATIC, Kind.P_REAL, Kind.P_SIZES)))


def _gives_index(x: Any) -> bool:
    """Whether `x` is an int or gives one. NumPy's arrays have the method, and most of them nothing to give."""
    if not hasattr(type(x), "__index__"):
        return False
    try:
        x.__index__()
    except TypeError:
        return False
    return True


def _is_int(x: Any) -> bool:
    """Whether `x` may stand for an int: Python's, NumPy's, a tensor of one element, a symbolic size."""
    return x.numel() == 1 if isinstance(x, Tensor) else isinstance(x, Sym) or _gives_index(x)


def _is_float(x: Any) -> bool:
    """Whether `x` may stand for a float; NumPy's arrays have the method, and those of one element something to give."""
    return _is_int(x) or (
        hasattr(x, "__float__") and (x.numel() == 1 if isinstance(x, Tensor) else getattr(x, "size", 1) == 1)
    )


def _is_bool(x: Any) -> bool:
    return isinstance(x, (bool, int)) or type(x).__name__ in ("bool_", "bool") or _is_int(x)


def _is_ints(x: Any) -> bool:
    return _is_int(x) or (isinstance(x, (tuple, list)) and all(map(_is_int, x)))


# Annotation -> (test, the word for it).
TYPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (_is_bool, "bool"),
    "int": (_is_int, "int"),
    "float": (_is_float, "float"),
    "str": (lambda x: isinstance(x, str), "str"),
    "dt.dtype": (lambda x: isinstance(x, dt.dtype) or isinstance(x, type), "dtype"),
    "DType": (lambda x: isinstance(x, dt.dtype) or isinstance(x, type), "dtype"),
    "Layout": (lambda x: isinstance(x, dt.layout), "layout"),
    "MemoryFormat": (lambda x: isinstance(x, dt.memory_format), "memory_format"),
    "Dim": (lambda x: x is ByRank or _is_int(x), "int"),
    "Dims": (lambda x: x is None or _is_ints(x), "int or tuple of ints"),
    "Tensor": (lambda x: isinstance(x, Tensor), "Tensor"),
    "Tensors": (
        lambda x: isinstance(x, (tuple, list)) and all(t is None or isinstance(t, Tensor) for t in x),
        "tuple of Tensors",
    ),
    "Int": (_is_int, "int"),
    "Ints": (_is_ints, "tuple of ints"),
    "SizeLike": (_is_ints, "tuple of ints"),
    "Number": (lambda x: isinstance(x, complex) or _is_float(x), "Number"),
    "Real": (lambda x: isinstance(x, str) or _is_float(x), "Number or str"),
    "Whole": (lambda x: isinstance(x, complex) or _is_float(x), "Number"),
    "Sizes": (
        lambda x: _is_ints(x) or (isinstance(x, (tuple, list)) and all(v is None or _is_int(v) for v in x)),
        "int or tuple of ints",
    ),
}

# Parameters annotated `Any` that mean the same wherever they occur.
NAMED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "generator": (lambda x: hasattr(x, "manual_seed"), "Generator"),
    "size": TYPES["Ints"],
    "split_sizes": TYPES["Ints"],
    "kernel_size": TYPES["Ints"],
    "stride": TYPES["Ints"],
    "dilation": TYPES["Ints"],
    "output_size": (
        lambda x: _is_ints(x) or (isinstance(x, (tuple, list)) and all(v is None or _is_int(v) for v in x)),
        "int or tuple of ints",
    ),
    "output_padding": TYPES["Ints"],
    "n": TYPES["Int"],
    "m": (lambda x: x is None or _is_int(x), "int"),
    "fill_value": TYPES["Number"],
    "start": (lambda x: x is None or TYPES["Number"][0](x), "Number"),
    "end": (lambda x: x is None or TYPES["Number"][0](x), "Number"),
    "step": TYPES["Number"],
} | dict.fromkeys(
    ("running_mean", "running_var", "weight", "bias", "offsets", "per_sample_weights", "attn_mask"), TYPES["Tensor"]
)


def wrong_argument(op: Operator, values: Sequence[Any], failed: bool = False) -> TypeError | None:
    """The error for the first argument that is not of the type its parameter says; None when all are.

    failed: the call has failed already, so that None in the place of a number is the likely cause.
    """
    fn = op.definition.body
    notes = getattr(fn, "__wrapped__", fn).__annotations__
    traced = op.eager is None
    for i, (p, v) in enumerate(zip(op.params, values, strict=False)):
        if (traced and p.kind not in STATIC) or (v is p.default and not p.required):
            continue
        note = notes.get(p.name, "")  # the parameters of derived operators have no annotations
        if v is None and (not (p.required or failed and p.default is not None) or "None" in note or note not in TYPES):
            continue
        if isinstance(v, str) and note.endswith("| str"):
            continue
        known = TYPES.get(note.partition(" | ")[0])
        if known is None and note == "Any":
            known = NAMED.get(p.name)
        if known is not None and (not known[0](v) or (note == "Tensors" and any(t is None for t in v))):
            return TypeError(
                f"{op.name}(): argument '{p.name}' (position {i + 1}) must be {known[1]}, not {described(v)}"
            )
    return None


def call_body(op: Operator, bound: Sequence[Any]) -> Any:
    """Call the body with values in the order of the parameters; TypeError for a static argument of a wrong type."""
    wrong = wrong_argument(op, bound)
    if wrong is not None:
        raise wrong
    if op.eager is not None:
        return op.eager(*bound)
    params = op.params
    if not params or not params[-1].keyword_only:
        return op.definition.body(*bound)
    n = len([p for p in params if not p.keyword_only])
    return op.definition.body(*bound[:n], **{p.name: v for p, v in zip(op.params[n:], bound[n:], strict=True)})


def tensor_argument(name: str, value: Any, argument: str = "input", position: int = 1) -> Tensor:
    """An argument of a plain function that must be a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(value).__name__}"
        )
    return value


def described(x: Any) -> str:
    """The type of an argument, and of what it holds."""
    if isinstance(x, (tuple, list)):
        return f"{type(x).__name__} of ({', '.join([type(v).__name__ for v in x][:8])})"
    return type(x).__name__


def _with_shape(x: Any) -> str:
    return f"Tensor {list(x.shape)}" if isinstance(x, Tensor) and _raw.initialised(x) else described(x)


def nearest_parameter(op: Operator | Named, name: str) -> str:
    """The end of the message for a keyword that an operator lacks: a question whether the most similar one was
    meant."""
    import difflib

    near = difflib.get_close_matches(name, [*op.index, *(["out"] if op.takes_out else [])], n=1)
    return f", did you mean '{near[0]}'?" if near else ""


def in_form(called: Named, error: Exception) -> None:
    """Put into a message the name that was called, and the places that arguments have in its own form."""
    if len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    text = error.args[0]
    if called.name != called.op.name and text.startswith(called.op.name + "("):
        text = called.name + text.removeprefix(called.op.name)
    if isinstance(error, TypeError):
        places = called.index
        text = re.sub(_PLACE, lambda m: f"{m[1]} (position {places.get(m[2], int(m[3] or 0) - 1) + 1})", text)
    if text != error.args[0]:
        error.args = (text,)


# ------------------------------------------------------------------------------------- errors that many operators share
def undefined_for(name: str, dtype: dt.dtype) -> NotImplementedError:
    """The error for a dtype that an operator does not take."""
    return NotImplementedError(f"{name}(): not defined for dtype {dtype}")


def dim_out_of_range(name: str, dim: Any, ndim: int, argument: str = "dim") -> IndexError:
    """The error for a dimension that a tensor of `ndim` dimensions does not have."""
    n = ndim or 1
    return IndexError(f"{name}(): '{argument}' must be in [{-n}, {n - 1}] for a {ndim}-d tensor; found {dim}")


def repeated_dims(name: str, dims: Any, argument: str = "dim") -> RuntimeError:
    """The error for a list that names a dimension twice."""
    return RuntimeError(f"{name}(): '{argument}' must name each dimension once; found {list(dims)}")


def negative_size(name: str, sizes: Any, argument: str = "size") -> RuntimeError:
    """The error for the shape of a new tensor with a size below 0."""
    return RuntimeError(f"{name}(): '{argument}' must be at least 0 in each dimension; found {sizes}")


def empty_reduction(name: str, dim: int | None = None) -> str:
    """The message of a reduction that has no value over no elements."""
    if dim is None:
        return f"{name}(): 'dim' must be given for a tensor without elements; found None"
    return f"{name}(): dimension {dim} must have elements to choose from; found the size 0"


def index_outside(index: Any, dim: int, size: Any) -> IndexError:
    """The error for an int that is no index of a dimension."""
    return IndexError(f"index {index} lies outside dimension {dim}, which has the size {size}")


# In PyTorch an index outside of its dimension is a RuntimeError of these operators, and an IndexError of all others.
_RUNTIME_INDEX = frozenset(
    """gather scatter scatter_add scatter_reduce index_add embedding_bag max_unpool1d max_unpool2d max_unpool3d
    multi_margin_loss multilabel_margin_loss masked_scatter as_strided_scatter""".split()
)


def index_error(owner: str | None, message: str) -> Exception:
    """The error for an index in a tensor that lies outside of its dimension, of the operator `owner`."""
    return (
        RuntimeError if owner is not None and owner.rpartition(".")[2].rstrip("_") in _RUNTIME_INDEX else IndexError
    )(message)


def too_many_indices(ndim: int, found: int | None = None) -> IndexError:
    """The error for an index with more entries than a tensor has dimensions."""
    if ndim == 0:
        return IndexError("a 0-d tensor has no dimension to index; item() gives its number")
    return IndexError(
        f"too many indices for tensor of dimension {ndim}: it takes at most {ndim}; found "
        f"{'more' if found is None else found}"
    )


def overflow(name: str, value: Any, dtype: dt.dtype) -> Exception:
    """The error for a number that a dtype cannot hold, of the operator `name`."""
    beyond = isinstance(value, int) and not -(2**63) <= value < 2**64
    kind = OverflowError if beyond else RuntimeError
    return kind(f"{name}{'(): ' if name else ''}the number {value} does not fit into dtype {dtype}: overflow")


def requires_grad_out(name: str) -> RuntimeError:
    """The error for a destination that takes part in a graph."""
    return RuntimeError(
        f"{name}(): 'out' must not require grad, for what is written to it has no derivative; use detach() of it or "
        "no_grad()"
    )


# A TypeError in PyTorch of these operators, and a RuntimeError of all others.
_JOINS = frozenset("cat stack hstack vstack dstack column_stack".split())


# The integers that these give stand for themselves: PyTorch takes no out= of another dtype or shape.
EXACT_OUT = frozenset({"_int_mm"})


def out_holds(name: str, found: dt.dtype, wanted: dt.dtype) -> bool:
    """Whether an operator's result of dtype `found` may be written to a destination of dtype `wanted`."""
    return found is wanted if name in EXACT_OUT else dt.can_cast(found, wanted)


def unfit_out(name: str, found: dt.dtype, wanted: dt.dtype) -> Exception:
    """The error for a destination whose dtype is of a lower kind than the result's."""
    return (TypeError if name in _JOINS else RuntimeError)(
        f"{name}(): 'out' of dtype {wanted} cannot hold a result of dtype {found}"
    )


def warn_of_resize(name: str, dest: Tensor, sizes: list[int]) -> None:
    """Warn of an out= tensor with elements that gets another shape; RuntimeError from an operator of EXACT_OUT."""
    if name in EXACT_OUT:
        raise RuntimeError(f"{name}(): 'out' must have the shape {sizes} of the result; found {list(dest.shape)}")
    warn(
        f"{name}(): 'out' has the shape {list(dest.shape)} and is resized to that of the result, {sizes}; give a "
        "tensor of that shape, or an empty one"
    )


def wrong_device(name: str, dest: Tensor, meta: bool) -> None:
    """Raise the error for a destination that is not where the operands are, or has no memory at all."""
    if name == "copy_" and meta:
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! copy_(): the source is on the device 'meta'; the tensor on "
            f"'{dest.device}'"
        )
    found = f"one on the device '{dest.device}'" if meta or dest.is_meta else "one that was never initialised"
    raise RuntimeError(
        f"{name}(): the destination must be a tensor on the device '{'meta' if meta else 'cpu'}', where the operands "
        f"are; found {found}: "
        "all tensors must be on one device"
    )


def check_out_kind(op: Operator, out: Any) -> None:
    """TypeError for an out= of an eager operator that is no tensor, or tuple of tensors; RuntimeError for one that was
    never initialised.
    """
    body = op.definition.body
    single = getattr(body, "__wrapped__", body).__annotations__.get("out", "").startswith("Tensor")
    if not isinstance(out, Tensor) and (
        single or not isinstance(out, (tuple, list)) or not all(isinstance(t, Tensor) for t in out)
    ):
        raise TypeError(
            f"{op.name}(): argument 'out' must be {'Tensor' if single else 'Tensor or tuple of Tensors'}, not "
            f"{described(out)}"
        )
    for t in (out,) if isinstance(out, Tensor) else out:
        if not _raw.initialised(t):
            wrong_device(op.name, t, False)


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
_INSIDE = tuple(_PACKAGE + name + os.sep for name in ("prims", "program", "transforms", "compiler"))


def in_terms_of(op: Operator, values: Sequence[Any], error: Exception) -> Exception:
    """The error that a caller of `op` should see when its body has raised `error`: that error itself if it was meant
    for them.

    A wrong argument is named. A TypeError, ValueError or IndexError that nobody raised on purpose ("'int' object is not
    iterable"), or that a primitive raised, is given the operator's name and what it was called with. Other errors are
    ours: they stay as they are.
    """
    if type(error) in (MemoryError, LinAlgError):
        name_operator(op, error)
    if type(error) not in (
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        RuntimeError,
        NotImplementedError,
        OverflowError,
    ):
        return error
    tb = error.__traceback__
    if tb is None:
        return error
    while tb.tb_next is not None:
        tb = tb.tb_next
    import opcode

    code = tb.tb_frame.f_code
    inside = code.co_filename.startswith(_INSIDE)
    core = code.co_filename.endswith((".pyx", ".pxi"))
    ours = core or code.co_filename.startswith(_PACKAGE)
    raised = core or not code.co_code or (code.co_code[tb.tb_lasti] == opcode.opmap["RAISE_VARARGS"])
    # "Python int too large to convert to C long", from the core
    if type(error) is OverflowError and " too " in str(error):
        return OverflowError(f"{op.name}(): an argument does not fit into 64 bits: {error}")
    if not inside and (raised or not (ours or "numpy" in code.co_filename)):
        if ours:
            name_operator(op, error)
        return error
    wrong = wrong_argument(op, values, True)
    if wrong is not None:
        return wrong
    text = str(error)
    if type(error) is AttributeError:
        return _missing_attribute(op, values, text) or error
    if text.startswith(op.name + "("):
        return error
    if inside and raised:
        return _refused(op, type(error), text)
    missing = next(
        (
            p.name
            for p, v in zip(op.params, values, strict=False)
            if v is None and (p.required or p.default is not None)
        ),
        None,
    )
    if missing is not None and "NoneType" in text:
        return type(error)(f"{op.name}(): argument '{missing}' must not be None")
    given = "" if raised else f" (called with {', '.join(map(_with_shape, values))})"
    return type(error)(said_by(op, text) + given)


def _refused(op: Operator, kind: type[Exception], text: str) -> Exception:
    """The error for what a primitive refuses, in the words and of the type of an operator: of dtypes or of shapes."""
    refusal = re.sub(_OF_PRIMITIVE, "", text)
    dtype = re.fullmatch(_NOT_DEFINED, refusal)
    if dtype is not None and dtype[1] in dt.by_name:
        return undefined_for(op.name, dt.by_name[dtype[1]])
    return (RuntimeError if kind in (TypeError, ValueError) else kind)(f"{op.name}(): {refusal}")


def with_sizes(error: Exception, hints: Sequence[int]) -> None:
    """Put sizes into a message in the place of a program's symbols."""
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (
            re.sub(_SYMBOL, lambda m: str(hints[int(m[1])]) if int(m[1]) < len(hints) else m[0], error.args[0]),
        )


def name_operator(op: Operator, error: Exception) -> None:
    """Put a public operator's name before a message that lacks it, since code that many operators share cannot know the
    name."""
    private = op.name.startswith("_") and not op.name.startswith("__") and op.definition.namespace is None
    if private or len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    # Many names are words of other sentences too ("to", "all", "t").
    if not re.search(rf"(?<![^\W_]){re.escape(op.name.strip('_'))}_*(\(|:)", error.args[0]):
        error.args = (said_by(op, error.args[0]),)


def said_by(op: Operator, text: str) -> str:
    """A message with the operator's name before it, in the place of the name of an operator that it has called."""
    speaker = re.match(_SPEAKER, text)
    return f"{op.name}(): {text[speaker.end() :] if speaker else text}"


def _missing_attribute(op: Operator, values: Sequence[Any], text: str) -> TypeError | None:
    """The error for the argument of whose type an AttributeError says that it lacks something; None when there is
    none.
    """
    for i, (p, v) in enumerate(zip(op.params, values, strict=False)):
        for x in (v, *v) if isinstance(v, (tuple, list, dict)) else (v,):
            if (
                x is not None
                and x is not p.default
                and text.startswith(f"'{type(x).__name__}' object has no attribute")
            ):
                return TypeError(
                    f"{op.name}(): argument '{p.name}' (position {i + 1}) cannot be {described(v)}: {text}"
                )
    return None


# Makes a call of an eager operator for each example of a batch; set by func/by_example.py.
call_by_example: list[Callable[[Operator, list[Any], Any, ValuesDiffer], Any]] = []


def eager_error(op: Operator, values: list[Any], error: Exception, out: Any = None) -> Exception | tuple[Any]:
    """The outcome of an eager operator's call that raised `error`: an error for the caller, or a result in a tuple."""
    if isinstance(error, ValuesDiffer) and call_by_example:
        try:
            return (call_by_example[0](op, values, out, error),)
        except Exception as of_example:
            return in_terms_of(op, values, of_example)
    return in_terms_of(op, values, error)


# The deprecated orders of arguments that PyTorch still takes, with numbers among the tensors: of the function, and of
# the method where that differs.
_FORMER: dict[str, tuple[tuple[str, ...], ...]] = {
    "add": (("input", "alpha", "other"),),
    "sub": (("input", "alpha", "other"),),
    "addcmul": (("input", "value", "tensor1", "tensor2"),),
    "addcdiv": (("input", "value", "tensor1", "tensor2"),),
    **{
        name: tuple(
            order
            for first in (("beta", "input"), ("input", "beta"))
            for order in ((*first, "alpha", *others), (*first, *others))
        )
        for name, others in (
            ("addmm", ("mat1", "mat2")),
            ("addmv", ("mat", "vec")),
            ("addr", ("vec1", "vec2")),
            ("addbmm", ("batch1", "batch2")),
            ("baddbmm", ("batch1", "batch2")),
        )
    },
}
_OF_NUMBERS = {"alpha", "beta", "value"}


def former_order(op: Operator, args: tuple[Any, ...]) -> list[int] | None:
    """Which parameters too many positional arguments are for, if they stand in an order that PyTorch took before; None
    if not.
    """
    for order in _FORMER.get(op.name.removesuffix("_"), ()):
        if len(order) == len(args) and all(
            isinstance(a, Tensor) != (name in _OF_NUMBERS) for name, a in zip(order, args)
        ):
            warn(
                f"{op.name}(): numbers among the tensors, in the order ({', '.join(order)}), are deprecated; the "
                f"signature is {op.signature_text()}",
                once="numbers among the tensors",
            )
            return [op.index[name] for name in order]
    return None


def int_argument(value: Any, name: str, argument: str, position: int = 0) -> int:
    """An argument that must be an int, as one; TypeError for a bool, a float or anything else."""
    if isinstance(value, bool) or not _gives_index(value):
        where = f"'{argument}' (position {position})" if position else f"'{argument}'"
        raise TypeError(f"{name}(): argument {where} must be int, not {type(value).__name__}")
    return int(value.__index__())


def size_argument(value: Any, name: str, argument: str, position: int = 0) -> Any:
    """An argument that must be an int or a symbol, as it is."""
    return value if type(value) is int or isinstance(value, Sym) else int_argument(value, name, argument, position)


def is_plain_number(x: Any) -> bool:
    """Whether `x` is a Python or NumPy number (bool included)."""
    if isinstance(x, (bool, int, float, complex, Sym)):
        return True
    np = sys.modules.get("numpy")
    return np is not None and isinstance(x, (np.number, np.bool_))


def number(x: Any) -> Any:
    """The Python number, of exactly that class, of a NumPy scalar or of a number of a class of the program's own."""
    if isinstance(x, bool):
        return x
    if isinstance(x, int):
        return int.__int__(x)
    if isinstance(x, float):
        return float.__float__(x)
    if isinstance(x, complex):
        return complex.__complex__(x)
    found = x.item()
    if not isinstance(found, (bool, int, float, complex)):  # numpy.longdouble's item() is a longdouble
        found = complex(x) if x.dtype.kind == "c" else float(x)
    return found


def is_int(x: Any) -> bool:
    """Whether `x` may stand where an int is expected (NumPy integers, one-element integer tensors; not bools)."""
    if isinstance(x, (bool, float, str)):
        return False
    if isinstance(x, Tensor):
        return x.dtype.kind in "iu" and x.numel() == 1
    np = sys.modules.get("numpy")
    return (
        isinstance(x, int)
        or (np is not None and isinstance(x, np.integer))
        or (not isinstance(x, Sym) and not (np is not None and isinstance(x, np.bool_)) and _gives_index(x))
    )


_TYPE_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex32": "ComplexHalf",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def type_name(d: dt.dtype) -> str:
    """The name that PyTorch's messages use for a dtype: Float for float32."""
    return _TYPE_NAMES.get(d.name) or d.name.capitalize()


upcalls.former_order = former_order
upcalls.eager_error = eager_error
upcalls.name_operator = name_operator
upcalls.check_out_kind = check_out_kind
upcalls.nearest_parameter = nearest_parameter
upcalls.in_form = in_form
