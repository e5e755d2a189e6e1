# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.places import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library import (
    CustomOpDef as CustomOpDef, DispatchKeySet as DispatchKeySet, Library as Library, custom_op as custom_op, define as define,
    fallthrough_kernel as fallthrough_kernel, get_ctx as get_ctx, get_kernel as get_kernel, impl as impl,
    impl_abstract as impl_abstract, opcheck as opcheck, register_autocast as register_autocast,
    register_autograd as register_autograd, register_fake as register_fake, register_kernel as register_kernel,
    register_torch_dispatch as register_torch_dispatch, register_vmap as register_vmap, triton_op as triton_op,
    wrap_triton as wrap_triton,
)
from rushlight.library.operator import OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket
from rushlight.library.schema import infer_schema as infer_schema, parse_schema as parse_schema
from rushlight.library.tags import Tag as Tag
from torch.library import (
    aten as aten, calls as calls, foreign as foreign, inner as inner, operator as operator, overloads as overloads,
    ranges as ranges, schema as schema, signatures as signatures, tags as tags,
)
