# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.ao.quantization import DeQuantStub as DeQuantStub
from rushlight.ao.quantization import QuantStub as QuantStub
from rushlight.ao.quantization import QuantWrapper as QuantWrapper
from rushlight.compat._made import Function as _Function
from rushlight.compat._made import Made as _Made
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import Tensor as _Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.utils._absent import absent_names as absent_names

class AffineQuantizedObserverBase(_Made): ...
class FakeQuantize(_Made): ...
class FakeQuantizeBase(_Made): ...
class FixedQParamsFakeQuantize(_Made): ...
class FixedQParamsObserver(_Made): ...
class FusedMovingAvgObsFakeQuantize(_Made): ...
class Granularity(_Made): ...
class HistogramObserver(_Made): ...
class MappingType(_Made): ...
class MinMaxObserver(_Made): ...
class MovingAverageMinMaxObserver(_Made): ...
class MovingAveragePerChannelMinMaxObserver(_Made): ...
class NoopObserver(_Made): ...
class ObserverBase(_Made): ...
class ObserverOrFakeQuantize(_Made): ...
class PerAxis(_Made): ...
class PerBlock(_Made): ...
class PerChannelMinMaxObserver(_Made): ...
class PerGroup(_Made): ...
class PerRow(_Made): ...
class PerTensor(_Made, _Tensor): ...
class PerToken(_Made): ...
class PlaceholderObserver(_Made): ...
class QConfig(_Made): ...
class QConfigAny(_Made): ...
class QConfigDynamic(_Made): ...
class QConfigMapping(_Made): ...
class QuantType(_Made): ...
class RecordingObserver(_Made): ...
class ReuseInputObserver(_Made): ...
class TorchAODType(_Made): ...
class UniformQuantizationObserverBase(_Made): ...
class ZeroPointDomain(_Made): ...
add_quant_dequant: _Function
convert: _Function
convert_dynamic_jit: _Function
convert_jit: _Function
default_activation_only_qconfig: _Function
default_affine_fixed_qparams_fake_quant: _Function
default_affine_fixed_qparams_observer: _Function
class default_debug_observer(_Made): ...
default_debug_qconfig: _Function
default_dynamic_fake_quant: _Function
default_dynamic_qat_qconfig: _Function
default_dynamic_qconfig: _Function
default_dynamic_quant_observer: _Function
default_embedding_fake_quant: _Function
default_embedding_fake_quant_4bit: _Function
default_embedding_qat_qconfig: _Function
default_embedding_qat_qconfig_4bit: _Function
default_eval_fn: _Function
default_fake_quant: _Function
default_fixed_qparams_range_0to1_fake_quant: _Function
default_fixed_qparams_range_0to1_observer: _Function
default_fixed_qparams_range_neg1to1_fake_quant: _Function
default_fixed_qparams_range_neg1to1_observer: _Function
default_float_qparams_observer: _Function
default_float_qparams_observer_4bit: _Function
default_fused_act_fake_quant: _Function
default_fused_per_channel_wt_fake_quant: _Function
default_fused_wt_fake_quant: _Function
default_histogram_fake_quant: _Function
default_histogram_observer: _Function
default_observer: _Function
default_per_channel_qconfig: _Function
default_per_channel_symmetric_qnnpack_qat_qconfig: _Function
default_per_channel_symmetric_qnnpack_qconfig: _Function
default_per_channel_weight_fake_quant: _Function
default_per_channel_weight_observer: _Function
class default_placeholder_observer(_Made): ...
default_qat_qconfig: _Function
default_qat_qconfig_v2: _Function
default_qconfig: _Function
default_quint8_weight_qconfig: _Function
class default_reuse_input_observer(_Made): ...
default_reuse_input_qconfig: _Function
default_symmetric_fixed_qparams_fake_quant: _Function
default_symmetric_fixed_qparams_observer: _Function
default_symmetric_qnnpack_qat_qconfig: _Function
default_symmetric_qnnpack_qconfig: _Function
default_weight_fake_quant: _Function
default_weight_observer: _Function
default_weight_only_qconfig: _Function
disable_fake_quant: _Function
disable_observer: _Function
enable_fake_quant: _Function
enable_observer: _Function
float16_dynamic_qconfig: _Function
float16_static_qconfig: _Function
float_qparams_weight_only_qconfig: _Function
float_qparams_weight_only_qconfig_4bit: _Function
fuse_conv_bn: _Function
fuse_conv_bn_jit: _Function
fuse_conv_bn_relu: _Function
fuse_convtranspose_bn: _Function
fuse_linear_bn: _Function
fuse_modules: _Function
fuse_modules_qat: _Function
fused_per_channel_wt_fake_quant_range_neg_127_to_127: _Function
fused_wt_fake_quant_range_neg_127_to_127: _Function
get_block_size: _Function
get_default_compare_output_module_list: _Function
get_default_custom_config_dict: _Function
get_default_dynamic_quant_module_mappings: _Function
get_default_dynamic_sparse_quant_module_mappings: _Function
get_default_float_to_quantized_operator_mappings: _Function
get_default_qat_module_mappings: _Function
get_default_qat_qconfig: _Function
get_default_qat_qconfig_dict: _Function
get_default_qat_qconfig_mapping: _Function
get_default_qconfig: _Function
get_default_qconfig_dict: _Function
get_default_qconfig_mapping: _Function
get_default_qconfig_propagation_list: _Function
get_default_static_quant_module_mappings: _Function
get_default_static_quant_reference_module_mappings: _Function
get_default_static_sparse_quant_module_mappings: _Function
get_dynamic_quant_module_class: _Function
get_embedding_qat_module_mappings: _Function
get_embedding_static_quant_module_mappings: _Function
get_fuser_method: _Function
get_fuser_method_new: _Function
get_observer_state_dict: _Function
get_quantized_operator: _Function
get_static_quant_module_class: _Function
load_observer_state_dict: _Function
no_observer_set: _Function
per_channel_dynamic_qconfig: _Function
per_channel_weight_observer_range_neg_127_to_127: _Function
prepare: _Function
prepare_dynamic_jit: _Function
prepare_jit: _Function
prepare_qat: _Function
propagate_qconfig_: _Function
qconfig_equals: _Function
quantize: _Function
quantize_dynamic: _Function
quantize_dynamic_jit: _Function
quantize_jit: _Function
quantize_qat: _Function
script_qconfig: _Function
script_qconfig_dict: _Function
swap_module: _Function
weight_observer_range_neg_127_to_127: _Function
