from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

cdef enum:
    INLINE_DIMS = 6
    MAX_DIMS = 64

# Dispatch keys: what a tensor needs beyond the plain CPU road. One test against KEY_SPECIAL decides.
cdef enum Key:
    KEY_SUBCLASS = 1     # a Python subclass with __torch_function__ or __torch_dispatch__
    KEY_TRACE = 2        # stands for a program value
    KEY_TRANSFORM = 4    # wrapped by a transform in force (vmap, jvp)
    KEY_DEVICE = 8       # lives on a device that is not the CPU (nor meta)
    KEY_LAYOUT = 16      # not strided
    KEY_DTYPE = 64       # of a dtype that was registered from outside
    KEY_SPECIAL = 95
    KEY_META = 32        # shape only

cdef class Storage:
    cdef void* ptr
    cdef public int64_t size_bytes
    cdef bint owned
    cdef object owner          # keeps external memory alive
    cdef Storage former        # the block before the last resize_
    cdef public int64_t version
    cdef int64_t stamp         # of the launch that last looked for tensors on the same memory, see execute.pyx
    cdef public object device
    cdef object __weakref__
    cdef Py_ssize_t buf_shape[1]
    cdef Py_ssize_t buf_strides[1]

cdef class AutogradMeta:
    cdef public object grad            # Tensor or None
    cdef public object accumulator     # the leaf's AccumulateGrad node
    cdef public object hooks           # tensor hooks of a leaf, by handle id
    cdef public object post_hooks      # post-accumulate hooks
    cdef public bint retains_grad
    cdef public object base            # the tensor this one is a view of
    cdef public object view_fn         # how to regenerate the view's grad_fn: (sizes, strides, offset) are taken from the tensor
    cdef public int64_t view_version   # the storage version grad_fn belongs to
    cdef public str why_no_inplace
    cdef object task                   # the engine's, for a leaf: see engine.Node.task

cdef class Tensor:
    cdef Storage storage
    cdef char* data_
    cdef int64_t numel_
    cdef int64_t* sizes
    cdef int64_t* strides
    cdef int64_t inline_dims[12]
    cdef int ndim_
    cdef int code              # dtype code
    cdef int itemsize_
    cdef public unsigned int keys
    cdef bint contiguous_
    cdef bint rg               # a leaf that requires grad, or a result that has a graph node
    cdef bint untracked        # from .data: writes do not bump the version
    cdef bint inference_
    cdef public object grad_fn_    # Node or None
    cdef public int output_nr
    cdef AutogradMeta meta
    cdef PyObject* attributes      # the instance dictionary, NULL until an attribute is set
    cdef object more_dims          # memory for sizes and strides beyond INLINE_DIMS
    cdef object __weakref__
    cdef void set_ndim(self, int n) except *
    cdef inline int64_t offset_(self) noexcept:
        return (self.data_ - <char*>self.storage.ptr) // self.itemsize_ if self.itemsize_ and self.storage is not None else 0

cdef class OperatorBase:
    cdef object call1(self, object a)
    cdef object call2(self, object a, object b)

cdef Tensor new_tensor(Storage storage, int code, int ndim)
cdef Tensor empty_contiguous(int code, int ndim, const int64_t* sizes, bint meta)
cdef Storage new_storage(int64_t nbytes)
cdef int finish(Tensor t) except -1
cdef int item_size(int code) noexcept
cdef Tensor alias(Tensor t)
cdef void mark_view(Tensor r, Tensor t) noexcept
cdef AutogradMeta get_meta(Tensor t)
cdef object read_scalar(char* p, int code)
cdef int write_scalar(char* p, int code, object value) except -1
cdef object size_tuple(Tensor t)
cdef object dtype_of(int code)
cdef int set_requires_grad(Tensor t, bint value) except -1
cdef bint default_is_cpu()
cdef int code_of(object dtype, int default) except -2
cdef int plain_sizes(object size, int64_t* sizes, int64_t* total) except -2
cdef void set_row_major(Tensor t, int ndim, const int64_t* sizes) noexcept
cdef list DEFAULT_DTYPE
cpdef Tensor flat_of(Tensor t)

cdef struct State:               # of one thread
    int grad_enabled
    int inference
    int modes                    # number of __torch_function__/__torch_dispatch__ modes in force
    int no_subclass              # inside DisableTorchFunction
    int building                 # number of traces in progress
cdef State* tls() noexcept nogil
cdef list SLOTS
cdef dict HOOKS
