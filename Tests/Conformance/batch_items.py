"""Compares the items of batches with what Python's csv, json and hashlib make of the same sources.

    Tests/Conformance/environment batch_items.py [--count N] [--seed N] [--show N]

Each source is written as CSV, TSV, JSON Lines, JSON or YAML, with values that the input schema's types allow. An item's input,
key, name (the beginning of SHA-256 of the key as RFC 8785 JSON), line and shard are computed here from the table itself.

Tables are written in drawn dialects: separators, quotes, ends of lines, encodings, and lines that are no rows. Names have other
blanks and letters' case than the schema's properties, or typing errors, which are said.
"""

import csv
import hashlib
import io
import json
import os
import random
import re
import sys
import tempfile
import unicodedata

import probe
import yaml

TYPES = {
    "text": "string", "whole": "integer", "number": "number", "flag": "boolean", "list": "array", "some": ["string", "null"],
    "maybe": ["integer", "null"], "free": None,
}
TEXTS = ["a", "é", "😀", "ﬀ", "x, y", 'say "hi"', "1", "true", "null", "{}", "one\ntwo", "\t", " ", "=1+1", "\u2028", "\x7f", "\\", "/", "\x1f"]
TABLES = {"csv": ",", "tsv": "\t"}
BLANKS = ["", " ", "  ", "\u00a0", "\u3000", "\ufeff", "\u200b"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]
TYPE_LINES = ["#TYPE System.Management.Automation.PSCustomObject", '"#TYPE System.IO.FileInfo"', "#TYPE Selected.User,,", '#TYPE A`1[[B, "C"]]']


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
        "flag": [(word, word.strip() in ("true", "True", "TRUE")) for word in ("true", "false", "TRUE", "False", " fAlSe", "True ")] + [("", None)],
        "some": [(text, text) for text in ["x", "true", ""]] + [("null", Ellipsis)],
        "maybe": [("5", 5), ("null", Ellipsis), ("", None)],
    }
    return source.choice(texts[column])


def spelling(column, source):
    """How a source writes the name of a property, and whether that is read as the property."""
    kind = source.choice(["as it is", "as it is", "nearly", "misspelt"])
    if kind == "nearly":
        letters = "".join(source.choice([letter.upper(), letter]) for letter in column)
        return source.choice(BLANKS) + letters + source.choice(BLANKS), True
    if kind == "misspelt":
        place = source.randrange(1, len(column) - 1)
        return column[:place] + source.choice(["", column[place] * 2, "-" + column[place]]) + column[place + 1 :], False
    return column, True


def is_blank(text):
    return all(letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") for letter in text)


class Dialect:
    """How a table is written."""

    def __init__(self, form, source):
        usual = TABLES.get(form, ",")
        self.separator = source.choice([usual, usual, *",;\t|"])
        self.end = source.choice(["\n", "\r\n", "\r"])
        # Python quotes a line break only if it contains one of these characters.
        self.quoting = csv.QUOTE_ALL if self.end == "\r" else source.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        self.encoding = source.choice(ENCODINGS)
        self.given = None
        stated = source.choice(["", "", "sep=", "SEP=", '"sep='])
        if source.random() < 0.2:
            self.separator = source.choice(":^~!")
            stated = source.choice(["", "sep="])
        self.head = source.choice(["", "", source.choice(TYPE_LINES) + self.end])
        if stated:
            self.head += stated + self.separator + ('"' if stated[0] == '"' else source.choice(["", self.separator * 2])) + self.end
        elif self.separator in ":^~!" or source.random() < 0.1:
            self.given = "tab" if self.separator == "\t" else self.separator
        # The name of an only column does not tell it: a row of separators is then a text of this column.
        self.is_told = bool(stated or self.given) or self.separator == usual

    def encoded(self, text):
        return ("\ufeff" + text if self.encoding.startswith("utf-16") else text).encode(self.encoding)


def table(rows, names, dialect, source, skips):
    """The text of a table, and the line of each of its rows."""
    text = io.StringIO(newline="")
    text.write(dialect.head)
    # Where nothing tells the separator, a text that is or has one must be in quotes.
    quoting = dialect.quoting if len(names) > 1 or dialect.is_told else csv.QUOTE_ALL
    writer = csv.writer(text, delimiter=dialect.separator, lineterminator=dialect.end, quoting=quoting)
    writer.writerow(names)
    lines = []
    for _, _, row in rows:
        # Empty rows are skipped if an item needs a column, and else if their length is another than that of the first row.
        if source.random() < 0.1 and (len(names) > 1 or dialect.is_told):
            count = source.choice([len(names), len(names) + 3] + ([len(names) - 1] if skips else []))
            text.write(source.choice(["", " ", "\u00a0"]) + dialect.separator * count + dialect.end)
        lines.append(len(re.split("\r\n|\r|\n", text.getvalue())))
        writer.writerow([text for text, _ in row])
    return text.getvalue(), lines


def question(number, seed, folder):
    source = random.Random(f"{seed} {number}")
    form = source.choice(["csv", "csv", "tsv", "tsv", "jsonl", "json", "yaml"])
    columns = source.sample(sorted(TYPES), source.choice([1, 2, 4, 8]))
    written = [spelling(column, source) for column in columns]
    # The separator is found by a column that is known.
    written[0] = (columns[0], True)
    names = [name for name, _ in written]
    required = ["text"] if "text" in columns and written[columns.index("text")][1] and source.random() < 0.5 else []
    rows = [[value(column, source) for column in columns] for _ in range(source.choice([0, 1, 3, 20]))]
    kept = {}
    for row in rows:
        read, inputs = {}, {}
        for column, (name, is_read), (text, made) in zip(columns, written, row):
            if not is_read and form in TABLES:
                made = text
            if form in TABLES:
                read[name] = text
            if made is not None:
                inputs[column if is_read else name] = None if made is Ellipsis else made
                if form not in TABLES:
                    read[name] = inputs[column if is_read else name]
        # A source's keys are all different, and a table's row with one empty field is a blank line.
        is_row = not (form in TABLES and (len(columns) == 1 and not row[0][0] or required and all(is_blank(text) for text, _ in row)))
        if is_row:
            kept.setdefault(canonical(read), (read, inputs, row))
    rows = list(kept.values())
    path = os.path.join(folder, f"{number}.{form}")
    lines = []
    dialect = Dialect(form, source)
    with open(path, "w", encoding="utf-8", newline="") as file:
        if form in TABLES:
            text, lines = table(rows, names, dialect, source, bool(required))
            file.buffer.write(dialect.encoded(text))
        elif form == "jsonl":
            for position, (read, _, _) in enumerate(rows):
                lines.append(2 * position + 1)
                file.write(json.dumps(read, ensure_ascii=source.random() < 0.5) + "\n\n")
        elif form == "json":
            file.write("[" + ",\n".join(json.dumps(read) for read, _, _ in rows) + "]")
            lines = [position + 1 for position in range(len(rows))]
        else:
            # Unicode is escaped: of U+2028, YAML 1.1 makes a line break, and 1.2 does not.
            file.write(yaml.safe_dump([read for read, _, _ in rows]))
            lines = None
    schema = {"type": "object", "required": required, "properties": {name: {"type": kind} if kind else {} for name, kind in TYPES.items()}}
    asked = {"source": path, "schema": schema, "warns": True}
    if form in TABLES and dialect.given:
        asked["separator"] = dialect.given
    given = names if form in TABLES else list(dict.fromkeys(name for read, _, _ in rows for name in read))
    meant = [column for column, name in zip(columns, names) if name != column and name in given]
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
    return asked, {"total": len(items), "all": len(rows), "digest": digest, "items": items, "warnings": sorted(meant)}


def main():
    options = probe.options(count=2000)
    with tempfile.TemporaryDirectory() as folder:
        made = [question(number, options.seed, folder) for number in range(options.count)]
        answers = probe.ask("items", [asked for asked, _ in made])
        wrong = 0
        for (asked, expected), answer in zip(made, answers):
            found = answer.get("value", {})
            warnings = (re.search(r"did you mean '(\w+)'", warning) for warning in found.get("warnings", []))
            found["warnings"] = sorted(warning[1] for warning in warnings if warning)
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
