"""`torchvision.datasets`: a data set of every file format that they read, made here; the others by name."""

from __future__ import annotations

import csv
import inspect
import pickle
import struct
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import trees
from picture_files import png_of, smooth
from PIL import Image
from torchvision import datasets
from torchvision.transforms import v2

# What gives clips of videos needs a wheel of torchcodec on PyTorch: `test_videos.py` has them, without PyTorch.
LEFT_OUT = {"HMDB51", "Kinetics", "UCF101"}


def _idx(path: Path, values: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    code = {"u1": 8, "i4": 12}[values.dtype.str[1:]]
    header = struct.pack(">BBBB", 0, 0, code, values.ndim) + struct.pack(f">{values.ndim}I", *values.shape)
    path.write_bytes(header + values.astype(values.dtype.newbyteorder(">")).tobytes())


def _pictures(count: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(count).randint(0, 256, (count, *shape)).astype("u1")


def _all(data: Any) -> Any:
    return [len(data), repr(data).split("Root location")[0], *(data[i] for i in range(len(data)))]


def _mnist(root: Path, name: str) -> Any:
    part = "letters-" if name == "EMNIST" else ""
    for split, count in (("train", 5), ("t10k" if not part else "test", 3)):
        stem = f"emnist-{part}{split}" if part else split
        _idx(root / name / "raw" / f"{stem}-images-idx3-ubyte", _pictures(count, 28, 28))
        _idx(root / name / "raw" / f"{stem}-labels-idx1-ubyte", np.arange(count, dtype="u1") % 5 + 1)
    more = {"split": "letters"} if part else {}
    kind = getattr(datasets, name)
    return [_all(kind(root, train=t, transform=v2.PILToTensor(), **more)) for t in (True, False)]


def _qmnist(root: Path) -> Any:
    folder = root / "QMNIST" / "raw"
    _idx(folder / "qmnist-train-images-idx3-ubyte", _pictures(4, 28, 28))
    _idx(folder / "qmnist-train-labels-idx2-int", np.arange(32, dtype="i4").reshape(4, 8))
    return [_all(datasets.QMNIST(root, train=True, compat=c)) for c in (True, False)]


def _cifar(root: Path, name: str) -> Any:
    kind = getattr(datasets, name)
    folder = root / kind.base_folder
    folder.mkdir()
    key = "labels" if name == "CIFAR10" else "fine_labels"
    for file, _ in (*kind.train_list, *kind.test_list):
        entry = {"data": _pictures(2, 3072), key: [1, 3]}
        (folder / file).write_bytes(pickle.dumps(entry))
    (folder / kind.meta["filename"]).write_bytes(pickle.dumps({kind.meta["key"]: list("abcde")}))

    class Unchecked(kind):  # type: ignore[misc,valid-type]
        train_list = [(file, None) for file, _ in kind.train_list]
        test_list = [(file, None) for file, _ in kind.test_list]
        meta = {**kind.meta, "md5": None}

    return [_all(Unchecked(root, train=t, transform=v2.ToImage())) for t in (True, False)]


def _folders(root: Path) -> None:
    for k, name in enumerate(("a/x.png", "a/y.png", "b/z.png")):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(smooth(9, 8, 3, k)).save(path)


def _image_folder(root: Path) -> Any:
    _folders(root)
    data = datasets.ImageFolder(root, transform=v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip()]))
    loaded = list(torch.utils.data.DataLoader(data, batch_size=2, shuffle=True))
    return [data.classes, data.targets, *_all(data), loaded]


def _dataset_folder(root: Path) -> Any:
    _folders(root)
    return _all(datasets.DatasetFolder(root, loader=lambda p: np.asarray(Image.open(p)), extensions=("png",)))


def _voc(root: Path, name: str) -> Any:
    base = root / "VOCdevkit" / "VOC2012"
    for folder in ("JPEGImages", "Annotations", "SegmentationClass", "ImageSets/Segmentation", "ImageSets/Main"):
        (base / folder).mkdir(parents=True)
    Image.fromarray(smooth(9, 8, 3)).save(base / "JPEGImages" / "one.jpg")
    Image.fromarray(smooth(9, 8, 1)[..., 0] // 100).save(base / "SegmentationClass" / "one.png")
    tree = ElementTree.Element("annotation")
    thing = ElementTree.SubElement(tree, "object")
    ElementTree.SubElement(thing, "name").text = "cat"
    box = ElementTree.SubElement(thing, "bndbox")
    for k, side in enumerate(("xmin", "ymin", "xmax", "ymax")):
        ElementTree.SubElement(box, side).text = str(k + 1)
    ElementTree.ElementTree(tree).write(base / "Annotations" / "one.xml")
    for folder in ("Segmentation", "Main"):
        (base / "ImageSets" / folder / "train.txt").write_text("one\n")
    data = getattr(datasets, name)(root, image_set="train")
    return [*_all(data), *_all(datasets.wrap_dataset_for_transforms_v2(data))]


def _svhn(root: Path) -> Any:
    from scipy import io

    io.savemat(root / "train_32x32.mat", {"X": _pictures(32, 32, 3, 4), "y": np.array([[1], [10], [3], [4]])})

    class Unchecked(datasets.SVHN):
        split_list = {**datasets.SVHN.split_list, "train": ["", "train_32x32.mat", None]}

    return _all(Unchecked(root, split="train"))


def _usps(root: Path) -> Any:
    import bz2

    lines = [f"{k + 1} " + " ".join(f"{i + 1}:{(i * (k + 1) % 17) / 8 - 1:.4f}" for i in range(256)) for k in range(3)]
    (root / "usps.bz2").write_bytes(bz2.compress("\n".join(lines).encode()))

    class Unchecked(datasets.USPS):
        split_list = {"train": ["", "usps.bz2", None], "test": ["", "usps.bz2", None]}

    return _all(Unchecked(root))


def _semeion(root: Path) -> Any:
    rows = [[*(i * (k + 2) % 3 > 0 for i in range(256)), *(i == k for i in range(10))] for k in range(3)]
    np.savetxt(root / "semeion.data", np.array(rows, "f8"))

    class Unchecked(datasets.SEMEION):
        md5_checksum = None

    return _all(Unchecked(root))


def _stl(root: Path) -> Any:
    folder = root / datasets.STL10.base_folder
    folder.mkdir()
    for name in ("train", "test", "unlabeled"):
        (folder / f"{name}_X.bin").write_bytes(_pictures(2, 3, 96, 96).tobytes())
        (folder / f"{name}_y.bin").write_bytes(bytes([1, 4]))
    (folder / "class_names.txt").write_text("a\nb\nc\nd\n")

    class Unchecked(datasets.STL10):
        train_list = [[file, None] for file, _ in datasets.STL10.train_list]
        test_list = [[file, None] for file, _ in datasets.STL10.test_list]

        def _check_integrity(self) -> bool:
            return True

    return [_all(Unchecked(root, split=s)) for s in ("train", "unlabeled", "train+unlabeled")]


def _moving(root: Path) -> Any:
    (root / "MovingMNIST").mkdir()
    np.save(root / "MovingMNIST" / "mnist_test_seq.npy", _pictures(20, 3, 64, 64))
    return [_all(datasets.MovingMNIST(root, split=s)) for s in (None, "train", "test")]


def _fer(root: Path) -> Any:
    (root / "fer2013").mkdir()
    with open(root / "fer2013" / "train.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["emotion", "pixels"])
        for k in range(2):
            writer.writerow([k, " ".join(map(str, _pictures(1 + k, 48 * 48)[0]))])
    found = datasets.fer2013.check_integrity
    datasets.fer2013.check_integrity = lambda path, md5=None: True
    try:
        return _all(datasets.FER2013(root, split="train"))
    finally:
        datasets.fer2013.check_integrity = found


def _flow_png(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    flow = np.random.RandomState(2).randint(0, 65536, (9, 11, 3))
    flow[..., 2] %= 2
    path.write_bytes(png_of(flow.astype("u2")))


def _kitti(root: Path) -> Any:
    base = root / "KittiFlow" / "training"
    (base / "image_2").mkdir(parents=True)
    for k in (10, 11):
        Image.fromarray(smooth(9, 11, 3, k)).save(base / "image_2" / f"000_{k}.png")
    _flow_png(base / "flow_occ" / "000_10.png")
    return _all(datasets.KittiFlow(root, split="train"))


def _hd1k(root: Path) -> Any:
    base = root / "hd1k"
    for k in (0, 1):
        path = base / "hd1k_input" / "image_2" / f"000000_{k:04}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(smooth(9, 11, 3, k)).save(path)
        _flow_png(base / "hd1k_flow_gt" / "flow_occ" / f"000000_{k:04}.png")
    return _all(datasets.HD1K(root, split="train"))


def _chairs(root: Path) -> Any:
    base = root / "FlyingChairs"
    (base / "data").mkdir(parents=True)
    for pair in (1, 2):
        for k in (1, 2):
            Image.fromarray(smooth(9, 11, 3, pair + k)).save(base / "data" / f"0000{pair}_img{k}.ppm")
        flow = np.random.RandomState(pair).randn(9, 11, 2).astype("<f4")
        (base / "data" / f"0000{pair}_flow.flo").write_bytes(b"PIEH" + struct.pack("<ii", 11, 9) + flow.tobytes())
    (base / "FlyingChairs_train_val.txt").write_text("1\n2\n")
    return _all(datasets.FlyingChairs(root, split="train"))


def _fake(root: Path) -> Any:
    return _all(datasets.FakeData(size=4, image_size=(3, 6, 5), num_classes=3, transform=v2.ToImage()))


def _vision(root: Path) -> Any:
    class Own(datasets.VisionDataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return self.transforms(torch.ones(3, 4, 4, dtype=torch.uint8) * index, index)

    return _all(Own(root, transform=v2.ToDtype(torch.float32, scale=True), target_transform=lambda t: t + 1))


MADE: dict[str, Callable[[Path], Any]] = {
    **{n: lambda root, n=n: _mnist(root, n) for n in ("MNIST", "FashionMNIST", "KMNIST", "EMNIST")},
    **{n: lambda root, n=n: _cifar(root, n) for n in ("CIFAR10", "CIFAR100")},
    **{n: lambda root, n=n: trees.read(n, root) for n in trees.TREES},
    **{n: lambda root, n=n: trees.lsun(n, root) for n in ("LSUN", "LSUNClass")},
    **{n: lambda root, n=n: _voc(root, n) for n in ("VOCDetection", "VOCSegmentation")},
    "QMNIST": _qmnist,
    "ImageFolder": _image_folder,
    "DatasetFolder": _dataset_folder,
    "SVHN": _svhn,
    "USPS": _usps,
    "SEMEION": _semeion,
    "STL10": _stl,
    "MovingMNIST": _moving,
    "FER2013": _fer,
    "KittiFlow": _kitti,
    "HD1K": _hd1k,
    "FlyingChairs": _chairs,
    "FakeData": _fake,
    "VisionDataset": _vision,
}


def _in_folder(make: Callable[[Path], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder))


def cases() -> Iterator[tuple[str, Any]]:
    """Name of the case -> the case; before the bar stands the public name."""
    for name, make in MADE.items():
        yield f"{name} | made", lambda make=make: _in_folder(make)
        yield f"{name} | missing", lambda n=name: getattr(datasets, n)("/nowhere/at/all")


def names() -> list[str]:
    """The public names, but for those that are left out."""
    found = [n for n in dir(datasets) if not n.startswith("_") and not inspect.ismodule(getattr(datasets, n))]
    assert not (gone := LEFT_OUT - {*found}), f"left out, and not there: {gone}"
    return [n for n in found if n not in LEFT_OUT]
