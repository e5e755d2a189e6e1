"""Write `src/rushlight/library/aten_schemas.txt`: the arguments of PyTorch's inner operators, as an installed torch
says.

    .venv/bin/python tools/aten_schemas.py

A line is a name, its arguments, and what it returns unless that is one tensor: "max.dim self:T dim:int
keepdim:bool=False -> T,T". T is a tensor, T! one that is written to; what stands behind * is given by name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import rushlight
from rushlight.library.aten import _NAMED_AS, operator_of
from rushlight.library.calls import inner_call

PATH = Path(rushlight.__file__).parent / "library" / "aten_schemas.txt"
# Operators that graphs hold and that are none of the table's.
MORE = frozenset(
    """
    __and__ __or__ __xor__ __lshift__ __rshift__ _assert_async _assert_scalar _assert_tensor_metadata
    _native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training _safe_softmax
    _unique2 _weight_norm chain_matmul coalesce contiguous einsum exponential gelu_ gru gru_cell hardsigmoid_ hardswish_
    is_nonzero item lift_fresh lift_fresh_copy log_sigmoid lstm lstm_cell mH mT matrix_H mish_ normal_functional numel
    numpy_T reflection_pad1d reflection_pad2d reflection_pad3d relu6_ replication_pad1d replication_pad2d
    replication_pad3d requires_grad_ rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell rrelu_with_noise silu_
    special_digamma special_erf special_erfc special_erfinv special_exp2 special_expit special_expm1 special_gammainc
    special_gammaincc special_gammaln special_i0 special_log1p special_log_softmax special_logit special_logsumexp
    special_multigammaln special_polygamma special_psi special_round special_sinc special_softmax special_xlogy
    sym_constrain_range sym_constrain_range_for_size sym_numel sym_size sym_storage_offset sym_stride to_dense
    to_sparse trace uniform unique_dim unique_dim_consecutive
    """.split()
)
SHORT = {
    "Tensor": "T",
    "SymInt": "int",
    "Scalar": "number",
    "ScalarType": "dtype",
    "Layout": "layout",
    "Device": "device",
    "MemoryFormat": "memory_format",
    "Generator": "generator",
}


def _kind(text: str) -> str:
    """A type in our words: "Tensor(a!)?" is "T!?"."""
    plain = re.sub(r"\(([a-z|]+)(!?)(?: -> [*a-z|]+)?\)", lambda m: m[2], text)
    return re.sub(r"[A-Za-z]+", lambda m: SHORT.get(m[0], m[0]), plain, count=1)


def _parts(text: str) -> list[str]:
    """What stands between commas outside of brackets and quotes."""
    found, depth, quote, part = [], 0, "", ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        else:
            depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0 and not quote:
            found.append(part.strip())
            part = ""
        else:
            part += c
    return [*found, part.strip()] if part.strip() else found


def line_of(schema: Any) -> str:
    """A schema as a line of the file."""
    text = str(schema)
    start = text.index("(")
    depth, end = 0, start
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            end = i
            break
    by_name = {a.name: a for a in schema.arguments}
    words = []
    for part in _parts(text[start + 1 : end]):
        if part == "*":
            words.append(part)
            continue
        declared, _, default = part.partition("=")
        kind, _, name = declared.rpartition(" ")
        word = f"{name}:{_kind(kind)}"
        if default:
            value = by_name[name].default_value
            named = kind.startswith(("ScalarType", "MemoryFormat")) and value is not None
            word += f"={default if named else repr(value).replace(' ', '')}"
        words.append(word)
    result = text[end + 1 :].partition("->")[2].strip()
    if result.startswith("("):
        result = result[1:-1]
    kinds = ",".join(_kind(re.sub(r"(?<=[)\]A-Za-z]) \w+$", "", part)) for part in _parts(result))
    name = schema.name.removeprefix("aten::") + (f".{schema.overload_name}" if schema.overload_name else "")
    return f"{name} {' '.join(words)}" + ("" if kinds in ("T", "T!") else f" -> {kinds or 'nothing'}")


def _wanted(schema: Any, aten: Any) -> bool:
    name = schema.name.removeprefix("aten::")
    text = str(schema)
    if not schema.name.startswith("aten::") or "..." in text or "Tensor" not in text:
        return False
    if any(a.is_out for a in schema.arguments) or "out" in schema.overload_name.split("_"):
        return False
    if any(word in text for word in ("Dimname", "QScheme", "Stream", "Dict(")):
        return False
    known = operator_of(_NAMED_AS.get(name, name)) is not None or inner_call(name) is not None
    return (known or name in MORE) and hasattr(getattr(aten, name, None), schema.overload_name or "default")


def main() -> None:
    """Write the file."""
    import torch

    lines = {line_of(s) for s in torch._C._jit_get_all_schemas() if _wanted(s, torch.ops.aten)}
    PATH.write_text("\n".join(sorted(lines)) + "\n")


if __name__ == "__main__":
    main()
