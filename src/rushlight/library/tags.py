"""What operators say of themselves: `torch.Tag`."""
from __future__ import annotations

import enum

_NAMES = ("core", "cudagraph_unsafe", "data_dependent_output", "dynamic_output_shape", "flexible_layout", "generated", "inplace", "inplace_view", "maybe_aliasing_or_mutating",
          "needs_contiguous_strides", "needs_exact_strides", "needs_fixed_stride_order", "nondeterministic_bitwise", "nondeterministic_seeded", "out", "out_variant", "pointwise",
          "pt2_compliant_tag", "reduction", "view_copy")

Tag = enum.IntEnum("Tag", {name: i for i, name in enumerate(_NAMES)})
Tag.__doc__ = "A property of an operator, for `custom_op(..., tags=)` and `Library.define(..., tags=)`: `op.tags` lists them."
