"""The names of PyTorch's compiler of kernels, which lead to rushlight's own: a graph is compiled as `torch.compile`
does it, and a program that was exported becomes a package. The settings can be written, and steer nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rushlight._inductor import config

if TYPE_CHECKING:
    from rushlight.packaging import Package

__all__ = [
    "CompiledArtifact",
    "aoti_compile_and_package",
    "aoti_load_package",
    "compile",
    "config",
    "cudagraph_mark_step_begin",
    "list_mode_options",
    "list_options",
    "standalone_compile",
]

_CUDAGRAPHS = {"triton.cudagraphs": True}
_AUTOTUNE: dict[str, Any] = {"max_autotune": True, "coordinate_descent_tuning": True}
_LITE = (
    "reorder_for_peak_memory reorder_for_compute_comm_overlap triton.reorder_for_reducing_graph_partitions "
    "use_pre_grad_passes use_joint_graph_passes use_post_grad_passes use_dce allow_buffer_reuse"
).split()
_MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "lite": {"fallback_by_default": True, "selective_decompose": True, **dict.fromkeys(_LITE, False)},
    "reduce-overhead": _CUDAGRAPHS,
    "max-autotune-no-cudagraphs": _AUTOTUNE,
    "max-autotune": {"max_autotune": True, **_CUDAGRAPHS, "coordinate_descent_tuning": True},
}


def compile(gm: Any, example_inputs: Sequence[Any], options: dict[str, Any] | None = None) -> Callable[..., Any]:
    """A graph compiled: it is recorded at each call and runs as few programs (docs/design/compile.md).

    Args:
        gm: an `fx.GraphModule`.
        example_inputs: are not needed here.
        options: settings of `config` for this graph, which change nothing.

    Raises:
        TypeError: `gm` is no GraphModule.
        AttributeError: there is no setting of a name among the options.
    """
    from rushlight._dynamo.compiled import compiled
    from rushlight.fx.graph_module import GraphModule

    if not isinstance(gm, GraphModule):
        raise TypeError(f"compile(): argument 'gm' must be GraphModule, not {type(gm).__name__}")
    config.patch(options)
    return compiled(gm, options={"always": True})


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings that a mode of `torch.compile` stands for in PyTorch; of all modes by name, without `mode`.

    Raises:
        RuntimeError: there is no such mode.
    """
    if mode is None:
        return {name: dict(options) for name, options in _MODES.items()}
    if mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    return dict(_MODES[mode])


def list_options() -> list[str]:
    """The names of all settings."""
    return list(config.get_config_copy())


def cudagraph_mark_step_begin() -> None:
    """A new step begins: there are no graphs of a device that would have to know."""


def aoti_compile_and_package(
    exported_program: Any,
    _deprecated_unused_args: Any = None,
    _deprecated_unused_kwargs: Any = None,
    *,
    package_path: str | os.PathLike[str] | None = None,
    inductor_configs: dict[str, Any] | None = None,
) -> str:
    """Write an exported program as a package (`rushlight.package`): a file of rushlight's own kind, whatever its name.

    Args:
        package_path: a file that ends in ".pt2"; None: a new one in the folder for temporary files.
        inductor_configs: settings of `config`, which change nothing.

    Returns:
        The file's path.

    Raises:
        ValueError: it is no ExportedProgram.
        AssertionError: the path does not end in ".pt2".
        AttributeError: there is no setting of a name.
    """
    from rushlight.export import ExportedProgram
    from rushlight.packaging import package

    if not isinstance(exported_program, ExportedProgram):
        raise ValueError("Only ExportedProgram is supported")
    config.patch(inductor_configs)
    path = os.path.join(tempfile.mkdtemp(), "package.pt2") if package_path is None else os.fspath(package_path)
    if not path.endswith(".pt2"):
        raise AssertionError(
            f"aoti_compile_and_package(): argument 'package_path' must end in .pt2, or be None; found {path!r}"
        )
    package(exported_program, path)
    return path


def aoti_load_package(
    path: str | os.PathLike[str], run_single_threaded: bool = False, device_index: int = -1
) -> Package:
    """The model of a file that `aoti_compile_and_package` has written: `rushlight.load_package`.

    run_single_threaded, device_index: change nothing.
    """
    from rushlight.packaging import load_package

    return load_package(path)


class CompiledArtifact:
    """A graph compiled for an example of its inputs: it is called with inputs, and `save` writes it as a package."""

    def __init__(self, run: Callable[..., Any], gm: Any = None, inputs: tuple[Any, ...] = ()) -> None:
        self._run, self._gm, self._inputs = run, gm, inputs

    def __call__(self, *args: Any) -> Any:
        """The graph's results."""
        return self._run(*args)

    def save(self, *, path: str | os.PathLike[str], format: str = "binary") -> None:
        """Write it to a file, for inputs of the example's sizes.

        Raises:
            ValueError: the format is none of those that there are, "binary".
            RuntimeError: it was loaded from a file.
        """
        from rushlight.packaging import package

        _check_format(format)
        if self._gm is None:
            raise RuntimeError("CompiledArtifact.save(): this one was loaded; its file is there")
        package(self._gm, path, self._inputs)

    @staticmethod
    def load(*, path: str | os.PathLike[str], format: str = "binary") -> CompiledArtifact:
        """What `save` has written.

        Raises:
            ValueError: the format is none of those that there are, "binary".
            PackageError: the file cannot be loaded.
        """
        from rushlight.packaging import load_package

        _check_format(format)
        return CompiledArtifact(load_package(path))


def _check_format(format: str) -> None:
    if format != "binary":
        raise ValueError(f"CompiledArtifact: argument 'format' must be 'binary'; found {format!r}")


def standalone_compile(
    gm: Any,
    example_inputs: Sequence[Any],
    *,
    dynamic_shapes: str = "from_graph",
    options: dict[str, Any] | None = None,
    aot: bool = False,
    donate_graph_module: bool = False,
    fake_mode: Any = None,
) -> CompiledArtifact:
    """A graph compiled, which can be saved and loaded by another process.

    Args:
        gm: an `fx.GraphModule`.
        example_inputs: inputs; what is saved is for their sizes.
        dynamic_shapes, aot, donate_graph_module, fake_mode: change nothing.
        options: settings of `config` for this graph, which change nothing.

    Raises:
        TypeError: `gm` is no GraphModule.
        AttributeError: there is no setting of a name among the options.
    """
    return CompiledArtifact(compile(gm, example_inputs, options), gm, tuple(example_inputs))
