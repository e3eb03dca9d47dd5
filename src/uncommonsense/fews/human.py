"""Human evaluation on FEWS: a sheet of examples for annotators, their answers, and how good those are.

sheet, keys = sample("fews")                    # half few-shot, half zero-shot
write_sheet(path, sheet, keys)                  # the gold answers go to another file
record(file, sheet, 1, "bank.noun.2", annotator="anna", seconds=8.5)
rows = score(sheet, keys, [read_answers(file, sheet)])
"""

from __future__ import annotations

from uncommonsense.fews.human_answers import Answer, Answers, answer_file, open_answers, read_answers, record
from uncommonsense.fews.human_scores import MEAN, Score, published, read_predictions, score
from uncommonsense.fews.human_sheet import (
    SHOTS,
    Candidate,
    Item,
    Key,
    Sheet,
    gold_file,
    read_gold,
    read_sheet,
    sample,
    write_sheet,
)

__all__ = [
    "MEAN",
    "SHOTS",
    "Answer",
    "Answers",
    "Candidate",
    "Item",
    "Key",
    "Score",
    "Sheet",
    "answer_file",
    "gold_file",
    "open_answers",
    "published",
    "read_answers",
    "read_gold",
    "read_predictions",
    "read_sheet",
    "record",
    "sample",
    "score",
    "write_sheet",
]
