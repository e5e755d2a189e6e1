"""A detector of shapes, with an ordinary PyTorch program and torchvision: a trained network becomes its backbone.

    python -m rushlight examples/detection.py        # on rushlight
    python examples/detection.py                     # on PyTorch, where that is installed

First a small convolutional network learns to name single shapes. Then it is fine-tuned inside a Faster R-CNN, on scenes
of one to four shapes that cover each other in part: the losses are torchvision's, and so is what picks the boxes. The
average precision on scenes that it has not seen is printed, and what it finds in some of them is drawn into a PNG file.
"""

import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import io, tv_tensors, utils
from torchvision.models.detection import FasterRCNN
from torchvision.models.detection.rpn import AnchorGenerator
from torchvision.ops import Conv2dNormActivation, MultiScaleRoIAlign, box_iou
from torchvision.transforms import v2

SIDE = 96
NAMES = ("background", "disc", "square", "triangle")


def paint(picture: torch.Tensor, kind: int, box: list[int], generator: random.Random) -> None:
    """One shape in a colour of its own, written into a uint8 picture (3, H, W)."""
    x, y, size = box[0], box[1], box[2] - box[0]
    column, row = torch.meshgrid(torch.arange(picture.shape[2]) - x, torch.arange(picture.shape[1]) - y, indexing="xy")
    inside = (column >= 0) & (column < size) & (row >= 0) & (row < size)
    if kind == 1:
        inside &= (column - size / 2) ** 2 + (row - size / 2) ** 2 < (size / 2) ** 2
    elif kind == 3:
        inside &= (column - size / 2).abs() < row / 2
    colour = torch.tensor([generator.randint(140, 255) for _ in range(3)], dtype=torch.uint8)
    picture[:, inside] = colour[:, None]


def scene(count: int, side: int, generator: random.Random) -> tuple[torch.Tensor, list[list[int]], list[int]]:
    """Shapes on noise: a uint8 picture, the boxes' corners, and what is in them."""
    picture = torch.randint(0, 110, (3, side, side), dtype=torch.uint8)
    boxes: list[list[int]] = []
    kinds: list[int] = []
    while len(boxes) < count:
        size = generator.randint(side // 5, side // 2)
        x, y = generator.randint(0, side - size), generator.randint(0, side - size)
        box = [x, y, x + size, y + size]
        if boxes and float(box_iou(torch.tensor([box]), torch.tensor(boxes)).max()) > 0.15:
            continue
        kinds.append(generator.randint(1, 3))
        boxes.append(box)
        paint(picture, kinds[-1], box, generator)
    return picture, boxes, kinds


class Scenes(Dataset):
    """Pictures with their targets, as torchvision's detectors take them."""

    def __init__(self, count: int, transform: v2.Transform, seed: int):
        generator = random.Random(seed)
        self.transform = transform
        self.entries = [scene(generator.randint(1, 4), SIDE, generator) for _ in range(count)]

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int):
        picture, boxes, kinds = self.entries[index]
        corners = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(SIDE, SIDE), dtype=torch.float32)
        return self.transform(tv_tensors.Image(picture), {"boxes": corners, "labels": torch.tensor(kinds)})


def batch(entries):
    """Lists of pictures and of targets: they need not have one size."""
    return tuple(map(list, zip(*entries, strict=True)))


def body() -> nn.Sequential:
    """Three halvings of the picture, then features of 64 channels for every eight pixels."""
    steps = [(3, 24, 2), (24, 32, 1), (32, 48, 2), (48, 64, 1), (64, 64, 2), (64, 64, 1)]
    return nn.Sequential(*[Conv2dNormActivation(i, o, stride=s) for i, o, s in steps])


def learn_names(features: nn.Module, steps: int, generator: random.Random) -> float:
    """Train the features to name single shapes; the share of the last pictures that were named right."""
    head = nn.Linear(64, len(NAMES))
    optimizer = torch.optim.AdamW([*features.parameters(), *head.parameters()], lr=3e-3)
    right = []
    for _ in range(steps):
        made = [scene(1, 48, generator) for _ in range(32)]
        pictures = torch.stack([picture for picture, _, _ in made]).float() / 255
        kinds = torch.tensor([names[0] for _, _, names in made])
        scores = head(features(pictures).mean((2, 3)))
        loss = F.cross_entropy(scores, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right.append((scores.argmax(1) == kinds).float().mean().item())
    return sum(right[-5:]) / 5


def detector(features: nn.Module) -> FasterRCNN:
    """A Faster R-CNN on the features: anchors of four sizes, boxes of 5 x 5 samples."""
    features.out_channels = 64
    return FasterRCNN(
        features,
        min_size=SIDE,
        max_size=SIDE,
        image_mean=[0.0] * 3,
        image_std=[1.0] * 3,
        rpn_anchor_generator=AnchorGenerator(sizes=((16, 24, 34, 48),), aspect_ratios=((1.0,),)),
        rpn_pre_nms_top_n_train=200,
        rpn_post_nms_top_n_train=100,
        rpn_pre_nms_top_n_test=100,
        rpn_post_nms_top_n_test=30,
        box_roi_pool=MultiScaleRoIAlign(["0"], output_size=5, sampling_ratio=2),
        box_head=nn.Sequential(nn.Flatten(), nn.Linear(64 * 25, 128), nn.ReLU()),
        box_predictor=Predictor(128),
        box_batch_size_per_image=48,
        box_score_thresh=0.1,
        box_nms_thresh=0.3,
    )


class Predictor(nn.Module):
    """Scores of the names, and a box for each."""

    def __init__(self, size: int):
        super().__init__()
        self.names = nn.Linear(size, len(NAMES))
        self.boxes = nn.Linear(size, 4 * len(NAMES))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.names(x), self.boxes(x)


def average_precision(model: nn.Module, data: Scenes, overlap: float = 0.5) -> float:
    """The area under precision by recall, over all names; a box is right that overlaps one not yet found so far."""
    model.eval()
    found, count = [], 0
    with torch.inference_mode():
        for k in range(len(data)):
            picture, target = data[k]
            result = model([picture])[0]
            count += len(target["labels"])
            free = [True] * len(target["labels"])
            shared = box_iou(result["boxes"], target["boxes"])
            for i in result["scores"].argsort(descending=True).tolist():
                same = (target["labels"] == result["labels"][i]) & torch.tensor(free)
                best = int(torch.where(same, shared[i], -1.0).argmax())
                hit = bool(same[best]) and float(shared[i, best]) >= overlap
                free[best] = free[best] and not hit
                found.append((float(result["scores"][i]), hit))
    if not found:
        return 0.0
    hits = torch.tensor([hit for _, hit in sorted(found, reverse=True)]).float()
    precision = hits.cumsum(0) / torch.arange(1, len(hits) + 1)
    best_after = precision.flip(0).cummax(0).values.flip(0)
    return float((best_after * hits).sum() / count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--naming-steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(arguments.seed)

    features = body()
    named = learn_names(features, arguments.naming_steps, random.Random(1))
    print(f"names of single shapes: {named:.0%} right")

    finish = [v2.ToDtype(torch.float32, scale=True), v2.ToPureTensor()]
    augment = v2.Compose([v2.RandomHorizontalFlip(), v2.ColorJitter(0.2, 0.2, 0.2), *finish])
    train = Scenes(arguments.count, augment, seed=2)
    held_out = Scenes(32, v2.Compose(finish), seed=3)
    loader = DataLoader(train, batch_size=8, shuffle=True, collate_fn=batch)

    model = detector(features)
    new = [p for name, p in model.named_parameters() if not name.startswith("backbone.")]
    groups = [{"params": features.parameters(), "lr": 5e-4}, {"params": new, "lr": 2e-3}]
    optimizer = torch.optim.AdamW(groups)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [5e-4, 2e-3], total_steps=arguments.epochs * len(loader))
    for epoch in range(arguments.epochs):
        model.train()
        totals: dict[str, float] = {}
        for pictures, targets in loader:
            losses = model(pictures, targets)
            loss = sum(losses.values())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            for name, value in losses.items():
                totals[name] = totals.get(name, 0.0) + value.item() / len(loader)
        shown = ", ".join(f"{name} {value:.3f}" for name, value in totals.items())
        print(f"epoch {epoch + 1}: {shown}; average precision {average_precision(model, held_out):.2f}")

    drawn = []
    with torch.inference_mode():
        for k in range(8):
            result = model([held_out[k][0]])[0]
            sure = result["scores"] > 0.5
            picture = v2.functional.resize(held_out.entries[k][0], [2 * SIDE, 2 * SIDE], antialias=True)
            labels = [
                f"{NAMES[i]} {s:.2f}" for i, s in zip(result["labels"][sure].tolist(), result["scores"][sure].tolist())
            ]
            drawn.append(utils.draw_bounding_boxes(picture, 2 * result["boxes"][sure], labels, colors="red", width=2))
    path = arguments.output / "detection.png"
    io.write_png(utils.make_grid(drawn, nrow=4, padding=4), str(path))
    print(f"eight scenes with what was found in them: {path}")


if __name__ == "__main__":
    main()
