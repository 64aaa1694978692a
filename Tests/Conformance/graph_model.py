"""Compares what the program knows of requests to Graph with Microsoft's own client, msgraph-sdk.

    graph_model.py GRAPHFLOW [--count BUILDERS] [--seed SEED]

A request builder of the client has a path, methods, and for each what is answered. `GRAPHFLOW explain` has to know each
of these requests and name the same type. What the model accepts beyond the client's is no mistake.
"""

import argparse
import ast
import collections
import concurrent.futures
import importlib.util
import json
import os
import random
import re
import subprocess
from pathlib import Path

from checks import check, end

# Not imported: the client has 16,000 modules, and what they say stands in their text.
CLIENT = Path(importlib.util.find_spec("msgraph").submodule_search_locations[0]) / "generated"
METHODS = {"get": "GET", "post": "POST", "patch": "PATCH", "put": "PUT", "delete": "DELETE"}
# What people use most is drawn more often.
FAVOURED = {"users", "groups", "sites", "drives", "applications", "identity", "teams"}
PRIMITIVES = {"str": "string", "float": "double", "bytes": "stream", "UUID": "guid", "timedelta": "duration"}
# Requests of the client that are skipped where they fail.
SKIPPED = re.compile(
    "|".join([
        # These are not in the metadata that the program's table was made of.
        "/accessReviews/unified",
        "/externalOriginResourceConnectors?",
        "/directory/tenantGovernance",
        "/subjectProcessingResults",
        "/users/{id}/notes",
        "/crossTenantAccessPolicy/(default|partners/{id})/m365Capabilities",
        "/privilegedAccess/(group/resources|customExtensions)",
        "/resourceAccountKeyAuthenticationMethods",
        "/permissions?(/{id})?/revokeGrants$",
        "/updateRequest$",
        "/batchApplyCustomDataProvidedResourceDecisions$",
        "/stages/{id}/(acceptRecommendations|batchRecordDecisions)$",
        "/devices/provision$",
        r"/subscriptions/getVapidPublicKey\(\)$",
        # The client has no key of an invitation here, without which Graph does not answer.
        "^/invitations/",
    ])
)  # fmt: skip
# More may not be skipped: then the table is old, or the paths above are too wide.
MOST_SKIPPED = 0.05
TEMPLATE = re.compile(r'super\(\).__init__\(request_adapter, "\{\+baseurl\}([^"]*)"')


def draw(count, seed):
    """Request builders: first a part of the client, so that the small ones have their turn, then one whose name is new.

    Twenty ways to the same list say less than twenty functions.
    """
    parts, chance = collections.defaultdict(list), random.Random(seed)
    for folder, _, files in os.walk(CLIENT):
        for file in files:
            if file.endswith("_request_builder.py") and Path(folder) != CLIENT:
                parts[Path(folder).relative_to(CLIENT).parts[0]].append(Path(folder, file))
    for modules in parts.values():
        modules.sort()
        chance.shuffle(modules)
        names = {module.name: module for module in modules}
        # The last one is drawn first.
        modules.sort(key=lambda module: names[module.name] == module)
    while count and parts:
        weights = {name: len(parts[name]) ** 0.5 * (3 if name in FAVOURED else 1) for name in sorted(parts)}
        part = chance.choices(list(weights), list(weights.values()))[0]
        builder = Builder(parts[part].pop())
        if not parts[part]:
            del parts[part]
        if builder.answers:
            count -= 1
            yield builder


class Builder:
    """A request builder as its module's text has it."""

    def __init__(self, file):
        text = file.read_text(encoding="utf-8")
        template = re.sub(r"\{[?&].*?\}", "", TEMPLATE.search(text)[1]).split("?")[0]
        self.path = re.sub(r"\{.*?\}", "{id}", template)
        self.answers = {}
        tree = ast.parse(text)
        types = imports(tree, file)
        for item in ast.walk(tree):
            if isinstance(item, ast.AsyncFunctionDef) and item.name in METHODS:
                self.answers[METHODS[item.name]] = named(ast.unparse(item.returns), types)


def imports(tree, file):
    """The file and the name of each class that a module imports from the client."""
    found = {}
    for item in ast.walk(tree):
        if isinstance(item, ast.ImportFrom) and item.level:
            folder = file.parents[item.level - 1]
            for alias in item.names:
                found[alias.asname or alias.name] = (folder / (item.module.replace(".", "/") + ".py"), alias.name)
    return found


def named(annotation, types):
    """A type of Python as the model writes it; None where nothing is answered."""
    if annotation == "None":
        return None
    name = re.fullmatch(r"Optional\[(.*)\]", annotation)[1]
    if listed := re.fullmatch(r"list\[(.*)\]", name):
        return f"[{named(f'Optional[{listed[1]}]', types)}]"
    if name not in types:
        return PRIMITIVES.get(name, name)
    file, name = types[name]
    folders = file.parent.relative_to(CLIENT).parts
    if folders[0] == "models" and not name.endswith("CollectionResponse"):
        # A class of the outermost namespace that is called as another one is moved into that: `security.Security`.
        is_moved = len(folders) == 2 and plain(folders[1]) == plain(name)
        return name if is_moved else ".".join([*folders[1:], name])
    # A wrapper: what is answered is its value.
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for item in ast.walk(tree):
        if isinstance(item, ast.AnnAssign) and item.target.id == "value":
            return named(ast.unparse(item.annotation), imports(tree, file))
    return name


def plain(name):
    """A type's name without what the client spells in its own way, and without the mark of what can be null."""
    return name and re.sub(r"[_?]", "", name).lower()


def explain(program, method, path):
    command = [program, "explain", method, path, "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def is_right(method, path, answer, explained):
    """Whether the program answers what the client does."""
    ours = explained["response"]
    # The client has text for references, which are objects, and the owner or its bytes for any content that is put.
    # The model has no type for either, but for the item of a drive.
    is_untyped = method == "GET" and path.endswith("/$ref") or method == "PUT" and explained["operation"] == "content"
    return ours is None and is_untyped or plain(ours) == plain(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=64)
    options = parser.parse_args()
    builders = list(draw(options.count, options.seed))
    requests = [(method, builder.path, answer) for builder in builders for method, answer in builder.answers.items()]
    skipped = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda request: explain(options.graphflow, *request[:2]), requests)
        for (method, path, answer), result in zip(requests, results):
            explained = None if result.returncode else json.loads(result.stdout)
            right = explained is not None and is_right(method, path, answer, explained)
            if not right and SKIPPED.search(path):
                skipped += 1
                continue
            seen = f"answers {explained['response']}, but the client has {answer}" if explained else result.stderr
            check(f"{method} {path}", right, seen or f"exit {result.returncode}")
    print(f"{len(builders)} request builders, {len(requests)} requests, {skipped} skipped")
    check("few are skipped", skipped <= MOST_SKIPPED * len(requests), f"{skipped} of {len(requests)}")
    end("Requests of msgraph-sdk")


main()
