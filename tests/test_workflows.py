"""What runs elsewhere is sound: workflows, hooks and forms parse, and call what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
TARGETS = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.M))
PYTHONS = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def made(workflow: dict[str, Any]) -> set[str]:
    """Return the targets that a workflow has make build."""
    lines = [line for step in steps(workflow) for line in step.get("run", "").splitlines()]
    words = [word for line in lines if line.startswith("make ") for word in line.split()[1:]]
    return {word for word in words if "=" not in word}


def test_the_workflows_are_found_and_call_make() -> None:
    called = set().union(*(made(loaded(path)) for path in WORKFLOWS))
    assert {"lint", "test-only", "docs", "release", "coverage"} <= called


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_only_what_is_there(path: Path) -> None:
    workflow = loaded(path)
    assert made(workflow) <= TARGETS
    for step in steps(workflow):
        scripts = re.findall(r"\b(?:tools|tests|benchmarks)/\w+\.py\b", step.get("run", ""))
        assert all((ROOT / script).is_file() for script in scripts)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_little_and_stop_in_time(path: Path) -> None:
    workflow = loaded(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 120
        # A job that may write runs nothing from the repository.
        used = [step.get("uses", "") for step in job["steps"]]
        assert "permissions" not in job or not any("checkout" in use for use in used)
        assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", use) for use in used if use)


def test_the_tests_run_on_every_python_that_is_promised() -> None:
    ci = loaded(ROOT / ".github/workflows/ci.yml")
    assert ci["jobs"]["tests"]["strategy"]["matrix"]["python"] == PYTHONS


def test_a_target_that_does_not_exist_is_noticed() -> None:
    workflow = {"jobs": {"a": {"steps": [{"run": "cd .\nmake lint nothing TAG=v1"}]}}}
    assert made(workflow) - TARGETS == {"nothing"}


def test_hooks_run_what_make_lint_runs() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert recipe is not None
    linted = {line.strip().removesuffix(" .") for line in recipe[1].splitlines()}
    hooks = [
        hook for repo in loaded(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]
    ]
    entries = {hook["entry"].replace(" --force-exclude", "") for hook in hooks}
    assert {entry.replace(".venv/bin", "$(BIN)") for entry in entries} == linted


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_for_issues_are_complete(path: Path) -> None:
    form = loaded(path)
    assert form["name"]
    assert form["description"]
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked) > 0
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_bugs_come_with_their_environment() -> None:
    assert "unimds info" in (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text("utf-8")
    assert len(FORMS) == 3


def test_dependabot_watches_actions_and_packages() -> None:
    updates = loaded(ROOT / ".github/dependabot.yml")["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"github-actions", "pip"}


def test_the_page_on_stability_has_the_bounds_of_the_project() -> None:
    page = (ROOT / "docs/stability.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needs = dict(need.split(">=") for need in project["dependencies"])
    bounds = re.findall(r"^\| ([\w-]+) \| (\d[\d.]*) and newer \|$", page, re.M)
    assert len(bounds) == 4
    assert all(needs[name.lower()] == bound for name, bound in bounds)
    assert f"| Python | {', '.join(PYTHONS)} |" in page
