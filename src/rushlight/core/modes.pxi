# Included by tensor.pyx: what is in force in the calling thread.
cpdef bint is_grad_enabled() noexcept:
    """Whether operations are recorded for autograd in this thread."""
    return tls().grad_enabled != 0

def set_grad_enabled_raw(bint value):
    """Set the thread's grad mode and return what it was."""
    cdef bint old = tls().grad_enabled != 0
    tls().grad_enabled = value
    return old

def is_inference_mode_enabled():
    """Whether inference mode is on in this thread."""
    return tls().inference != 0

def modes_in_force():
    """How many __torch_function__ and __torch_dispatch__ modes are in force in this thread."""
    return tls().modes

def add_modes(int n):
    """Count n more __torch_function__ and __torch_dispatch__ modes in force in this thread; returns their number."""
    tls().modes += n
    return tls().modes

def add_readers(int n):
    """Count n more modes in force in this thread that see reads of tensors' attributes."""
    READERS[0] += n
    tls().readers += n
    return tls().readers

def no_subclass():
    """Which methods of subclasses are off in this thread; see set_no_subclass."""
    return tls().no_subclass

def set_no_subclass(int value):
    """Switch __torch_function__ of subclasses off in this thread (1), __torch_dispatch__ as well (2), or both on (0),
    and return what it was.
    """
    cdef int old = tls().no_subclass
    tls().no_subclass = value
    return old

def add_builders(int n):
    """Count the traces in progress in this thread."""
    tls().building += n
    return tls().building
