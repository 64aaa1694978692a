"""Draws workflows, and reads the drawings with Graphviz and Python's XML reader.

    drawings.py GRAPHFLOW

Graphviz must lay out every DOT file without warnings and with all its nodes and edges, and every SVG must be
well-formed with everything inside its page.
"""

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from checks import check, end
from sample_files import PATHS

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ['"', "\\", "\\N\\G", "&amp;", "<b>", "]]>", "a\nb", "\u202eabc", "{x|y}", "node", "graph", "1. x", "日本語", "l" * 1000]

def draw(graphflow, path, form):
    result = subprocess.run([graphflow, "graph", path, "--format", form], capture_output=True, timeout=60)
    check(f"{path} as {form}", result.returncode == 0, result.stderr.decode())
    return result.stdout.decode()


def graphviz(name, text):
    result = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, timeout=120)
    check(f"{name}: dot accepts it", result.returncode == 0 and not result.stderr, result.stderr.decode())
    if result.returncode:
        return
    groups = [group.get("class") for group in ElementTree.fromstring(result.stdout).iter(SVG + "g")]
    for kind, pattern in [("node", r"^ *n\d+ \["), ("edge", r"^ *n\d+ -> "), ("cluster", r"^ *subgraph cluster_")]:
        expected = len(re.findall(pattern, text, re.MULTILINE))
        check(f"{name}: {kind}s", groups.count(kind) == expected, f"{groups.count(kind)} of {expected}")


def picture(name, text):
    root = ElementTree.fromstring(text)
    _, _, width, height = map(float, root.get("viewBox").split())
    for element in root.iter():
        for attribute, size, limit in [("x", "width", width), ("y", "height", height), ("cx", "", width), ("cy", "", height)]:
            if element.get(attribute) is None or element.tag == SVG + "tspan":
                continue
            start = float(element.get(attribute))
            end = start + float(element.get(size, 0)) if size else start
            check(f"{name}: inside the page", 0 <= start and end <= limit, ElementTree.tostring(element))


def workflow(random, count):
    names = [f"t{number}{random.choice(HOSTILE)}" for number in range(count)]
    tasks = []
    for number, name in enumerate(names):
        then = {"then": random.choice(names[: count // 2] if number < count // 2 else names[count // 2 :])} if random.random() < 0.2 else {}
        tasks.append({name: {"set": {random.choice(HOSTILE): 1}, "if": json.dumps(random.choice(HOSTILE)), **then}})
    tasks.append({"try" + random.choice(HOSTILE): {"try": tasks[: count // 2], "catch": {"errors": {"with": {"title": random.choice(HOSTILE)}}}}})
    return {"document": {"dsl": "1.0.3", "namespace": "samples", "name": "drawn", "version": "1.0.0", "title": random.choice(HOSTILE)}, "do": tasks[count // 2 :]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    graphflow = os.path.abspath(arguments.graphflow)
    paths = list(map(str, PATHS))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            paths.append(os.path.join(folder, f"{number}.json"))
            with open(paths[-1], "w") as file:
                json.dump(workflow(random.Random(arguments.seed + number), 3 + 3 * number), file)
        for path in paths:
            graphviz(os.path.basename(path), draw(graphflow, path, "dot"))
            picture(os.path.basename(path), draw(graphflow, path, "svg"))
    end(f"{len(paths)} drawings")


main()
