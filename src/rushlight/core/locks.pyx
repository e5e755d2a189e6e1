# cython: nonecheck=True
"""The locks that are held while a new call is made, and how forks and signals treat them.

A child that is forked while another thread holds one of them would wait for ever, since that thread does not exist in
it. So a fork first acquires all of them (LLVM's own lock is only taken within `building`), which mostly takes 10 ms at
most.

Python runs the handler of a signal between two steps of Python code; an exception of the handler then leaves any block
half done,
`__enter__` of a class written in Python included, and is lost when the code is a function that a fork calls. Nothing
here
is Python code: a block is entered or it is not, and what a fork does cannot be interrupted. What the thread had in
force when
it entered a `Section`, such as traces in progress, is put back when an exception leaves it.

Whoever needs several sections takes the one that was made last first.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_GET_SIZE
from cpython.object cimport PyObject
from rushlight.core import devices as _devices
from rushlight.core.tensor cimport READERS, State, tls

cdef extern from "Python.h":
    ctypedef void* PyThread_type_lock
    int PY_LOCK_ACQUIRED
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock)
    int PyThread_acquire_lock(PyThread_type_lock, int) nogil
    int PyThread_acquire_lock_timed(PyThread_type_lock, long long, int) nogil
    void PyThread_release_lock(PyThread_type_lock)
    unsigned long PyThread_get_thread_ident()
    int PyGC_Enable()
    int PyGC_Disable()
    int Py_AddPendingCall(int (*)(void*) noexcept, void*)
    void PyErr_SetObject(object, object)

cdef extern from "<signal.h>" nogil:
    ctypedef struct sigset_t:
        pass
    int SIG_SETMASK
    int SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT
    int sigfillset(sigset_t*)
    int sigdelset(sigset_t*, int)
    int pthread_sigmask(int, const sigset_t*, sigset_t*)


cdef list SECTIONS = []                 # all sections, in the order in which they were made

cdef class Section:
    """A reentrant lock that a fork acquires, too; a context manager."""

    cdef PyThread_type_lock lock
    cdef unsigned long owner
    cdef int depth
    cdef list kept                      # (object, name) of the attributes that an exception restores
    cdef list before                    # their values at each entry

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError("Section(): cannot allocate a lock")
        self.kept, self.before = [], []
        SECTIONS.append(self)

    def __dealloc__(self):
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef int take(self, bint interruptible) except -1:
        cdef unsigned long me = PyThread_get_thread_ident()
        cdef int got
        if self.depth and self.owner == me:
            self.depth += 1
            return 0
        while not PyThread_acquire_lock(self.lock, 0):
            with nogil:
                got = PyThread_acquire_lock_timed(self.lock, -1, interruptible)
            if got == PY_LOCK_ACQUIRED:
                break
            PyErr_CheckSignals()        # the exception of a signal's handler goes to the code that waits here
        self.owner = me
        self.depth = 1
        return 0

    cdef void give(self) noexcept:
        self.depth -= 1
        if self.depth == 0:
            self.owner = 0
            PyThread_release_lock(self.lock)

    def keeps(self, owner, str name):
        """Let an exception that leaves the section restore the attribute `name` of `owner` (of a list: its length)."""
        self.kept.append((owner, name))

    def __enter__(self):
        values = [tls().building]
        for owner, name in self.kept:
            value = getattr(owner, name)
            values.append(PyList_GET_SIZE(value) if isinstance(value, list) else value)
        self.take(True)
        try:
            self.before.append(values)
        except MemoryError:
            self.give()
            raise

    def __exit__(self, kind, error, traceback):
        values = self.before.pop()
        if kind is not None:
            tls().building = values[0]
            for (owner, name), value in zip(self.kept, values[1:]):
                now = getattr(owner, name)
                if isinstance(now, list):
                    del (<list>now)[<Py_ssize_t>value:]
                else:
                    setattr(owner, name, value)
        self.give()

    def locked(self):
        """Whether a thread is in the section."""
        return self.depth != 0


building = Section()                    # a kernel is made, or loaded
tracing = Section()                     # a call is traced, differentiated and planned


cdef class no_collections:
    """A block in which the garbage collector is off: a trace, a plan and a kernel's IR are thousands of objects in
    cycles, most of them dead at the end.

    Collections on the way there only visit them, and let them grow old: then every full collection visits them again.
    """

    cdef bint was

    def __enter__(self):
        self.was = PyGC_Disable()

    def __exit__(self, kind, error, traceback):
        if self.was:
            PyGC_Enable()


# ---------------------------------------------------------------------------------------------------- what a fork does
# The forking thread receives no signals meanwhile, because other hooks of a fork may be Python code, whose exceptions
# are lost.
cdef int forks = 0                      # a handler that runs here may fork in its turn
cdef sigset_t usual                     # the signals that the forking thread blocked before
cdef object undelivered = None          # the exception of a handler that ran here

cdef int deliver(void* ignored) noexcept:
    """The interpreter calls this in the main thread as soon as Python code runs again."""
    global undelivered
    error, undelivered = undelivered, None
    if error is not None:
        PyErr_SetObject(type(error), error)
        return -1
    return 0

def before_fork():
    global forks, undelivered, usual
    cdef sigset_t all_signals, old
    cdef int number
    cdef Section section
    sigfillset(&all_signals)
    for number in (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT):
        sigdelset(&all_signals, number)
    pthread_sigmask(SIG_SETMASK, &all_signals, &old)
    for section in reversed(SECTIONS):
        section.take(False)
    if forks == 0:
        usual = old
    forks += 1
    try:
        PyErr_CheckSignals()            # the signals that have come so far
    except BaseException as error:
        undelivered = error

cdef void after_fork():
    global forks
    cdef Section section
    forks -= 1
    cdef bint last = forks == 0
    cdef sigset_t old = usual
    for section in SECTIONS:
        section.give()
    if last:
        pthread_sigmask(SIG_SETMASK, &old, NULL)

def after_fork_in_parent():
    after_fork()
    if undelivered is not None:
        Py_AddPendingCall(deliver, NULL)

def after_fork_in_child():
    global undelivered
    undelivered = None                  # the signal was meant for the parent
    after_fork()


def _register():
    import os
    os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child)

_register()


# ------------------------------------------------------------------------------- blocks that no exception cuts in half
# The handler of a signal may raise at the first instruction of each function that is written in Python, and behind each
# call: before a `try` is reached, and before the first line of an `__exit__`. What follows is entered or not, and is
# left for certain.
cdef list DEVICES = _devices.defaults
cdef object STACKS = None               # `stack`: the modes in force in the thread, the innermost last


def modes_are_in(owner):
    """Say which object has, for each thread, the list `stack` of the modes in force there."""
    global STACKS
    STACKS = owner
    in_force(owner, "stack")


cdef int stack_changed(list stack, State* state) except -1:
    """Let the core note this thread's calls where the innermost mode is a recorder of them."""
    cdef object mode = stack[len(stack) - 1] if stack else None
    cdef bint notes = mode is not None and getattr(mode, "notes_calls", False)
    state.tape = <PyObject*>mode if notes else NULL
    return 0


cdef int put_in(mode, Py_ssize_t at) except -1:
    """Put a mode in force: at this place of the stack, or as the innermost (-1)."""
    cdef State* state = tls()
    cdef list stack = STACKS.stack
    cdef bint reads = getattr(mode, "sees_attributes", False)
    stack.insert(len(stack) if at < 0 else at, mode)
    state.modes += 1
    READERS[0] += reads
    state.readers += reads
    return stack_changed(stack, state)


cdef Py_ssize_t take_out(mode) except -2:
    """Take a mode out of force, wherever it stands; returns its place, -1 where it is not in force."""
    cdef State* state = tls()
    cdef list stack = STACKS.stack
    cdef bint reads = getattr(mode, "sees_attributes", False)
    cdef Py_ssize_t at
    for at in range(len(stack) - 1, -1, -1):
        if stack[at] is mode:
            del stack[at]
            state.modes -= 1
            READERS[0] -= reads
            state.readers -= reads
            stack_changed(stack, state)
            return at
    return -1


cdef int enter(mode) except -1:
    if not hasattr(mode, "sees_functions"):
        raise TypeError(
            "enter_mode(): 'mode' must be a mode of calls, whose 'sees_functions' says which; found "
            f"{type(mode).__name__}")
    return put_in(mode, -1)


def enter_mode(mode):
    """Put a mode in force in this thread, as the innermost."""
    enter(mode)


def leave_mode(mode):
    """Take a mode out of force, wherever it stands."""
    if take_out(mode) < 0:
        raise RuntimeError(f"a mode that is not in force is taken out of force: {type(mode).__name__}")


cdef class Mode:
    """What `with` puts in force as the innermost mode."""

    def __enter__(self):
        enter(self)
        return self

    def __exit__(self, *exc):
        leave_mode(self)


def _enter_device(self):
    """Let factories make tensors on a device."""
    DEVICES.append(self)
    return self


def _leave_device(self, *exc):
    """Let them make tensors where they did before."""
    if len(DEVICES) == 1:
        raise RuntimeError("device: __exit__() must follow an __enter__(); no block with a device is open")
    DEVICES.pop()


_devices.device.__enter__, _devices.device.__exit__ = _enter_device, _leave_device


cdef class entered:
    """A block in which a mode is in force, as the innermost one."""
    cdef object mode

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        enter(self.mode)
        return self.mode

    def __exit__(self, kind, error, traceback):
        take_out(self.mode)


cdef class left:
    """A block in which a mode is out of force; without one, the innermost. It gives the mode."""
    cdef object mode
    cdef Py_ssize_t at

    def __init__(self, mode=None):
        cdef list stack = STACKS.stack
        self.mode, self.at = stack[len(stack) - 1] if mode is None and stack else mode, -1

    def __enter__(self):
        self.at = take_out(self.mode)
        if self.at < 0:
            raise RuntimeError(f"a mode that is not in force is taken out of force: {type(self.mode).__name__}")
        return self.mode

    def __exit__(self, kind, error, traceback):
        if self.at >= 0:                        # (it may be called twice)
            put_in(self.mode, min(self.at, <Py_ssize_t>len(STACKS.stack)))
            self.at = -1


cdef class below:
    """A block in which no mode is in force.

    Args:
        no_subclass: which methods of subclasses are off in it at least, as `set_no_subclass` takes it; 0: none are;
            None: as before.
        grad: whether operations are recorded in it; None: as before.
        modes: whether modes stay in force.
    """
    cdef int no_subclass, grad, n, subclass_before, grad_before
    cdef bint modes

    def __init__(self, no_subclass=None, grad=None, bint modes=False):
        self.no_subclass = -1 if no_subclass is None else no_subclass
        self.grad = -1 if grad is None else bool(grad)
        self.modes = modes

    def __enter__(self):
        cdef State* state = tls()
        self.n = 0 if self.modes else state.modes
        self.subclass_before, self.grad_before = state.no_subclass, state.grad_enabled
        state.modes -= self.n
        if self.no_subclass >= 0:
            state.no_subclass = max(self.no_subclass, state.no_subclass) if self.no_subclass else 0
        if self.grad >= 0:
            state.grad_enabled = self.grad

    def __exit__(self, kind, error, traceback):
        cdef State* state = tls()
        state.modes += self.n
        if self.no_subclass >= 0:
            state.no_subclass = self.subclass_before
        if self.grad >= 0:
            state.grad_enabled = self.grad_before


cdef class marking:
    """A block in which new meta tensors of this thread get storages, so that `raw.same_memory` tells which of them
    would share memory.
    """
    cdef int before

    def __enter__(self):
        self.before, tls().marking = tls().marking, 1

    def __exit__(self, kind, error, traceback):
        tls().marking = self.before


cdef class Block:
    """A block with a beginning and an end that are written in Python. An exception of a handler of signals that comes
    in their midst leaves the end done.

    A subclass has three methods: `_before_()` returns what the block will change, `_begin_()` changes it and returns
    what `with` is to give, and `_end_(before)` puts it back. `_end_` may be called a second time, or after a part of
    `_begin_`.
    """
    # (Their entries are an attribute of Python's: so they have no memory that pickle does not know.)

    def __class_getitem__(cls, gives):
        return cls                              # Block[X]: `with` gives an X, which type checkers read

    def __enter__(self):
        before = self._before_()
        try:
            found = self._begin_()
            self._entries_ = (before, getattr(self, "_entries_", None))
        except BaseException:
            self._end_(before)
            raise
        return found

    def __exit__(self, kind, error, traceback):
        before, self._entries_ = self._entries_
        try:
            self._end_(before)
        except BaseException:
            self._end_(before)
            raise


cdef class restoring:
    """What this thread has in force, of the places that `in_force` lists, is put back when an exception leaves the
    block.

    For library code that enters scopes written in Python: the exception of a signal handler may come within their
    `__enter__`.
    """

    cdef list values
    cdef int modes, readers, no_subclass

    def __cinit__(self):
        self.values = []

    def __enter__(self):
        cdef State* state = tls()
        self.values = []
        for owner, name in LISTS:
            self.values.append(list(getattr(owner, name)))
        self.modes, self.readers, self.no_subclass = state.modes, state.readers, state.no_subclass

    def __exit__(self, kind, error, traceback):
        cdef Py_ssize_t i
        cdef State* state = tls()
        if kind is None or not self.values:      # without an error, or never entered
            return
        READERS[0] += self.readers - state.readers
        state.modes, state.readers, state.no_subclass = self.modes, self.readers, self.no_subclass
        for i in range(len(self.values)):
            owner, name = LISTS[i]
            (<list?>getattr(owner, name))[:] = self.values[i]
        if STACKS is not None:
            stack_changed(STACKS.stack, state)

cdef list LISTS = []

def in_force(owner, str name):
    """Let `restoring` restore the list `name` of `owner`."""
    LISTS.append((owner, name))


cdef class switched:
    """A block in which recording and inference mode are as `set_to` has said; it may be entered again."""

    cdef int grad, inference            # 0: unchanged; 1: off; 2: on
    cdef list before

    def set_to(self, grad=None, inference=None):
        self.grad = 0 if grad is None else 1 + bool(grad)
        self.inference = 0 if inference is None else 1 + bool(inference)
        self.before = []

    def __enter__(self):
        cdef State* state = tls()
        self.before.append((state.grad_enabled, state.inference))
        if self.grad:
            state.grad_enabled = self.grad - 1
        if self.inference:
            state.inference = self.inference - 1

    def __exit__(self, kind, error, traceback):
        cdef State* state = tls()
        grad, inference = self.before.pop()
        if self.grad:
            state.grad_enabled = grad
        if self.inference:
            state.inference = inference
