"""Why cases take more than twice their limit: what the limit leaves out."""

from __future__ import annotations

_REASONS = {
    "jacrev vmap_hessian": "operands of a few hundred numbers: Python, and the launches of some forty plans",
    "inv_batched qr_batched solve_256 cholesky_512": "a chain of columns, each of which waits for the one before",
    "eigh_256 svd_256": "LAPACK's: much is a matrix by a vector, at the speed of the cache, the rest chains of columns",
    "sort_1M sort_flat_1M topk_1M": "several passes over the data (a radix sort's: one per byte of the key), and "
    "stores that depend on values; the limit has one pass",
    "nonzero_1M masked_select_1M": "two passes, to count and to write, and stores that depend on values",
    "randn_1M": "PyTorch's numbers: the Mersenne twister runs in sequence, and is not counted",
    "lgamma_1M i0e_1M pow_1M erfinv_1M": "what is computed for rare elements is not counted",
    "cumsum_1M": "each element waits for the one before: sixteen rows side by side, turned twice",
    "fft_1M": "additions are not fused with products, lines are turned, and the data leave the cache twice",
    "rfft2": "additions are not fused with products, and lines are turned",
    "interpolate_bilinear": "elements that lie apart: a load for each",
    "interpolate_antialias": "elements that lie apart: a load for each; the weights are computed as well",
    "gather_1M scatter_add_rows": "elements, or rows of a line of the cache, that lie apart: a load for each",
    "transpose_contiguous_16M": "lines of the cache that are read for a part of them",
    "mm_bf16_512 mm_f32_64 einsum_bhqk": "so small products are packed for few uses",
    "conv_depthwise": "nine loads an output",
    "sum_bfloat16_1M": "conversions are not counted",
    "max_pool": "windows, read more than once; comparisons are not counted",
    "softmax_dim0_1M": "columns, read more than once",
    "logsumexp_1M": "rows are read twice, comparisons are not counted",
    "pad_1M": "lines of the result are read before they are written",
    "mlp lenet resnet chargpt lstm": "the limit is that of the whole step as one program, whose activations never "
    "leave the cache",
}
REASONS = {case: reason for cases, reason in _REASONS.items() for case in cases.split()}


def reason(case: str) -> str:
    """Of a case, named with its group or without."""
    return REASONS.get(case.rpartition("/")[2], "")
