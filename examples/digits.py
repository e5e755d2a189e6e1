"""Train a small convolutional network on 1,797 handwritten digits: an ordinary PyTorch program.

    python -m rushlight examples/digits.py        # on rushlight
    python examples/digits.py                     # on PyTorch, where that is installed

It splits the digits of scikit-learn into a training and a held-out part, trains, saves a checkpoint, loads that into a
fresh network, checks that both predict the same, and draws the loss curve and a page of predictions.
"""

import argparse
import time
from pathlib import Path

import matplotlib
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt


class DigitNet(nn.Module):
    """Two convolutions and two linear layers: 8x8 grey images to ten scores."""

    def __init__(self, width: int = 16, dropout: float = 0.2):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, kernel_size=3, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, kernel_size=3, padding=1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Dropout(dropout), nn.Linear(2 * width * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))


def load_data(seed: int):
    """The digits scaled to [0, 1] as a training part (80 %) and a held-out part."""
    digits = load_digits()
    images = torch.from_numpy(digits.images).float().unsqueeze(1) / 16.0
    labels = torch.from_numpy(digits.target).long()
    dataset = TensorDataset(images, labels)
    held_out = len(dataset) // 5
    return random_split(dataset, [len(dataset) - held_out, held_out], generator=torch.Generator().manual_seed(seed))


def train_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> list[float]:
    """One pass over the training part; returns the loss of every step."""
    model.train()
    losses = []
    for images, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, torch.Tensor]:
    """The accuracy on a loader's examples, and the predictions."""
    model.eval()
    predictions, truth = [], []
    for images, labels in loader:
        predictions.append(model(images).argmax(dim=1))
        truth.append(labels)
    predicted, wanted = torch.cat(predictions), torch.cat(truth)
    return (predicted == wanted).float().mean().item(), predicted


def draw(path: Path, losses: list[float], examples, predictions: torch.Tensor) -> None:
    """Write a picture: the loss of each step, and 40 held-out digits with what the network takes them for."""
    figure = plt.figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.2])
    axes = left.subplots()
    axes.plot(losses, linewidth=0.8)
    axes.set(yscale="log", xlabel="step", ylabel="cross-entropy", title="training loss")
    for i, cell in enumerate(right.subplots(5, 8).flat):
        image, label = examples[i]
        guess = predictions[i].item()
        cell.imshow(image.squeeze().numpy(), cmap="gray_r")
        cell.set_title(str(guess), color="black" if guess == label.item() else "red", fontsize=9)
        cell.axis("off")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--min-accuracy", type=float, default=0.98, help="fail below this held-out accuracy")
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    train_set, test_set = load_data(args.seed)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=256)

    model = DigitNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    print(f"torch {torch.__version__}, {sum(p.numel() for p in model.parameters()):,} parameters")

    start, losses = time.perf_counter(), []
    progress = tqdm(range(args.epochs), desc="training", unit="epoch")
    for _ in progress:
        losses += train_epoch(model, train_loader, optimizer)
        scheduler.step()
        accuracy, predictions = evaluate(model, test_loader)
        progress.set_postfix(loss=f"{losses[-1]:.4f}", held_out=f"{accuracy:.2%}")
    seconds = time.perf_counter() - start

    checkpoint = args.out / "digits.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": args.epochs}, checkpoint)
    saved = torch.load(checkpoint)
    fresh = DigitNet()
    fresh.load_state_dict(saved["model"])
    _, again = evaluate(fresh, test_loader)
    assert saved["epoch"] == args.epochs
    assert torch.equal(predictions, again), "the reloaded network predicts otherwise"

    picture = args.out / "digits.png"
    draw(picture, losses, test_set, predictions)
    print(f"{accuracy:.2%} of {len(test_set)} held-out digits right after {seconds:.1f} s")
    print(f"wrote {checkpoint} and {picture}")
    assert accuracy >= args.min_accuracy, f"held-out accuracy {accuracy:.2%} is below {args.min_accuracy:.0%}"


if __name__ == "__main__":
    main()
