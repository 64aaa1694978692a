"""What pipelines use: the action and the template against their schemas, with their commands run, pre-commit's hooks by
pre-commit itself, and the recipe by make."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

from checks import check, end

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "Sources/Workflows/Engine/Documentation.docc/RecipesForPipelines.md"
SAMPLES = ["welcome.yaml", "welcome.test.yaml", "share-profile-photo.yaml", "share-profile-photo.test.yaml", "email-body.html"]


def tool(name):
    return pathlib.Path(sys.executable).with_name(name)


def run(*command, cwd, **variables):
    environment = {
        **os.environ, "PATH": f"{PROGRAM.parent}:{tool('x').parent}:{os.environ['PATH']}",
        "GRAPHFLOW_HOME": str(cwd / ".home"), "PRE_COMMIT_HOME": str(cwd / ".pre-commit"), **variables}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def repository(folder, is_broken=False):
    folder.mkdir()
    (folder / "workflows").mkdir()
    for name in SAMPLES:
        shutil.copy(ROOT / "workflows" / name, folder / "workflows")
    if is_broken:
        path = folder / "workflows/welcome.yaml"
        path.write_text(path.read_text().replace("call: sendMail", "call: sendMial"))
    for command in [["init", "-q"], ["add", "-A"]]:
        run("git", *command, cwd=folder)
    return folder


def schema(kind, path):
    result = run(tool("check-jsonschema"), "--builtin-schema", f"vendor.{kind}", path, cwd=ROOT)
    check(f"{path.name} follows its schema", result.returncode == 0, result.stdout + result.stderr)


def action(good, broken):
    schema("github-actions", ROOT / "action.yml")
    described = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: each["default"] for name, each in described["inputs"].items()}
    values |= {"dry-run": "workflows/share-profile-photo.yaml", "arguments": "-p to=megan@contoso.com"}

    def perform(step, folder, **variables):
        given = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
            for name, text in step["env"].items()}
        return run("bash", "-e", "-o", "pipefail", "-c", step["run"], cwd=folder, **given, **variables)

    validate, test, preview = described["runs"]["steps"]
    for step in [validate, test]:
        result = perform(step, good)
        check(f"the action's step {step['name']}", result.returncode == 0, result.stdout + result.stderr)
    result = perform(validate, broken)
    check("a mistake is an annotation", result.returncode != 0 and "::error file=workflows/welcome.yaml" in result.stdout,
          result.stdout + result.stderr)
    summary, output = good / "summary.md", good / "output"
    result = perform(
        preview, good, GITHUB_STEP_SUMMARY=str(summary), GITHUB_OUTPUT=str(output), RUNNER_TEMP=str(good))
    check("the dry run is the summary", result.returncode == 0 and "sends the mail" in summary.read_text(), result.stderr)
    check("its file is an output", output.read_text() == f"path={good}/graphflow-plan.md\n", output.read_text())


def gitlab(good, broken):
    path = ROOT / "deploy/gitlab-checks.yml"
    schema("gitlab-ci", path)
    job = yaml.safe_load(path.read_text())["graphflow-checks"]
    script = "\n".join(job["script"])
    result = run("bash", "-e", "-c", script, cwd=good, **job["variables"])
    check("the template's commands", result.returncode == 0, result.stdout + result.stderr)
    check("the results of the tests", "<testsuites" in (good / "graphflow-tests.xml").read_text())
    result = run("bash", "-e", "-c", script, cwd=broken, **job["variables"])
    check("the template's commands end with a mistake", result.returncode == 2, str(result.returncode))


def hooks(good, broken):
    for folder, is_right in [(good, True), (broken, False)]:
        result = run(tool("pre-commit"), "try-repo", ROOT, "--files", *sorted(
            str(path.relative_to(folder)) for path in (folder / "workflows").glob("*.yaml")), cwd=folder)
        check(f"pre-commit in a repository that is {'right' if is_right else 'broken'}",
              (result.returncode == 0) == is_right and "Validate workflow files" in result.stdout,
              result.stdout + result.stderr)


def make(good):
    (good / "Makefile").write_text(re.search(r"```make\n(.*?)```", PAGE.read_text(), re.S)[1])
    for target in ["check", "pictures"]:
        result = run("make", target, cwd=good)
        check(f"make {target}", result.returncode == 0, result.stdout + result.stderr)
    check("the pictures are there", (good / "workflows/welcome.svg").stat().st_size > 1000)


def main():
    with tempfile.TemporaryDirectory() as name:
        good, broken = repository(pathlib.Path(name, "good")), repository(pathlib.Path(name, "broken"), True)
        action(good, broken)
        gitlab(good, broken)
        hooks(good, broken)
        make(good)
    end("pipelines")


main()
