"""`torchvision.datasets` that are a tree of pictures and lists: the files of each, by their paths, and the calls
that read them.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from picture_files import encoded, smooth
from PIL import Image
from torchvision import datasets
from torchvision.transforms import v2

Content = str | bytes | Callable[[], bytes] | None


# ------------------------------------------------------------------------------------------------------------- contents
def _picture(path: str) -> bytes:
    """A picture in the format of the path's end, another one for every path."""
    kind = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "ppm": "PPM", "bmp": "BMP"}[path.rsplit(".")[-1]]
    return encoded(Image.fromarray(smooth(9, 11, 3, sum(path.encode()))), kind)


def _png(shape: tuple[int, ...], dtype: str, most: int) -> Callable[[], bytes]:
    """A PNG file of 8 or 16 bits without colours."""
    values = np.random.RandomState(most).randint(0, most, shape).astype(dtype)
    return lambda: encoded(Image.fromarray(values), "PNG")


def _pfm(kind: str = "Pf") -> Callable[[], bytes]:
    """A portable float map, 11 x 9."""
    values = np.random.RandomState(5).randn(9, 11, 3 if kind == "PF" else 1).astype("<f4")
    return lambda: f"{kind}\n11 9\n-1.0\n".encode() + values.tobytes()


def _flo() -> bytes:
    flow = np.random.RandomState(4).randn(9, 11, 2).astype("<f4")
    return b"PIEH" + struct.pack("<ii", 11, 9) + flow.tobytes()


def _mat(**values: Any) -> Callable[[], bytes]:
    """A MATLAB file of variables."""

    def make() -> bytes:
        from scipy.io import savemat

        file = io.BytesIO()
        savemat(file, values)
        return file.getvalue()

    return make


def _records(rows: list[tuple[Any, ...]], **fields: str) -> np.ndarray:
    return np.array(rows, dtype=[*fields.items()])


def _boundaries() -> bytes:
    from scipy.sparse import csc_matrix

    edges = np.empty((20, 1), object)
    for k in range(20):
        edges[k, 0] = csc_matrix(np.eye(9, 11, k - 10, dtype="u1"))
    labels = np.random.RandomState(6).randint(0, 21, (9, 11)).astype("u1")
    return _mat(GTcls={"Segmentation": labels, "Boundaries": edges})()


def _classes() -> bytes:
    file = io.BytesIO()
    torch.save(({"n01440764": ("tench",), "n02102040": ("springer", "English springer")}, []), file)
    return file.getvalue()


def _hdf(name: str, values: np.ndarray) -> Callable[[], bytes]:
    def make() -> bytes:
        import h5py

        file = io.BytesIO()
        with h5py.File(file, "w") as target:
            target[name] = values
        return file.getvalue()

    return make


def _paths(pattern: str) -> list[str]:
    """`a/{x,y}.png` as `a/x.png` and `a/y.png`."""
    parts = re.split(r"\{(.*?)\}", pattern)
    return ["".join(p) for p in itertools.product(*[x.split(",") if k % 2 else [x] for k, x in enumerate(parts)])]


def _make(root: Path, tree: dict[str, Content]) -> None:
    for pattern, content in tree.items():
        for name in _paths(pattern):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            made = _picture(name) if content is None else content() if callable(content) else content
            path.write_bytes(made.encode() if isinstance(made, str) else made)


# ---------------------------------------------------------------------------------------------------------------- trees
_SCENES = {"scenes": [{"image_filename": f"CLEVR_{k}.png", "objects": [{}] * (k + 2)} for k in (0, 1)]}
_COCO = {
    "images": [{"id": k, "file_name": f"{k}.jpg", "height": 9, "width": 11} for k in (1, 2)],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [
        {
            "id": k,
            "image_id": 1 + k % 2,
            "category_id": 1,
            "caption": f"caption {k}",
            "bbox": [1, 1, 4 + k, 5],
            "area": 20,
            "iscrowd": 0,
            "segmentation": [[1, 1, 5 + k, 1, 5, 6, 1, 6]],
        }
        for k in range(3)
    ],
}
_SETTINGS = json.dumps({"camera_settings": [{"intrinsic_settings": {"fx": 768.5}}]})
_DISPARITY, _DEPTH = _png((9, 11), "u2", 60000), _png((9, 11), "u2", 3000)
_WIDER = "0--Parade/a.jpg\n2\n1 2 3 4 0 1 0 2 0 1\n5 6 7 8 1 0 1 0 1 0\n1--Fight/b.jpg\n1\n0 0 2 2 0 0 0 0 0 0\n"
_GTSRB = "Filename;Width;ClassId\n00000.ppm;9;16\n00001.ppm;9;1\n"
_SPECIES = "{0}_Animalia_Chordata_Aves_Passeriformes_Corvidae_Corvus_{1}"
_PEOPLE = {
    "lfw-py/{lfw,lfw_funneled}/Ann_Lee/Ann_Lee_{0001,0002}.jpg": None,
    "lfw-py/{lfw,lfw_funneled}/Bo/Bo_0001.jpg": None,
}
_ARCHIVES = {"lfw-py/{lfw.tgz,lfw-funneled.tgz}": ""}
_PATCHES = (np.arange(2 * 96 * 96 * 3) % 251).astype("u1").reshape(2, 96, 96, 3)
_CITY = "leftImg8bit/train/ulm/ulm_000000_000019_leftImg8bit.png"

# Name -> files, and the arguments of each call. `None` is a picture.
TREES: dict[str, tuple[dict[str, Content], list[dict[str, Any]]]] = {
    "CLEVRClassification": (
        {
            "clevr/CLEVR_v1.0/images/{train,test}/CLEVR_{0,1}.png": None,
            "clevr/CLEVR_v1.0/scenes/CLEVR_train_scenes.json": json.dumps(_SCENES),
        },
        [{"split": "train"}, {"split": "test"}],
    ),
    "Caltech101": (
        {
            "caltech101/101_ObjectCategories/{ant,BACKGROUND_Google,Faces}/image_{0001,0002}.jpg": None,
            "caltech101/Annotations/{ant,Faces_2}/annotation_{0001,0002}.mat": _mat(obj_contour=np.eye(2, 5)),
        },
        [{}, {"target_type": ["annotation", "category"]}],
    ),
    "Caltech256": ({"caltech256/256_ObjectCategories/001.ak47/001_{0001,0002}.jpg": None}, [{}]),
    "CelebA": (
        {
            "celeba/img_align_celeba/{a,b,c,d}.jpg": None,
            "celeba/list_eval_partition.txt": "a.jpg 0\nb.jpg 1\nc.jpg 0\nd.jpg 1\n",
            "celeba/identity_CelebA.txt": "a.jpg 7\nb.jpg 8\nc.jpg 9\nd.jpg 7\n",
            "celeba/list_bbox_celeba.txt": "3\nid x y w h\na.jpg 1 2 3 4\nb.jpg 5 6 7 8\nc.jpg 1  1 2 2\n"
            "d.jpg 0 0 9 9\n",
            "celeba/list_landmarks_align_celeba.txt": "3\nx y\na.jpg 1 2\nb.jpg 3 4\nc.jpg 5 6\nd.jpg 7 8\n",
            "celeba/list_attr_celeba.txt": "3\nBald Young\na.jpg  1 -1\nb.jpg -1 -1\nc.jpg -1  1\nd.jpg 1 1\n",
        },
        [{}, {"split": "all", "target_type": ["attr", "identity", "bbox", "landmarks"]}, {"split": "valid"}],
    ),
    "Cityscapes": (
        {
            _CITY: None,
            "gtFine/train/ulm/ulm_000000_000019_gtFine_{instanceIds,labelIds}.png": _png((9, 11), "u2", 2000),
            "gtFine/train/ulm/ulm_000000_000019_gtFine_color.png": None,
            "gtFine/train/ulm/ulm_000000_000019_gtFine_polygons.json": '{"objects": [{"label": "car"}]}',
        },
        [{}, {"target_type": ["semantic", "polygon", "color"]}],
    ),
    "CocoCaptions": (
        {"{1,2}.jpg": None, "a.json": json.dumps(_COCO)},
        [{"root": "{root}", "annFile": "{root}/a.json"}],
    ),
    "CocoDetection": (
        {"{1,2}.jpg": None, "a.json": json.dumps(_COCO)},
        [{"root": "{root}", "annFile": "{root}/a.json"}],
    ),
    "Country211": ({"country211/{train,test}/{AD,AE}/{a,b}.jpg": None}, [{}, {"split": "test"}]),
    "DTD": (
        {"dtd/dtd/images/{dots,lines}/{a,b}.jpg": None, "dtd/dtd/labels/train{1,2}.txt": "lines/b.jpg\ndots/a.jpg\n"},
        [{}, {"partition": 2}],
    ),
    "EuroSAT": ({"eurosat/2750/{Forest,River}/{a,b}.jpg": None}, [{}]),
    "FGVCAircraft": (
        {
            "fgvc-aircraft-2013b/data/{variants,families,manufacturers}.txt": "A 1\nB 2\n",
            "fgvc-aircraft-2013b/data/images/{01,02}.jpg": None,
            "fgvc-aircraft-2013b/data/images_{variant,family}_trainval.txt": "02 A 1\n01 B 2\n",
        },
        [{}, {"annotation_level": "family"}],
    ),
    "Flickr30k": (
        {"{a,b}.jpg": None, "list.txt": "b.jpg#0\tone\nb.jpg#1\ttwo\na.jpg#0\tthree\n"},
        [{"ann_file": "{root}/list.txt"}],
    ),
    "Flickr8k": (
        {
            "{11,12}_x.jpg": None,
            "list.html": "<table><tr><td><a>http://x/12/</a></td><td><li>one</li><li> two</li></td></tr></table>",
        },
        [{"ann_file": "{root}/list.html"}],
    ),
    "Flowers102": (
        {
            "flowers-102/jpg/image_{00001,00002,00003}.jpg": None,
            "flowers-102/imagelabels.mat": _mat(labels=np.array([[3, 1, 2]])),
            "flowers-102/setid.mat": _mat(trnid=np.array([[3, 1]]), valid=np.array([[2, 1]]), tstid=np.array([[2, 3]])),
        },
        [{}, {"split": "val"}],
    ),
    "FlyingThings3D": (
        {
            "FlyingThings3D/frames_{cleanpass,finalpass}/TRAIN/A/0000/{left,right}/{0006,0007}.png": None,
            "FlyingThings3D/optical_flow/TRAIN/A/0000/{into_future,into_past}/{left,right}/F_{0006,0007}.pfm": _pfm(
                "PF"
            ),
        },
        [{}, {"pass_name": "both", "camera": "both"}],
    ),
    "Food101": (
        {
            "food-101/images/{pie,tart}/{1,2}.jpg": None,
            "food-101/meta/train.json": '{"tart": ["tart/2"], "pie": ["pie/1"]}',
        },
        [{}],
    ),
    "GTSRB": (
        {
            "gtsrb/GTSRB/Training/{00000,00001}/a.ppm": None,
            "gtsrb/GTSRB/Final_Test/Images/{00000,00001}.ppm": None,
            "gtsrb/GT-final_test.csv": _GTSRB,
        },
        [{}, {"split": "test"}],
    ),
    "INaturalist": (
        {
            f"2021_train/{_SPECIES.format('00000', 'corax')}/a.jpg": None,
            f"2021_train/{_SPECIES.format('00001', 'corone')}/b.jpg": None,
            "2018/Aves/{0,1}/a.jpg": None,
        },
        [{}, {"target_type": ["full", "genus"]}, {"version": "2018"}],
    ),
    "ImageNet": (
        {"{train,val}/{n01440764,n02102040}/a.JPEG": lambda: _picture("a.jpeg"), "meta.bin": _classes},
        [{}, {"split": "val"}],
    ),
    "Imagenette": (
        {"imagenette2/{train,val}/{n01440764,n02102040}/a.JPEG": lambda: _picture("a.jpeg")},
        [{}, {"split": "val"}],
    ),
    "Kitti": (
        {
            "Kitti/raw/{training,testing}/image_2/000000.png": None,
            "Kitti/raw/training/label_2/000000.txt": "Car 0.0 1 -1.5 1.0 2.0 3.0 4.0 1.4 1.6 3.9 0.1 1.6 8.0 -1.5\n",
        },
        [{}, {"train": False}],
    ),
    "LFWPairs": (
        {
            **_PEOPLE,
            **_ARCHIVES,
            "lfw-py/pairs.txt": "1\t1\nAnn_Lee\t1\t2\nAnn_Lee\t2\tBo\t1\n",
            "lfw-py/pairsDevTrain.txt": "1\nAnn_Lee\t1\t2\nBo\t1\tAnn_Lee\t1\n",
        },
        [{}, {"split": "train", "image_set": "original"}],
    ),
    "LFWPeople": (
        {
            **_PEOPLE,
            **_ARCHIVES,
            "lfw-py/lfw-names.txt": "Ann_Lee\t2\nBo\t1\n",
            "lfw-py/people.txt": "1\n2\nAnn_Lee\t2\nBo\t1\n",
            "lfw-py/peopleDevTrain.txt": "1\nBo\t1\n",
        },
        [{}, {"split": "train", "image_set": "original"}],
    ),
    "Omniglot": (
        {
            "omniglot-py/{images_background,images_evaluation}.zip": "",
            "omniglot-py/images_background/Greek/{character01,character02}/1_01.png": _png((9, 11), "u1", 256),
        },
        [{}],
    ),
    "OxfordIIITPet": (
        {
            "oxford-iiit-pet/images/{great_dane_1,sphynx_2}.jpg": None,
            "oxford-iiit-pet/annotations/trimaps/{great_dane_1,sphynx_2}.png": _png((9, 11), "u1", 4),
            "oxford-iiit-pet/annotations/trainval.txt": "great_dane_1 2 2 1\nsphynx_2 1 1 1\n",
        },
        [{}, {"target_types": ["category", "binary-category", "segmentation"]}],
    ),
    "PCAM": (
        {
            "pcam/camelyonpatch_level_2_split_train_x.h5": _hdf("x", _PATCHES),
            "pcam/camelyonpatch_level_2_split_train_y.h5": _hdf("y", np.array([1, 0], "u1").reshape(2, 1, 1, 1)),
        },
        [{}],
    ),
    "PhotoTour": (
        {
            "liberty/patches0000.bmp": lambda: encoded(Image.fromarray(smooth(128, 128, 1)[..., 0]), "BMP"),
            "liberty/info.txt": "3 0\n3 0\n5 0\n6 0\n",
            "liberty/m50_100000_100000_0.txt": "0 3 0 1 3 0 0\n1 3 0 2 5 0 0\n",
        },
        [{"name": "liberty"}, {"name": "liberty", "train": False}],
    ),
    "Places365": (
        {
            "categories_places365.txt": "/a/alley 0\n/b/bar 1\n",
            "places365_{train_standard,val}.txt": "/b/bar/1.jpg 1\n/a/alley/1.jpg 0\n",
            "{data_large_standard,val_256}/{b/bar,a/alley}/1.jpg": None,
        },
        [{}, {"split": "val", "small": True}],
    ),
    "RenderedSST2": ({"rendered-sst2/{train,valid}/{negative,positive}/{a,b}.png": None}, [{}, {"split": "val"}]),
    "SBDataset": ({"img/a.jpg": None, "cls/a.mat": _boundaries, "train.txt": "a\n"}, [{}, {"mode": "segmentation"}]),
    "SBU": (
        {
            "SBUCaptionedPhotoDataset.tar.gz": "",
            "dataset/{1,2}.jpg": None,
            "dataset/SBU_captioned_photo_dataset_urls.txt": "http://x/2.jpg\nhttp://x/3.jpg\nhttp://x/1.jpg\n",
            "dataset/SBU_captioned_photo_dataset_captions.txt": "two\nthree\none\n",
        },
        [{}],
    ),
    "SUN397": ({"SUN397/ClassName.txt": "/a/abbey\n", "SUN397/a/abbey/sun_a.jpg": None}, [{}]),
    "StanfordCars": (
        {
            "stanford_cars/devkit/cars_train_annos.mat": _mat(
                annotations=_records([("b.jpg", 2), ("a.jpg", 1)], fname="O", **{"class": "i4"})
            ),
            "stanford_cars/devkit/cars_meta.mat": _mat(class_names=np.array([["Audi", "BMW"]], object)),
            "stanford_cars/cars_train/{a,b}.jpg": None,
        },
        [{}],
    ),
    "WIDERFace": (
        {
            "widerface/{WIDER_train,WIDER_val,WIDER_test}/images/{0--Parade/a,1--Fight/b}.jpg": None,
            "widerface/wider_face_split/wider_face_train_bbx_gt.txt": _WIDER,
            "widerface/wider_face_split/wider_face_test_filelist.txt": "1--Fight/b.jpg\n0--Parade/a.jpg\n",
        },
        [{}, {"split": "test"}],
    ),
    "CREStereo": (
        {
            "CREStereo/{tree,shapenet,reflective,hole}/{1_left,1_right}.jpg": None,
            "CREStereo/{tree,shapenet,reflective,hole}/{1_left,1_right}.disp.png": _DISPARITY,
        },
        [{}],
    ),
    "CarlaStereo": (
        {
            "carla-highres/trainingF/{a,b}/{im0,im1}.png": None,
            "carla-highres/trainingF/{a,b}/{disp0GT,disp1GT}.pfm": _pfm(),
        },
        [{}],
    ),
    "ETH3DStereo": (
        {
            "ETH3D/{two_view_training,two_view_test}/{a,b}/{im0,im1}.png": None,
            "ETH3D/two_view_training_gt/{a,b}/disp0GT.pfm": _pfm(),
            "ETH3D/two_view_training_gt/{a,b}/mask0nocc.png": _png((9, 11), "u1", 2),
        },
        [{}, {"split": "test"}],
    ),
    "FallingThingsStereo": (
        {
            "FallingThings/{single/a/b,mixed/c}/1.{left,right}.jpg": None,
            "FallingThings/{single/a/b,mixed/c}/1.{left,right}.depth.png": _DEPTH,
            "FallingThings/{single/a/b,mixed/c}/_camera_settings.json": _SETTINGS,
        },
        [{}, {"variant": "both"}],
    ),
    "InStereo2k": (
        {
            "InStereo2k/{train,test}/a/{left,right}.png": None,
            "InStereo2k/{train,test}/a/{left_disp,right_disp}.png": _DISPARITY,
        },
        [{}, {"split": "test"}],
    ),
    "Kitti2012Stereo": (
        {
            "Kitti2012/{training,testing}/{colored_0,colored_1}/{1_10,2_10}.png": None,
            "Kitti2012/training/disp_noc/{1,2}.png": _DISPARITY,
        },
        [{}, {"split": "test"}],
    ),
    "Kitti2015Stereo": (
        {
            "Kitti2015/{training,testing}/{image_2,image_3}/a.png": None,
            "Kitti2015/training/{disp_occ_0,disp_occ_1}/a.png": _DISPARITY,
        },
        [{}, {"split": "test"}],
    ),
    "Middlebury2014Stereo": (
        {
            "Middlebury2014/train/Jadeplant-{perfect,imperfect}/{im0,im1,im1E,im1L}.png": None,
            "Middlebury2014/train/Jadeplant-{perfect,imperfect}/{disp0,disp1}.pfm": _pfm(),
            "Middlebury2014/test/Plants/{im0,im1}.png": None,
        },
        [{}, {"calibration": "both", "use_ambient_views": True}, {"split": "test", "calibration": None}],
    ),
    "SceneFlowStereo": (
        {
            "SceneFlow/Monkaa/frames_{cleanpass,finalpass}/a/{left,right}/{1,2}.png": None,
            "SceneFlow/Monkaa/disparity/a/{left,right}/{1,2}.pfm": _pfm(),
            "SceneFlow/FlyingThings3D/frames_cleanpass/TRAIN/A/0000/{left,right}/1.png": None,
            "SceneFlow/FlyingThings3D/disparity/TRAIN/A/0000/{left,right}/1.pfm": _pfm(),
        },
        [{}, {"variant": "Monkaa", "pass_name": "both"}],
    ),
    "Sintel": (
        {
            "Sintel/{training,test}/{clean,final}/a/frame_{0001,0002,0003}.png": None,
            "Sintel/training/flow/a/frame_{0001,0002}.flo": _flo,
        },
        [{}, {"pass_name": "both"}, {"split": "test"}],
    ),
    "SintelStereo": (
        {
            "Sintel/training/{final_left,final_right,clean_left,clean_right}/a/{1,2}.png": None,
            "Sintel/training/disparities/a/{1,2}.png": None,
            "Sintel/training/{occlusions,outofframe}/a/{1,2}.png": _png((9, 11), "u1", 2),
        },
        [{}, {"pass_name": "both"}],
    ),
}


# ---------------------------------------------------------------------------------------------------------------- calls
_WITHOUT_TRANSFORM = {n for n in TREES if n.endswith(("Stereo", "Stereo2k"))} | {
    *("PhotoTour", "SBDataset", "Sintel", "FlyingThings3D", "Middlebury2014Stereo")
}


def _unchecked() -> Any:
    """Files are what they say, whatever their sums."""
    stack = contextlib.ExitStack()
    for name, module in [*sys.modules.items()]:
        if name.startswith("torchvision.datasets.") and hasattr(module, "check_integrity"):
            stack.enter_context(
                mock.patch.multiple(module, check_integrity=lambda path, md5=None: Path(path).is_file())
            )
    return stack


def _filled(value: Any, root: Path) -> Any:
    return value.replace("{root}", str(root)) if isinstance(value, str) else value


def read(name: str, root: Path) -> list[Any]:
    """Every item of the data set, for each of the calls, with pictures and with tensors."""
    tree, calls = TREES[name]
    _make(root, tree)
    found = []
    with _unchecked():
        for call in calls:
            given = {"root": str(root), **{k: _filled(v, root) for k, v in call.items()}}
            data = getattr(datasets, name)(**given)
            text = repr(data).replace(str(root), "")
            found.append([len(data), text, [data[i] for i in range(len(data))]])
    if name not in _WITHOUT_TRANSFORM:
        with _unchecked():
            data = getattr(datasets, name)(**given, transform=v2.ToImage())
            found.append([data[i] for i in range(len(data))])
    return found


def lsun(name: str, root: Path) -> list[Any]:
    """Every item of a data set that reads an LMDB file."""
    import lmdb

    folder = root / "bedroom_train_lmdb"
    with lmdb.open(str(folder)) as base, base.begin(write=True) as entries:
        for k in range(2):
            entries.put(f"key{k}".encode(), _picture(f"{k}.png"))
    with contextlib.chdir(root):  # where the list of its keys is kept
        whole = name == "LSUN"
        data = datasets.LSUN(str(root), classes=["bedroom_train"]) if whole else datasets.LSUNClass(str(folder))
        return [data[i] for i in range(len(data))]
