from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rushlight.core.base cimport BUILTIN_DTYPES, RL_FITS, UPCALLS, OperatorBase, reach
from rushlight.core.storage cimport Storage

cdef enum:
    INLINE_DIMS = 6
    MAX_DIMS = 64

# Dispatch keys: what a tensor needs beyond the plain CPU path. A single test against KEY_SPECIAL decides.
cdef enum Key:
    KEY_SUBCLASS = 1     # a Python subclass with __torch_function__ or __torch_dispatch__
    KEY_TRACE = 2        # stands for a program value
    KEY_TRANSFORM = 4    # wrapped by a transform in force (vmap, jvp)
    KEY_DEVICE = 8       # on a device other than the CPU and meta
    KEY_LAYOUT = 16      # not strided
    KEY_DTYPE = 64       # of a dtype that was registered from outside
    KEY_PENDING = 256    # the result of a recorded call that has not run: metadata, and no memory yet
    KEY_SPECIAL = 351
    KEY_META = 32        # shape only
    KEY_DISPATCH = 128   # with KEY_SUBCLASS: of a class with __torch_dispatch__

# An inference tensor takes no part in a graph. Writes to it are not counted, unless it is the `.data` of another
# tensor.
cdef enum Inference:
    I_UNCOUNTED = 1
    I_COUNTED = 2

cdef class Tensor

cdef class Counter:
    """A count of writes that is separate from that of a storage."""
    cdef int64_t n

cdef class AutogradMeta:
    cdef public object grad            # Tensor or None
    cdef public object accumulator     # the leaf's AccumulateGrad node
    cdef public object hooks           # tensor hooks of a leaf, by handle id
    cdef public object post_hooks      # post-accumulate hooks
    cdef public bint retains_grad
    # the dtype that a leaf's gradient must have: None, the tensor's own; False, any
    cdef public object grad_dtype
    cdef public Tensor base            # the tensor this one is a view of
    # how to regenerate the view's grad_fn: (sizes, strides, offset) are taken from the tensor
    cdef public object view_fn
    cdef public int64_t view_version   # the storage version grad_fn belongs to
    cdef public str why_no_inplace
    # what a tensor of another layout (KEY_LAYOUT) is made of: an object with a `layout`
    cdef readonly object parts
    cdef object task                   # the engine's, for a leaf: see engine.Node.task

cdef class Tensor:
    cdef Storage storage
    # the first element's place in the storage, in bytes: a storage may move, so none keeps its address
    cdef int64_t at
    cdef int64_t numel_
    cdef int64_t* sizes
    cdef int64_t* strides
    cdef int64_t inline_dims[12]
    cdef int ndim_
    cdef int code              # dtype code
    cdef int itemsize_
    cdef unsigned int keys
    cdef bint contiguous_
    cdef bint rg               # whether it is a leaf that requires grad, or a result with a graph node
    cdef int inference_        # whether it was made in inference mode, or is a view of such a tensor; see Inference
    cdef readonly object grad_fn_  # Node or None; only engine.set_history writes it: the engine casts it unchecked
    cdef readonly int output_nr
    cdef Counter counter       # the count of the writes to it and its views; None: the storage counts
    cdef AutogradMeta meta
    cdef PyObject* attributes      # the instance dictionary, NULL until an attribute is set
    cdef object more_dims          # memory for sizes and strides beyond INLINE_DIMS
    cdef object __weakref__
    cdef void set_ndim(self, int n) except *
    cdef inline int64_t offset_(self) noexcept:
        return self.at // self.itemsize_ if self.itemsize_ else 0

cdef inline char* address(Tensor t) noexcept:
    """The address of the first element, NULL if there is none; for tensors whose range was checked, see `memory`."""
    return <char*>t.storage.ptr + t.at if t.storage is not None else NULL

cdef int run_pending(Tensor t) except -1
cdef inline int settle(Tensor t) except -1:
    """If `t` is the result of a recorded call that has not run, run the call now: before memory or history is read."""
    return run_pending(t) if t.keys & KEY_PENDING else 0
cdef inline int expose(Tensor t) except -1:
    """Run the calls that wait to read or make `t`, before other code sees its address."""
    settle(t)
    if tls().modes:
        UPCALLS.flush("memory is shown to others")
    return 0
cdef char* memory(Tensor t) except NULL
cdef Tensor unmade()
cdef Tensor new_tensor(Storage storage, int code, int ndim)
cdef Tensor empty_contiguous(int code, int ndim, const int64_t* sizes, bint meta)
cdef int finish(Tensor t) except -1
cdef list sizes_of(Tensor t)
cdef list strides_of(Tensor t)
cdef str place_of(Tensor t)
cdef Tensor alias(Tensor t)
cdef inline int64_t* writes_to(Tensor t) noexcept:
    """The count of the writes to `t`; NULL for a tensor that has no storage and was never written to."""
    if t.counter is not None:
        return &t.counter.n
    return &t.storage.version if t.storage is not None else NULL
cdef inline int64_t version_of(Tensor t) noexcept:
    cdef int64_t* n = writes_to(t)
    return 0 if n == NULL else n[0]
cdef inline void counts_with(Tensor r, Tensor t) noexcept:
    """Let writes to `r`, which is on t's memory, be counted with those to `t`."""
    r.counter, r.inference_ = t.counter, t.inference_
cdef inline bint wants_grad(Tensor t) noexcept:
    """The value of t.requires_grad, without dispatch to a subclass: a view follows its base."""
    return t.rg or (t.meta is not None and t.meta.base is not None and t.meta.base.rg)

cdef inline bint may_write(Tensor t) noexcept:
    """Whether `t` may be written to: it is no inference tensor, or inference mode is on."""
    return t.inference_ != I_UNCOUNTED or tls().inference != 0
cdef inline bint lies_inside(Tensor t) noexcept:
    """Whether every element of `t`, which has a storage, lies inside it."""
    cdef int64_t low, high
    return (reach(t.ndim_, t.sizes, t.strides, t.itemsize_, t.at, &low, &high) == RL_FITS
        and (low == high or (low >= 0 and high <= t.storage.size_bytes)))
cdef inline void count_apart(Tensor t, int64_t n):
    """Count writes to `t` separately from those to its storage from now on, beginning with n."""
    cdef Counter c = Counter.__new__(Counter)
    c.n = n
    t.counter = c
cdef inline void bump_version(Tensor t) noexcept:
    """Count a write to `t`."""
    cdef int64_t* n = writes_to(t)
    if n != NULL:
        n[0] += 1
    else:
        count_apart(t, 1)
cdef inline int check_write(Tensor t, str name) except -1:
    """RuntimeError where `t` may not be written to by the call `name`."""
    if not may_write(t):
        raise RuntimeError(
            f"{name}(): a tensor made in inference_mode() must not be written to outside of it; found one. clone() "
            "makes an ordinary tensor of it")
    return 0
cdef void mark_view(Tensor r, Tensor t) noexcept
cdef AutogradMeta get_meta(Tensor t)
cdef object history(Tensor t)
cdef object size_tuple(Tensor t)
cdef int set_requires_grad(Tensor t, bint value) except -1

cdef struct State:               # the state of one thread
    int grad_enabled
    int inference
    int modes                    # number of __torch_function__/__torch_dispatch__ modes in force
    int readers                  # how many of them see attributes that are read
    int no_subclass              # 1: __torch_function__ of classes is off; 2: __torch_dispatch__, too
    int building                 # number of traces in progress
    int marking                  # whether new meta tensors get storages, which tell what lies on the same memory
    PyObject* tape               # the innermost mode, where it is a tape (tape.pyx); the stack of modes holds it
cdef State* tls() noexcept nogil
cdef list SLOTS                  # operators behind Python's operator syntax, by their SLOT_ numbers
cdef int[1] READERS              # the number of modes, in all threads, that see reads of attributes

# The operators behind Python's syntax: SLOT_ and the operator's name; comparisons in Python's order of them.
cpdef enum:
    SLOT_ADD
    SLOT_SUB
    SLOT_RSUB
    SLOT_MUL
    SLOT_TRUE_DIVIDE
    SLOT__RDIV
    SLOT_FLOOR_DIVIDE
    SLOT__RFLOORDIV
    SLOT_REMAINDER
    SLOT_POW
    SLOT_MATMUL
    SLOT_BITWISE_AND
    SLOT_BITWISE_OR
    SLOT_BITWISE_XOR
    SLOT_BITWISE_LEFT_SHIFT
    SLOT_BITWISE_RIGHT_SHIFT
    SLOT_NEG
    SLOT_ABS
    SLOT_BITWISE_NOT
    SLOT_POSITIVE
    SLOT_ADD_
    SLOT_SUB_
    SLOT_MUL_
    SLOT_TRUE_DIVIDE_
    SLOT_FLOOR_DIVIDE_
    SLOT_REMAINDER_
    SLOT_POW_
    SLOT_BITWISE_AND_
    SLOT_BITWISE_OR_
    SLOT_BITWISE_XOR_
    SLOT_BITWISE_LEFT_SHIFT_
    SLOT_BITWISE_RIGHT_SHIFT_
    SLOT_LT
    SLOT_LE
    SLOT_EQ
    SLOT_NE
    SLOT_GT
    SLOT_GE

cdef enum:
    N_SLOTS = SLOT_GE + 1


# Functions of modules above for Tensor, set when they are loaded by core/__init__.py.
cdef struct Above:
    object (*get)(Tensor, object)                        # x[...] (indexing.pyx)
    int (*set)(Tensor, object, object) except -1         # x[...] = value
    void (*move)(Tensor, Tensor, int64_t) except *       # move_to (raw.pyx)
cdef Above ABOVE

cdef object scalar_in(Tensor t)

cdef inline void mark_inference(Tensor t) noexcept:
    """What a tensor that is made now is."""
    if tls().inference:
        t.inference_ = I_UNCOUNTED

cdef inline bint recorded(Tensor t):
    return tls().grad_enabled and wants_grad(t)

cdef inline bint is_plain(Tensor t):
    """Whether the core indexes `t` itself: it is plain memory or metadata, of a built-in dtype."""
    return not t.keys & KEY_SPECIAL and t.code < BUILTIN_DTYPES and not tls().modes

# Whether the tensor's class may handle Python's syntax.
cdef int is_overridden(PyObject* o) noexcept
