"""Q-learning on a corridor: replay buffer, target network by Polyak averaging, gather, Huber loss; then REINFORCE with
a baseline.
"""

import collections
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from common import fill, show

random.seed(0)
rng = np.random.default_rng(0)
N = 6
Transition = collections.namedtuple("Transition", "state action reward following done")


def step(s, a):
    s = max(0, min(N - 1, s + (1 if a else -1)))
    return s, float(s == N - 1), s == N - 1


def encode(s):
    return F.one_hot(torch.as_tensor(s), N).float()


policy, target = (
    fill(nn.Sequential(nn.Linear(N, 16), nn.ReLU(), nn.Linear(16, 2)), 1),
    nn.Sequential(nn.Linear(N, 16), nn.ReLU(), nn.Linear(16, 2)),
)
target.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=5e-3, amsgrad=True)
memory = collections.deque(maxlen=300)
s = 0
for _ in range(200):
    a = random.randrange(2)
    following, r, done = step(s, a)
    memory.append(Transition(s, a, r, following, done))
    s = 0 if done else following
for t in range(40):
    batch = Transition(*zip(*random.sample(memory, 32)))
    states, following = encode(batch.state), encode(batch.following)
    actions = torch.tensor(batch.action).unsqueeze(1)
    rewards, alive = torch.tensor(batch.reward), 1 - torch.tensor(batch.done).float()
    q = policy(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        best = target(following).max(1).values
    loss = F.smooth_l1_loss(q, rewards + 0.9 * best * alive)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    opt.step()
    kept = target.state_dict()
    for key, value in policy.state_dict().items():
        kept[key] = value * 0.1 + kept[key] * 0.9
    target.load_state_dict(kept)
    if t % 13 == 0:
        show("dqn", t, loss.item())
show("greedy", policy(encode(list(range(N)))).argmax(1)[:-1])

logits = torch.zeros(3, requires_grad=True)
rewards = torch.tensor([0.0, 0.2, 1.0])
opt = torch.optim.SGD([logits], lr=0.5)
for _ in range(30):
    probs = torch.softmax(logits, 0)
    picks = torch.from_numpy(
        rng.choice(3, 16, p=probs.detach().double().numpy() / probs.detach().double().numpy().sum())
    )
    gain = rewards[picks]
    loss = -(torch.log_softmax(logits, 0)[picks] * (gain - gain.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
assert torch.softmax(logits, 0)[2] > 0.5
