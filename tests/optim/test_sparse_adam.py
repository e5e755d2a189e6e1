"""SparseAdam and swapped parameters."""

from __future__ import annotations

import pytest

import rushlight as rl


def test_steps_are_those_of_pytorch_for_sparse_gradients() -> None:
    torch = pytest.importorskip("torch")
    start = rl.randn(6, 3).tolist()
    rows = [[0, 2], [2, 5], [1, 1], [0, 4]]
    ours, theirs = rl.nn.Embedding(6, 3, sparse=True), torch.nn.Embedding(6, 3, sparse=True)
    ours.weight.data.copy_(rl.tensor(start))
    theirs.weight.data.copy_(torch.tensor(start))
    pairs = [
        (rl, ours, rl.optim.SparseAdam(ours.parameters(), lr=0.1)),
        (torch, theirs, torch.optim.SparseAdam(list(theirs.parameters()), lr=0.1)),
    ]
    for chosen in rows:
        for module, net, optimizer in pairs:
            optimizer.zero_grad()
            (net(module.tensor(chosen)) ** 2).sum().backward()
            optimizer.step()
        assert abs(ours.weight.detach().numpy() - theirs.weight.detach().numpy()).max() < 1e-5
    assert ours.weight[3].tolist() == rl.tensor(start)[3].tolist()


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="lr"):
        rl.optim.SparseAdam([rl.nn.Parameter(rl.ones(2))], lr=-1.0)


def test_other_parameters_for_a_while() -> None:
    torch = pytest.importorskip("torch")
    for module in (rl, torch):
        p = module.nn.Parameter(module.ones(2))
        q = module.ones(2, requires_grad=True)
        optimizer = module.optim.Adam([p], lr=0.1)
        p.grad = module.ones(2)
        optimizer.step()
        own, state = p.detach().clone(), optimizer.state_dict()
        q.grad = module.ones(2)
        with module.optim.swap_in_optimizer_params_and_state(optimizer, {"p": q}, state):
            optimizer.step()
        assert module.equal(p, own) and q.tolist() != [1.0, 1.0] and optimizer.param_groups[0]["params"][0] is p
        with (
            pytest.raises((ValueError, RuntimeError, AssertionError)),
            module.optim.swap_in_optimizer_params_and_state(optimizer, {}, state),
        ):
            pass
    assert rl.optim.swa_utils.AveragedModel
