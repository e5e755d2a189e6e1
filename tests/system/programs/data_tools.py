"""Loading data: iterable datasets, collate functions, samplers, workers, subsets, seeds; printing and converting
tensors.
"""

import numpy as np
import torch
from common import show
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Words(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return {"ids": torch.arange(i + 1), "name": f"w{i}", "score": float(i)}


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(10)) if info is None else iter(range(info.id, 10, info.num_workers))


def collate(items):
    ids = torch.nn.utils.rnn.pad_sequence([d["ids"] for d in items], batch_first=True, padding_value=-1)
    return ids, [d["name"] for d in items], torch.tensor([d["score"] for d in items])


def main():
    for ids, names, scores in DataLoader(Words(), batch_size=3, collate_fn=collate):
        print(tuple(ids.shape), names, scores.tolist())
    print(sorted(int(x) for batch in DataLoader(Stream(), batch_size=2, num_workers=2) for x in batch))
    data = TensorDataset(torch.arange(10).float().view(10, 1), torch.arange(10))
    loader = DataLoader(data, sampler=BatchSampler(SequentialSampler(data), 4, drop_last=True), batch_size=None)
    print([y.tolist() for _, y in loader], len(loader), len(DataLoader(data, batch_size=4)))
    first, second = random_split(data, [0.7, 0.3], generator=torch.Generator().manual_seed(3))
    print(len(first), len(second), sorted(int(d[1]) for part in (first, second) for d in part))
    print([int(d[1]) for d in ConcatDataset([Subset(data, [1, 3]), Subset(data, [0])])])
    weighted = list(WeightedRandomSampler([0.0, 0.0, 1.0], 5))
    print(weighted, len(list(RandomSampler(data, num_samples=3, replacement=True))))
    print(default_collate([(1, 2.0, "a", {"k": np.ones(2)}), (3, 4.0, "b", {"k": np.zeros(2)})]))
    shuffled = DataLoader(data, shuffle=True, batch_size=3, generator=torch.Generator().manual_seed(0))
    print(sorted(int(v) for _, y in shuffled for v in y))

    x = torch.tensor([[1.5, -2.0], [3.25, 1e-5]])
    print(x, x.shape, x.dtype, x.size(0), f"{x[0, 0]:.2f}", f"{x.sum().item():.3f}")
    print(
        torch.arange(12).reshape(3, 4)[1:, ::2],
        torch.tensor(3),
        torch.tensor([True, False]),
        torch.empty(0),
        torch.zeros(2, 0),
    )
    print(
        torch.tensor([1e10, 1.0]),
        torch.tensor([float("nan"), float("inf")]),
        torch.ones(3, dtype=torch.float64),
        torch.tensor([1 + 2j]),
    )
    torch.set_printoptions(precision=2, sci_mode=False)
    print(x)
    torch.set_printoptions(profile="default")
    a = x.numpy()
    a[0, 0] = 9
    print(
        x[0, 0].item(),
        x.tolist()[1][0],
        np.asarray(x).dtype,
        torch.from_numpy(np.arange(3)).dtype,
        torch.tensor(np.float32(2)).dtype,
    )
    print(
        torch.equal(x, x.clone()),
        torch.allclose(x, x + 1e-9),
        x.ne(x).any().item(),
        bool((x > 0).all()),
        int(x.argmax()),
        len(x),
        list(x.unbind(0)[0]),
    )
    print(
        x.to(torch.int32),
        x.long().float().type(torch.float64).dtype,
        x.half().dtype,
        x.bool(),
        x.device,
        x.is_contiguous(),
        x.T.stride(),
    )
    show(
        "stats",
        x.mean(),
        x.std(),
        x.median(),
        x.norm(),
        x.var(0),
        x.quantile(0.5),
        torch.histc(x, 3),
        x.flatten().sort(descending=True).values,
    )
    q, r = torch.linalg.qr(torch.eye(3) * 2)
    show(
        "linalg",
        (q @ r).diagonal(),
        torch.linalg.norm(x),
        torch.det(x),
        (torch.inverse(x) @ x - torch.eye(2)).abs().max().item() < 1e-5,
    )
    i = torch.tensor([0, 2, 1])
    table = torch.arange(9.0).view(3, 3)
    table[i, [0, 1, 2]] = -1
    table[table > 6] *= 10
    table[0] += torch.tensor([1, 2, 3])
    print(
        table,
        torch.where(table < 0, 0, table),
        table.masked_select(table < 0),
        torch.einsum("ij,kj->ik", table, table)[0],
    )
    print(
        torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[1],
        torch.cartesian_prod(torch.arange(2), torch.arange(2)).tolist(),
        torch.triu(table, 1),
    )
    u, inverse, counts = torch.unique(torch.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    print(
        u,
        inverse,
        counts,
        torch.bincount(torch.tensor([0, 1, 1])),
        torch.topk(table.flatten(), 2),
        torch.max(table, dim=0),
    )


if __name__ == "__main__":
    main()
