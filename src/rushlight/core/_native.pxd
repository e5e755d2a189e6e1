from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uintptr_t

ctypedef int64_t (*kernel_t)(void** ptrs, const int64_t* params, int64_t begin, int64_t end) noexcept nogil

cdef void* c_alloc(size_t nbytes) noexcept nogil
cdef void c_free(void* p, size_t nbytes) noexcept nogil
cdef int64_t c_launch(kernel_t k, void** ptrs, const int64_t* params, int64_t items, double cost) noexcept nogil
cdef int64_t c_launch_again(kernel_t k, void** ptrs, const int64_t* params, int64_t items, double cost) noexcept nogil
cdef bint c_product_ready(int dtype) noexcept
cdef bint c_conv_ready(int dtype) noexcept
cdef bint c_product_serves(int dtype) noexcept
cdef int64_t c_product_columns(int dtype) noexcept nogil
cdef void c_product_panels(
    int dtype, int64_t n, int64_t k, const void* b, int64_t b_rs, int64_t b_cs, void* to) noexcept nogil
cdef int c_num_threads() noexcept nogil
cdef int c_conv(
    int mode, int dtype, int nd, int64_t n, int64_t c_in, int64_t c_out, int64_t groups, const int64_t* in_sp,
    const int64_t* out_sp, const int64_t* k_sp, const int64_t* stride, const int64_t* pad, const int64_t* dil, void* x,
    void* w, void* y, const rl_epilogue* then) noexcept nogil
cdef bint c_conv_takes_then(int mode, int dtype, int nd, const int64_t* stride) noexcept
cdef bint c_sort_serves(int64_t n) noexcept nogil
cdef bint c_order_serves(int64_t rows, int64_t n, int64_t count) noexcept nogil
cdef bint c_least_serves(int64_t n, int64_t count) noexcept nogil
cdef void c_least(
    int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t* x, int64_t* least) noexcept nogil
cdef int64_t c_order(
    int type, bint descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void* x, void* values,
    int64_t* at) noexcept nogil
cdef int64_t c_mask_chunks(int64_t n) noexcept nogil
cdef int64_t c_mask_count(const uint8_t* mask, int64_t n, int64_t* starts) noexcept nogil
cdef void c_mask_places(
    const uint8_t* mask, int64_t n, const int64_t* starts, int ndim, const int64_t* sizes,
    int64_t** out, int64_t step) noexcept nogil
cdef void c_mask_take(
    const uint8_t* mask, int64_t n, const int64_t* starts, int ndim, const int64_t* sizes, const char* x,
    const int64_t* stride, int64_t item, char* out) noexcept nogil

cdef extern from "alloc.h":
    enum: NO_MEMORY "RL_NO_MEMORY"      # returned where a workspace found none

cdef extern from "lapack.h":
    ctypedef struct rl_matrix:
        char* data
        int64_t item
        int64_t size[2]
        int64_t stride[2]
        int64_t batch_stride[64]
    ctypedef struct rl_lapack_call:
        int routine, dtype, batch_dims, n_args
        int64_t flags
        int64_t batch_size[64]
        rl_matrix args[8]
        int64_t failed, info

cdef extern from "product.h":
    enum: RL_MOST_DIMS, RL_MOST_OPERANDS, RL_MOST_PARAMS
    ctypedef struct rl_epilogue:
        kernel_t kernel
        int64_t n, at, n_params, nd
        double ns
        int64_t block
        void* pointers[16]
        int64_t params[66]
        int64_t sizes[8]
        int64_t steps[128]
    ctypedef struct rl_product:
        int dtype, add
        int64_t batch, m, n, k
        const char* a
        const char* b
        char* c
        int64_t a_bs, a_rs, a_cs, b_bs, b_rs, b_cs, c_bs, c_rs, c_cs
        const void* gather
        const rl_epilogue* then
        int64_t first
        int wide

cdef extern from "recurrence.h":
    enum: RL_RECURRING_OPERANDS
    ctypedef struct rl_recurring:
        char* at
        int64_t by
    ctypedef struct rl_recurring_part:
        kernel_t kernel
        rl_recurring* operands
        int n
        const int64_t* params
        int64_t items
        double cost
        rl_product product
    ctypedef struct rl_recurrence:
        int64_t rows, steps, n, shared
        rl_recurring_part* parts
        int failed
        int64_t error[4]
    int rl_recurrence_run(rl_recurrence* r) nogil

cdef extern from "trace.h":
    ctypedef struct rl_trace:
        pass
    rl_trace* rl_tracing                # the trace of this thread; NULL: it traces nothing
    int64_t rl_trace_launch(
        kernel_t k, int n, void** ptrs, const uintptr_t* bases, int n_params, const int64_t* params, int64_t items,
        double cost) nogil
    void rl_trace_bases(int n, const uintptr_t* bases) nogil

cdef inline int enough(int64_t rc, str for_what) except -1:
    """MemoryError if a routine has found too little memory."""
    if rc == NO_MEMORY:
        raise MemoryError("not enough memory " + for_what)
    return 0

cdef inline int convolved(int64_t rc) except -1:
    """The error of a convolution that has failed."""
    enough(rc, "for the workspace of a convolution")
    if rc != 0:
        raise RuntimeError(f"conv: the native convolution failed with code {rc}")
    return 0

cdef bint c_product_pays_then(const rl_product* p) noexcept nogil
cdef int c_product_run(const rl_product* p) noexcept nogil
cdef int c_multiply(const rl_product* p) noexcept nogil

cdef extern from "attention.h":
    ctypedef struct rl_matrices:
        char* data
        int64_t row, column
        int64_t step[62]
    ctypedef struct rl_attention:
        int dtype, backward, causal, mask, nd
        int64_t size[62]
        int64_t m, n, e, v
        const void* scale
        rl_matrices of[10]

cdef bint c_attention_ready(const rl_attention* call) noexcept nogil
cdef int c_attention(const rl_attention* call) noexcept nogil
cdef int64_t c_lapack(rl_lapack_call* call) noexcept nogil

cdef extern from "mt19937.h":
    ctypedef struct rl_mt19937:
        uint32_t state[624]
        int32_t used, fresh, has_normal
        double normal

# What is drawn from a twister, as declared in native/mt19937.h.
cdef void c_mt_seed(rl_mt19937* g, uint32_t seed) noexcept nogil
cdef void c_mt_words(rl_mt19937* g, int64_t n, uint32_t* out) noexcept nogil
cdef void c_mt_weave(int64_t runs, int64_t nbytes, bint apart, char* a, char* b, char* woven) noexcept nogil
cdef void c_mt_bernoulli(rl_mt19937* g, int64_t n, double p, uint8_t* out) noexcept nogil
cdef void c_mt_normal(rl_mt19937* g, int64_t n, double* out) noexcept nogil
cdef void c_mt_permutation(rl_mt19937* g, int64_t n, int64_t* out) noexcept nogil
cdef void c_mt_poisson(rl_mt19937* g, int64_t n, const double* rate, double* out) noexcept nogil
cdef void c_mt_binomial(rl_mt19937* g, int64_t n, const double* count, const double* p, double* out) noexcept nogil
cdef void c_mt_gamma(rl_mt19937* g, int64_t n, bint logarithm, const double* shape, double* out) noexcept nogil
cdef void c_mt_choose(
    rl_mt19937* g, int64_t rows, int64_t k, int64_t count, bint single, const double* weights, double* sums,
    int64_t* out) noexcept nogil
