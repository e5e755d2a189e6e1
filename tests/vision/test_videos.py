"""`torchvision.datasets` of videos, which read clips by `torchcodec`: each clip has the frames that were written."""

from __future__ import annotations

import importlib.util
import textwrap
from pathlib import Path

import pytest

from processes import RUSHLIGHT, printed

for _package in ("torchvision", "PIL", "av"):
    if importlib.util.find_spec(_package) is None:
        pytest.skip(f"{_package} is not installed", allow_module_level=True)

PROGRAM = """
import sys, warnings
from pathlib import Path
import torch
from torchcodec.encoders import Encoder
from torchvision import datasets
from torchvision.datasets.video_utils import VideoClips

root = Path(sys.argv[1])
warnings.simplefilter("ignore")


def write(path, first, count=12):
    # Frame k of a video is grey of first + 2 k; a tone as loud beside it.
    path.parent.mkdir(parents=True, exist_ok=True)
    frames = (first + 2 * torch.arange(count)).reshape(-1, 1, 1, 1).expand(-1, 3, 16, 32).to(torch.uint8)
    encoder = Encoder()
    video = encoder.add_video(height=16, width=32, frame_rate=10, codec="ffv1", pixel_format="bgr0")
    audio = encoder.add_audio(sample_rate=32000, num_channels=1)
    with encoder.open_file(path.with_suffix(".mkv")):
        video.add_frames(frames.contiguous())
        audio.add_samples(first / 256 * torch.arange(3200 * count)[None].mul(0.1).sin())
    path.with_suffix(".mkv").rename(path)


def seen(data, dim):
    # The grey of each frame of each clip, and what stands beside.
    for k in range(len(data)):
        video, audio, label = data[k]
        assert video.dtype is torch.uint8 and video.shape[dim] == 3 and len(video.unique()) == len(video)
        grey = video.amax((1, 2, 3)).tolist()
        loud = audio[:, 2000:].square().mean().mul(2).sqrt() * 256
        yield grey, tuple(video.shape), round(float(loud) / 60), label


for k, name in enumerate(("jump/a", "jump/b", "walk/c")):
    for ending in ("avi", "mp4"):
        write(root / "videos" / "train" / f"{name}.{ending}", 10 + 60 * k)
lists = root / "lists"
lists.mkdir()
lists.joinpath("trainlist01.txt").write_text("jump/b.avi 1\\nwalk/c.avi 2\\n")
lists.joinpath("testlist01.txt").write_text("jump/a.avi\\n")
for action in ("jump", "walk"):
    lists.joinpath(f"{action}_test_split1.txt").write_text("a.avi 2 \\nb.avi 1 \\nc.avi 1 \\n")
folder = str(root / "videos" / "train")
print(*seen(datasets.UCF101(folder, str(lists), 4, step_between_clips=4), -1), sep="\\n")
print(*seen(datasets.UCF101(folder, str(lists), 6, 6, train=False, output_format="TCHW"), 1), sep="\\n")
print(*seen(datasets.HMDB51(folder, str(lists), 6, 6), -1), sep="\\n")
print(*seen(datasets.Kinetics(str(root / "videos"), 12, extensions=("mp4",)), 1), sep="\\n")
"""


def test_clips_of_data_sets(tmp_path: Path) -> None:
    def clips(first: int, start: int, count: int, label: int, shape: tuple[int, ...]) -> str:
        return str(([first + 2 * (start + k) for k in range(count)], (count, *shape), first // 60, label))

    last, planes = (16, 32, 3), (3, 16, 32)
    expected = [
        *(clips(70, s, 4, 0, last) for s in (0, 4, 8)),
        *(clips(130, s, 4, 1, last) for s in (0, 4, 8)),
        *(clips(10, s, 6, 0, planes) for s in (0, 6)),
        *(clips(70, s, 6, 0, last) for s in (0, 6)),
        *(clips(130, s, 6, 1, last) for s in (0, 6)),
        *(clips(first, 0, 12, label, planes) for first, label in ((10, 0), (70, 0), (130, 1))),
    ]
    found = printed(*RUSHLIGHT, "-c", textwrap.dedent(PROGRAM), tmp_path).splitlines()
    assert found == expected
