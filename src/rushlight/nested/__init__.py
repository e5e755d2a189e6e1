"""The namespace of nested tensors, which are not there yet: every function says so."""

from __future__ import annotations

from rushlight.utils._absent import absent_function

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]

as_nested_tensor, masked_select, narrow, nested_tensor, nested_tensor_from_jagged, to_padded_tensor = (
    absent_function(
        f"nested.{name}",
        __name__,
        "there are no nested tensors yet; pad to one size with nn.utils.rnn.pad_sequence",
        NotImplementedError,
    )
    for name in __all__
)
