# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.ao.quantization import DeQuantStub as DeQuantStub
from rushlight.ao.quantization import QuantStub as QuantStub
from rushlight.ao.quantization import QuantWrapper as QuantWrapper
from torch.ao.quantization import AffineQuantizedObserverBase as AffineQuantizedObserverBase
from torch.ao.quantization import FakeQuantize as FakeQuantize
from torch.ao.quantization import FakeQuantizeBase as FakeQuantizeBase
from torch.ao.quantization import FixedQParamsFakeQuantize as FixedQParamsFakeQuantize
from torch.ao.quantization import FixedQParamsObserver as FixedQParamsObserver
from torch.ao.quantization import FusedMovingAvgObsFakeQuantize as FusedMovingAvgObsFakeQuantize
from torch.ao.quantization import Granularity as Granularity
from torch.ao.quantization import HistogramObserver as HistogramObserver
from torch.ao.quantization import MappingType as MappingType
from torch.ao.quantization import MinMaxObserver as MinMaxObserver
from torch.ao.quantization import MovingAverageMinMaxObserver as MovingAverageMinMaxObserver
from torch.ao.quantization import MovingAveragePerChannelMinMaxObserver as MovingAveragePerChannelMinMaxObserver
from torch.ao.quantization import NoopObserver as NoopObserver
from torch.ao.quantization import ObserverBase as ObserverBase
from torch.ao.quantization import ObserverOrFakeQuantize as ObserverOrFakeQuantize
from torch.ao.quantization import PerAxis as PerAxis
from torch.ao.quantization import PerBlock as PerBlock
from torch.ao.quantization import PerChannelMinMaxObserver as PerChannelMinMaxObserver
from torch.ao.quantization import PerGroup as PerGroup
from torch.ao.quantization import PerRow as PerRow
from torch.ao.quantization import PerTensor as PerTensor
from torch.ao.quantization import PerToken as PerToken
from torch.ao.quantization import PlaceholderObserver as PlaceholderObserver
from torch.ao.quantization import QConfig as QConfig
from torch.ao.quantization import QConfigAny as QConfigAny
from torch.ao.quantization import QConfigDynamic as QConfigDynamic
from torch.ao.quantization import QConfigMapping as QConfigMapping
from torch.ao.quantization import QuantType as QuantType
from torch.ao.quantization import RecordingObserver as RecordingObserver
from torch.ao.quantization import ReuseInputObserver as ReuseInputObserver
from torch.ao.quantization import TorchAODType as TorchAODType
from torch.ao.quantization import UniformQuantizationObserverBase as UniformQuantizationObserverBase
from torch.ao.quantization import ZeroPointDomain as ZeroPointDomain
from torch.ao.quantization import add_quant_dequant as add_quant_dequant
from torch.ao.quantization import convert as convert
from torch.ao.quantization import convert_dynamic_jit as convert_dynamic_jit
from torch.ao.quantization import convert_jit as convert_jit
from torch.ao.quantization import default_activation_only_qconfig as default_activation_only_qconfig
from torch.ao.quantization import default_affine_fixed_qparams_fake_quant as default_affine_fixed_qparams_fake_quant
from torch.ao.quantization import default_affine_fixed_qparams_observer as default_affine_fixed_qparams_observer
from torch.ao.quantization import default_debug_observer as default_debug_observer
from torch.ao.quantization import default_debug_qconfig as default_debug_qconfig
from torch.ao.quantization import default_dynamic_fake_quant as default_dynamic_fake_quant
from torch.ao.quantization import default_dynamic_qat_qconfig as default_dynamic_qat_qconfig
from torch.ao.quantization import default_dynamic_qconfig as default_dynamic_qconfig
from torch.ao.quantization import default_dynamic_quant_observer as default_dynamic_quant_observer
from torch.ao.quantization import default_embedding_fake_quant as default_embedding_fake_quant
from torch.ao.quantization import default_embedding_fake_quant_4bit as default_embedding_fake_quant_4bit
from torch.ao.quantization import default_embedding_qat_qconfig as default_embedding_qat_qconfig
from torch.ao.quantization import default_embedding_qat_qconfig_4bit as default_embedding_qat_qconfig_4bit
from torch.ao.quantization import default_eval_fn as default_eval_fn
from torch.ao.quantization import default_fake_quant as default_fake_quant
from torch.ao.quantization import (
    default_fixed_qparams_range_0to1_fake_quant as default_fixed_qparams_range_0to1_fake_quant,
)
from torch.ao.quantization import default_fixed_qparams_range_0to1_observer as default_fixed_qparams_range_0to1_observer
from torch.ao.quantization import (
    default_fixed_qparams_range_neg1to1_fake_quant as default_fixed_qparams_range_neg1to1_fake_quant,
)
from torch.ao.quantization import (
    default_fixed_qparams_range_neg1to1_observer as default_fixed_qparams_range_neg1to1_observer,
)
from torch.ao.quantization import default_float_qparams_observer as default_float_qparams_observer
from torch.ao.quantization import default_float_qparams_observer_4bit as default_float_qparams_observer_4bit
from torch.ao.quantization import default_fused_act_fake_quant as default_fused_act_fake_quant
from torch.ao.quantization import default_fused_per_channel_wt_fake_quant as default_fused_per_channel_wt_fake_quant
from torch.ao.quantization import default_fused_wt_fake_quant as default_fused_wt_fake_quant
from torch.ao.quantization import default_histogram_fake_quant as default_histogram_fake_quant
from torch.ao.quantization import default_histogram_observer as default_histogram_observer
from torch.ao.quantization import default_observer as default_observer
from torch.ao.quantization import default_per_channel_qconfig as default_per_channel_qconfig
from torch.ao.quantization import (
    default_per_channel_symmetric_qnnpack_qat_qconfig as default_per_channel_symmetric_qnnpack_qat_qconfig,
)
from torch.ao.quantization import (
    default_per_channel_symmetric_qnnpack_qconfig as default_per_channel_symmetric_qnnpack_qconfig,
)
from torch.ao.quantization import default_per_channel_weight_fake_quant as default_per_channel_weight_fake_quant
from torch.ao.quantization import default_per_channel_weight_observer as default_per_channel_weight_observer
from torch.ao.quantization import default_placeholder_observer as default_placeholder_observer
from torch.ao.quantization import default_qat_qconfig as default_qat_qconfig
from torch.ao.quantization import default_qat_qconfig_v2 as default_qat_qconfig_v2
from torch.ao.quantization import default_qconfig as default_qconfig
from torch.ao.quantization import default_quint8_weight_qconfig as default_quint8_weight_qconfig
from torch.ao.quantization import default_reuse_input_observer as default_reuse_input_observer
from torch.ao.quantization import default_reuse_input_qconfig as default_reuse_input_qconfig
from torch.ao.quantization import (
    default_symmetric_fixed_qparams_fake_quant as default_symmetric_fixed_qparams_fake_quant,
)
from torch.ao.quantization import default_symmetric_fixed_qparams_observer as default_symmetric_fixed_qparams_observer
from torch.ao.quantization import default_symmetric_qnnpack_qat_qconfig as default_symmetric_qnnpack_qat_qconfig
from torch.ao.quantization import default_symmetric_qnnpack_qconfig as default_symmetric_qnnpack_qconfig
from torch.ao.quantization import default_weight_fake_quant as default_weight_fake_quant
from torch.ao.quantization import default_weight_observer as default_weight_observer
from torch.ao.quantization import default_weight_only_qconfig as default_weight_only_qconfig
from torch.ao.quantization import disable_fake_quant as disable_fake_quant
from torch.ao.quantization import disable_observer as disable_observer
from torch.ao.quantization import enable_fake_quant as enable_fake_quant
from torch.ao.quantization import enable_observer as enable_observer
from torch.ao.quantization import float16_dynamic_qconfig as float16_dynamic_qconfig
from torch.ao.quantization import float16_static_qconfig as float16_static_qconfig
from torch.ao.quantization import float_qparams_weight_only_qconfig as float_qparams_weight_only_qconfig
from torch.ao.quantization import float_qparams_weight_only_qconfig_4bit as float_qparams_weight_only_qconfig_4bit
from torch.ao.quantization import fuse_conv_bn as fuse_conv_bn
from torch.ao.quantization import fuse_conv_bn_jit as fuse_conv_bn_jit
from torch.ao.quantization import fuse_conv_bn_relu as fuse_conv_bn_relu
from torch.ao.quantization import fuse_convtranspose_bn as fuse_convtranspose_bn
from torch.ao.quantization import fuse_linear_bn as fuse_linear_bn
from torch.ao.quantization import fuse_modules as fuse_modules
from torch.ao.quantization import fuse_modules_qat as fuse_modules_qat
from torch.ao.quantization import (
    fused_per_channel_wt_fake_quant_range_neg_127_to_127 as fused_per_channel_wt_fake_quant_range_neg_127_to_127,
)
from torch.ao.quantization import fused_wt_fake_quant_range_neg_127_to_127 as fused_wt_fake_quant_range_neg_127_to_127
from torch.ao.quantization import get_block_size as get_block_size
from torch.ao.quantization import get_default_compare_output_module_list as get_default_compare_output_module_list
from torch.ao.quantization import get_default_custom_config_dict as get_default_custom_config_dict
from torch.ao.quantization import get_default_dynamic_quant_module_mappings as get_default_dynamic_quant_module_mappings
from torch.ao.quantization import (
    get_default_dynamic_sparse_quant_module_mappings as get_default_dynamic_sparse_quant_module_mappings,
)
from torch.ao.quantization import (
    get_default_float_to_quantized_operator_mappings as get_default_float_to_quantized_operator_mappings,
)
from torch.ao.quantization import get_default_qat_module_mappings as get_default_qat_module_mappings
from torch.ao.quantization import get_default_qat_qconfig as get_default_qat_qconfig
from torch.ao.quantization import get_default_qat_qconfig_dict as get_default_qat_qconfig_dict
from torch.ao.quantization import get_default_qat_qconfig_mapping as get_default_qat_qconfig_mapping
from torch.ao.quantization import get_default_qconfig as get_default_qconfig
from torch.ao.quantization import get_default_qconfig_dict as get_default_qconfig_dict
from torch.ao.quantization import get_default_qconfig_mapping as get_default_qconfig_mapping
from torch.ao.quantization import get_default_qconfig_propagation_list as get_default_qconfig_propagation_list
from torch.ao.quantization import get_default_static_quant_module_mappings as get_default_static_quant_module_mappings
from torch.ao.quantization import (
    get_default_static_quant_reference_module_mappings as get_default_static_quant_reference_module_mappings,
)
from torch.ao.quantization import (
    get_default_static_sparse_quant_module_mappings as get_default_static_sparse_quant_module_mappings,
)
from torch.ao.quantization import get_dynamic_quant_module_class as get_dynamic_quant_module_class
from torch.ao.quantization import get_embedding_qat_module_mappings as get_embedding_qat_module_mappings
from torch.ao.quantization import (
    get_embedding_static_quant_module_mappings as get_embedding_static_quant_module_mappings,
)
from torch.ao.quantization import get_fuser_method as get_fuser_method
from torch.ao.quantization import get_fuser_method_new as get_fuser_method_new
from torch.ao.quantization import get_observer_state_dict as get_observer_state_dict
from torch.ao.quantization import get_quantized_operator as get_quantized_operator
from torch.ao.quantization import get_static_quant_module_class as get_static_quant_module_class
from torch.ao.quantization import load_observer_state_dict as load_observer_state_dict
from torch.ao.quantization import no_observer_set as no_observer_set
from torch.ao.quantization import per_channel_dynamic_qconfig as per_channel_dynamic_qconfig
from torch.ao.quantization import (
    per_channel_weight_observer_range_neg_127_to_127 as per_channel_weight_observer_range_neg_127_to_127,
)
from torch.ao.quantization import prepare as prepare
from torch.ao.quantization import prepare_dynamic_jit as prepare_dynamic_jit
from torch.ao.quantization import prepare_jit as prepare_jit
from torch.ao.quantization import prepare_qat as prepare_qat
from torch.ao.quantization import propagate_qconfig_ as propagate_qconfig_
from torch.ao.quantization import qconfig_equals as qconfig_equals
from torch.ao.quantization import quantize as quantize
from torch.ao.quantization import quantize_dynamic as quantize_dynamic
from torch.ao.quantization import quantize_dynamic_jit as quantize_dynamic_jit
from torch.ao.quantization import quantize_jit as quantize_jit
from torch.ao.quantization import quantize_qat as quantize_qat
from torch.ao.quantization import script_qconfig as script_qconfig
from torch.ao.quantization import script_qconfig_dict as script_qconfig_dict
from torch.ao.quantization import swap_module as swap_module
from torch.ao.quantization import weight_observer_range_neg_127_to_127 as weight_observer_range_neg_127_to_127
