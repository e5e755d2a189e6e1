"""Small models of transformers, timm and torchvision, and lightning's Trainer: values and gradients, saved by one library and compared by the other.

    python models.py NAME FILE            write what the model NAME computes, from weights that NumPy has drawn
    python models.py NAME FILE --compare  compute it again and compare with the file

Values are functions of the weights alone (no dropout), so that they agree between libraries up to rounding.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

if "rushlight" not in torch.__version__:
    # The wheel of torchvision is built for CUDA's PyTorch: beside the CPU's its compiled operators do not load, and its Python describes them.
    torch.library.register_fake = lambda *args, **options: lambda fn: fn

MODELS: dict[str, Callable[[], tuple[Any, ...]]] = {}


def model(fn: Callable[[], tuple[Any, ...]]) -> Callable[[], tuple[Any, ...]]:
    """A function that returns a module, a function of it whose result is differentiated, and one of what it generates or None."""
    MODELS[fn.__name__] = fn
    return fn


def drawn(net: Any) -> Any:
    """The module with weights of a fixed draw, in evaluation mode."""
    r = np.random.default_rng(0)
    with torch.no_grad():
        for name, p in sorted(net.named_parameters()):
            w = r.standard_normal(tuple(p.shape)).astype(np.float32) * 0.1
            p.copy_(torch.from_numpy(w + (1.0 if name.endswith("norm.weight") or "layernorm" in name.lower() and name.endswith("weight") else 0.0)))
    return net.eval()


def numbers(*shape: int, most: int | None = None) -> Any:
    r = np.random.default_rng(1)
    return torch.from_numpy(r.standard_normal(shape).astype(np.float32) if most is None else r.integers(3, most, shape))


def _text(cls: str, config: str, generates: bool = True, **sizes: Any) -> tuple[Any, ...]:
    import transformers

    net = drawn(getattr(transformers, cls)(getattr(transformers, config)(**sizes)))
    ids = numbers(2, 7, most=60)
    extra = {"decoder_input_ids": ids[:, :5]} if cls.startswith("T5") else {}
    return net, lambda: net(input_ids=ids, **extra).logits, (lambda: net.generate(ids, max_new_tokens=6, do_sample=False, pad_token_id=0)) if generates else None


@model
def gpt2() -> tuple[Any, ...]:
    return _text("GPT2LMHeadModel", "GPT2Config", vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)


@model
def llama() -> tuple[Any, ...]:
    return _text("LlamaForCausalLM", "LlamaConfig", vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                 max_position_embeddings=64)


@model
def bert() -> tuple[Any, ...]:
    return _text("BertForMaskedLM", "BertConfig", False, vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=64)


@model
def t5() -> tuple[Any, ...]:
    return _text("T5ForConditionalGeneration", "T5Config", vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)


@model
def vit() -> tuple[Any, ...]:
    import transformers

    net = drawn(transformers.ViTForImageClassification(transformers.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32,
                                                                               patch_size=8, num_labels=5)))
    return net, lambda: net(pixel_values=numbers(2, 3, 32, 32)).logits, None


@model
def whisper() -> tuple[Any, ...]:
    import transformers

    net = drawn(transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(
        vocab_size=64, num_mel_bins=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, d_model=32, encoder_ffn_dim=48,
        decoder_ffn_dim=48, max_source_positions=16, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
        suppress_tokens=[], begin_suppress_tokens=[])))
    return net, lambda: net(input_features=numbers(2, 8, 32), decoder_input_ids=numbers(2, 5, most=60)).logits, None


def _image(package: str, name: str, size: int = 64, **options: Any) -> tuple[Any, ...]:
    module = __import__("torchvision.models" if package == "torchvision" else "timm", fromlist=["x"])
    net = drawn(getattr(module, name)(**options) if package == "torchvision" else module.create_model(name, num_classes=10, **options))
    return net, lambda: net(numbers(2, 3, size, size)), None


for _name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5", "squeezenet1_1", "efficientnet_b0", "densenet121", "googlenet", "vgg11_bn", "regnet_y_400mf",
              "convnext_tiny", "mnasnet0_5"):
    MODELS[f"torchvision.{_name}"] = lambda name=_name: _image("torchvision", name, num_classes=10, **({"init_weights": False} if name == "googlenet" else {}))  # type: ignore[misc]
for _name in ("resnet10t", "vit_tiny_patch16_224", "mobilenetv3_small_050", "convnext_atto", "efficientnet_lite0", "mixer_s32_224", "regnetx_002", "ghostnet_050",
              "levit_128s", "mobilevit_xxs", "edgenext_xx_small", "poolformer_s12", "rexnetr_100", "swin_tiny_patch4_window7_224"):
    MODELS[f"timm.{_name}"] = lambda name=_name: _image("timm", name, 224 if "224" in name or "levit" in name else 64)  # type: ignore[misc]


@model
def lightning_trainer() -> tuple[Any, ...]:
    import lightning

    class Task(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))

        def training_step(self, batch: Any, index: int) -> Any:
            return (self.net(batch[0]) - batch[1]).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.05)

    task = drawn(Task()).train()
    x = numbers(32, 4)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
    lightning.Trainer(max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False).fit(task, loader)
    return task, lambda: task.net(x), None


@model
def torchmetrics_classification() -> tuple[Any, ...]:
    import torchmetrics

    metrics = [torchmetrics.Accuracy(task="multiclass", num_classes=5), torchmetrics.F1Score(task="multiclass", num_classes=5, average="macro"),
               torchmetrics.AUROC(task="multiclass", num_classes=5), torchmetrics.ConfusionMatrix(task="multiclass", num_classes=5)]
    p, t = numbers(40, 5).softmax(-1), numbers(40, most=8) - 3
    net = torch.nn.Linear(1, 1)
    return net, lambda: torch.cat([m(p, t).reshape(-1).float() for m in metrics]) * drawn(net).weight.sum(), None


def results(name: str) -> dict[str, Any]:
    """The outputs, the gradients by all parameters and what is generated."""
    net, output, generate = MODELS[name]()
    y = output()
    (y * y.detach().cos()).mean().backward()
    found = {"output": y.detach().numpy(), **{f"grad {n}": p.grad.numpy() for n, p in net.named_parameters() if p.grad is not None}}
    if generate is not None:
        found["generated"] = generate().numpy()
    return found


def main() -> int:
    name, file = sys.argv[1:3]
    found = results(name)
    if sys.argv[3:] != ["--compare"]:
        np.savez(file, **found)
        return 0
    wanted = np.load(file)
    bad = sorted(set(wanted.files) ^ set(found))
    for key in set(wanted.files) & set(found):
        a, b = found[key].astype(np.float64), wanted[key].astype(np.float64)
        if a.shape != b.shape or np.abs(a - b).max(initial=0.0) > 2e-3 * (np.abs(b).max(initial=0.0) + 1e-3):
            bad.append(f"{key} (off by {np.abs(a - b).max(initial=0.0) if a.shape == b.shape else a.shape}, largest {np.abs(b).max(initial=0.0)})")
    for line in bad[:8]:
        print("differs:", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
