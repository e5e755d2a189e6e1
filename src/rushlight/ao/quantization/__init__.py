"""Names of `torch.ao.quantization` that packages import. Nothing is quantized: what would prepare or convert a model
says so.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.utils._absent import absent_names

_WHY = "there is no quantization; run the model in a floating point dtype"
_CLASSES = """
    AffineQuantizedObserverBase FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FixedQParamsObserver
    FusedMovingAvgObsFakeQuantize Granularity HistogramObserver MappingType MinMaxObserver
    MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase
    ObserverOrFakeQuantize PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken
    PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping QuantType RecordingObserver
    ReuseInputObserver TorchAODType UniformQuantizationObserverBase ZeroPointDomain default_debug_observer
    default_placeholder_observer default_reuse_input_observer
    """.split()
_FUNCTIONS = """
    add_quant_dequant convert convert_dynamic_jit convert_jit default_activation_only_qconfig
    default_affine_fixed_qparams_fake_quant default_affine_fixed_qparams_observer default_debug_qconfig
    default_dynamic_fake_quant default_dynamic_qat_qconfig default_dynamic_qconfig default_dynamic_quant_observer
    default_embedding_fake_quant default_embedding_fake_quant_4bit default_embedding_qat_qconfig
    default_embedding_qat_qconfig_4bit default_eval_fn default_fake_quant
    default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_0to1_observer
    default_fixed_qparams_range_neg1to1_fake_quant default_fixed_qparams_range_neg1to1_observer
    default_float_qparams_observer default_float_qparams_observer_4bit default_fused_act_fake_quant
    default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant default_histogram_fake_quant
    default_histogram_observer default_observer default_per_channel_qconfig
    default_per_channel_symmetric_qnnpack_qat_qconfig default_per_channel_symmetric_qnnpack_qconfig
    default_per_channel_weight_fake_quant default_per_channel_weight_observer default_qat_qconfig
    default_qat_qconfig_v2 default_qconfig default_quint8_weight_qconfig default_reuse_input_qconfig
    default_symmetric_fixed_qparams_fake_quant default_symmetric_fixed_qparams_observer
    default_symmetric_qnnpack_qat_qconfig default_symmetric_qnnpack_qconfig default_weight_fake_quant
    default_weight_observer default_weight_only_qconfig disable_fake_quant disable_observer enable_fake_quant
    enable_observer float16_dynamic_qconfig float16_static_qconfig float_qparams_weight_only_qconfig
    float_qparams_weight_only_qconfig_4bit fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_convtranspose_bn
    fuse_linear_bn fuse_modules fuse_modules_qat fused_per_channel_wt_fake_quant_range_neg_127_to_127
    fused_wt_fake_quant_range_neg_127_to_127 get_block_size get_default_compare_output_module_list
    get_default_custom_config_dict get_default_dynamic_quant_module_mappings
    get_default_dynamic_sparse_quant_module_mappings get_default_float_to_quantized_operator_mappings
    get_default_qat_module_mappings get_default_qat_qconfig get_default_qat_qconfig_dict
    get_default_qat_qconfig_mapping get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping
    get_default_qconfig_propagation_list get_default_static_quant_module_mappings
    get_default_static_quant_reference_module_mappings get_default_static_sparse_quant_module_mappings
    get_dynamic_quant_module_class get_embedding_qat_module_mappings get_embedding_static_quant_module_mappings
    get_fuser_method get_fuser_method_new get_observer_state_dict get_quantized_operator
    get_static_quant_module_class load_observer_state_dict no_observer_set per_channel_dynamic_qconfig
    per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit prepare_jit prepare_qat
    propagate_qconfig_ qconfig_equals quantize quantize_dynamic quantize_dynamic_jit quantize_jit quantize_qat
    script_qconfig script_qconfig_dict swap_module weight_observer_range_neg_127_to_127
    """.split()
__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper", *_CLASSES, *_FUNCTIONS]

globals().update(absent_names(__name__, _WHY, _CLASSES, _FUNCTIONS, NotImplementedError))


class QuantStub(Module):
    """Where a model that is converted would quantize its input; the identity in a model that is not.

    Args:
        qconfig: kept as an attribute of that name, where one is given.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig is not None:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """Where a model that is converted would go back to floating point; the identity in a model that is not.

    Arguments as QuantStub.

    """


class QuantWrapper(Module):
    """A module between a QuantStub and a DeQuantStub.

    Args:
        module: what is wrapped.
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant, self.dequant, self.module = QuantStub(qconfig), DeQuantStub(qconfig), module
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))
