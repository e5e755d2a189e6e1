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
from rushlight.core.tensor cimport State, tls

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


# ----------------------------------------------------------------------------------- scopes that no exception cuts in
# half
cdef class restoring:
    """What this thread has in force, of the places that `in_force` lists, is put back when an exception leaves the
    block.

    For library code that enters scopes written in Python: the exception of a signal handler may come within their
    `__enter__`.
    """

    cdef list values
    cdef int modes, readers

    def __cinit__(self):
        self.values = []

    def __enter__(self):
        self.values = []
        for owner, name in LISTS:
            self.values.append(len(getattr(owner, name)))
        self.modes, self.readers = tls().modes, tls().readers

    def __exit__(self, kind, error, traceback):
        cdef Py_ssize_t i
        if kind is None or len(self.values) < len(LISTS):        # without an error, or never entered
            return
        tls().modes, tls().readers = self.modes, self.readers
        for i in range(len(LISTS)):
            owner, name = LISTS[i]
            del getattr(owner, name)[self.values[i]:]

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
