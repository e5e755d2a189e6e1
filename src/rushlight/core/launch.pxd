from libc.stdint cimport int64_t
from rushlight.core.arrays cimport Arrays
from rushlight.core._native cimport kernel_t

cdef class Variant:
    cdef kernel_t fn
    cdef int64_t block
    cdef double cost

cdef class Kernel(Arrays):
    cdef object kernel
    cdef bint coalesce, any_order
    cdef int gathered
    cdef int64_t turned_room    # elements of rows that lie transposed, for which there are buffers; 0: none
    cdef dict variants
    cdef int key_words       # words of a variant's key: dimensions and mode, then two bits per operand
    cdef int64_t* last_key
    cdef Variant last

cdef class Launch(Arrays):
    cdef Kernel kernel
    cdef int nk, nr, no, ns
    cdef int nd              # nk + nr
    cdef int width           # room for the dimensions that a kernel gets: at least one kept and one reduced
    cdef int64_t scratch     # see launch_in
    cdef int* sizes          # slots of kept then reduced sizes
    cdef int* buffers
    cdef int* offsets
    cdef int* strides        # no x (nk + nr) slots
    cdef int* itemsizes
    cdef int* scalars
    cdef int* places         # of a scatter: which scalars are the size and the stride of each dim that indices name
    cdef int n_places
    cdef int writer          # the first written operand
    cdef bint split, skip_empty, reduces, wide, tiles, in_sequence, gathers
    cdef int64_t soft        # plan.Loose: dims whose size is a caller's argument; 0 if there are none
    cdef int64_t* apart      # for each dim; NULL: no caller's number
    cdef int64_t* by_step    # for each operand
    cdef int64_t* jumps
    cdef int unless, unless_in     # nothing needs to be done if these two buffers are the same; -1: never so
    cdef bint tried          # its variant was made when nothing needed to be done
    cdef bint prepared       # the variants for other numbers of the caller were made
    cdef bint columns        # the last result of `column_mode`
    cdef bint moves    # one operand's elements to other places
    cdef bint copies   # a source and a destination: nothing needs to be done if they are the same
    cdef int64_t partial_bytes, col_block
    cdef double fill_cost    # of a scatter that fills its places first, see kernel.py
    cdef double cost_of_nodes
    cdef str owner           # the operator, for errors
    # The last launch, unless it was split: the given sizes and strides, and the parameters made from them. Programs
    # mostly call again with the same ones.
    cdef int64_t* last_sizes
    cdef int64_t* last_params
    cdef int n_params
    cdef Variant variant    # None: there was none
    cdef int mode
    cdef int64_t items
    cdef double cost

cdef enum Mode:
    ROW = 0
    COL = 1
    PART = 2
    FINAL = 3
    COLPART = 4
    TILE = 5

cdef Variant variant_of(Launch s, int K, int R, int mode, int64_t* sz, int64_t* st, int64_t* key)
cdef bint folded(int n, int64_t* size, int64_t* stride) noexcept
cdef int launch_in(Launch s, int64_t* slots, void** buffers, int64_t* room, bint idle=*) except -1
cdef int make_variants(list steps, int64_t* slots, void** buffers, int64_t* room) except -1
cdef bint launched_so(Launch s, int64_t* slots) noexcept
cdef int raise_kernel_error(Launch s, int64_t* err) except -1
