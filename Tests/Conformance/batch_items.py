"""Compares the items of batches with what Python's csv, json and hashlib make of the same sources.

    Tests/Conformance/environment batch_items.py [--count N] [--seed N] [--show N]

Each source is written as CSV, TSV, JSON Lines, JSON or YAML, with values that the input schema's types allow. An item's input,
key, name (the beginning of SHA-256 of the key as RFC 8785 JSON), line and shard are computed here from the table itself.
"""

import csv
import hashlib
import io
import json
import os
import random
import sys
import tempfile

import probe
import yaml

TYPES = {
    "text": "string", "whole": "integer", "number": "number", "flag": "boolean", "list": "array", "some": ["string", "null"],
    "maybe": ["integer", "null"], "free": None,
}
TEXTS = ["a", "é", "😀", "ﬀ", "x, y", 'say "hi"', "1", "true", "null", "{}", "one\ntwo", "\t", " ", "=1+1", "\u2028", "\x7f", "\\", "/", "\x1f"]
TABLES = {"csv": ",", "tsv": "\t"}


def canonical(value):
    """The value as RFC 8785 JSON, for names and numbers of which Python's and ECMAScript's ways of writing are the same."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(member)}" for name, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return json.dumps(value, ensure_ascii=False)


def value(column, source):
    """A field's text, and the value that it stands for; None where it is left out."""
    if column == "list":
        made = [source.choice(TEXTS) for _ in range(source.randrange(3))]
        return json.dumps(made), made
    texts = {
        "text": [(text, text) for text in [*TEXTS, ""]],
        "free": [(text, text) for text in [*TEXTS, ""]],
        "whole": [("0", 0), ("-7", -7), ("12", 12), ("1.0", 1.0), ("", None)],
        "number": [("0.5", 0.5), ("-2", -2), ("1e2", 100.0), ("", None)],
        "flag": [("true", True), ("false", False), ("", None)],
        "some": [(text, text) for text in ["x", "true", ""]] + [("null", Ellipsis)],
        "maybe": [("5", 5), ("null", Ellipsis), ("", None)],
    }
    return source.choice(texts[column])


def question(number, seed, folder):
    source = random.Random(f"{seed} {number}")
    form = source.choice(["csv", "tsv", "jsonl", "json", "yaml"])
    columns = source.sample(sorted(TYPES), source.choice([1, 2, 4, 8]))
    rows = [[value(column, source) for column in columns] for _ in range(source.choice([0, 1, 3, 20]))]
    kept = {}
    for row in rows:
        inputs = {column: None if made is Ellipsis else made for column, (_, made) in zip(columns, row) if made is not None}
        read = {column: text for column, (text, _) in zip(columns, row)} if form in TABLES else inputs
        # A source's keys are all different, and a table's row with one empty field is a blank line.
        if not (form in TABLES and len(columns) == 1 and not row[0][0]):
            kept.setdefault(canonical(read), (read, inputs, row))
    rows = list(kept.values())
    path = os.path.join(folder, f"{number}.{form}")
    lines = []
    with open(path, "w", encoding="utf-8", newline="") as file:
        if form in TABLES:
            text = io.StringIO(newline="")
            writer = csv.writer(text, delimiter=TABLES[form], lineterminator=source.choice(["\n", "\r\n"]))
            writer.writerow(columns)
            for _, _, row in rows:
                lines.append(len(text.getvalue().replace("\r\n", "\n").split("\n")))
                writer.writerow([text for text, _ in row])
            file.write(text.getvalue())
        elif form == "jsonl":
            for position, (_, inputs, _) in enumerate(rows):
                lines.append(2 * position + 1)
                file.write(json.dumps(inputs, ensure_ascii=source.random() < 0.5) + "\n\n")
        elif form == "json":
            file.write("[" + ",\n".join(json.dumps(inputs) for _, inputs, _ in rows) + "]")
            lines = [position + 1 for position in range(len(rows))]
        else:
            # Unicode is escaped: of U+2028, YAML 1.1 makes a line break, and 1.2 does not.
            file.write(yaml.safe_dump([inputs for _, inputs, _ in rows]))
            lines = None
    schema = {"type": "object", "properties": {name: {"type": kind} if kind else {} for name, kind in TYPES.items()}}
    asked = {"source": path, "schema": schema}
    count = source.choice([1, 1, 2, 5])
    index = source.randint(1, count)
    if count > 1:
        asked["shard"] = f"{index}/{count}"
    items = []
    for position, (read, inputs, _) in enumerate(rows):
        digest = hashlib.sha256(canonical(read).encode()).digest()
        if int.from_bytes(digest[:8], "big") % count == index - 1:
            item = {"item": digest.hex()[:20], "key": read, "input": inputs}
            items.append(item | ({"line": lines[position]} if lines else {}))
    with open(path, "rb") as file:
        digest = "sha256:" + hashlib.sha256(file.read()).hexdigest()
    return asked, {"total": len(items), "all": len(rows), "digest": digest, "items": items}


def main():
    options = probe.options(count=2000)
    with tempfile.TemporaryDirectory() as folder:
        made = [question(number, options.seed, folder) for number in range(options.count)]
        answers = probe.ask("items", [asked for asked, _ in made])
        wrong = 0
        for (asked, expected), answer in zip(made, answers):
            found = answer.get("value", {})
            if asked["source"].endswith(".yaml"):
                for item in found.get("items", []):
                    del item["line"]
            if found == expected:
                continue
            wrong += 1
            if wrong <= options.show:
                print(f"--- {asked}\n    Python:    {expected}\n    graphflow: {answer}")
    print(f"{len(made)} sources, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
