# Included by dispatch.pyx: an operator under other names, and as a method.
cdef class Named(OperatorBase):
    """An operator under another public name: `clip` of `clamp`. It has everything that the operator has, but is an object, and has a name, of its own.

    shown: what `__torch_function__` is handed in its place, a Python function that calls it.
    """
    cdef vectorcallfunc vectorcall
    cdef readonly Operator op
    cdef readonly str name, namespace
    cdef public object shown
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        self.vectorcall = unfinished_vectorcall

    def __init__(self, Operator op not None, str name not None, str namespace not None):
        self.op, self.name, self.namespace = op, name, namespace
        self.vectorcall = <vectorcallfunc>named_entry

    cdef object call1(self, object a):
        cdef PyObject* args[1]
        args[0] = <PyObject*>a
        return called(<PyObject*>self, args, 1)

    cdef object call2(self, object a, object b):
        cdef PyObject* args[2]
        args[0] = <PyObject*>a
        args[1] = <PyObject*>b
        return called(<PyObject*>self, args, 2)

    def __get__(self, instance, owner):
        return self

    def __getattr__(self, name):
        if self.op is None or name == "__module__":      # a method has none, its class has
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.op, name)

    @property
    def __name__(self):
        return UPCALLS.public_name(self)

    @property
    def __qualname__(self):
        return self.__name__

    @property
    def __module__(self):
        return UPCALLS.public_module(self)

    @property
    def __doc__(self):
        return None if self.op is None else self.op.__doc__

    @property
    def __signature__(self):
        return self.op.__signature__

    def __repr__(self):
        return f"<operator {self.name}>"


cdef class Method(Named):
    """An operator as the method of Tensor: bound by the attribute access, as every method is."""

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return PyMethod_New(self, instance)

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return f"TensorBase.{self.name}"

    @property
    def __module__(self):
        raise AttributeError("__module__")

    @property
    def __objclass__(self):
        return Tensor

    def __repr__(self):
        return f"<method '{self.name}' of 'torch._C.TensorBase' objects>"
