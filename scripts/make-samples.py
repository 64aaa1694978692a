#!/usr/bin/env python3
"""Writes the samples that `graphflow init` copies, from the folder `workflows`.

    scripts/make-samples.py             writes Sources/graphflow/Resources/samples.json
    scripts/make-samples.py --check     fails if it is not what would be written

A sample is a workflow with its test, and the files that they name. The schemas for editors are left out, because
`graphflow validate --schema` prints them.
"""
import json, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKFLOWS = ROOT / "workflows"
PLACE = ROOT / "Sources/graphflow/Resources/samples.json"


# The names of the workflows in their documents.
DOCUMENTS = {
    path.name: re.search(r"^document:[\s\S]*?name: ([\w-]+)", path.read_text(), re.M)[1]
    for path in sorted(WORKFLOWS.glob("*.yaml")) if not path.name.endswith(".test.yaml")}


def files():
    """Every file below the folder by its path, but for the schemas for editors."""
    paths = sorted(path for path in WORKFLOWS.rglob("*") if path.is_file())
    texts = {str(path.relative_to(WORKFLOWS)): path.read_text() for path in paths}
    return {path: text for path, text in texts.items() if not (path.startswith("graphflow") and path.endswith("schema.json"))}


def sample(name, texts):
    """The files of a sample, and those that they name in turn."""
    wanted = [f"{name}.yaml", f"{name}.test.yaml"]
    found = {}
    while wanted:
        path = wanted.pop(0)
        if path in found or path not in texts:
            continue
        found[path] = texts[path]
        # A catalog is named by its folder, another workflow by its name, and a list of the same name by its comment.
        lines = [line for line in texts[path].splitlines() if not line.lstrip().startswith("#")]
        text = "\n".join(lines)
        wanted += [
            other for other in texts
            if not other.endswith(".test.yaml")
            and (other in text or other == f"{name}.csv" or other.startswith("catalog/") and "catalog" in text)]
        if not path.endswith(".test.yaml"):
            called = set(re.findall(r"\bname: ([\w-]+)", text))
            wanted += [other for other, own in DOCUMENTS.items() if own in called]
    return found


def main():
    texts = files()
    names = [path.removesuffix(".yaml") for path in texts if path.endswith(".yaml") and "/" not in path]
    samples = {name: sample(name, texts) for name in names if not name.endswith(".test")}
    text = json.dumps(samples, ensure_ascii=False, indent=1) + "\n"
    if "--check" not in sys.argv:
        PLACE.parent.mkdir(exist_ok=True)
        PLACE.write_text(text)
    elif PLACE.read_text() != text:
        raise SystemExit(f"{PLACE.relative_to(ROOT)} is out of date: run scripts/make-samples.py")


main()
