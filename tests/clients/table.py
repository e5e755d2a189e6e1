"""The clients: programs and test suites of other projects that must run on rushlight as they do on PyTorch.

Their sources are not here. A folder of them is named on the command line of run.py: each project unchanged in a folder
of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from data import text, write_mnist, write_wikitext


@dataclass(frozen=True)
class Command:
    """Arguments of python, in a folder of the client, and how long it may take."""

    arguments: tuple[str, ...]
    folder: str = "."
    seconds: int = 300


@dataclass(frozen=True)
class Client:
    """A project: a suite (one call of pytest, or of what ends with such a line; its tests are counted) or programs
    (each counts one, if it ends well).

    Its folder is one of those of the command line; None: this one.
    """

    name: str
    folder: str | None
    suite: Command | None = None
    programs: tuple[Command, ...] = ()
    path: tuple[str, ...] = ()  # folders of the client to import from
    environment: tuple[tuple[str, str], ...] = ()
    prepare: Callable[[Path], None] | None = None  # gets the scratch copy of the client's folder
    quick: bool = True  # CI runs it

    @property
    def commands(self) -> tuple[Command, ...]:
        return self.programs if self.suite is None else (self.suite,)


def _pytest(*arguments: str, folder: str = ".", seconds: int = 600) -> Command:
    return Command(("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments), folder, seconds)


def _examples(root: Path) -> None:
    write_mnist(root / "data", train=1000, test=200)
    write_wikitext(root / "word_language_model" / "data" / "wikitext-2", words=6000)
    (root / "vae" / "results").mkdir(exist_ok=True)


def _seeded(root: Path) -> None:
    """Some of torchdiffeq's tests hold or fail by the weights that are drawn, with PyTorch too, and the suite seeds
    nothing.
    """
    (root / "tests" / "conftest.py").write_text(
        "import pytest\nimport torch\n\n\n@pytest.fixture(autouse=True)\ndef _seed():\n    torch.manual_seed(0)\n"
    )


def _nanogpt(root: Path) -> None:
    (root / "data" / "shakespeare_char" / "input.txt").write_text(text(20_000))


_SMALL = ("--epochs", "1")
_WORDS = ("--data", "./data/wikitext-2", "--epochs", "1", "--emsize", "32", "--nhid", "32", "--log-interval", "20")
_FX = (
    "custom_tracer",
    "inline_function",
    "invert",
    "module_tracer",
    "primitive_library",
    "profiling_tracer",
    "proxy_based_graph_creation",
    "replace_op",
    "subgraph_rewriter_basic_use",
    "wrap_output_dynamically",
)


def _words() -> tuple[Command, ...]:
    found: list[Command] = []
    for model in ("RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"):
        found.append(Command(("main.py", *_WORDS, "--model", model, "--save", f"{model}.pt"), "word_language_model"))
        found.append(Command(("generate.py", "--checkpoint", f"{model}.pt", "--words", "60"), "word_language_model"))
    return tuple(found)


_NANOGPT = (
    "--device=cpu",
    "--compile=False",
    "--n_layer=2",
    "--n_head=4",
    "--n_embd=64",
    "--block_size=64",
    "--batch_size=12",
    "--max_iters=60",
    "--eval_interval=30",
    "--eval_iters=4",
    "--log_interval=20",
)

CLIENTS = (
    Client(
        "einops", "einops", _pytest("einops/tests"), path=(".",), environment=(("EINOPS_TEST_BACKENDS", "numpy,torch"),)
    ),
    Client(
        "opt_einsum",
        "opt_einsum",
        _pytest("opt_einsum/tests/test_backends.py", "opt_einsum/tests/test_contract.py", "-k", "torch"),
        path=(".",),
    ),
    Client(
        "pyhf",
        "pyhf",
        _pytest(
            "tests",
            "--disable-backend",
            "jax",
            "--disable-backend",
            "minuit",
            "-k",
            "pytorch",
            "--ignore",
            "tests/contrib",
            "--ignore",
            "tests/test_notebooks.py",
            "--ignore",
            "tests/benchmarks",
            "-o",
            "addopts=",
            "-o",
            "filterwarnings=",
            "--continue-on-collection-errors",
        ),
        path=("src",),
    ),
    Client(
        "safetensors",
        "safetensors",
        _pytest("tests/test_pt_comparison.py", "tests/test_pt_model.py", folder="bindings/python"),
    ),
    Client("array-api-compat", "array-api-compat", _pytest("tests", "-k", "torch"), path=("src",)),
    Client(
        "torchdiffeq",
        "torchdiffeq",
        _pytest(
            "api_tests.py",
            "event_tests.py",
            "gradient_tests.py",
            "norm_tests.py",
            "odeint_tests.py",
            folder="tests",
            seconds=3600,
        ),
        path=(".", "tests"),
        prepare=_seeded,
        quick=False,
    ),
    Client(
        "nanoGPT",
        "nanoGPT",
        programs=(
            Command(("data/shakespeare_char/prepare.py",)),
            Command(("train.py", "config/train_shakespeare_char.py", *_NANOGPT)),
            Command(
                (
                    "sample.py",
                    "--out_dir=out-shakespeare-char",
                    "--device=cpu",
                    "--num_samples=2",
                    "--max_new_tokens=50",
                )
            ),
        ),
        prepare=_nanogpt,
    ),
    Client(
        "examples: images",
        "examples",
        programs=(
            Command(("main.py", *_SMALL, "--save-model"), "mnist"),
            Command(("main.py", *_SMALL), "mnist_rnn"),
            Command(("main.py", *_SMALL), "mnist_hogwild"),
            Command(("main.py", *_SMALL), "vae"),
            Command(("main.py", *_SMALL), "siamese_network"),
            Command(
                ("main.py", "--dataset", "fake", "--dataroot", ".", "--dry-run", "--ngf", "16", "--ndf", "16"), "dcgan"
            ),
            Command(
                ("main.py", "--dataset", "mnist", "--dataroot", "../data", "--dry-run", "--ngf", "8", "--ndf", "8"),
                "dcgan",
            ),
        ),
        prepare=_examples,
    ),
    Client("examples: words", "examples", programs=_words(), prepare=_examples),
    Client("examples: fx", "examples", programs=tuple(Command((f"{name}.py",), "fx") for name in _FX)),
    Client(
        "examples: others",
        "examples",
        programs=(
            Command(("main.py",), "regression"),
            Command(("generate_sine_wave.py",), "time_sequence_prediction"),
            Command(("train.py", "--steps", "1"), "time_sequence_prediction"),
        ),
    ),
    Client(
        "examples: reinforcement learning",
        "examples",
        programs=(
            Command(("reinforce.py",), "reinforcement_learning", 1500),
            Command(("actor_critic.py",), "reinforcement_learning", 1500),
        ),
        quick=False,
    ),
    *(
        Client(f"{package}: models", None, Command(("models.py", package), seconds=600))
        for package in ("transformers", "timm", "torchvision", "lightning", "torchmetrics")
    ),
)
