"""The native C parts of the core behind Python and Cython names: allocator, thread pool, code loader, BLAS,
convolution.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

cdef extern from "alloc.h":
    ctypedef struct rl_alloc_stats:
        int64_t allocated, peak
    void* rl_alloc(size_t) nogil
    void rl_free(void*, size_t) nogil
    void rl_alloc_get_stats(rl_alloc_stats*)
    void rl_alloc_reset_peak()
cdef extern from "guard.h":
    int rl_guard_mode()
    void rl_guard_set_fill(int)
    int64_t rl_guard_set_failure(int64_t)
cdef extern from "pool.h":
    ctypedef int64_t (*rl_kernel)(void**, const int64_t*, int64_t, int64_t) noexcept nogil
    int64_t rl_launch(rl_kernel, void**, const int64_t*, int64_t, double) nogil
    int64_t rl_launch_again(rl_kernel, void**, const int64_t*, int64_t, double) nogil
    int rl_num_threads() nogil
    void rl_set_num_threads(int) nogil
    int rl_flush_denormal(int) nogil
    double rl_shared_from_ns(double) nogil
    void rl_expect_launches(int64_t) nogil
    void rl_set_hand_over(int64_t)
    int64_t rl_measure_hand_over() nogil
cdef extern from "trace.h":
    int rl_trace_begin()
    void rl_trace_end()
    void rl_trace_block(const void*, size_t) nogil
    void rl_trace_drop(const void*) nogil
    const char* rl_trace_failure()
    const int64_t* rl_trace_words(int64_t*)
    int64_t rl_trace_blocks()
    void rl_trace_block_at(int64_t, int64_t*, int64_t*, int64_t*)
    bint rl_trace_place(const void*, int64_t*, int64_t*)
    int rl_trace_product(const rl_product*, int) nogil
    int rl_trace_conv(
        int, int, int, int64_t, int64_t, int64_t, int64_t, const int64_t*, const int64_t*, const int64_t*,
        const int64_t*, const int64_t*, const int64_t*, void*, void*, void*, const rl_epilogue*) nogil
    int rl_trace_attention(const rl_attention*) nogil
    void rl_trace_order(
        int, int, int64_t, int64_t, int64_t, int64_t, const void*, const void*, const int64_t*) nogil
    void rl_trace_least(int64_t, int64_t, int64_t, int64_t, const int64_t*, const int64_t*) nogil
    const char* rl_conventions
cdef extern from "codeload.h":
    void* rl_code_load(const void*, size_t) nogil

cdef extern from "blas.h":
    int rl_blas_open(const char*)
    const char* rl_blas_error()
    int rl_has_room(size_t)
    int rl_multiply(const rl_product*, int) nogil
cdef extern from "product.h":
    ctypedef void* rl_tile_fn
    ctypedef void* rl_panel_fn
    void rl_product_use(int, rl_tile_fn, rl_panel_fn, rl_panel_fn, int64_t, int64_t)
    void rl_product_use_table(int, rl_tile_fn, rl_tile_fn)
    ctypedef struct rl_product_parts:
        rl_tile_fn table
    rl_product_parts rl_product_kernels(int) nogil
    void rl_product_use_bf16(rl_tile_fn, rl_panel_fn, rl_panel_fn)
    int rl_product_serves(int) nogil
    int rl_product_pays_then(const rl_product*) nogil
    int rl_product_run(const rl_product*, int) nogil
    int64_t rl_product_columns(int) nogil
    void rl_product_panels(int, int64_t, int64_t, const void*, int64_t, int64_t, void*) nogil
    int rl_processor()
cdef extern from "lapack.h":
    int64_t rl_lapack(rl_lapack_call*) nogil
    const char* rl_lapack_error()
cdef extern from "conv.h":
    int rl_conv(
        int, int, int, int64_t, int64_t, int64_t, int64_t, const int64_t*, const int64_t*, const int64_t*,
        const int64_t*, const int64_t*, const int64_t*, void*, void*, void*, const rl_epilogue*) nogil
    bint rl_conv_takes_then(int, int, int, const int64_t*) nogil

cdef extern from "regions.h":
    ctypedef struct rl_regions:
        int mode, is_double
        int64_t n, channels, height, width, count, rows, columns, sampling
        const int64_t* at
        const void* boxes
        void* images
        void* bins
        int32_t* places
    int RL_NO_IMAGE
    int64_t rl_region_average(const rl_regions*) nogil
    int64_t rl_region_spread(const rl_regions*) nogil
    int64_t rl_region_largest(const rl_regions*) nogil
    int64_t rl_boxes_keep(int, int64_t, const void*, double, int64_t*) nogil
    int64_t rl_boxes_turned(int, int64_t, int64_t, const void*, const void*, float*) nogil

cdef extern from "fourier.h":
    void rl_fourier_codelet(int64_t, const void*)
cdef extern from "attention.h":
    ctypedef void* rl_rows_fn
    ctypedef void* rl_finish_fn
    void rl_attention_use(int, int, int, rl_rows_fn, rl_finish_fn)
    int rl_attention_ready(const rl_attention*) nogil
    int rl_attention_run(const rl_attention*) nogil
cdef extern from "resample.h":
    ctypedef struct rl_resample:
        int64_t n, c, h, w, oh, ow, depth
        const uint8_t* x
        uint8_t* y
        int64_t x_n, x_c, x_h, y_n, y_c, y_h
        int64_t y_depth
        double step_h, step_w
        int reach, antialias, corners
    int64_t rl_resample_bytes(const rl_resample*) nogil
cdef extern from "processor.h":
    int rl_limit_byte_level(int)
cdef extern from "colours.h":
    ctypedef struct rl_colours:
        int64_t height, width
        const uint8_t* y
        const uint8_t* u
        const uint8_t* v
        int64_t y_row, u_row, v_row
        uint8_t* rgb
        int64_t rgb_row
        int16_t black, y_all, v_red, u_green, v_green, u_blue
    void rl_rgb_of_colours(const rl_colours*) nogil
cdef extern from "resample_numbers.h":
    ctypedef struct rl_resample_numbers:
        int is_double, reach, turned
        int64_t outer, n, out, inner
        double step
        const void* x
        void* y
    int64_t rl_resample_along(const rl_resample_numbers*) nogil
cdef extern from "order.h":
    int rl_order_serves(int64_t, int64_t, int64_t) nogil
    int rl_sort_serves(int64_t) nogil
    int rl_least_serves(int64_t, int64_t) nogil
    void rl_least(int64_t, int64_t, int64_t, int64_t, const int64_t*, int64_t*) nogil
    int rl_order_by_counting(int64_t, const int64_t*, int64_t*) nogil
    int64_t rl_order(int, int, int64_t, int64_t, int64_t, int64_t, const void*, void*, int64_t*) nogil
cdef extern from "mask.h":
    int64_t rl_mask_chunks(int64_t) nogil
    int64_t rl_mask_count(const uint8_t*, int64_t, int64_t*) nogil
    void rl_mask_places(const uint8_t*, int64_t, const int64_t*, int, const int64_t*, int64_t**, int64_t) nogil
    void rl_mask_take(
        const uint8_t*, int64_t, const int64_t*, int, const int64_t*, const char*, const int64_t*, int64_t, char*) nogil
cdef extern from "mt19937.h":
    void rl_mt_seed(rl_mt19937*, uint32_t) nogil
    void rl_mt_words(rl_mt19937*, int64_t, uint32_t*) nogil
    void rl_mt_weave(int64_t, int64_t, int, char*, char*, char*) nogil
    void rl_mt_bernoulli(rl_mt19937*, int64_t, double, uint8_t*) nogil
    void rl_mt_normal(rl_mt19937*, int64_t, double*) nogil
    void rl_mt_permutation(rl_mt19937*, int64_t, int64_t*) nogil
    void rl_mt_poisson(rl_mt19937*, int64_t, const double*, double*) nogil
    void rl_mt_binomial(rl_mt19937*, int64_t, const double*, const double*, double*) nogil
    void rl_mt_gamma(rl_mt19937*, int64_t, int, const double*, double*) nogil
    void rl_mt_choose(rl_mt19937*, int64_t, int64_t, int64_t, int, const double*, double*, int64_t*) nogil

# A thread that records a trace (native/trace.h) notes the call instead of making it.
cdef void* c_alloc(size_t nbytes) noexcept nogil:
    cdef void* p = rl_alloc(nbytes)
    if rl_tracing != NULL:
        rl_trace_block(p, nbytes)
    return p

cdef void c_free(void* p, size_t nbytes) noexcept nogil:
    if rl_tracing != NULL:
        rl_trace_drop(p)
    rl_free(p, nbytes)

cdef int64_t c_launch(kernel_t k, void** ptrs, const int64_t* params, int64_t items, double cost) noexcept nogil:
    return rl_launch(<rl_kernel>k, ptrs, params, items, cost)

cdef int64_t c_launch_again(kernel_t k, void** ptrs, const int64_t* params, int64_t items, double cost) noexcept nogil:
    return rl_launch_again(<rl_kernel>k, ptrs, params, items, cost)

cdef int c_num_threads() noexcept nogil:
    return rl_num_threads()

cdef int c_conv(
        int mode, int dtype, int nd, int64_t n, int64_t c_in, int64_t c_out, int64_t groups, const int64_t* in_sp,
        const int64_t* out_sp, const int64_t* k_sp, const int64_t* stride, const int64_t* pad, const int64_t* dil,
        void* x, void* w, void* y, const rl_epilogue* then) noexcept nogil:
    if rl_tracing != NULL:
        return rl_trace_conv(
            mode, dtype, nd, n, c_in, c_out, groups, in_sp, out_sp, k_sp, stride, pad, dil, x, w, y, then)
    return rl_conv(mode, dtype, nd, n, c_in, c_out, groups, in_sp, out_sp, k_sp, stride, pad, dil, x, w, y, then)

cdef bint c_conv_takes_then(int mode, int dtype, int nd, const int64_t* stride) noexcept:
    return rl_conv_takes_then(mode, dtype, nd, stride)

cdef bint c_order_serves(int64_t rows, int64_t n, int64_t count) noexcept nogil:
    return rl_order_serves(rows, n, count) != 0

cdef bint c_sort_serves(int64_t n) noexcept nogil:
    return rl_sort_serves(n) != 0

cdef bint c_least_serves(int64_t n, int64_t count) noexcept nogil:
    return rl_least_serves(n, count) != 0

cdef void c_least(
        int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t* x, int64_t* least) noexcept nogil:
    if rl_tracing != NULL:
        rl_trace_least(outer, n, inner, count, x, least)
    else:
        rl_least(outer, n, inner, count, x, least)

cdef int64_t c_order(
        int type, bint descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void* x, void* values,
        int64_t* at) noexcept nogil:
    if rl_tracing != NULL:
        rl_trace_order(type, descending, rows, n, inner, count, x, values, at)
        return 0
    return rl_order(type, descending, rows, n, inner, count, x, values, at)

cdef int64_t c_mask_chunks(int64_t n) noexcept nogil:
    return rl_mask_chunks(n)

cdef int64_t c_mask_count(const uint8_t* mask, int64_t n, int64_t* starts) noexcept nogil:
    return rl_mask_count(mask, n, starts)

cdef void c_mask_places(
        const uint8_t* mask, int64_t n, const int64_t* starts, int ndim, const int64_t* sizes, int64_t** out,
        int64_t step) noexcept nogil:
    rl_mask_places(mask, n, starts, ndim, sizes, out, step)

cdef void c_mask_take(
        const uint8_t* mask, int64_t n, const int64_t* starts, int ndim, const int64_t* sizes, const char* x,
        const int64_t* stride, int64_t item, char* out) noexcept nogil:
    rl_mask_take(mask, n, starts, ndim, sizes, x, stride, item, out)

cdef void c_mt_seed(rl_mt19937* g, uint32_t seed) noexcept nogil:
    rl_mt_seed(g, seed)

cdef void c_mt_words(rl_mt19937* g, int64_t n, uint32_t* out) noexcept nogil:
    rl_mt_words(g, n, out)

cdef void c_mt_weave(int64_t runs, int64_t nbytes, bint apart, char* a, char* b, char* woven) noexcept nogil:
    rl_mt_weave(runs, nbytes, apart, a, b, woven)

cdef void c_mt_bernoulli(rl_mt19937* g, int64_t n, double p, uint8_t* out) noexcept nogil:
    rl_mt_bernoulli(g, n, p, out)

cdef void c_mt_normal(rl_mt19937* g, int64_t n, double* out) noexcept nogil:
    rl_mt_normal(g, n, out)

cdef void c_mt_permutation(rl_mt19937* g, int64_t n, int64_t* out) noexcept nogil:
    rl_mt_permutation(g, n, out)

cdef void c_mt_poisson(rl_mt19937* g, int64_t n, const double* rate, double* out) noexcept nogil:
    rl_mt_poisson(g, n, rate, out)

cdef void c_mt_binomial(rl_mt19937* g, int64_t n, const double* count, const double* p, double* out) noexcept nogil:
    rl_mt_binomial(g, n, count, p, out)

cdef void c_mt_gamma(rl_mt19937* g, int64_t n, bint logarithm, const double* shape, double* out) noexcept nogil:
    rl_mt_gamma(g, n, logarithm, shape, out)

cdef void c_mt_choose(
        rl_mt19937* g, int64_t rows, int64_t k, int64_t count, bint single, const double* weights, double* sums,
        int64_t* out) noexcept nogil:
    rl_mt_choose(g, rows, k, count, single, weights, sums, out)

def num_threads():
    """How many threads the pool uses, the caller included."""
    return rl_num_threads()

def shared_from(double ns=0):
    """The least work, in nanoseconds, that is now shared among threads, asked for work of `ns`."""
    return <int64_t>rl_shared_from_ns(ns)

def expect_launches(int64_t ns=0):
    """Let workers that sleep be awake when launches come, in so many nanoseconds (native/pool.h)."""
    rl_expect_launches(ns)

def set_hand_over(int64_t ns):
    """Set how long a worker takes to begin: work of four times that or more is shared, within 15,000 and 200,000."""
    rl_set_hand_over(ns)

def measure_hand_over():
    """Measure how long a worker takes to begin, which takes some milliseconds; 0 if no worker comes."""
    cdef int64_t ns
    with nogil:
        ns = rl_measure_hand_over()
    return ns

def set_num_threads(int n):
    """Set the number of threads of the pool."""
    if n < 1:
        raise RuntimeError(f"set_num_threads(): expected a positive integer; found {n}")
    rl_set_num_threads(n)

def flush_denormal(bint on):
    """Let this thread, and the pool in its jobs, treat denormal numbers as zero; returns whether the processor can."""
    return rl_flush_denormal(on) != 0

def allocated():
    """The bytes that tensors and buffers hold now, and the most that they held since `reset_peak`."""
    cdef rl_alloc_stats found
    rl_alloc_get_stats(&found)
    return found.allocated, found.peak

def reset_peak():
    """Begin to count the peak anew."""
    rl_alloc_reset_peak()

def guard_mode():
    """How blocks are guarded: "end", "start", "heap" or "" (native/guard.h; chosen by RUSHLIGHT_GUARD, for tests)."""
    return ("", "end", "start", "heap")[rl_guard_mode()]

def guard_fill(int byte):
    """Fill the blocks allocated from now on with `byte`, when there are guard pages."""
    rl_guard_set_fill(byte)

def guard_fail(int64_t n):
    """Let the n-th allocation from now on fail, when blocks are guarded (0: none); returns how many of the last count
    were left, -1 if one has failed.
    """
    return rl_guard_set_failure(n)

def load_code(const unsigned char[::1] blob):
    """Copy position-independent machine code into executable memory; returns its address."""
    cdef void* p = rl_code_load(&blob[0], blob.shape[0])
    if p == NULL:
        raise MemoryError(f"cannot map {blob.shape[0]} bytes of executable memory")
    return <size_t>p


def has_room(size_t nbytes):
    """Whether the process may map so many more bytes, if its memory is limited. It is asked before the calls of
    libraries that end the process if they get none.
    """
    return rl_has_room(nbytes) != 0


cdef bint _blas_ready = False

def open_blas(str path):
    """Open the OpenBLAS library at `path`; RuntimeError if it cannot be used, MemoryError if there is no room for it.
    """
    global _blas_ready
    cdef int rc = rl_blas_open(path.encode())
    if rc == -3:
        raise MemoryError(f"no memory for OpenBLAS: {rl_blas_error().decode()}")
    if rc != 0:
        raise RuntimeError(f"cannot use OpenBLAS at {path}: {rl_blas_error().decode()}")
    _blas_ready = True

def blas_ready():
    """Whether OpenBLAS has been opened."""
    return _blas_ready

cdef bint _product_ready[7]

cdef bint c_product_ready(int dtype) noexcept:
    return _product_ready[dtype]

cdef bint c_product_serves(int dtype) noexcept:
    return rl_product_serves(dtype) != 0

def product_ready(int dtype):
    """Whether the kernels for products of a dtype (by its number in native/blas.h) have been made."""
    return _product_ready[dtype]

def product_is_ready(int dtype):
    """Note that they have been made."""
    _product_ready[dtype] = True

def use_product(int dtype, size_t tile, size_t pack, size_t narrow, int64_t rows, int64_t columns):
    """Set the kernels for products of a dtype, by their addresses and the rows and columns of their tiles; if the first
    address is 0, OpenBLAS multiplies that dtype, or nothing does.
    """
    if not 0 <= dtype < 7 or rows > 16:
        raise ValueError(f"use_product: expected a dtype of products and at most 16 rows; found {dtype} and {rows}")
    rl_product_use(dtype, <rl_tile_fn>tile, <rl_panel_fn>pack, <rl_panel_fn>narrow, rows, columns)

def use_table(int dtype, size_t tile, size_t turned):
    """Set the kernels for the tiles of convolutions in a dtype of products, by their addresses."""
    if not 0 <= dtype < 6:
        raise ValueError(f"use_table: expected a dtype of products; found {dtype}")
    rl_product_use_table(dtype, <rl_tile_fn>tile, <rl_tile_fn>turned)

cdef bint c_conv_ready(int dtype) noexcept:
    return not rl_product_serves(dtype) or rl_product_kernels(dtype).table != NULL

def use_bf16(size_t tile, size_t pairs, size_t narrow):
    """Set the kernels that multiply bfloat16 by pairs of terms, by their addresses; 0 for none."""
    rl_product_use_bf16(<rl_tile_fn>tile, <rl_panel_fn>pairs, <rl_panel_fn>narrow)

def processor():
    """Which of the instruction sets that products use the processor has."""
    cdef int found = rl_processor()
    return {name for bit, name in ((1, "avx2"), (2, "avx512"), (4, "amx"), (8, "avx512bf16")) if found & bit}

cdef int c_multiply(const rl_product* p) noexcept nogil:
    return rl_multiply(p, 1) if rl_tracing == NULL else rl_trace_product(p, 0)

cdef bint c_product_pays_then(const rl_product* p) noexcept nogil:
    return rl_product_pays_then(p)

cdef int c_product_run(const rl_product* p) noexcept nogil:
    return rl_product_run(p, 1) if rl_tracing == NULL else rl_trace_product(p, 1)

cdef int64_t c_product_columns(int dtype) noexcept nogil:
    return rl_product_columns(dtype)

cdef void c_product_panels(
        int dtype, int64_t n, int64_t k, const void* b, int64_t b_rs, int64_t b_cs, void* to) noexcept nogil:
    rl_product_panels(dtype, n, k, b, b_rs, b_cs, to)

cdef int64_t c_lapack(rl_lapack_call* call) noexcept nogil:
    return rl_lapack(call)

def lapack_error():
    """The name of the function of LAPACK that was not found."""
    return rl_lapack_error().decode()

def conv(
        int mode, int dtype, int64_t n, int64_t c_in, int64_t c_out, int64_t groups, in_sp, out_sp, k_sp, stride, pad,
        dil, size_t x, size_t w, size_t y):
    """Run the native convolution on contiguous buffers given by address; mode 0 forward, 1 input gradient, 2 weight
    gradient.
    """
    cdef int64_t v[6][3]
    cdef int i, j, nd = len(in_sp), rc
    for j, values in enumerate((in_sp, out_sp, k_sp, stride, pad, dil)):
        for i in range(nd):
            v[j][i] = values[i]
    with nogil:
        rc = rl_conv(
            mode, dtype, nd, n, c_in, c_out, groups, v[0], v[1], v[2], v[3], v[4], v[5], <void*>x, <void*>w, <void*>y,
            NULL)
    convolved(rc)

def gemm(int dtype, int64_t batch, int64_t m, int64_t n, int64_t k, size_t a, size_t b, size_t c):
    """Batched product of contiguous matrices given by address."""
    cdef int rc
    cdef int64_t item = (4, 8, 8, 16)[dtype]
    cdef rl_product p
    memset(&p, 0, sizeof(p))
    p.dtype, p.batch, p.m, p.n, p.k = dtype, batch, m, n, k
    p.a, p.a_bs, p.a_rs, p.a_cs = <char*>a, m * k * item, k * item, item
    p.b, p.b_bs, p.b_rs, p.b_cs = <char*>b, k * n * item, n * item, item
    p.c, p.c_bs, p.c_rs, p.c_cs = <char*>c, m * n * item, n * item, item
    with nogil:
        rc = rl_multiply(&p, 1)
    enough(rc, "for the workspace of a matrix product")
    if rc != 0:
        raise RuntimeError(f"gemm: BLAS failed with code {rc}")

def sort_by_counting(int64_t n, size_t keys, size_t to):
    """Sort n int64 keys, given by address, whose low 32 bits are their indices; whether their high bits have so narrow
    a range that it was done.
    """
    cdef int rc
    with nogil:
        rc = rl_order_by_counting(n, <const int64_t*>keys, <int64_t*>to)
    return rc == 0

def fourier_codelet(int64_t number, size_t address):
    """Register a codelet of Fourier transforms under its number (native/fourier.h); address 0 removes it."""
    rl_fourier_codelet(number, <const void*>address)

def regions(
        int task, int mode, bint is_double, tuple images, int64_t count, int64_t rows, int64_t columns,
        int64_t sampling, size_t at, size_t boxes, size_t x, size_t y, size_t places):
    """Average regions of images (task 0), do the transpose of that (1), or find the largest elements (2), by
    native/regions.h; images: their sizes. False if a region names an image that does not exist.
    """
    cdef rl_regions r
    cdef int64_t rc
    r.mode, r.is_double, r.count, r.rows, r.columns, r.sampling = mode, is_double, count, rows, columns, sampling
    r.n, r.channels, r.height, r.width = images
    r.at, r.boxes, r.images, r.bins = <const int64_t*>at, <const void*>boxes, <void*>x, <void*>y
    r.places = <int32_t*>places
    with nogil:
        rc = rl_region_average(&r) if task == 0 else rl_region_spread(&r) if task == 1 else rl_region_largest(&r)
    enough(rc, "for the tables of regions")
    return rc != RL_NO_IMAGE

def boxes_keep(bint is_double, int64_t n, size_t boxes, double threshold, size_t keep):
    """Pick the boxes, in falling order of their scores, that overlap none picked before them (native/regions.h);
    returns how many.
    """
    cdef int64_t rc
    with nogil:
        rc = rl_boxes_keep(is_double, n, <const void*>boxes, threshold, <int64_t*>keep)
    enough(rc, "to compare boxes")
    return rc

def boxes_turned(bint is_double, int64_t n, int64_t m, size_t a, size_t b, size_t out):
    """How much rotated rectangles overlap (native/regions.h)."""
    with nogil:
        rl_boxes_turned(is_double, n, m, <const void*>a, <const void*>b, <float*>out)

def resample(
        tuple sizes, size_t x, tuple x_strides, size_t y, tuple y_strides, int64_t y_depth, double step_h,
        double step_w, int reach, bint antialias, bint corners):
    """Resample planes of bytes x into y (native/resample.h).

    Args:
        sizes: n, c, h, w, oh, ow and depth, none negative.
        x, y: addresses.
        x_strides, y_strides: of n, c and h.
        y_depth: 0, or the stride of the numbers of a pixel of y.
        step_h, step_w: the steps in the source for a step of one pixel in the result.
        reach: of the filter; 3 with antialias alone.
    """
    cdef rl_resample c
    cdef int64_t rc
    if not 1 <= reach <= 2 + antialias:
        raise ValueError(f"resample: expected a reach of 1, 2 or, with antialias, 3; found {reach}")
    c.n, c.c, c.h, c.w, c.oh, c.ow, c.depth = sizes
    c.x, c.y = <const uint8_t*>x, <uint8_t*>y
    c.x_n, c.x_c, c.x_h = x_strides
    c.y_n, c.y_c, c.y_h = y_strides
    c.y_depth = y_depth
    c.step_h, c.step_w, c.reach, c.antialias, c.corners = step_h, step_w, reach, antialias, corners
    with nogil:
        rc = rl_resample_bytes(&c)
    enough(rc, "for the workspace of interpolate()")

def resample_along(
        bint is_double, tuple sizes, size_t x, size_t y, double step, int reach, bint turned):
    """Resample numbers along one dimension (native/resample_numbers.h).

    Args:
        sizes: outer, n, out and inner, none negative.
        x, y: addresses of (outer, n, inner) and (outer, out, inner), row by row.
        reach: of the filter.
    """
    cdef rl_resample_numbers c
    cdef int64_t rc
    if not 1 <= reach <= 3:
        raise ValueError(f"resample_along: expected a reach of 1, 2 or 3; found {reach}")
    c.outer, c.n, c.out, c.inner = sizes
    c.is_double, c.reach, c.turned, c.step = is_double, reach, turned, step
    c.x, c.y = <const void*>x, <void*>y
    with nogil:
        rc = rl_resample_along(&c)
    enough(rc, "for the workspace of interpolate()")

def limit_byte_level(int limit):
    """Limit the instructions that compute the bytes of pictures to a level (native/processor.h); returns the level now
    in use.
    """
    return rl_limit_byte_level(limit)

cdef const uint8_t* _rows(const unsigned char[::1] plane, int64_t row, int64_t count, int64_t width) except NULL:
    """Where rows begin that a plane must hold."""
    if row < width or plane.shape[0] < width or (plane.shape[0] - width) // row < count - 1:
        raise ValueError(f"rgb_of_colours: a plane of {count} x {width} bytes expected, found {plane.shape[0]} bytes")
    return &plane[0]

def rgb_of_colours(
        const unsigned char[::1] y, const unsigned char[::1] u, const unsigned char[::1] v, tuple rows, tuple weights,
        unsigned char[:, :, ::1] rgb):
    """A picture in 4:2:0 as red, green and blue (native/colours.h).

    Args:
        y, u, v: the planes.
        rows: the bytes from one row to the next in each.
        weights: the numbers of rl_colours, from `black` on.
        rgb: where it goes, (height, width, 3), with an even height.
    """
    cdef rl_colours c
    cdef int64_t half = (rgb.shape[1] + 1) // 2
    if rgb.shape[2] != 3 or rgb.shape[0] % 2:
        raise ValueError("rgb_of_colours: rgb of an even height and 3 bytes a pixel expected, found another shape")
    c.height, c.width, c.rgb_row = rgb.shape[0], rgb.shape[1], rgb.strides[0]
    if not c.height or not c.width:
        return
    c.y_row, c.u_row, c.v_row = rows
    c.black, c.y_all, c.v_red, c.u_green, c.v_green, c.u_blue = weights
    c.y = _rows(y, c.y_row, c.height, c.width)
    c.u, c.v = _rows(u, c.u_row, c.height // 2, half), _rows(v, c.v_row, c.height // 2, half)
    c.rgb = &rgb[0, 0, 0]
    with nogil:
        rl_rgb_of_colours(&c)

def use_attention(int dtype, bint backward, int mask, size_t rows, size_t finish):
    """Make attention in a dtype, with such a mask (native/attention.h), with the kernels at these addresses."""
    if not 0 <= dtype < 6 or not 0 <= mask < 4:
        raise ValueError(f"use_attention: expected a dtype of products and a kind of mask; found {dtype} and {mask}")
    rl_attention_use(dtype, backward, mask, <rl_rows_fn>rows, <rl_finish_fn>finish)

cdef bint c_attention_ready(const rl_attention* call) noexcept nogil:
    return rl_attention_ready(call) != 0

cdef int c_attention(const rl_attention* call) noexcept nogil:
    return rl_attention_run(call) if rl_tracing == NULL else rl_trace_attention(call)


def conventions():
    """The version of a trace's format, which the library that runs it must share (native/trace.h)."""
    return rl_conventions.decode()


def trace(blocks, run):
    """Call `run`, and record what the plans of this thread ask of the native parts, instead of doing it.

    Args:
        blocks: addresses and sizes in bytes of memory that exists already: the first blocks, in this order.
        run: a function without arguments, which may call `trace_place`.

    Returns:
        The result of `run`; the records, words of 64 bits as bytes; and for each block its size, and the first and the
        last record that touch it (-1: none).

    Raises:
        RuntimeError: the thread is tracing already, or the calls include one that a trace cannot hold.
    """
    cdef size_t address, size
    cdef int64_t n, first, last, k
    cdef const int64_t* words
    cdef list found = []
    if rl_tracing != NULL:
        raise RuntimeError("trace(): this thread traces already")
    if not rl_trace_begin():
        raise MemoryError("no memory for a trace")
    try:
        for address, size in blocks:
            rl_trace_block(<const void*>address, size)
        result = run()
        if rl_trace_failure() != NULL:
            raise RuntimeError(f"trace(): {rl_trace_failure().decode()}")
        for k in range(rl_trace_blocks()):
            rl_trace_block_at(k, &n, &first, &last)
            found.append((n, first, last))
        words = rl_trace_words(&n)
        return result, (<const char*>words)[:8 * n] if n else b"", found
    finally:
        rl_trace_end()


def trace_place(size_t address):
    """The number of the block that has an address, and the address's offset in it in bytes; the block is kept to the
    end from now on. RuntimeError if no block has it, or nothing is being traced.
    """
    cdef int64_t block, offset
    if rl_tracing == NULL or not rl_trace_place(<const void*>address, &block, &offset):
        raise RuntimeError("trace_place(): the address lies in no block of a trace")
    return block, offset
