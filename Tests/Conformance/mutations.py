"""What graphflow accepts is valid against the official JSON Schema of the Serverless Workflow DSL.

Copies of the samples are changed at one random place each; a copy that the official schema refuses must be refused by
`graphflow validate` as well, because a file that graphflow runs can move to any other runtime of the standard.
"""

import argparse
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import jsonschema
from ruamel.yaml import YAML

import official
from sample_files import PATHS

here = pathlib.Path(__file__).parent
workflows = here.parent.parent / "workflows"
yaml = YAML(typ="safe", pure=True)  # YAML 1.2, where 'on' is a string

NAMES = ["unknown", "do", "with", "for", "to", "as", "from", "when", "then", "if", "retry", "backoff", "until"]
VALUES = [
    None, True, 0, -1, 1.5, "", "x", "${ .x }", "a b", [], {}, [1], {"x": 1}, [{"x": {"set": {}}}], {"seconds": 1},
    "PT1S", "continue", "/a", "http", "1.0",
]


def places(node, path=()):
    """The paths of all inner values."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def inside(node, path):
    for key in path:
        node = node[key]
    return node


def changed(workflow, draw):
    """A copy with one change, and its description."""
    result = copy.deepcopy(workflow)
    path = draw.choice(list(places(result)))
    parent = inside(result, path[:-1])
    change = draw.choice(["delete", "replace", "add", "rename"])
    if change == "delete":
        del parent[path[-1]]
    elif change == "rename" and isinstance(parent, dict):
        parent[draw.choice(NAMES)] = parent.pop(path[-1])
    elif change == "add" and isinstance(parent[path[-1]], dict):
        parent[path[-1]][draw.choice(NAMES)] = draw.choice(VALUES)
    else:
        parent[path[-1]] = draw.choice(VALUES)
    return result, f"{change} at /{'/'.join(map(str, path))}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("graphflow")
    arguments.add_argument("--count", type=int, default=150)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    draw = random.Random(options.seed)
    samples = {path.name: yaml.load(path) for path in PATHS}
    refused = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(workflows, folder, dirs_exist_ok=True)
        file = pathlib.Path(folder, "changed.json")
        for _ in range(options.count):
            name = draw.choice(list(samples))
            workflow, what = changed(samples[name], draw)
            if official.is_valid(workflow):
                continue
            refused += 1
            file.write_text(json.dumps(workflow))
            answer = subprocess.run([options.graphflow, "validate", file], capture_output=True, timeout=60)
            if answer.returncode == 0:
                failed += 1
                print(f"{name}, {what}: {jsonschema.exceptions.best_match(official.iter_errors(workflow)).message[:200]}")
    print(f"mutations: {options.count} copies, {refused} refused by the official schema, {failed} of them accepted")
    sys.exit(1 if failed or not refused else 0)


main()
