"""Decoding of 1080p H.264 beside FFmpeg's own command, turn by turn: `python -m benchmarks.video [--threads N]`.

Frames per second of `torchcodec.decoders.VideoDecoder` (on PyAV), all frames in batches of 30 as uint8 RGB (N, 3, H,
W), and of `ffmpeg -i FILE -pix_fmt rgb24 -f rawvideo /dev/null`, which does the same work; then of its conversion
without the copy that writes frames one after the other (`-f null -`), and of its decoding alone. Needs the command
`ffmpeg` with libx264, and PyAV. From each time that of a video of 30 frames is taken off: the start of the command, and
memory that is asked of the system for the first time. --processor: the processor's time of all threads instead of the
clock's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BATCH = 30
_OURS = f"""
import sys
from torchcodec.decoders import VideoDecoder
decoder = VideoDecoder(sys.argv[1], num_ffmpeg_threads=int(sys.argv[2]))
n = len(decoder)
for k in range(0, n, {_BATCH}):
    assert decoder.get_frames_in_range(k, min(k + {_BATCH}, n)).data.shape[1:] == (3, 1080, 1920)
"""


def _made(path: Path, frames: int) -> None:
    """A file of so many frames of a moving test picture with noise."""
    picture = "testsrc2=size=1920x1080:rate=30,noise=alls=6:allf=t"
    codec = ["-frames:v", str(frames), "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"]
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", picture, *codec, str(path)], check=True
    )


def _seconds(command: list[str], processor: bool) -> float:
    """The time of a command, of the clock or of the processor."""
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    if processor:
        return after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start


def main() -> int:
    """Print frames per second and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--frames", type=int, default=330)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processor", action="store_true", help="time of the processor instead of the clock's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole, short = Path(folder) / "whole.mp4", Path(folder) / "short.mp4"
        _made(whole, options.frames)
        _made(short, _BATCH)
        read = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", str(options.threads), "-i", "{}"]
        commands = {
            "rushlight": [sys.executable, "-m", "rushlight", "-c", _OURS, "{}", str(options.threads)],
            "ffmpeg to RGB": [*read, "-pix_fmt", "rgb24", "-f", "rawvideo", "/dev/null"],
            "ffmpeg to RGB, not kept": [*read, "-pix_fmt", "rgb24", "-f", "null", "-"],
            "ffmpeg, decoding alone": [*read, "-f", "null", "-"],
        }

        def on(name: str, path: Path) -> float:
            return _seconds([part.replace("{}", str(path)) for part in commands[name]], options.processor)

        rounds = [
            {name: (options.frames - _BATCH) / (on(name, whole) - on(name, short)) for name in commands}
            for _ in range(options.rounds)
        ]
    for name in commands:
        rate = statistics.median(r[name] for r in rounds)
        ratio = statistics.median(r["rushlight"] / r[name] for r in rounds)
        print(f"{name:24s} {rate:8.1f} frames/s   rushlight's rate is {ratio:.2f} of it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
