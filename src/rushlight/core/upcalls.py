"""What the core asks of the upper layers: one object of calls that they fill in when they are loaded.

The core imports nothing above it. Where it meets what it cannot do by itself (a call that it does not know, an index of
tensors, a write that autograd must record), it calls an attribute of `upcalls`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import base, engine
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.core.record import CompiledCall, Derivative
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor

__all__ = ["upcalls"]


class Upcalls:
    """Each attribute is a function of an upper layer; one that was not filled in is an AttributeError that names it."""

    # Calls that the core cannot finish by itself.
    special: Callable[..., Any]
    """Handle a call, under the public name `called`, with a mode in force or a tensor that needs more than the
    usual path.
    """
    miss: Callable[[Operator, Sequence[Any], Any, bool], CompiledCall]
    """Trace, differentiate and compile a call that the cache does not know."""
    precompile: Callable[[Operator, Sequence[Any], CompiledCall], None]
    """Make the programs of a call's other classes, after its own."""
    compile_backward: Callable[[Derivative, Sequence[Tensor]], CompiledCall]
    """The backward program of a derivative, compiled without recording; every symbol is passed as an int."""
    backward_operator: Callable[[Derivative, bool], Operator]
    """The backward program as an operator of (tensors, ints, numbers): how a gradient is itself differentiated or
    batched.
    """
    say: Callable[[list[Any]], None]
    """Give the warnings that were noted while a call was traced."""
    warn: Callable[..., None]
    """Warn the program that calls the library."""

    # Libraries and kernels that are made ready when a process first needs them.
    open_blas: Callable[[], None]
    """Open OpenBLAS, before the first decomposition."""
    open_products: Callable[[int], None]
    """Make ready to multiply in a dtype, by its number in native/blas.h."""
    open_convolutions: Callable[[int], None]
    """Make ready for convolutions in a dtype, by its number in native/blas.h."""
    open_attention: Callable[[int, bool, int], None]
    """Make ready for attention, or its gradient, in a dtype, with one of the kinds of masks of native/attention.h."""

    transform: Callable[..., tuple[Any, ...]]
    """What a Fourier transform of operands of some sizes takes (compiler/routines/fourier.py, Transform)."""
    make_codelet: Callable[[int], None]
    """Make the codelet of Fourier transforms of a number (native/fourier.h), which one has missed."""

    # Arguments and names of operators.
    is_plain_number: Callable[[Any], bool]
    """Whether `x` is a Python or NumPy number (bool included)."""
    number: Callable[[Any], Any]
    """The Python number of a NumPy scalar."""
    is_int: Callable[[Any], bool]
    """Whether `x` may stand where an int is expected (NumPy integers, one-element integer tensors; not bools)."""
    is_sym: Callable[[Any], bool]
    """Whether `x` is a symbolic size."""
    former_order: Callable[[Operator, tuple[Any, ...]], list[int] | None]
    """Which parameters too many positional arguments are for, if they stand in an order that PyTorch took before;
    None if not.
    """
    nearest_parameter: Callable[[Operator | Named, str], str]
    """What to ask of a keyword that an operator does not have: whether the one was meant that is written most
    alike.
    """
    name_operator: Callable[[Operator, Exception], None]
    """Put a public operator's name before a message that does not say it: what many operators share cannot know it.
    """
    eager_error: Callable[..., Exception | tuple[Any]]
    """What an eager operator's call that raised `error` comes to: an error for the caller, or a result in a tuple.
    """
    in_form: Callable[[Named, Exception], None]
    """Put into a message the name that was called, and the places that arguments have in its own form."""
    signature: Callable[[Operator | Named], Any]
    """The signature of an operator: of the function, and of the method with its first parameter bound."""
    operator_repr: Callable[[Any], str]
    """What an operator prints as."""
    public_name: Callable[[Operator | Named], str]
    """`__name__` of an operator."""
    public_module: Callable[[Operator | Named], str]
    """`__module__` of an operator."""
    documentation: Callable[[Any], str]
    """`Operator.__doc__`."""
    shape_class: Callable[[Any], str]
    """How a result's shape follows from the operator's operands."""

    # Destinations.
    check_out: Callable[[Operator, Any], list[Tensor]]
    """The destinations of out= as a list; they must not require grad while grad mode is on."""
    check_out_kind: Callable[[Operator, Any], None]
    """TypeError for an out= of an eager operator that is no tensor, or tuple of tensors; RuntimeError for one that
    was never initialised.
    """
    check_overlap: Callable[[Operator, Tensor], None]
    """RuntimeError where a result would be written to a tensor with a dimension of stride 0, as expand() gives it.
    """
    wrong_device: Callable[[Operator, Tensor, bool], None]
    """The error for an out= on another device than the operands."""
    fit_dest: Callable[[Tensor, list[int], list[int] | None], None]
    """Make an empty out= tensor fit the result's shape. RuntimeError, with the two as its `misfit`: it has
    elements.
    """
    refit: Callable[[Operator, Exception, Sequence[Tensor]], bool]
    """Whether the call may be made again: `error` was about an out= tensor, which has the result's shape now; no
    operand may lie on its memory.
    """
    copy_raw: Callable[[Tensor, Tensor], None]
    """Copy values, converted, from one tensor into another, without history."""

    # Tensors as Python objects.
    repr: Callable[[Tensor], str]
    """repr(tensor)."""
    deepcopy: Callable[[Tensor, dict[int, Any]], Tensor]
    """copy.deepcopy of a leaf tensor; tensors that share a storage go on sharing."""
    settle: Callable[[Tensor], None]
    """Run the recorded calls on which a tensor's values depend."""
    flush: Callable[[str], None]
    """Run the recorded calls of this thread; the argument says why: others are about to see memory, and may write to
    it, or what comes is not what they were called in."""
    grad_read: Callable[[Tensor], None]
    """A gradient is read where calls are recorded that may get a graph: a later backward may add to it."""
    reduce: Callable[[Tensor, int], tuple[Any, ...]]
    """Pickling: the storage, the metadata and the Python attributes."""
    local_scalar: Callable[[Tensor], Any]
    """The value of a tensor of one element as a Python number: what item() of a wrapper, or in a mode, becomes."""
    layout_item: Callable[[Tensor], Any]
    """The value of a sparse tensor of one element."""
    storage_item: Callable[[Storage, Any, Any, bool], Any]
    """storage[index], an int or a storage on a part of the memory, or the assignment of `value` to it."""
    legacy_constructor: Callable[[type, tuple[Any, ...], dict[str, Any]], Tensor]
    """cls(...) as programs of old call it, of Tensor or a subclass: an instance of `cls`."""
    as_subclass: Callable[[Tensor, type], Tensor]
    """The view of a tensor that is an instance of another class."""
    overridden: Callable[[Any, str | None, tuple[Any, ...], dict[str, Any]], Any]
    """An attribute of Tensor that is read or set (how: "__get__", "__set__", "__delete__"), or a method that is
    called (None), of an instance with `__torch_function__`.
    """
    asked: Callable[[Any, tuple[Any, ...]], Any]
    """A piece of Python's syntax on an instance of a subclass: what its `__torch_function__` makes of it,
    NotImplemented where it has none.
    """
    default_torch_function: Callable[..., Any]
    """Run the call on plain tensors and give results the subclass, as PyTorch's default does."""
    removable_handle: type[Any]
    """What registering a hook returns."""

    # Indices and views.
    getitem: Callable[[Tensor, Any], Any]
    """t[index]."""
    slice_view: Callable[[Tensor, str, tuple[int, ...]], Tensor]
    """The view of a recorded tensor by ints, slices and None, as its kinds of entries and their numbers."""
    setitem: Callable[[Tensor, Any, Any], None]
    """t[index] = value; value is a tensor that broadcasts to t[index], or a number."""
    index: Callable[..., Tensor]
    """input[..., indices, ...] for integer index tensors of the dimensions `dims`."""
    fill_: Callable[[Tensor, Any], Tensor]
    """`value` in the shape and dtype of `input`; fill_ writes it there."""
    copy_: Callable[..., Tensor]
    """Write the values of `src` (broadcast, converted) into `input`."""
    masked_fill_: Callable[[Tensor, Tensor, Any], Tensor]
    """input with `value` wherever the bool `mask` is true."""
    index_put_: Callable[..., Tensor]
    """index_put in place."""
    _index_put_: Callable[..., Tensor]
    """input with input[..., indices, ...] = values (or += when `accumulate`)."""
    index_error: Callable[[str | None, str], Exception]
    """The error for an index in a tensor that lies outside of its dimension, of the operator `owner`."""
    view_message: Callable[[Tensor, list[int]], str]
    """Why a view cannot be made."""

    # Autograd.
    check_inplace: Callable[[Any, Tensor], None]
    """Refuse to record an in-place call on a leaf, a view of a leaf, or a view whose history cannot be rewritten.
    """
    record_inplace: Callable[[Any, Sequence[Tensor], Any, Sequence[int]], None]
    """Give each mutated tensor output i of `node` as its history; dests[outputs[i]] is the one that output i is
    for.
    """
    regenerate_view: Callable[[Tensor], None]
    """Give a view whose base was written since it was made a node that reads its region of the base."""
    refuse_view: Callable[[Tensor], None]
    """The error of asking for the place in the graph of a view that has none any more, its base having been written
    since.
    """
    rejoin: Callable[[Tensor, Any, int], Tensor]
    """A tensor on the memory of `t` with output `nr` of `node` as its history; `t` itself when there is no such
    output.
    """
    kept_instead: Callable[[str, Tensor], Tensor]
    """What a node of operator `name` keeps for the inference tensor `t`: a copy where PyTorch would not keep `t`
    itself, else RuntimeError.
    """
    of_inference: Callable[[Any, list[Any]], list[Any] | None]
    """The arguments of a call with those inference tensors cut off that PyTorch records nothing of, None where all
    stay.
    """
    cast: Callable[[Tensor, Any], Tensor]
    """A saved tensor or gradient in the dtype that the call recorded."""
    clone_grad: Callable[[Tensor, Tensor], Tensor]
    """The gradient that a leaf keeps: a copy of `grad` that lies as the leaf does, or `grad` itself where nobody
    else holds it.
    """
    zeros: Callable[[Any, Any, bool], Tensor]
    """Zeros of a size and dtype, in memory or on the meta device."""
    modified_message: Callable[[Any, Tensor, int], str]
    """The error about a saved value that an in-place operation has overwritten, with the lines of both."""
    check_nan: Callable[[Any, Sequence[Any]], None]
    """RuntimeError when a gradient that `node` has computed holds a nan."""
    note_traceback: Callable[[Any], None]
    """Keep the stack of the call that made `node`, for anomaly detection."""
    show_traceback: Callable[[Any], None]
    """Warn with the forward call whose backward failed."""
    saved_value: Callable[[Any, str], Any]
    """What a node has saved, by PyTorch's name of it."""
    edge_places: Callable[[Derivative], tuple[int, ...]]
    """For each edge that PyTorch's node of a call has, the number of ours, -1 for one that leads nowhere."""
    edge_visits: Callable[[Derivative], tuple[int, ...] | None]
    """The edges of a call in PyTorch's order, where that is not the order of its arguments; otherwise None."""
    saved_names: Callable[[Any], list[str]]
    """The names of all that a node has saved."""
    input_metadata: Callable[[Any], list[Any]]
    """What the gradient of each result of a node's call must be."""
    shown_node: Callable[[Any], Any]
    """A node as Python sees it: an instance of a class with PyTorch's name."""


upcalls: Upcalls = Upcalls()
upcalls.shown_node = engine.shown_node
base.set_upcalls(upcalls)
