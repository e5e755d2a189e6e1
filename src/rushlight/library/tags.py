"""What operators say of themselves: `torch.Tag`."""

from __future__ import annotations

import enum

from rushlight.operators.table.define import ROOT


class Tag(enum.IntEnum):
    """A property of an operator, for `custom_op(..., tags=)` and `Library.define(..., tags=)`: `op.tags` lists them."""

    __module__ = ROOT[0]  # where it is public
    __str__ = enum.Enum.__str__

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19
