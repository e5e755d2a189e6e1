"""torch.hub against a server on this machine: files are whole and of the right hash or not there, repositories load,
and no network is a clear error.
"""

from __future__ import annotations

import hashlib
import http.server
import io
import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import hub


def state_bytes() -> bytes:
    out = io.BytesIO()
    rl.save({"weight": rl.arange(4.0)}, out)
    return out.getvalue()


STATE = state_bytes()
DIGEST = hashlib.sha256(STATE).hexdigest()


def zipped(name: str = "inner.pth") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(name, STATE)
    return out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        files = {
            f"/w-{DIGEST[:8]}.pth": STATE,
            "/w-00000000.pth": STATE,
            "/old.pth": zipped(),
            "/evil.pth": zipped("../evil.pth"),
            "/cut.pth": STATE,
        }
        body = files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    Handler.asked.clear()
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


def test_weights_are_fetched_once(server: str, tmp_path: Path) -> None:
    url = f"{server}/w-{DIGEST[:8]}.pth"
    for _ in range(2):
        found = hub.load_state_dict_from_url(url, check_hash=True, weights_only=True)
        assert found["weight"].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert len(Handler.asked) == 1 and os.listdir(tmp_path / "home" / "hub" / "checkpoints") == [f"w-{DIGEST[:8]}.pth"]
    assert hub.load_state_dict_from_url(f"{server}/old.pth")["weight"].numel() == 4
    from rushlight.utils import model_zoo

    assert model_zoo.load_url(url, map_location="cpu")["weight"].numel() == 4


def test_nothing_half_stays(server: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.load_state_dict_from_url(f"{server}/w-00000000.pth", check_hash=True)
    with pytest.raises(RuntimeError, match="cannot be reached"):
        hub.load_state_dict_from_url(f"{server}/none.pth")
    with pytest.raises(RuntimeError, match="without folders"):
        hub.load_state_dict_from_url(f"{server}/evil.pth")
    assert os.listdir(tmp_path / "home" / "hub" / "checkpoints") == ["evil.pth"]
    with pytest.raises(RuntimeError, match="cannot be reached"):
        hub.download_url_to_file("http://127.0.0.1:9/x", str(tmp_path / "x"))
    assert not (tmp_path / "x").exists() and not list(tmp_path.glob("*.partial"))


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert hub.get_dir() == str(tmp_path / "torch" / "hub") and hub._get_torch_home() == str(tmp_path / "torch")
    monkeypatch.setattr(hub.folders, "_chosen", [])
    hub.set_dir(tmp_path / "mine")
    assert hub.get_dir() == str(tmp_path / "mine")


def test_local_repositories(tmp_path: Path) -> None:
    (tmp_path / "helper_of_hubconf.py").write_text("N = 3\n")
    (tmp_path / "hubconf.py").write_text(
        "dependencies = ['math']\nimport rushlight\nfrom helper_of_hubconf import N\ndef model(k=1):\n    'A "
        "vector.'\n    return rushlight.ones(N) * k\n"
    )
    assert hub.load(str(tmp_path), "model", source="local", k=2).tolist() == [2.0] * 3
    with pytest.raises(RuntimeError, match="Cannot find callable other"):
        hub.load(str(tmp_path), "other", source="local")
    with pytest.raises(ValueError, match="Unknown source"):
        hub.load(str(tmp_path), "model", source="web")
    with pytest.raises(ValueError, match="owner/name"):
        hub.load("nonsense", "model")
    with pytest.raises(FileNotFoundError, match=r"hubconf\.py"):
        hub.load(str(tmp_path / "none"), "model", source="local")
    (tmp_path / "hubconf.py").write_text("dependencies = ['a_package_that_is_not_there']\n")
    with pytest.raises(RuntimeError, match="Missing dependencies: a_package_that_is_not_there"):
        hub.load(str(tmp_path), "model", source="local")


def test_repositories_in_the_folder_need_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder = tmp_path / "hub" / "someone_thing_v1"
    folder.mkdir(parents=True)
    (folder / "hubconf.py").write_text("def one():\n    'It is one.'\n    return 1\ndef _hidden():\n    pass\n")
    assert hub.load("someone/thing:v1", "one", trust_repo=True) == 1
    assert hub.list("someone/thing:v1") == ["one"] and hub.help("someone/thing:v1", "one") == "It is one."
    with pytest.raises(Exception, match="not trusted"):
        hub.load("other/thing:v1", "one", trust_repo=False)
