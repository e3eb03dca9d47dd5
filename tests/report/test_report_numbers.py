"""What stands in a report is what the run holds."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from invented_runs import PAPER_LIKE, invent_run, settings

from uncommonsense.errors import UnknownNameError, UserError
from uncommonsense.metrics.significance import permutation_test
from uncommonsense.rank.protocol import PROTOCOLS, Protocol
from uncommonsense.rank.runs import read_run
from uncommonsense.report import compare, gather, make_report
from uncommonsense.report.tables import Row, Table, all_tables
from uncommonsense.report.variants import inoculated, layer_series

MEASURE = "mean_precision@50"


def tables(folder: Path, **options: object) -> dict[str, Table]:
    results = gather(read_run(folder), **options)  # type: ignore[arg-type]
    return {table.key: table for table in all_tables(results, compare(results))}


def row_of(table: Table, label: str) -> Row:
    return next(row for row in table.rows if row.label == label)


def below(table: Table, label: str) -> Row:
    """The row after that of a system."""
    labels = [row.label for row in table.rows]
    return table.rows[labels.index(label) + 1]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of models that the paper has, under its rules and the name of its corpus."""
    folder = tmp_path_factory.mktemp("runs") / "paper"
    invent_run(folder, PAPER_LIKE)
    return folder


def test_cells_are_the_scores_of_the_run(paper: Path) -> None:
    run = read_run(paper)
    for measure in (MEASURE, "mean_pooled_recall@50", "map@50"):
        table = tables(paper, measures=[measure])[f"scores-{measure}"]
        for system in run.systems:
            scores = {
                row["slice"]: row
                for row in run.result(system).scores([measure], seed=0).to_pylist()
                if row["n"]
            }
            expected = tuple(
                f"{100 * each['value']:.2f} ±{50 * (each['high'] - each['low']):.1f}"
                for each in scores.values()
            )
            assert table.columns == tuple(scores)
            assert row_of(table, system).cells == expected
        assert [int(cell.replace(",", "")) for cell in row_of(table, "queries").cells] == [
            each["n"] for each in scores.values()
        ]


def test_random_comes_first_oracle_last_and_the_best_model_is_bold(paper: Path) -> None:
    table = tables(paper)[f"scores-{MEASURE}"]
    systems = [row.label for row in table.rows if row.kind in ("model", "baseline")]
    assert systems == ["random", *PAPER_LIKE, "oracle"]
    bold = {row.label: row.strong for row in table.rows if row.strong}
    assert bold == {"bert-base-cased": frozenset(range(len(table.columns)))}


def test_csv_holds_the_scores_unrounded(paper: Path) -> None:
    results = gather(read_run(paper))
    rows = list(csv.DictReader(io.StringIO(make_report(results, "csv"))))
    scores = {(row["measure"], row["system"], row["slice"]): row for row in rows if row["table"] == "scores"}
    assert scores.keys() == results.scores.keys()
    for key, score in results.scores.items():
        assert [float(scores[key][name]) for name in ("value", "low", "high")] == pytest.approx(
            list(score[:3]), nan_ok=True
        )
    printed = [row for row in rows if row["table"] == "published" and row["system"] == "gpt2"]
    assert float(printed[0]["value"]) == pytest.approx(0.1834)


def test_differences_are_those_of_the_permutation_test(paper: Path) -> None:
    run = read_run(paper)
    results = gather(run)
    found = {each.system: each for each in compare(results, "gpt2")}
    assert found.keys() == {"bert-base-cased", "roberta-base"}
    first, second = (run.result(name).judged(MEASURE) for name in ("roberta-base", "gpt2"))
    test = permutation_test(first, second, run.queries.column("lemma"))
    difference = found["roberta-base"].differences["all"]
    assert (difference.value, difference.p) == (test.difference, test.p)
    assert difference.p <= difference.adjusted <= 1
    lemmas = found["roberta-base"].lemmas
    assert sum(each.contribution for each in lemmas) == pytest.approx(test.difference)
    assert sum(each.queries for each in lemmas) == len(run.queries.table)


def test_holm_is_as_in_the_textbook(paper: Path) -> None:
    adjusted = sorted(
        (found.p, found.adjusted)
        for each in compare(gather(read_run(paper)))
        for found in each.differences.values()
    )
    most = 0.0
    for place, (p, corrected) in enumerate(adjusted):
        most = max(most, min(1.0, p * (len(adjusted) - place)))
        assert corrected == pytest.approx(most)


# Published figures


def test_published_figures_stand_below_ours(paper: Path) -> None:
    table = tables(paper)[f"scores-{MEASURE}"]
    ours = gather(read_run(paper)).score("bert-base-cased", "l < 500, r < 0.25")
    cells = below(table, "bert-base-cased").cells
    sign = f"{100 * (ours.value - 0.4160):+.2f}".replace("-", "−")
    assert cells[0] == f"41.60 (Δ {sign})"
    assert [cell.split()[0] for cell in cells[1:4]] == ["81.89", "48.48", "88.53"]
    assert cells[4] == ""
    assert below(table, "queries").cells[:4] == ("6,949", "30,694", "1,649", "11,123")
    recall = tables(paper)["scores-mean_pooled_recall@50"]
    assert below(recall, "gpt2").cells[0].startswith("5.37 ")


@pytest.mark.parametrize(
    ("corpus", "protocol", "database"),
    [
        ("semcor", PROTOCOLS["published"], 5000),
        ("ontonotes", PROTOCOLS["stated"], 5000),
        ("ontonotes", Protocol(frequency_edges=(100,)), 5000),
    ],
)
def test_nothing_is_published_about_another_corpus_or_other_rules(
    tmp_path: Path, corpus: str, protocol: Protocol, database: int
) -> None:
    invent_run(tmp_path, PAPER_LIKE, corpus=corpus, protocol=protocol, database=database)
    assert "published" not in {row.kind for table in tables(tmp_path).values() for row in table.rows}


def test_the_corpus_is_recognised_by_its_size(tmp_path: Path) -> None:
    invent_run(tmp_path, {"gpt2": 0.1}, corpus="conll-2012", database=229_989)
    assert below(tables(tmp_path)[f"scores-{MEASURE}"], "gpt2").cells[0].startswith("18.34 ")


def test_only_models_made_as_in_the_paper_have_a_published_row(tmp_path: Path) -> None:
    described = {
        "openai-community/gpt2": settings("openai-community/gpt2"),
        "minilm": settings("minilm"),
        "gpt2@3": settings("gpt2", "3"),
    }
    invent_run(tmp_path, dict.fromkeys(described, 0.2), described=described)
    table = tables(tmp_path)[f"scores-{MEASURE}"]
    assert below(table, "openai-community/gpt2").kind == "published"
    assert below(table, "minilm").label == "gpt2@3"
    assert below(table, "gpt2@3").label == "oracle"


def test_another_cutoff_has_no_published_row(tmp_path: Path) -> None:
    invent_run(tmp_path, {"gpt2": 0.1}, k=10)
    table = tables(tmp_path)["scores-mean_precision@10"]
    assert below(table, "gpt2").label == "oracle"


# Runs of every shape


def test_one_system_is_compared_with_chance(tmp_path: Path) -> None:
    invent_run(tmp_path, {"minilm": 0.3}, corpus="mine")
    (found,) = compare(gather(read_run(tmp_path)))
    assert (found.system, found.against) == ("minilm", "random")
    assert found.differences["all"].value > 0


def test_empty_buckets_are_left_out(tmp_path: Path) -> None:
    invent_run(tmp_path, PAPER_LIKE, most=100, count=50)
    assert tables(tmp_path)[f"scores-{MEASURE}"].columns == ("l < 500, r < 0.25", "l < 500, r ≥ 0.25", "all")
    for form in ("text", "markdown", "latex", "csv", "html"):
        assert "nan" not in make_report(gather(read_run(tmp_path)), form).replace("nan,nan,nan,0", "")


def test_layers_are_a_series(tmp_path: Path) -> None:
    run = invent_run(tmp_path, {"m@10": 0.3, "m@2": 0.2, "m": 0.3, "other@last": 0.1, "lone@4": 0.1})
    series = layer_series([run.result(name) for name in run.systems])
    assert {model: list(layers) for model, layers in series.items()} == {"m": [2, 10]}


def test_inoculated_models_are_grouped_by_model_and_size(tmp_path: Path) -> None:
    tuned = {f"out/gpt2/size-{size}/seed-{seed}/model": 0.2 for size in (1000, 250) for seed in (0, 1)}
    run = invent_run(tmp_path, {"gpt2": 0.1} | tuned)
    groups = inoculated([run.result(name) for name in run.systems])
    assert {base: {size: len(each) for size, each in sizes.items()} for base, sizes in groups.items()} == {
        "gpt2": {0: 1, 250: 2, 1000: 2}
    }
    found = tables(tmp_path)
    assert [row.label for row in found[f"scores-{MEASURE}"].rows if row.kind == "model"] == ["gpt2"]
    sizes = found[f"inoculation-{MEASURE}"]
    seeds = [run.result(f"out/gpt2/size-250/seed-{seed}/model").judged(MEASURE).score() for seed in (0, 1)]
    assert row_of(sizes, "gpt2, 250 examples, 2 seeds").cells[-1].startswith(f"{100 * np.mean(seeds):.2f} ")
    assert below(sizes, "gpt2, 250 examples, 2 seeds").cells[0].startswith("18.08 ")
    plain = run.result("gpt2").judged(MEASURE).score()
    gained = row_of(found[f"gain-{MEASURE}"], "gpt2, 250 examples, 2 seeds").cells[-1]
    assert gained.startswith(f"{100 * (np.mean(seeds) - plain):+.2f} ±")
    assert gained.endswith(f"({100 * (min(seeds) - plain):+.2f} … {100 * (max(seeds) - plain):+.2f})")
    (row,) = (
        row
        for row in csv.DictReader(io.StringIO(make_report(gather(run, measures=[MEASURE]), "csv")))
        if row["table"] == "gains" and row["slice"] == "all" and ", 250 " in row["system"]
    )
    assert float(row["value"]) == pytest.approx(np.mean(seeds) - plain)
    assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
    best = found[f"best-{MEASURE}"]
    averages = {
        size: np.mean([each.judged(MEASURE).score() for each in groups["gpt2"][size]]) for size in (250, 1000)
    }
    top = max(averages, key=lambda size: averages[size])
    cell = row_of(best, "gpt2").cells[-1]
    assert cell.startswith(f"{100 * averages[top]:.2f} ")
    assert cell.endswith(f"[{top:,}]")
    assert below(best, "gpt2").cells[0].startswith("18.12 ")


def test_a_measure_that_is_not_linear_gets_a_sampled_random_row(paper: Path) -> None:
    table = tables(paper, measures=["mrr@50"])["scores-mrr@50"]
    assert "The random row is one seeded random order." in table.notes


def test_systems_can_be_chosen(paper: Path) -> None:
    results = gather(read_run(paper), systems=["roberta-base", "gpt2"])
    assert [result.system for result in results.models] == ["gpt2", "roberta-base"]


def test_mistakes_name_what_there_is(paper: Path) -> None:
    run = read_run(paper)
    with pytest.raises(UnknownNameError, match="did you mean 'gpt2'"):
        gather(run, systems=["gpt"])
    with pytest.raises(UnknownNameError, match="bert-base-cased"):
        compare(gather(run), "bert")
    with pytest.raises(UnknownNameError, match="latex"):
        make_report(gather(run), "pdf")
    with pytest.raises(UserError, match="P@60 needs 60 ranks"):
        gather(run, measures=["P@60"])
