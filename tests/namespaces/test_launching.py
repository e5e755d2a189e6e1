"""`python -m torch.distributed.run` starts a script as the one process of a group; `record` lets errors through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from processes import RUSHLIGHT
from rushlight.distributed._launching import main, record

SCRIPT = """
import json, os, sys
import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    dist.init_process_group("gloo")
    x = torch.arange(3.0)
    dist.all_reduce(x)
    names = "RANK LOCAL_RANK GROUP_RANK WORLD_SIZE LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT ROLE_NAME".split()
    print(json.dumps([sys.argv[1:], dist.get_rank(), dist.is_torchelastic_launched(), x.tolist(),
                      {name: os.environ[name] for name in names}]))
    if "fail" in sys.argv:
        sys.exit(3)

main()
"""
OF_ONE = {"RANK": "0", "LOCAL_RANK": "0", "GROUP_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *RUSHLIGHT, "-m", "torch.distributed.run", *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_script_is_process_0_of_1(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    ended = run("--nproc_per_node=1", "--master-port", "29611", "--role=worker", str(script), "--lr", "3")
    assert ended.returncode == 0, ended.stderr
    args, rank, launched, x, env = json.loads(ended.stdout)
    assert (args, rank, launched, x) == (["--lr", "3"], 0, True, [0.0, 1.0, 2.0])
    assert env == {**OF_ONE, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29611", "ROLE_NAME": "worker"}
    ended = run("--standalone", "--nnodes=1", "--nproc-per-node", "1", str(script), "fail")
    assert ended.returncode == 3, ended.stderr
    assert json.loads(ended.stdout)[-1]["MASTER_ADDR"] == "localhost"


def test_more_than_one_process_is_refused() -> None:
    for option, value in (("nproc-per-node", "2"), ("nproc-per-node", "auto"), ("nnodes", "2")):
        words = rf"'--{option}' must be 1, for there are groups of one process here; found {value}"
        with pytest.raises(RuntimeError, match=words):
            main([f"--{option}={value}", "train.py"])


def test_what_is_no_program_says_so() -> None:
    ended = subprocess.run(
        [sys.executable, *RUSHLIGHT, "-m", "torch.distributed.launch", "train.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode and "torch.distributed.launch cannot be run as a program" in ended.stderr


def test_record() -> None:
    @record
    def half(n: int) -> float:
        """Half of a number."""
        return 1 / n

    assert half(2) == 0.5 and half.__name__ == "half"
    with pytest.raises(ZeroDivisionError):
        half(0)
