"""`DistributedDataParallel`: a module in each process of a group, whose gradients are averaged over them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.core.held import held
from rushlight.core.nesting import reached
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.communication import GradBucket

if TYPE_CHECKING:
    from rushlight.distributed.groups import ProcessGroup

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Calls the module inside; when a backward has made all gradients, they are averaged over the processes of the
    group.

    Args:
        module: the module; its parameters are named with the prefix "module.".
        device_ids, output_device: must be left out, there is the CPU alone.
        broadcast_buffers: give all processes the first one's buffers before each forward.
        process_group: the group, by default that of all processes.
        find_unused_parameters: a forward need not use all parameters: the graph of its result says which. static_graph,
            bucket_cap_mb, gradient_as_bucket_view and the others: accepted; the gradients of one dtype are one bucket.

    Raises:
        ValueError: no group has been made.
        RuntimeError: for a module without parameters to train.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
    ) -> None:
        from rushlight.distributed.groups import _get_default_group

        super().__init__()
        self.process_group = _get_default_group() if process_group is None else process_group
        ignored: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._trained = [p for n, p in module.named_parameters() if p.requires_grad and n not in ignored]
        if not self._trained:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        if device_ids or output_device is not None:
            raise ValueError(
                "DistributedDataParallel(): 'device_ids' and 'output_device' must be left out: they name devices of a "
                f"module, and this one is on the CPU; found {device_ids} and {output_device}"
            )
        if any(type(m).__name__ == "SyncBatchNorm" for m in module.modules()):
            raise ValueError("SyncBatchNorm layers only work with GPU modules")
        self.module, self.device_ids, self.output_device, self.dim = module, None, None, dim
        self.device = self._trained[0].device
        self.device_type = self.device.type
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.static_graph, self.gradient_as_bucket_view = static_graph, gradient_as_bucket_view
        self.parameters_to_ignore = ignored
        self._hook: tuple[Any, Callable[[Any, GradBucket], Any]] | None = None
        self._missing: set[int] | None = None  # the parameters whose gradients the exchange waits for
        self._begun = self._called = False
        if init_sync:
            self._give_([*module.parameters(), *module.buffers()])
        for p in self._trained:
            p.register_post_accumulate_grad_hook(self._ready_)

    # ---- forward
    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's forward.

        Raises:
            RuntimeError: the last backward has left parameters without gradients, and nothing says that it may.
        """
        self._called = True
        syncs = rushlight.is_grad_enabled() and self.require_backward_grad_sync
        if syncs and self._missing and self._begun:
            raise RuntimeError(
                "Expected to have finished reduction in the prior iteration before starting a new one. This error "
                "indicates that your module has parameters that were not used in producing loss: "
                f"{self._names_(self._missing)}. Pass find_unused_parameters=True to "
                "torch.nn.parallel.DistributedDataParallel, and see that all outputs of forward take part in the loss"
            )
        if self.broadcast_buffers and self.require_forward_param_sync:
            self._give_(list(self.module.buffers()))
        output = self.module(*inputs, **kwargs)
        self._begun = False
        if syncs:
            self._missing = {id(p) for p in self._trained}
            if self.find_unused_parameters:
                self._missing &= _leaves(output)
        else:
            self._missing = None
        return output

    def _names_(self, which: set[int]) -> str:
        return ", ".join(n for n, p in self.module.named_parameters() if id(p) in which)

    def _give_(self, tensors: list[Tensor]) -> None:
        """Give all processes the first one's tensors."""
        if self.process_group.size() > 1:
            for t in tensors:
                self.process_group._backend.broadcast([t.detach()], 0).wait()

    # ---- backward
    def _ready_(self, p: Tensor) -> None:
        if self._missing is None:
            return
        self._begun = True
        self._missing.discard(id(p))
        if not self._missing:
            self._missing = None
            self._exchange_()

    def _exchange_(self) -> None:
        """Average the gradients over the processes, dtype by dtype; for one process that is what they are."""
        if self.process_group.size() == 1 and self._hook is None:
            return
        kinds = list(dict.fromkeys(p.dtype for p in self._trained))
        with rushlight.no_grad():
            for i, dtype in enumerate(kinds):
                chosen = [p for p in self._trained if p.dtype is dtype]
                grads = [rushlight.zeros_like(p) if p.grad is None else p.grad for p in chosen]
                buffer = rushlight.cat([g.reshape(-1) for g in grads])
                bucket = GradBucket(i, chosen, buffer, i == len(kinds) - 1)
                if self._hook is None:
                    buffer.div_(self.process_group.size())
                    self.process_group.allreduce([buffer]).wait()
                else:
                    found = self._hook[1](self._hook[0], bucket).wait()
                    bucket.set_buffer(found[0] if isinstance(found, (list, tuple)) else found)
                for p, g in zip(chosen, bucket.gradients(), strict=True):
                    if p.grad is not None:
                        p.grad.copy_(g)
                    elif self.process_group.size() > 1:  # another process may have used it
                        p.grad = g.clone()

    def no_sync(self) -> contextlib.AbstractContextManager[None]:
        """In this block forwards are made whose backwards leave the gradients of each process as they are."""
        return held(self, "require_backward_grad_sync", False)

    @contextlib.contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:
        """For processes with unequal numbers of inputs. NotImplementedError: there is more than one process."""
        if enable and self.process_group.size() > 1:
            raise NotImplementedError("DistributedDataParallel.join(): rushlight lacks it for more than one process")
        yield

    def register_comm_hook(self, state: object, hook: Callable[[Any, GradBucket], Any]) -> None:
        """Let `hook(state, bucket)`, which returns a Future of the bucket's new buffer, exchange the gradients.

        Raises:
            TypeError: for what cannot be called.
            RuntimeError: the second time.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self._hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self._hook = state, hook

    def _set_static_graph(self) -> None:
        """Say that every forward uses the same parameters. RuntimeError: one has run."""
        if self._called:
            raise RuntimeError(
                "set_static_graph() should be called before training loop starts and after DistributedDataParallel is "
                "constructed."
            )
        self.static_graph = True

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Module, params_and_buffers_to_ignore: list[str]) -> None:
        """Let parameters, by their names, be no business of the exchange."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """What this wraps, as numbers and text."""
        return {
            "world_size": self.process_group.size(),
            "rank": self.process_group.rank(),
            "module_name": type(self.module).__name__,
            "backend_name": self.process_group.name(),
            "num_parameter_tensors": len(self._trained),
            "find_unused_parameters": self.find_unused_parameters,
            "broadcast_buffers": self.broadcast_buffers,
        }

    def train(self, mode: bool = True) -> DistributedDataParallel:
        """The module's training mode."""
        super().train(mode)
        return self


def _leaves(output: Any) -> set[int]:
    """The leaves that the graph of an output ends in."""
    from rushlight.func.tree import flatten

    found: set[int] = set()
    ahead: list[Any] = []
    for x in flatten(output)[0]:
        if isinstance(x, Tensor) and x.requires_grad:
            if x.grad_fn is None:
                found.add(id(x))
            else:
                ahead.append(x.grad_fn)
    nodes = reached(ahead, lambda node: [n for n, _ in node.next_functions])
    return found.union(id(node.variable) for node in nodes if hasattr(node, "variable"))
