"""Train a small ResNet to name shapes and to put a box around them, with torchvision: an ordinary PyTorch program.

    python -m rushlight examples/shapes.py        # on rushlight
    python examples/shapes.py                     # on PyTorch, where that is installed

Pictures of a disc, a square or a triangle somewhere on noise are drawn and kept as JPEG files. A data set decodes them;
transforms flip, shrink and recolour each picture together with its box. The network, a ResNet of ten layers, gives
scores and a box. What it finds in pictures that it has not seen is drawn into one PNG file.
"""

import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import io, models, tv_tensors, utils
from torchvision.ops import box_iou
from torchvision.transforms import v2

SIDE = 64
NAMES = ("disc", "square", "triangle")


def draw(kind: int, generator: random.Random) -> tuple[torch.Tensor, list[float]]:
    """A uint8 picture (3, SIDE, SIDE) with one shape, and the corners of its box."""
    size, noise = generator.randint(16, 36), torch.randint(0, 120, (3, SIDE, SIDE), dtype=torch.uint8)
    x, y = generator.randint(0, SIDE - size), generator.randint(0, SIDE - size)
    column, row = torch.meshgrid(torch.arange(SIDE) - x, torch.arange(SIDE) - y, indexing="xy")
    inside = (column >= 0) & (column < size) & (row >= 0) & (row < size)
    if kind == 0:
        inside &= (column - size / 2) ** 2 + (row - size / 2) ** 2 < (size / 2) ** 2
    elif kind == 2:
        inside &= (column - size / 2).abs() < row / 2
    colour = torch.tensor([generator.randint(150, 255) for _ in range(3)], dtype=torch.uint8)
    return torch.where(inside, colour[:, None, None], noise), [x, y, x + size, y + size]


class Shapes(Dataset):
    """Pictures of shapes in JPEG files, each with a box and a label."""

    def __init__(self, folder: Path, count: int, transform: v2.Transform, seed: int):
        folder.mkdir(parents=True, exist_ok=True)
        generator = random.Random(seed)
        self.transform, self.entries = transform, []
        for k in range(count):
            kind = k % len(NAMES)
            picture, box = draw(kind, generator)
            path = folder / f"{k:04}.jpg"
            io.write_jpeg(picture, str(path), quality=90)
            self.entries.append((path, box, kind))

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int):
        path, box, kind = self.entries[index]
        picture = tv_tensors.Image(io.decode_image(str(path), mode="RGB"))
        boxes = tv_tensors.BoundingBoxes([box], format="XYXY", canvas_size=picture.shape[-2:], dtype=torch.float32)
        picture, boxes = self.transform(picture, boxes)
        return picture, boxes[0] / SIDE, kind


class Finder(nn.Module):
    """A ResNet of ten layers that gives a score for each name, and a box in parts of the picture."""

    def __init__(self):
        super().__init__()
        self.body = models.resnet.ResNet(models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=len(NAMES) + 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.body(x)
        middle, size = found[:, -4:-2].sigmoid(), found[:, -2:].sigmoid()
        return found[:, :-4], torch.cat([middle - size / 2, middle + size / 2], 1)


def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    """The share of names that are right, and the mean overlap (intersection over union) of the boxes."""
    model.eval()
    right, overlap = [], []
    with torch.inference_mode():
        for pictures, boxes, kinds in loader:
            scores, found = model(pictures)
            right.append((scores.argmax(1) == kinds).float())
            overlap.append(box_iou(found, boxes).diagonal())
    return torch.cat(right).mean().item(), torch.cat(overlap).mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)

    finish = [v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.4] * 3, [0.25] * 3), v2.ToPureTensor()]
    augment = v2.Compose(
        [
            v2.RandomHorizontalFlip(),
            v2.RandomZoomOut(fill=60, side_range=(1.0, 1.4), p=0.3),
            v2.Resize((SIDE, SIDE), antialias=True),
            v2.ColorJitter(0.2, 0.2, 0.2),
            *finish,
        ]
    )
    train = Shapes(arguments.output / "train", arguments.count, augment, seed=1)
    held_out = Shapes(arguments.output / "held-out", 96, v2.Compose(finish), seed=2)
    loader = DataLoader(train, batch_size=32, shuffle=True)
    checked = DataLoader(held_out, batch_size=32)

    model = Finder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=arguments.epochs * len(loader))
    for epoch in range(arguments.epochs):
        model.train()
        total = 0.0
        for pictures, boxes, kinds in loader:
            scores, found = model(pictures)
            loss = F.cross_entropy(scores, kinds) + 5 * F.smooth_l1_loss(found, boxes, beta=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        names, overlap = evaluate(model, checked)
        mean = total / len(loader)
        print(f"epoch {epoch + 1}: loss {mean:.3f}, names right {names:.1%}, overlap of boxes {overlap:.2f}")

    drawn = []
    with torch.inference_mode():
        for k in range(12):
            scores, found = model(held_out[k][0][None])
            picture = io.decode_image(str(held_out.entries[k][0]))
            picture = v2.functional.resize(picture, [2 * SIDE, 2 * SIDE], antialias=True)
            name = NAMES[int(scores.argmax())]
            drawn.append(utils.draw_bounding_boxes(picture, found * 2 * SIDE, labels=[name], colors="red", width=2))
    path = arguments.output / "shapes.png"
    io.write_png(utils.make_grid(drawn, nrow=4, padding=4), str(path))
    print(f"the first twelve pictures with what was found in them: {path}")


if __name__ == "__main__":
    main()
