"""What `python -m torch.distributed.run` and `record` do for a group of one process."""

from __future__ import annotations

import argparse
import functools
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

__all__ = ["main", "record"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def record(fn: Callable[_P, _R], error_handler: Any = None) -> Callable[_P, _R]:
    """A decorator of a program's main function; PyTorch's launchers read what it writes of an error.

    Args:
        fn: the function, whose errors leave it as they are: there is one process, which shows them itself.
        error_handler: accepted without effect.
    """

    @functools.wraps(fn)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return fn(*args, **kwargs)

    return call


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("torch.distributed.run", description="Run a script as the one process of a group.")

    def option(name: str, default: Any = None, **more: Any) -> None:
        names = dict.fromkeys((f"--{name}", f"--{name.replace('-', '_')}"))
        parser.add_argument(*names, default=default, dest=name.replace("-", "_"), **more)

    option("nnodes", "1:1", help="1")
    option("nproc-per-node", "1", help="1")
    option("node-rank", 0, type=int, help="0")
    option("master-addr", help="what the script finds as MASTER_ADDR")
    option("master-port", None, type=int, help="what it finds as MASTER_PORT (29500; a free one for --standalone)")
    option("standalone", False, action="store_true", help="choose a free port")
    option("rdzv-id", "none", help="what the script finds as TORCHELASTIC_RUN_ID")
    option("rdzv-endpoint", "", help="host[:port], in the place of --master-addr and --master-port")
    option("role", "default", help="what it finds as ROLE_NAME")
    option("max-restarts", 0, type=int, help="0: an error ends the script")
    for name in ("rdzv-backend", "rdzv-conf", "local-addr", "monitor-interval", "start-method", "log-dir"):
        option(name, help="accepted: there is one process")
    parser.add_argument("-r", "--redirects", help="accepted: the script writes where this does")
    parser.add_argument("-t", "--tee", help="accepted: the script writes where this does")
    parser.add_argument("-m", "--module", action="store_true", help="the script is the name of a module")
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return parser


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def main(args: Sequence[str] | None = None) -> None:
    """Run a script with the environment of process 0 of a group of 1: what `torchrun --nproc-per-node=1` does.

    Args:
        args: the command line (default: this process's).

    Raises:
        RuntimeError: more than one process, or node, is asked for.
        SystemExit: the script has not ended well; its status.
    """
    given = _parser().parse_args(args)
    for name, wanted in (("nproc_per_node", ("1",)), ("nnodes", ("1", "1:1"))):
        if getattr(given, name) not in wanted:
            raise RuntimeError(
                f"torch.distributed.run: '--{name.replace('_', '-')}' must be 1, for there are groups of one process "
                f"here; found {getattr(given, name)}"
            )
    host, _, port = given.rdzv_endpoint.partition(":")
    port = port or given.master_port or (_free_port() if given.standalone else 29500)
    zero = dict.fromkeys(("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "TORCHELASTIC_RESTART_COUNT"), "0")
    one = dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE"), "1")
    own = {
        "MASTER_ADDR": host or given.master_addr or ("localhost" if given.standalone else "127.0.0.1"),
        "MASTER_PORT": str(port),
        "ROLE_NAME": given.role,
        "TORCHELASTIC_RUN_ID": given.rdzv_id,
        "TORCHELASTIC_MAX_RESTARTS": str(given.max_restarts),
    }
    way = ["-m", given.training_script] if given.module else [given.training_script]
    ended = subprocess.run(
        [sys.executable, "-u", "-m", "rushlight", *way, *given.training_script_args],
        env={**os.environ, **zero, **one, **own},
        check=False,
    )
    if ended.returncode:
        raise SystemExit(ended.returncode if ended.returncode > 0 else 128 - ended.returncode)
