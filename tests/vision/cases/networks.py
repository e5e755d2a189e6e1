"""`torchvision.models`: every builder but detection's and the quantized ones, with the weights that it draws itself, in
evaluation and training, forwards and backwards. Environment: VISION_MODELS=all for all of them, else one of each
family; or names between commas.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torchvision import models
from torchvision.models import feature_extraction

# One of each family, the quickest.
SAMPLE = (
    "alexnet convnext_tiny densenet121 efficientnet_b0 googlenet mnasnet0_5 mobilenet_v3_small regnet_y_400mf resnet18 "
    "shufflenet_v2_x0_5 squeezenet1_1 swin_t swin_v2_t vgg11 vit_b_32 lraspp_mobilenet_v3_large raft_small r3d_18"
).split()
# More than 200 million weights: some gigabytes and minutes each, and nothing in them that their families lack.
LARGE = {"vit_l_16", "vit_l_32", "vit_h_14", "regnet_y_128gf"}
# What else a family is given: the sizes of its input, and arguments of the builder.
SIZES: dict[str, tuple[int, ...]] = {
    "inception_v3": (2, 3, 75, 75),
    "maxvit_t": (1, 3, 224, 224),
    "vit": (2, 3, 32, 32),
    "alexnet": (2, 3, 63, 63),
    "squeezenet": (2, 3, 33, 33),
    "fcn": (1, 3, 33, 33),
    "deeplabv3": (2, 3, 33, 33),
    "lraspp": (2, 3, 64, 64),
    "raft": (1, 3, 128, 136),
    "r3d": (2, 3, 4, 32, 32),
    "mc3": (2, 3, 4, 32, 32),
    "r2plus1d": (2, 3, 4, 32, 32),
    "s3d": (1, 3, 16, 224, 224),
    "mvit": (1, 3, 16, 224, 224),
    "swin3d": (1, 3, 4, 32, 32),
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "vit": {"image_size": 32},
    "vit_h_14": {"image_size": 28},
    "maxvit_t": {"input_size": (224, 224)},
    "fcn": {"weights_backbone": None},
    "deeplabv3": {"weights_backbone": None, "aux_loss": True},
    "lraspp": {"weights_backbone": None},
    "googlenet": {"init_weights": True},
    "inception_v3": {"init_weights": False},
    "raft": {},
}


def _of_family(table: dict[str, Any], name: str, otherwise: Any) -> Any:
    found = [k for k in table if name.startswith(k)]
    return table[max(found, key=len)] if found else otherwise


def builders() -> list[str]:
    """The names of all builders that are compared here."""
    detection = set(models.list_models(models.detection))
    quantized = set(models.list_models(models.quantization))
    return sorted(set(models.list_models()) - detection - quantized - LARGE)


def _leaves(x: Any) -> list[Any]:
    if isinstance(x, torch.Tensor):
        return [x]
    return [
        t
        for v in (x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ())
        for t in _leaves(v)
    ]


def _drawn(model: Any) -> None:
    """Weights of the spread that the builder gave them, the same to the last bit everywhere."""
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            if p.ndim > 1:
                spread = float(f"{p.std().item():.1e}") if p.numel() > 1 else 1.0
                p.copy_(_normal(tuple(p.shape), k).mul_(spread))


def _normal(shape: tuple[int, ...], seed: int) -> Any:
    count = min(math.prod(shape), 65537)  # as many as do, over again: drawing takes longer than the pass
    return torch.from_numpy(np.resize(np.random.RandomState(seed).standard_normal(count).astype("f4"), shape))


def _pass(name: str, training: bool) -> Any:
    options = dict(_of_family(ARGUMENTS, name, {}))
    if not name.startswith("raft"):
        options["num_classes"] = 5
    model = models.get_model(name, weights=None, **options).train(training)
    shape = _of_family(SIZES, name, (2, 3, 32, 32))
    if training and not name.startswith(("raft", "s3d", "mvit", "maxvit")):
        # Normalization over a batch of nothing but two numbers is a sign, which no rounding survives.
        shape = (4, *shape[1:-2], max(shape[-2], 64), max(shape[-1], 64))
        if name.startswith("vit"):
            shape = (4, 3, 32, 32)
    begun = [p.detach().double().norm().item() for p in model.parameters()]
    _drawn(model)
    # Normalization over a batch makes much of little: in float32 gradients of nets of a hundred layers differ by
    # percents
    # of what rounding they begin with.
    # (mvit, of 16 blocks of attention on an input of 16 frames, does so in evaluation as well; so does deeplabv3 on
    # resnets, where PyTorch's float32 is further from float64 than ours.)
    numbers = torch.float64 if training or name.startswith(("mvit", "deeplabv3_resnet")) else torch.float32
    model = model.to(numbers)
    x = _normal(shape, 1000).to(numbers).requires_grad_()
    result = model(x, _normal(shape, 1001).to(numbers), num_flow_updates=2) if name.startswith("raft") else model(x)
    parts = _leaves(result)
    loss = sum(
        (part * torch.linspace(-1, 1, part.numel()).view(part.shape)).sum() / part.numel() ** 0.5 for part in parts
    )
    loss.backward()
    norms = {k: p.grad.double().norm().item() for k, p in model.named_parameters() if p.grad is not None}
    return {
        "begun": torch.tensor(begun),
        "result": [part.detach() for part in parts],
        "gradient": x.grad,
        "norms": torch.tensor(list(norms.values())),
        "names": list(norms),
        "count": sum(p.numel() for p in model.parameters()),
    }


def _features() -> Any:
    model = models.resnet18(num_classes=5).eval()
    extractor = feature_extraction.create_feature_extractor(
        model, {"layer1": "a", "layer3.0.relu": "b", "avgpool": "c"}
    )
    return extractor(torch.randn(1, 3, 32, 32)), feature_extraction.get_graph_node_names(model)


def _weights() -> Any:
    return {
        name: [(w.name, w.url, sorted(w.meta), str(w.transforms())) for w in models.get_model_weights(name)]
        for name in builders()
    }


def cases() -> Iterator[tuple[str, Any]]:
    """Name of the case -> the case; before the bar stands the builder."""
    chosen = os.environ.get("VISION_MODELS", "")
    for name in builders() if chosen == "all" else chosen.split(",") if chosen else SAMPLE:
        for training in (False, True):
            yield f"{name} | {'training' if training else 'evaluation'}", lambda n=name, t=training: _pass(n, t)
    if chosen in ("", "all"):
        yield "create_feature_extractor | resnet18", _features
        yield "get_model_weights | all", _weights
        yield "list_models | all", models.list_models
        yield "list_models | some", lambda: models.list_models(include="*resnet*", exclude="res*")
        yield "get_model_builder | name", lambda: models.get_model_builder("resnet18").__name__
        yield "get_weight | name", lambda: models.get_weight("ResNet50_Weights.IMAGENET1K_V2").url


def names() -> list[str]:
    """The builders, and the functions that find them."""
    found = ["create_feature_extractor", "get_model_weights", "list_models", "get_model_builder", "get_weight"]
    return [*(builders() if os.environ.get("VISION_MODELS") == "all" else SAMPLE), *found]
