from rushlight.core.tensor cimport AutogradMeta, Tensor

cdef Tensor exchanged(object hook, Tensor g, object r)
cdef list all_exchanged(object hook, list given, object r)
cdef Tensor after_hooks(AutogradMeta m, Tensor g)
