"""Small data in the formats of the data sets that the programs read: digits as MNIST's IDX files, a text as wikitext's
and nanoGPT's.
"""

from __future__ import annotations

import random
import struct
from pathlib import Path

SIDE = 28


def _digit(rng: random.Random, label: int) -> bytes:
    """An image of `label`: a row of bars, as many as the digit says, moved by chance and with noise, so that a network
    can learn it.
    """
    image = bytearray(rng.randrange(30) for _ in range(SIDE * SIDE))
    left, top = rng.randrange(2, 5), rng.randrange(2, 7)
    for bar in range(label + 1):
        for row in range(top, top + 18):
            image[row * SIDE + left + 2 * bar] = 200 + rng.randrange(56)
    return bytes(image)


def write_mnist(folder: Path, train: int, test: int) -> None:
    """MNIST's four files below `folder`/MNIST/raw, uncompressed, with `train` and `test` images."""
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    rng = random.Random(0)
    for name, count in (("train", train), ("t10k", test)):
        labels = bytes(i % 10 for i in range(count))
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 2049, count) + labels)
        images = b"".join(_digit(rng, label) for label in labels)
        (raw / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, count, SIDE, SIDE) + images)


def text(words: int, seed: int = 0) -> str:
    """Lines of words, of which some follow others more often than by chance."""
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choice("aeioubcdfglmnprst") for _ in range(rng.randrange(2, 8))) for _ in range(200)]
    lines, word = [], 0
    for _ in range(words // 12):
        line = []
        for _ in range(12):
            word = (word * 7 + rng.choice((1, 1, 1, 2, 3, 50))) % len(vocabulary)
            line.append(vocabulary[word])
        lines.append(" ".join(line) + " .")
    return "\n".join(lines) + "\n"


def write_wikitext(folder: Path, words: int) -> None:
    """train.txt, valid.txt and test.txt in `folder`."""
    folder.mkdir(parents=True)
    for seed, (name, count) in enumerate((("train", words), ("valid", words // 8), ("test", words // 8))):
        (folder / f"{name}.txt").write_text(text(count, seed))
