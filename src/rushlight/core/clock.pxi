# Included by dispatch.pyx: the times of calls and nodes in a profile of this thread, while no other mode wants to see
# them.
from libc.stdlib cimport realloc
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef extern from *:
    """
    static __thread PyObject *rl_clock;
    /* Whether a node is of a class that Python has made, which may have a name() of its own. */
    static int rl_of_python(PyObject *node) { return PyType_HasFeature(Py_TYPE(node), Py_TPFLAGS_HEAPTYPE); }
    /* The processor's own counter where it runs at one rate in all cores: some machines take most of a microsecond to
       tell the time, and 20 ns for this. */
    #if defined(__x86_64__)
    #include <cpuid.h>
    #include <x86intrin.h>
    static int rl_counts_time(void) {
        unsigned a, b, c, d;
        return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
    }
    static int64_t rl_time_count(void) { return (int64_t)__rdtsc(); }
    #else
    static int rl_counts_time(void) { return 0; }
    static int64_t rl_time_count(void) { return 0; }
    #endif
    """
    bint rl_counts_time() noexcept
    int64_t rl_time_count() noexcept
    PyObject* rl_clock           # the Clock of this thread's calls, an owned reference; NULL: none
    bint rl_of_python(PyObject*)

cdef struct Moment:
    int64_t start, stop          # counts of the processor, or nanoseconds (Clock.counts); 0: it has not ended
    Py_ssize_t around            # the event that contains it, -1: none


cdef inline int64_t now() noexcept:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec * <int64_t>1000000000 + t.tv_nsec


@cython.final
cdef class Clock:
    """Events with their beginnings and ends, each inside of the one that is open when it begins. An event is an
    operator, the name of a node, or whatever else is given for it.
    """
    cdef Moment* moments
    cdef Py_ssize_t n, room, innermost
    cdef list kinds
    cdef bint counts             # moments are counts of the processor
    cdef int64_t count, time     # a count, and the time then

    def __cinit__(self):
        self.innermost = -1
        self.kinds = []
        self.counts = rl_counts_time()
        self.count, self.time = rl_time_count(), now()

    cdef int64_t moment(self) noexcept:
        return rl_time_count() if self.counts else now()

    def __dealloc__(self):
        free(self.moments)

    cdef Py_ssize_t open(self, object kind) except -1:
        cdef Moment* moments
        if self.n == self.room:
            moments = <Moment*>realloc(self.moments, (2 * self.room + 1024) * sizeof(Moment))
            if moments == NULL:
                raise MemoryError("profile: no memory is left for its events")
            self.moments, self.room = moments, 2 * self.room + 1024
        self.kinds.append(kind)
        cdef Moment* m = &self.moments[self.n]
        m.around, m.stop = self.innermost, 0
        self.innermost = self.n
        self.n += 1
        m.start = self.moment()
        return self.innermost

    cdef void close(self, Py_ssize_t at) noexcept:
        cdef int64_t stop = self.moment()
        cdef Py_ssize_t i = self.innermost
        self.moments[at].stop = stop
        while i > at:                    # events that an exception has left open end as well
            if not self.moments[i].stop:
                self.moments[i].stop = stop
            i = self.moments[i].around
        if i == at:
            self.innermost = self.moments[at].around

    def begin(self, kind not None):
        """An event begins; returns its number."""
        return self.open(kind)

    def end(self, Py_ssize_t at):
        """The event of this number ends."""
        if not 0 <= at < self.n:
            raise IndexError(f"end(): there are {self.n} events; found {at}")
        self.close(at)

    def innermost_open(self):
        """The number of the event that has begun last of those that are open; -1: none is."""
        return self.innermost

    def events(self):
        """(kind, start, stop, number of the event around or -1) of each event, in the order of their beginnings."""
        cdef Py_ssize_t i
        cdef double rate = 1.0   # nanoseconds per count, averaged over the life of the clock
        if self.counts:
            rate = <double>(now() - self.time) / max(rl_time_count() - self.count, 1)
        return [(self.kinds[i], self.at(self.moments[i].start, rate), self.at(self.moments[i].stop, rate),
                 self.moments[i].around) for i in range(self.n)]

    cdef int64_t at(self, int64_t moment, double rate) noexcept:
        """A moment in nanoseconds; 0 stays 0."""
        return self.time + <int64_t>((moment - self.count) * rate) if self.counts and moment else moment


cdef class Nodes(NodeWatch):
    """Is called by the engine for nodes (engine.set_node_watch): it passes them to the clock of the thread, or to
    `others`.
    """
    cdef object others

    def __init__(self, others not None):
        self.others = others

    cdef int node_begins(self, object node, list grads) except -1:
        if rl_clock != NULL:
            (<Clock>rl_clock).open(node.name() if rl_of_python(<PyObject*>node) else (<Node>node).label)
        else:
            self.others.begin(node, grads)
        return 0

    cdef int node_ends(self, list grads, list out) except -1:
        cdef Clock clock
        if rl_clock != NULL:
            clock = <Clock>rl_clock
            if clock.innermost >= 0:
                clock.close(clock.innermost)
        else:
            self.others.end(grads, out)
        return 0


def set_clock(clock):
    """Let a clock note the calls and nodes of this thread, while its own mode is the only one in force; None: no clock
    does. Returns the one before.
    """
    if clock is not None and type(clock) is not Clock:
        raise TypeError(f"set_clock(): 'clock' must be a Clock or None; found {type(clock).__name__}")
    global rl_clock
    cdef PyObject* before = rl_clock
    if clock is not None:
        Py_INCREF(clock)
    rl_clock = NULL if clock is None else <PyObject*>clock
    if before == NULL:
        return None
    result = <object>before
    Py_DECREF(result)                    # the reference that rl_clock had, which is not `result`
    return result


cdef object timed(Operator op, PyObject** vals, object out, OperatorBase called, Written* written, State* state):
    """Make the call, timed by the clock of this thread, with its mode out of force."""
    global rl_clock
    cdef Clock clock = <Clock>rl_clock
    cdef PyObject* own = rl_clock
    cdef Py_ssize_t at = clock.open(called)
    rl_clock = NULL
    state.modes = 0
    try:
        return op.call_bound(vals, out, called, written)
    finally:
        state.modes += 1
        if rl_clock != NULL:             # a clock that was set meanwhile
            Py_DECREF(<object>rl_clock)
        rl_clock = own
        clock.close(at)
