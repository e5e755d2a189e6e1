"""Programs that learn by distributions: by pathwise gradients, by REINFORCE, by divergences."""

from __future__ import annotations

import math

import rushlight as torch
import rushlight.distributions as D
from rushlight import nn


def test_variational_autoencoder() -> None:
    """The negative evidence bound of data with two hidden causes falls well below that of independent pixels."""
    torch.manual_seed(0)
    x = (torch.rand(256, 2) @ torch.rand(2, 20) > 0.5).float()
    encoder, decoder = nn.Linear(20, 4), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 20))
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 3e-2)
    prior = D.Normal(torch.zeros(2), torch.ones(2))
    losses = []
    for _ in range(150):
        loc, log_scale = encoder(x).chunk(2, -1)
        q = D.Normal(loc, log_scale.exp())
        p = D.Independent(D.Bernoulli(logits=decoder(q.rsample())), 1)
        loss = (D.kl_divergence(q, prior).sum(-1) - p.log_prob(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    independent = D.Bernoulli(x.mean(0).clamp(0.01, 0.99)).entropy().sum().item()
    assert math.isfinite(losses[-1]) and sum(losses[-10:]) / 10 < 0.8 * independent < losses[0]


def test_reinforce() -> None:
    """A policy finds the rewarded action of each state by the score function's gradient."""
    torch.manual_seed(1)
    logits, best = torch.zeros(4, 5, requires_grad=True), torch.tensor([1, 4, 0, 2])
    optimizer = torch.optim.Adam([logits], 0.1)
    for _ in range(200):
        state = torch.randint(0, 4, (64,))
        policy = D.Categorical(logits=logits[state])
        action = policy.sample()
        reward = (action == best[state]).float()
        loss = -(policy.log_prob(action) * (reward - reward.mean())).mean() - 0.01 * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert logits.argmax(1).tolist() == best.tolist()


def test_pathwise_policies() -> None:
    """Beta and Dirichlet policies move to the best action by the gradient through their samples."""
    torch.manual_seed(2)
    beta, dirichlet = torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)
    goal = torch.tensor([0.6, 0.3, 0.1])
    optimizer = torch.optim.Adam([beta, dirichlet], 0.1)
    for _ in range(150):
        actions, shares = D.Beta(*(beta.exp() + 0.5)), D.Dirichlet(dirichlet.exp() + 0.1)
        loss = ((actions.rsample((64,)) - 0.7) ** 2).mean() + ((shares.rsample((64,)) - goal) ** 2).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert abs(actions.mean.item() - 0.7) < 0.1 and actions.stddev.item() < 0.15
    assert (shares.mean - goal).abs().max().item() < 0.08


def test_a_normal_distribution_is_fitted() -> None:
    """By its divergence from another, through transform_to and LowRankMultivariateNormal."""
    target = D.LowRankMultivariateNormal(
        torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[1.0], [-0.5], [0.3]]), torch.tensor([0.5, 1.0, 0.7])
    )
    loc, free = torch.zeros(3, requires_grad=True), torch.zeros(3, 3, requires_grad=True)
    optimizer = torch.optim.Adam([loc, free], 0.05)
    to = D.transform_to(D.constraints.lower_cholesky)
    for _ in range(300):
        divergence = D.kl_divergence(D.MultivariateNormal(loc, scale_tril=to(free)), target)
        optimizer.zero_grad()
        divergence.backward()
        optimizer.step()
    assert divergence.item() < 1e-3
