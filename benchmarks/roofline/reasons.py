"""Why cases take more than twice their limit: what the limit leaves out."""

from __future__ import annotations

from fnmatch import fnmatchcase

# Names of cases, with their group or without, or patterns of them, and the reason; the first that fits counts.
_REASONS = {
    # calls
    "jacrev vmap_hessian": "operands of a few hundred numbers: Python, and the launches of some thirty plans",
    "sizes/resize_*100": "a hundred calls for a few thousand pixels each, in sizes that no call has had: weights and "
    "plans' sizes are made anew",
    "mobilenet*": "layers of some tens of us each: the calls, and nine loads an output of a depthwise convolution",
    "training_transform*": "a dozen operators in passes of their own, of which the limit makes one; random numbers one "
    "by one",
    "vision/resize": "weights are computed as well, and bytes are made numbers of 16 bits and back",
    "resize_uint8_antialias vision/resize_*": "weights are computed as well; bytes, or numbers, that lie apart",
    # chains
    "inv_batched qr_batched": "matrices of 64 and 256 numbers, one after another: chains of columns, each of which "
    "waits for the one before, in vectors that are not full",
    "solve_256 cholesky_512": "a chain of columns, each of which waits for the one before; products of small blocks",
    "eigh_256 svd_256": "LAPACK's: much is a matrix by a vector, at the speed of the cache, the rest chains of columns",
    "*lstm*": "each step waits for the one before, and its product has as many rows as the batch: weights come from "
    "the cache for few uses",
    # order and places that depend on values
    "sort_*": "NumPy's sort of integers of 64 bits, number and place, on one thread; the limit has comparisons in "
    "vectors, and one pass",
    "topk_1M": "integers of 64 bits, number and place, are written first, and chosen from one by one",
    "nonzero_1M masked_select_1M": "two passes, to count and to write, and stores that depend on values",
    "gather_1M scatter_add_rows": "elements, or rows of a line of the cache, that lie apart: a load for each",
    "vision/nms": "each box that stays is compared with all that stay before it, how many that is depends on values: "
    "the limit has one comparison a box",
    "roi_* ps_roi_*": "what is read depends on the boxes: rows of a few pixels, in vectors that are not full, for each "
    "channel",
    "deform_conv2d*": "the samples are written, read as a matrix, and four rows of channels are gathered for each",
    # random numbers
    "randperm_1M": "each exchange waits for the remainder of a word, and for places all over the memory",
    "bernoulli_1M dropout_* random/rand*": "the twister turns 624 words at a time, written and read again; words come "
    "by one thread, in their order",
    "randn_1M": "words come by one thread, in their order, are written, and read again as numbers",
    # functions
    "lgamma_1M i0e_1M pow_1M erfinv_1M": "what is computed for rare elements is not counted",
    "logcumsumexp_rows": "each element waits for the exponential and the logarithm before it: sixteen rows side by "
    "side, turned twice",
    "cumsum_*": "each element waits for the one before: sixteen rows side by side, turned twice",
    # transforms
    "fourier/fft_*x1009_* fourier/rfft_*x1009_*": "a prime length: a convolution by two transforms of 1008 numbers",
    "fourier/*1x1048576* fourier/*65536* fft_1M": "a line longer than what a cache near by holds: a matrix whose "
    "columns, then rows, are transformed and turned",
    "fft2_1024* fourier/*fft2_1024*": "columns of a matrix that no cache near by holds: two passes, lines that lie "
    "apart",
    "rfft2 fourier/*": "additions that are not fused with products, shuffles where lines are turned or real numbers "
    "are taken apart, and passes that leave the first-level cache",
    # windows and images
    "avg_pool2d_2_grad unfold_3_1_grad": "each element collects its values from the windows that may hold it: loads "
    "from places that are computed, one for each",
    "unfold_3_1": "the image is copied with a border first; lines of the result are read before they are written",
    "*max_pool2d*": "elements that lie apart, read for each window that holds them; in a backward the places of the "
    "largest are found as well, and scattered to",
    "max_pool avg_pool2d_* adaptive_*": "windows, read more than once; elements that lie apart",
    "interpolate_bilinear nearest_twice": "elements that lie apart: a load for each",
    "interpolate_antialias": "elements that lie apart: a load for each; the weights are computed as well",
    # memory
    "transpose_contiguous_16M permute_nchw_nhwc add_transposed_1M": "lines of the cache that are read for a part of "
    "them, in pages all over the memory",
    "softmax_dim0_1M": "columns, read three times, in rows that are pages apart",
    "batch_norm": "a channel is read three times, in pieces: for its mean, its variance and its result",
    "logsumexp_1M": "rows are read twice",
    "pad_1M": "lines of the result are read before they are written",
    "sum_bfloat16_1M": "each element is converted",
    "mm_f32_skinny mv_4096 sum_*16M": "a matrix larger than what the others on the machine leave of the third level",
    # products
    "mm_bf16_512 mm_f32_64 einsum_bhqk": "so small products are packed for few uses",
    "gpt_block_bfloat16": "bfloat16 is converted before it is multiplied, and what is between products rounded",
    "conv_depthwise": "nine loads an output, and planes that are copied with a border",
    "sdpa sdpa_bwd attention attention_grad": "whole tiles at the diagonal, and products of small blocks with the "
    "softmax of rows between them",
    "conv1x1": "a result four times as large as the image is written beside the products; the limit has the longer "
    "time alone",
    "mlp lenet resnet* chargpt gpt_block*": "the limit is that of the whole step as one program, whose activations "
    "never leave the cache",
}
REASONS = [(pattern, reason) for patterns, reason in _REASONS.items() for pattern in patterns.split()]


def reason(case: str) -> str:
    """Of a case, named with its group or without."""
    names = (case, case.rpartition("/")[2])
    return next((why for pattern, why in REASONS if any(fnmatchcase(name, pattern) for name in names)), "")
