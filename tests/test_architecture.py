"""Rules about the code itself: imports go one way, nothing heavy is loaded early, nothing is left behind."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import uncommonsense

PACKAGE = Path(uncommonsense.__file__).parent
PROJECT = Path(__file__).resolve().parent.parent

LAYERS = (
    "errors",
    "schema",
    "resources",
    "inventories",
    "corpora",
    "wiktionary",
    "encode",
    "text",
    "metrics",
    "fews",
    "rank",
    "train",
    "wsd",
    "experiments",
    "report",
    "spacy",
    "testing",
    "cli",
)
"""A module imports from its own layer and from those before it."""

FORBIDDEN = {"encode": {"inventories"}, "metrics": set(LAYERS) - {"metrics", "errors"}, "cli": {"testing"}}
"""What a layer does without although the order would allow it."""

HEAVY = {"torch", "transformers", "matplotlib", "ray", "fastapi"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    """``uncommonsense.encode.store`` for its file."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    """The part after ``uncommonsense``; empty for the root."""
    return (*module.split("."), "")[1]


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the package, parsed."""
    for file in MODULES:
        yield file, ast.parse(file.read_text(encoding="utf-8"), str(file))


def imported(node: ast.AST) -> list[str]:
    """The modules that one statement imports, those of this package to the depth of a layer."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module is not None:
        if node.module == "uncommonsense":
            return [f"uncommonsense.{alias.name}" for alias in node.names if alias.name in LAYERS]
        return [node.module]
    return []


def imports(tree: ast.AST) -> set[str]:
    """All modules imported anywhere in a tree."""
    return {name for node in ast.walk(tree) for name in imported(node)}


def early_imports(tree: ast.Module) -> set[str]:
    """Modules imported outside of functions, and not for type checkers only."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        found.update(imported(node))
        waiting.extend(child for child in ast.iter_child_nodes(node) if not _waits(child))
    return found


def _waits(node: ast.AST) -> bool:
    """Whether what is in it does not run when the module is imported."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def roots(names: set[str]) -> set[str]:
    """``torch`` for ``torch.nn``."""
    return {name.partition(".")[0] for name in names}


# Imports in the source


def test_every_package_has_its_place_in_the_order() -> None:
    assert {layer_of(name_of(file)) for file in MODULES} == {*LAYERS, ""}


def test_imports_go_one_way() -> None:
    wrong = []
    for file, tree in trees():
        own = layer_of(name_of(file))
        if not own:
            continue  # the root re-exports names of every layer
        allowed = set(LAYERS[: LAYERS.index(own) + 1]) - FORBIDDEN.get(own, set())
        used = {layer_of(name) for name in imports(tree) if name.startswith("uncommonsense.")}
        wrong += [f"{name_of(file)} imports {layer}" for layer in sorted(used - allowed)]
    assert wrong == []


def test_no_import_is_relative() -> None:
    """The checks above read absolute names only."""
    found = [
        file
        for file, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert found == []


def test_one_file_knows_transformers() -> None:
    users = {name_of(file) for file, tree in trees() if "transformers" in roots(imports(tree))}
    assert users == {"uncommonsense.encode._hf"}


def test_torch_stays_below_encode() -> None:
    users = {name_of(file) for file, tree in trees() if "torch" in roots(imports(tree))}
    assert {name for name in users if layer_of(name) not in ("encode", "train")} <= {
        "uncommonsense.cli.doctor"
    }


def test_nothing_heavy_is_imported_early_outside_encode() -> None:
    wrong = {
        name_of(file): heavy
        for file, tree in trees()
        if layer_of(name_of(file)) not in ("encode", "train")
        and (heavy := roots(early_imports(tree)) & HEAVY)
    }
    assert wrong == {}


# Imports as they happen


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a new interpreter has loaded after ``code``."""
    script = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    )
    environment = {"PYTHONPATH": str(PACKAGE.parent), "PATH": "", "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    return roots(set(done.stderr.split()))


def command(*arguments: str) -> str:
    """Code that runs the command line."""
    return f"sys.argv = {['uncommonsense', *arguments]!r}; from uncommonsense.cli import main; main()"


@pytest.mark.parametrize(
    "code",
    [
        "import uncommonsense; dir(uncommonsense)",
        *(command(*each) for each in ((), ("--help",), ("--version",))),
    ],
)
def test_a_glance_loads_nothing_heavy(code: str) -> None:
    loaded = loaded_by(code)
    assert "uncommonsense" in loaded
    assert loaded & (HEAVY | {"numpy", "pyarrow", "tokenizers", "safetensors"}) == set()


@pytest.mark.parametrize("code", [command("like", "--help"), command("corpus", "stats", "sampler")])
def test_commands_without_a_model_load_no_torch(code: str) -> None:
    assert loaded_by(code) & HEAVY == set()


@pytest.mark.parametrize(
    "module", ["encode", "encode.store", "encode.corpus", "rank", "rank.example", "corpora", "testing"]
)
def test_modules_load_torch_when_a_model_is_made(module: str) -> None:
    assert loaded_by(f"import uncommonsense.{module}") & HEAVY == set()


# Names and words


@pytest.mark.parametrize("name", uncommonsense.__all__)
def test_public_names_can_be_imported(name: str) -> None:
    assert getattr(uncommonsense, name) is not None


def test_the_root_names_what_it_has() -> None:
    assert dir(uncommonsense) == sorted(uncommonsense.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = uncommonsense.nothing


def test_modules_have_what_they_promise() -> None:
    for file in MODULES:
        module = import_module(name_of(file))
        assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == [], file


def test_modules_say_what_they_are() -> None:
    assert [name_of(file) for file, tree in trees() if not ast.get_docstring(tree)] == []


def test_what_modules_promise_says_what_it_is() -> None:
    wrong = []
    for file in MODULES:
        module = import_module(name_of(file))
        promised = [(name, getattr(module, name)) for name in getattr(module, "__all__", ())]
        wrong += [
            f"{name_of(file)}.{name}"
            for name, each in promised
            if (inspect.isfunction(each) or inspect.isclass(each)) and not each.__doc__
        ]
    assert wrong == []


def test_no_print_and_no_assert() -> None:
    wrong = []
    for file, tree in trees():
        for node in ast.walk(tree):
            prints = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            )
            if prints or isinstance(node, ast.Assert):
                wrong.append(f"{file}:{node.lineno}")
    assert wrong == []


def test_no_pickles() -> None:
    picklers = {"pickle", "dill", "joblib", "shelve", "marshal"}
    assert [name_of(file) for file, tree in trees() if roots(imports(tree)) & picklers] == []


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    places = [f"/{place}/".encode() for place in ("work", "root", "tmp/venv", "Users")]
    skipped = {"__pycache__", "build", "dist"}
    wrong = []
    for file in sorted(PROJECT.rglob("*")):
        parts = file.relative_to(PROJECT).parts
        hidden = any(part.startswith(".") and part != ".github" for part in parts[:-1])
        if file.is_file() and not hidden and not skipped.intersection(parts):
            content = file.read_bytes()
            wrong += [
                f"{file.relative_to(PROJECT)}: {place.decode()}" for place in places if place in content
            ]
    assert wrong == []
