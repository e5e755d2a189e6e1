"""Small models of transformers, timm and torchvision, Trainers, and torchmetrics: values, gradients and generated
tokens, compared with PyTorch's.

    python models.py PACKAGE [NAME ...]     # all models of a package (transformers, timm, torchvision, lightning,
    torchmetrics), or those named
    python models.py PACKAGE --write        # on PyTorch, with the folder reference/ on PYTHONPATH: write its values
    into values.json

Weights and inputs are NumPy's draws, and nothing is drawn within the models, so that values are functions of the
weights alone, and agree up to rounding. Kept of each model are some elements of the output, and for eight groups of
parameters the length of the gradient and its product with a drawn vector of signs.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

VALUES = Path(__file__).resolve().parent / "values.json"


class Model(NamedTuple):
    """A module, a function of it whose result is differentiated, and one of what it generates."""

    net: Any
    output: Callable[[], Any]
    generate: Callable[[], Any] | None = None
    tolerance: float = 2e-3


MODELS: dict[str, dict[str, Callable[[], Model]]] = {
    "transformers": {},
    "timm": {},
    "torchvision": {},
    "lightning": {},
    "torchmetrics": {},
}


def model(package: str) -> Callable[[Callable[[], Model]], Callable[[], Model]]:
    """A model of a package, under the function's name."""

    def add(fn: Callable[[], Model]) -> Callable[[], Model]:
        MODELS[package][fn.__name__] = fn
        return fn

    return add


def drawn(net: Any) -> Any:
    """The module with weights of a fixed draw, in evaluation mode: about as large as an initialization's, scales of
    norms about 1.
    """
    r = np.random.default_rng(0)
    with torch.no_grad():
        for name, p in sorted(net.named_parameters()):
            w = np.asarray(r.standard_normal(tuple(p.shape)), np.float32)
            fan = int(np.prod(p.shape[1:])) if p.ndim > 1 else 100
            p.copy_(
                torch.from_numpy(
                    np.asarray(w / np.float32(fan) ** 0.5 + np.float32(p.ndim == 1 and name.endswith("weight")))
                )
            )
    return net.eval()


def numbers(*shape: int, most: int | None = None) -> Any:
    """A tensor of normal numbers, or of integers from 3 to below `most`."""
    r = np.random.default_rng(1)
    return torch.from_numpy(r.standard_normal(shape).astype(np.float32) if most is None else r.integers(3, most, shape))


# --------------------------------------------------------------------------------------------------------- transformers
_SMALL = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
}
_GROUPED = {**_SMALL, "num_key_value_heads": 2, "head_dim": 8}
_ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def _transformer(cls: str, config: str, **sizes: Any) -> Any:
    import transformers

    return drawn(getattr(transformers, cls)(getattr(transformers, config)(**sizes)))


def _text(cls: str, config: str, generates: bool, decodes: bool = False, **sizes: Any) -> Model:
    net = _transformer(cls, config, **sizes)
    ids = numbers(2, 7, most=60)
    extra = {"decoder_input_ids": ids[:, :5]} if decodes else {}
    return Model(
        net,
        lambda: net(input_ids=ids, **extra).logits,
        (lambda: net.generate(ids, max_new_tokens=6, do_sample=False, pad_token_id=0)) if generates else None,
    )


def _texts(generates: bool, rows: dict[str, tuple[str, str, dict[str, Any]]], decodes: bool = False) -> None:
    for name, (cls, config, sizes) in rows.items():
        MODELS["transformers"][name] = lambda cls=cls, config=config, sizes=sizes: _text(
            cls, config, generates, decodes, **sizes
        )  # type: ignore[misc]


_texts(
    True,
    {
        "gpt2": (
            "GPT2LMHeadModel",
            "GPT2Config",
            {
                "vocab_size": 64,
                "n_positions": 32,
                "n_embd": 32,
                "n_layer": 2,
                "n_head": 4,
                "bos_token_id": 1,
                "eos_token_id": 2,
            },
        ),
        "llama": ("LlamaForCausalLM", "LlamaConfig", _GROUPED),
        "mistral": ("MistralForCausalLM", "MistralConfig", {**_GROUPED, "sliding_window": 4}),
        "mixtral": ("MixtralForCausalLM", "MixtralConfig", {**_GROUPED, "num_local_experts": 4}),
        "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", _GROUPED),
        "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", _GROUPED | _ENDS),
        "opt": ("OPTForCausalLM", "OPTConfig", {**_SMALL, "ffn_dim": 48, "word_embed_proj_dim": 32} | _ENDS),
        "bloom": (
            "BloomForCausalLM",
            "BloomConfig",
            {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 4} | _ENDS,
        ),
        "gpt_neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", _SMALL | _ENDS),
        "mamba": (
            "MambaForCausalLM",
            "MambaConfig",
            {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "time_step_rank": 4} | _ENDS,
        ),
    },
)
_texts(
    False,
    {
        "bert": ("BertForMaskedLM", "BertConfig", _SMALL),
        "roberta": ("RobertaForMaskedLM", "RobertaConfig", _SMALL | _ENDS),
        "electra": ("ElectraForMaskedLM", "ElectraConfig", {**_SMALL, "embedding_size": 16}),
        "deberta_v2": (
            "DebertaV2ForMaskedLM",
            "DebertaV2Config",
            {**_SMALL, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8},
        ),
    },
)
_texts(
    True,
    {
        "t5": (
            "T5ForConditionalGeneration",
            "T5Config",
            {
                "vocab_size": 64,
                "d_model": 32,
                "d_kv": 8,
                "d_ff": 48,
                "num_layers": 2,
                "num_heads": 4,
                "decoder_start_token_id": 0,
            },
        ),
        "bart": (
            "BartForConditionalGeneration",
            "BartConfig",
            {
                "vocab_size": 64,
                "d_model": 32,
                "encoder_layers": 2,
                "decoder_layers": 2,
                "encoder_attention_heads": 4,
                "decoder_attention_heads": 4,
                "encoder_ffn_dim": 48,
                "decoder_ffn_dim": 48,
                "max_position_embeddings": 32,
                "decoder_start_token_id": 2,
                "forced_eos_token_id": None,
            }
            | _ENDS,
        ),
    },
    decodes=True,
)


# The sizes of an encoder.
_TOWER = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}


@model("transformers")
def vit() -> Model:
    net = _transformer("ViTForImageClassification", "ViTConfig", **_TOWER, image_size=32, patch_size=8, num_labels=5)
    return Model(net, lambda: net(pixel_values=numbers(2, 3, 32, 32)).logits)


@model("transformers")
def clip() -> Model:
    net = _transformer(
        "CLIPModel",
        "CLIPConfig",
        text_config={**_TOWER, "vocab_size": 64, "max_position_embeddings": 16} | _ENDS,
        vision_config={**_TOWER, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    return Model(
        net, lambda: net(input_ids=numbers(2, 7, most=60), pixel_values=numbers(3, 3, 32, 32)).logits_per_image
    )


@model("transformers")
def wav2vec2() -> Model:
    net = _transformer(
        "Wav2Vec2ForCTC",
        "Wav2Vec2Config",
        **_TOWER,
        vocab_size=16,
        conv_dim=(16, 16),
        conv_stride=(5, 2),
        conv_kernel=(10, 3),
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=4,
        num_feat_extract_layers=2,
    )
    return Model(net, lambda: net(input_values=numbers(2, 400)).logits)


_WHISPER = {"layers": 2, "attention_heads": 4, "ffn_dim": 48}


@model("transformers")
def whisper() -> Model:
    net = _transformer(
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        vocab_size=64,
        num_mel_bins=8,
        **{f"{of}_{size}": n for of in ("encoder", "decoder") for size, n in _WHISPER.items()},
        d_model=32,
        max_source_positions=16,
        max_target_positions=32,
        decoder_start_token_id=1,
        suppress_tokens=[],
        begin_suppress_tokens=[],
        **_ENDS,
    )
    features = numbers(2, 8, 32)
    return Model(
        net,
        lambda: net(input_features=features, decoder_input_ids=numbers(2, 5, most=60)).logits,
        lambda: net.generate(features, max_new_tokens=6, do_sample=False),
    )


@model("transformers")
def trainer() -> Model:
    """transformers' Trainer: two epochs with AdamW, a schedule, clipping and evaluation."""
    import transformers

    net = _transformer(
        "GPT2LMHeadModel",
        "GPT2Config",
        vocab_size=32,
        n_positions=16,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=1,
        eos_token_id=2,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
    )
    ids = numbers(16, 9, most=30)
    rows = [{"input_ids": row, "labels": row} for row in ids]
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(
            output_dir=folder,
            num_train_epochs=2,
            per_device_train_batch_size=4,
            learning_rate=1e-2,
            warmup_steps=2,
            lr_scheduler_type="cosine",
            max_grad_norm=0.5,
            gradient_accumulation_steps=2,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            save_strategy="epoch",
            eval_strategy="epoch",
            logging_strategy="no",
            seed=0,
            train_sampling_strategy="sequential",
        )
        run = transformers.Trainer(model=net, args=args, train_dataset=rows, eval_dataset=rows[:6])
        run.train()
        loss = run.evaluate()["eval_loss"]
    net.eval()
    return Model(net, lambda: net(input_ids=ids[:2]).logits * loss)


# ------------------------------------------------------------------------------------------------------ images
def _image(package: str, name: str, size: int, options: dict[str, Any]) -> Model:
    module = __import__("torchvision.models" if package == "torchvision" else "timm", fromlist=["x"])
    net = drawn(getattr(module, name)(**options) if package == "torchvision" else module.create_model(name, **options))
    return Model(net, lambda: net(numbers(2, 3, size, size)))


def _images(package: str, size: int, names: str, **options: Any) -> None:
    for name in names.split():
        MODELS[package][name] = partial(_image, package, name, size, {"num_classes": 10, **options})


_images(
    "torchvision",
    64,
    "resnet18 wide_resnet50_2 mobilenet_v2 mobilenet_v3_small shufflenet_v2_x0_5 squeezenet1_1 efficientnet_b0 "
    "densenet121 vgg11_bn regnet_y_400mf "
    "convnext_tiny mnasnet0_5 alexnet",
)
_images("torchvision", 64, "googlenet", init_weights=False, aux_logits=False)
_images("torchvision", 64, "swin_t swin_v2_t")
_images("torchvision", 64, "vit_b_16", image_size=64)
_images(
    "timm",
    64,
    "resnet10t mobilenetv3_small_050 convnext_atto efficientnet_lite0 regnetx_002 ghostnet_050 mobilevit_xxs "
    "edgenext_xx_small poolformer_s12 rexnetr_100 "
    "test_vit test_resnet test_convnext repvgg_a0 hardcorenas_a dla46_c nf_regnet_b0 fastvit_t8 tinynet_e "
    "res2net50_26w_4s",
)
_images(
    "timm", 64, "vit_tiny_patch16_224 mixer_s32_224 deit_tiny_patch16_224 swin_tiny_patch4_window7_224", img_size=64
)
_images("timm", 224, "levit_128s crossvit_tiny_240")


# ---------------------------------------------------------------------------------------------- lightning, torchmetrics
@model("lightning")
def lightning_trainer() -> Model:
    """lightning.Trainer: three epochs with a schedule, clipping, accumulation, validation and a checkpoint that is
    loaded.
    """
    import lightning

    class Task(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))

        def training_step(self, batch: Any, index: int) -> Any:
            loss = (self.net(batch[0]) - batch[1]).square().mean()
            self.log("loss", loss)
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("error", (self.net(batch[0]) - batch[1]).abs().mean())

        def configure_optimizers(self) -> Any:
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.05)
            return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)}

    task = drawn(Task()).train()
    x = numbers(32, 4)
    data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        keeps = lightning.pytorch.callbacks.ModelCheckpoint(folder, monitor="error")
        fit = lightning.Trainer(
            max_epochs=3, gradient_clip_val=1.0, accumulate_grad_batches=2, callbacks=[keeps], **quiet
        )
        fit.fit(task, torch.utils.data.DataLoader(data, batch_size=8), torch.utils.data.DataLoader(data, batch_size=16))
        loaded = Task.load_from_checkpoint(keeps.best_model_path)
        error = fit.validate(loaded, torch.utils.data.DataLoader(data, batch_size=16), verbose=False)[0]["error"]
    return Model(loaded.train(), lambda: loaded.net(x) * error)


@model("lightning")
def fabric() -> Model:
    """lightning.Fabric: a loop of a program's own with autocast to bfloat16."""
    import lightning

    runs = lightning.Fabric(accelerator="cpu", precision="bf16-mixed")
    net = drawn(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 1)))
    x = numbers(32, 4)
    wrapped, optimizer = runs.setup(net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9))
    for batch in runs.setup_dataloaders(torch.utils.data.DataLoader(x, batch_size=8)):
        optimizer.zero_grad()
        runs.backward((wrapped(batch) - batch.sum(1, keepdim=True)).square().mean())
        optimizer.step()
    optimizer.zero_grad()
    return Model(net, lambda: net(x), tolerance=0.02)  # bfloat16 has eight bits


def _metrics(values: Callable[[Any], list[Any]]) -> Model:
    net = drawn(torch.nn.Linear(1, 1))

    def output() -> Any:
        import torchmetrics

        found = [
            v for result in values(torchmetrics) for v in (result if isinstance(result, (tuple, list)) else [result])
        ]
        return torch.cat([v.reshape(-1).float() for v in found]) * net.weight.sum()

    return Model(net, output)


@model("torchmetrics")
def classification() -> Model:
    p, t = numbers(40, 5).softmax(-1), numbers(40, most=8) - 3
    kinds = {"task": "multiclass", "num_classes": 5}
    return _metrics(
        lambda tm: [
            m(p, t)
            for m in (
                tm.Accuracy(**kinds),
                tm.F1Score(average="macro", **kinds),
                tm.AUROC(**kinds),
                tm.ConfusionMatrix(**kinds),
                tm.Precision(average="weighted", **kinds),
                tm.Recall(**kinds),
                tm.CohenKappa(**kinds),
                tm.MatthewsCorrCoef(**kinds),
                tm.AveragePrecision(**kinds),
                tm.CalibrationError(**kinds),
                tm.JaccardIndex(**kinds),
                tm.HammingDistance(**kinds),
            )
        ]
    )


@model("torchmetrics")
def regression() -> Model:
    p, t = numbers(2, 30)
    return _metrics(
        lambda tm: (
            [
                m(p, t)
                for m in (
                    tm.MeanSquaredError(),
                    tm.MeanAbsoluteError(),
                    tm.R2Score(),
                    tm.PearsonCorrCoef(),
                    tm.SpearmanCorrCoef(),
                    tm.KendallRankCorrCoef(),
                    tm.ExplainedVariance(),
                    tm.ConcordanceCorrCoef(),
                    tm.MinkowskiDistance(3.0),
                    tm.SymmetricMeanAbsolutePercentageError(),
                    tm.TweedieDevianceScore(),
                )
            ]
            + [tm.CosineSimilarity()(p[None], t[None])]
        )
    )


@model("torchmetrics")
def images() -> Model:
    p, t = numbers(2, 2, 3, 32, 32).sigmoid()
    return _metrics(
        lambda tm: (
            [
                m(p, t)
                for m in (
                    tm.image.StructuralSimilarityIndexMeasure(data_range=1.0),
                    tm.image.PeakSignalNoiseRatio(data_range=1.0),
                    tm.image.SpectralAngleMapper(),
                    tm.image.UniversalImageQualityIndex(),
                )
            ]
            + [tm.image.TotalVariation()(p)]
        )
    )


@model("torchmetrics")
def collections() -> Model:
    """Metrics that are updated by batches, collected, compared with what a clone and a reset give."""

    def values(tm: Any) -> list[Any]:
        several = tm.MetricCollection([tm.Accuracy(task="binary"), tm.F1Score(task="binary"), tm.AUROC(task="binary")])
        for seed in range(3):
            several.update((numbers(20) + seed * 0.1).sigmoid(), (numbers(20) > 0.2).long())
        whole = several.clone(prefix="again_")
        several.reset()
        mean = tm.MeanMetric()
        for row in numbers(4, 6):
            mean.update(row)
        return [
            *whole.compute().values(),
            mean.compute(),
            tm.text.WordErrorRate()(["a b c"], ["a x c d"]),
            tm.text.BLEUScore(2)(["a b c d"], [["a b c e"]]),
        ]

    return _metrics(values)


# ------------------------------------------------------------------------------------------------------------ comparing
def results(found: Model) -> dict[str, list[float]]:
    """What is kept of a model: elements of the output, of the gradients by groups of parameters, what it generates.
    ValueError where a number is not finite.
    """
    y = found.output()
    (y * y.detach().cos()).mean().backward()
    rows = [
        (n, p.grad.detach().numpy().astype(np.float64))
        for n, p in sorted(found.net.named_parameters())
        if p.grad is not None
    ]
    for name, values in [("output", y.detach().numpy()), *rows]:
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has values that are not finite")
    flat = y.detach().numpy().astype(np.float64).reshape(-1)
    kept: dict[str, list[float]] = {
        "output": [*flat[:: max(1, len(flat) // 12)][:12], float(np.linalg.norm(flat)), len(flat)]
    }
    signs = np.random.default_rng(2)
    gradients: list[float] = []
    for group in np.array_split(np.arange(len(rows)), 8):
        line = np.concatenate([rows[i][1].reshape(-1) for i in group]) if len(group) else np.zeros(1)
        gradients += [float(np.linalg.norm(line)), float((line * signs.choice([-1.0, 1.0], len(line))).sum())]
    kept["gradients"] = [*gradients, len(rows)]
    if found.generate is not None:
        kept["generated"] = found.generate().reshape(-1).tolist()
    return {key: [float(f"{v:.6g}") for v in values] for key, values in kept.items()}


def differences(found: dict[str, list[float]], wanted: dict[str, list[float]], tolerance: float) -> list[str]:
    """What of a model's results differs."""
    bad = sorted(set(found) ^ set(wanted))
    for key in set(found) & set(wanted):
        a, b = np.array(found[key]), np.array(wanted[key])
        if a.shape != b.shape or key == "generated" and (a != b).any():
            bad.append(f"{key}: {found[key]}, PyTorch {wanted[key]}")
            continue
        scale = np.abs(b).max() if key == "output" else np.repeat(b[:-1:2], 2) if key == "gradients" else 1.0
        error = np.abs(a - b)[: len(b) - (key == "gradients")] / (scale + 1e-6)
        if error.max() > tolerance:
            bad.append(f"{key}: off by {error.max():.2g} of the largest")
    return bad


def main() -> int:
    package, *names = (a for a in sys.argv[1:] if a != "--write")
    write = "--write" in sys.argv[1:]
    record: dict[str, dict[str, Any]] = json.loads(VALUES.read_text()) if VALUES.exists() else {}
    warnings.simplefilter("ignore")
    passed, failed, start = 0, 0, time.perf_counter()
    for name in names or MODELS[package]:
        try:
            made = MODELS[package][name]()
            found = results(made)
            bad = [] if write else differences(found, record[package][name], made.tolerance)
        except Exception:  # every model is tried; what went wrong is printed and counted
            traceback.print_exc()
            bad = [traceback.format_exc().splitlines()[-1]]
        else:
            if write:
                record.setdefault(package, {})[name] = found
        passed, failed = passed + (not bad), failed + bool(bad)
        if bad:
            print(f"FAILED {name}: {'; '.join(bad)[:500]}", flush=True)
    if write:
        lines = [
            f" {json.dumps(p)}: {{\n"
            + ",\n".join(f"  {json.dumps(n)}: {json.dumps(record[p][n])}" for n in MODELS[p] if n in record[p])
            + "\n }"
            for p in MODELS
            if p in record
        ]
        VALUES.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{passed} passed, {failed} failed in {time.perf_counter() - start:.1f}s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
