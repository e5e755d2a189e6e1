"""A classifier of video clips, with an ordinary PyTorch program, torchcodec and torchvision.

    python -m rushlight examples/clips.py        # on rushlight
    python examples/clips.py                     # on PyTorch, where that and torchcodec are installed

Videos of a square on noise are drawn and encoded as H.264 files: it slides to the left or right, rises, sinks, grows or
shrinks, and no single frame shows which. Workers decode clips of them from a random frame on; transforms crop and
recolour all frames of a clip alike. The network is a small three-dimensional ResNet of parts of torchvision. A PNG file
shows clips that it has not seen, a row each, with what it says of them.
"""

import argparse
import random
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchcodec.decoders import VideoDecoder
from torchcodec.encoders import VideoEncoder
from torchcodec.samplers import clips_at_random_indices, clips_at_regular_indices
from torchvision import io, tv_tensors, utils
from torchvision.ops import Conv3dNormActivation
from torchvision.transforms import v2

NAMES = ("left", "right", "up", "down", "grows", "shrinks")
SIDE, FRAMES, IN_CLIP = 48, 20, 8


def film(kind: int, generator: random.Random) -> torch.Tensor:
    """A uint8 video (FRAMES, 3, SIDE, SIDE)."""
    time = torch.linspace(-1, 1, FRAMES)
    way = generator.choice((0.8, 1.0, 1.2)) * (-1 if kind in (0, 2, 5) else 1)
    x = torch.full((FRAMES,), SIDE / 2 + generator.uniform(-5, 5)) + (way * time * 9 if kind < 2 else 0)
    y = torch.full((FRAMES,), SIDE / 2 + generator.uniform(-5, 5)) + (way * time * 9 if kind in (2, 3) else 0)
    half = generator.uniform(6, 8) * (1 + (way * time / 2 if kind > 3 else 0 * time))
    row, column = torch.arange(SIDE)[None, :, None], torch.arange(SIDE)[None, None, :]
    near = torch.maximum((row - y[:, None, None]).abs(), (column - x[:, None, None]).abs())
    inside = (near < half[:, None, None])[:, None]
    colour = torch.tensor([generator.randint(120, 255) for _ in range(3)]).reshape(1, 3, 1, 1)
    noise = torch.randint(0, 90, (1, 3, SIDE, SIDE)) + torch.randint(0, 20, (FRAMES, 3, SIDE, SIDE))
    return torch.where(inside, colour, noise).to(torch.uint8)


class Clips(Dataset):
    """Clips of IN_CLIP frames out of video files, each with the number of its name."""

    def __init__(self, folder: Path, count: int, transform: v2.Transform, seed: int, random_start: bool):
        folder.mkdir(parents=True, exist_ok=True)
        generator = random.Random(seed)
        self.transform, self.random_start = transform, random_start
        self.entries = []
        for k in range(count):
            kind, path = k % len(NAMES), folder / f"{k:04}.mp4"
            VideoEncoder(film(kind, generator), frame_rate=10).to_file(path, codec="libx264", crf=20)
            self.entries.append((path, kind))

    def __len__(self) -> int:
        return len(self.entries)

    def frames(self, index: int) -> torch.Tensor:
        """A uint8 clip (IN_CLIP, 3, SIDE, SIDE) as it was decoded: every other frame."""
        decoder = VideoDecoder(str(self.entries[index][0]))
        sample = clips_at_random_indices if self.random_start else clips_at_regular_indices
        clips = sample(decoder, num_clips=1, num_frames_per_clip=IN_CLIP, num_indices_between_frames=2)
        return clips.data[0]

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.transform(tv_tensors.Video(self.frames(index))), self.entries[index][1]


class Block(nn.Module):
    """Two convolutions over time and space around which the input goes."""

    def __init__(self, channels: int):
        super().__init__()
        self.body = nn.Sequential(
            Conv3dNormActivation(channels, channels), Conv3dNormActivation(channels, channels, activation_layer=None)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.body(x))


def network() -> nn.Sequential:
    """Scores of the names for clips (N, 3, T, H, W)."""
    return nn.Sequential(
        Conv3dNormActivation(3, 16, kernel_size=(3, 5, 5), stride=(1, 2, 2)),
        Conv3dNormActivation(16, 24, stride=(1, 2, 2)),
        Block(24),
        Conv3dNormActivation(24, 48, stride=2),
        Block(48),
        nn.AdaptiveAvgPool3d((2, 3, 3)),  # where and when: a motion has a place
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(48 * 18, len(NAMES)),
    )


def scores(model: nn.Module, clips: torch.Tensor) -> torch.Tensor:
    """Of clips (N, T, C, H, W), as transforms give them."""
    return model(clips.transpose(1, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)

    finish = [v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.3] * 3, [0.25] * 3), v2.ToPureTensor()]
    augment = v2.Compose([v2.RandomCrop(40), v2.ColorJitter(0.3, 0.3, 0.3, 0.1), *finish])
    train = Clips(arguments.output / "clips", arguments.count, augment, seed=1, random_start=True)
    plain = v2.Compose([v2.CenterCrop(40), *finish])
    held_out = Clips(arguments.output / "clips-held-out", 60, plain, seed=2, random_start=False)
    loader = DataLoader(train, batch_size=16, shuffle=True, num_workers=arguments.workers)
    checked = DataLoader(held_out, batch_size=30)

    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=arguments.epochs * len(loader))
    for epoch in range(arguments.epochs):
        model.train()
        total = 0.0
        for clips, kinds in loader:
            loss = F.cross_entropy(scores(model, clips), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        model.eval()
        with torch.inference_mode():
            right = torch.cat([scores(model, clips).argmax(1) == kinds for clips, kinds in checked])
        print(f"epoch {epoch + 1}: loss {total / len(loader):.3f}, clips named right {right.float().mean().item():.1%}")

    rows = []
    with torch.inference_mode():
        for k in range(len(NAMES)):
            said = NAMES[int(scores(model, held_out[k][0][None]).argmax())]
            shown = v2.functional.resize(held_out.frames(k), [2 * SIDE, 2 * SIDE], antialias=True)
            first = utils.draw_bounding_boxes(
                shown[0], torch.tensor([[2.0, 2.0, 2 * SIDE - 3.0, 2 * SIDE - 3.0]]), labels=[said], colors="yellow"
            )
            rows += [first, *shown[1:]]
    path = arguments.output / "clips.png"
    io.write_png(utils.make_grid(rows, nrow=IN_CLIP, padding=3), str(path))
    print(f"a clip in each row, and what it was named: {path}")


if __name__ == "__main__":
    main()
