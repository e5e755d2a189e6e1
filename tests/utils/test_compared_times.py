"""Tables of measurements as PyTorch lays them out, and the random tensors of a Fuzzer."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight.utils import benchmark


def measured(times: list[float], label: str, sub: str, what: str, **options: Any) -> benchmark.Measurement:
    return benchmark.Measurement(1, times, benchmark.TaskSpec("x * 2", "pass", "", label, sub, what, **options))


RESULTS = [
    measured([1e-6] * 4, "mul", "small", "a"),
    measured([2.5e-6, 2.6e-6, 2.4e-6, 2.9e-6], "mul", "small", "b"),
    measured([1.5e-3, 1.6e-3, 1.55e-3], "mul", "large size", "a"),
    measured([3e-3, 1e-3, 9e-3], "mul", "large size", "b"),
]


def test_table() -> None:
    """What torch.utils.benchmark.Compare prints of the same measurements."""
    more = [measured([1e-6], "mul", "small", "a", num_threads=4), measured([0.5], "add", "q", "a")]
    assert str(benchmark.Compare(RESULTS + more)).splitlines() == [
        "[--------------- mul ----------------]",
        "                  |    a     |    b   ",
        "1 threads: ---------------------------",
        "      small       |     1.0  |     2.6",
        "      large size  |  1550.0  |  3000.0",
        "4 threads: ---------------------------",
        "      small       |     1.0  |        ",
        "",
        "Times are in microseconds (us).",
        "",
        "[----- add -----]",
        "         |    a  ",
        "1 threads: ------",
        "      q  |  500.0",
        "",
        "Times are in milliseconds (ms).",
    ]


def test_table_of_environments() -> None:
    found = [measured([1e-6], "l", "s", "d", env=name) for name in ("envA", "envB")]
    assert str(benchmark.Compare(found)).splitlines()[1:5] == [
        "             |   d ",
        "1 threads: --------",
        "  (envA)  s  |  1.0",
        "  (envB)  s  |  1.0",
    ]
    assert str(benchmark.Compare([])) == ""


def test_digits_and_spreads() -> None:
    table = benchmark.Compare(RESULTS)
    table.highlight_warnings()
    assert "3000.0 (! 133%)" in str(table) and "(! XX%)" in str(table)
    table = benchmark.Compare([RESULTS[3]])
    table.trim_significant_figures()
    assert "|  3.0" in str(table) and "milliseconds" in str(table)
    with pytest.raises(ValueError, match=r"extend_results\(\): 'results' must be Measurements; found int"):
        table.extend_results([1])  # type: ignore[list-item]


def test_units() -> None:
    assert [benchmark.select_unit(t)[0] for t in (100, 0.5, 1e-3, 2e-4, 3e-9)] == ["s", "ms", "ms", "us", "ns"]
    assert benchmark.unit_to_english("us") == "microsecond"
    assert [benchmark.trim_sigfig(123.456, n) for n in (1, 2, 5)] == [100.0, 120.0, 123.46]
    assert benchmark.ordered_unique([2, 1, 2]) == [2, 1]


def test_fuzzer() -> None:
    def parameters() -> list[benchmark.FuzzedParameter]:
        return [
            benchmark.FuzzedParameter("k0", 1, 64, "loguniform"),
            benchmark.FuzzedParameter("k1", 1, 64, "uniform"),
            benchmark.FuzzedParameter("k2", distribution={benchmark.ParameterAlias("k0"): 0.5, 3: 0.5}),
        ]

    x = benchmark.FuzzedTensor(
        "x", size=("k0", "k1"), steps=(1, 2), probability_contiguous=0.5, min_elements=4, max_elements=1000
    )
    y = benchmark.FuzzedTensor("y", size=("k2", 5), probability_contiguous=1.0, dtype=rushlight.int32)
    fuzzer = benchmark.Fuzzer(parameters(), [[x], y], constraints=[lambda k0, **others: k0 > 2], seed=3)
    drawn = list(fuzzer.take(20))
    for tensors, about, values in drawn:
        assert (
            tensors["x"].shape == (values["k0"], values["k1"])
            and values["k0"] > 2
            and values["k2"] in (3, values["k0"])
        )
        assert 4 <= tensors["x"].numel() <= 1000 and about["x"]["numel"] == tensors["x"].numel()
        assert 2 in tensors["x"].stride() or values["k1"] == 1 or about["x"]["order"] == [1, 0]
        assert tensors["y"].is_contiguous() and tensors["y"].dtype is rushlight.int32
    assert {tuple(about["x"]["order"]) for _, about, _ in drawn} == {(0, 1), (1, 0)}
    assert 0 < fuzzer.rejection_rate < 1
    again = benchmark.Fuzzer(parameters(), [[x], y], constraints=[lambda k0, **others: k0 > 2], seed=3)
    assert [values for _, _, values in again.take(20)] == [values for _, _, values in drawn]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: benchmark.FuzzedParameter("n", distribution={1: 0.5}), "must add up to 1; found 0.5"),
        (lambda: benchmark.FuzzedParameter("n", 1, 2, "normal"), "'uniform', 'loguniform' or a dict .*found 'normal'"),
        (lambda: benchmark.FuzzedParameter("n", 3, 2, "uniform"), "must be numbers in order.*found 3 and 2"),
        (lambda: benchmark.FuzzedParameter("n", 0, 2, "loguniform"), "above 0 for 'loguniform'"),
        (lambda: benchmark.FuzzedParameter("n", 1, 2, {1: 1.0}), "must be None beside probabilities; found 1 and 2"),
        (
            lambda: benchmark.Fuzzer([benchmark.FuzzedParameter("n", 1, 2, "uniform")] * 2, []),
            "names must differ; found n more than once",
        ),
        (
            lambda: list(
                benchmark.Fuzzer(
                    [benchmark.FuzzedParameter("n", distribution={benchmark.ParameterAlias("m"): 1.0})], []
                ).take(1)
            ),
            "'n' stands for 'm', which has no value",
        ),
        (
            lambda: list(
                benchmark.Fuzzer([benchmark.FuzzedParameter("n", 1, 2, "uniform")], [], [lambda n: False]).take(1)
            ),
            "refused 1000 draws in a row",
        ),
    ],
)
def test_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
