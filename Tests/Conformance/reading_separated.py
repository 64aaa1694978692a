"""Compares the reading of separated values with Python's csv module in its strict mode.

    Tests/Conformance/environment reading_separated.py [--count N] [--seed N] [--show N]

Half of the texts are written by Python's writer and valid unless their columns' names are not; the others are damaged. A
text is valid if Python reads it, if it is a text of the grammar of RFC 4180 (of which Python also takes quotes inside fields
that do not begin with one), and if its rows and names are as graphflow wants them. Then both must return the same rows.
"""

import base64
import csv
import io
import random
import re
import sys

import probe

TEXTS = ["", "a", "é", "😀", "x y", " ", '"', '""', "\n", "\r\n", "\r", ",", "\t", ";", "one\ntwo", 'say "hi"', "long " * 30, "\u2028", "\ufeff"]
NAMES = ["name", "mail", "é", "a b", "x,y", 'q"', "n\nm", "", "t\tt", "a;b"]
INSERTED = [b'"', b",", b"\t", b"\n", b"\r", b"\r\n", b'""', b"x", b"\xff", b"\xc3", b"\x00", b"\n\n", b" "]


def document(source, separator):
    width = source.choice([1, 2, 2, 3, 5, 15])
    names = [source.choice(NAMES) + str(number) if source.random() < 0.97 else source.choice(NAMES) for number in range(width)]
    rows = [[source.choice(TEXTS) for _ in range(width if source.random() < 0.98 else width + 1)] for _ in range(source.choice([0, 1, 3, 10]))]
    text = io.StringIO(newline="")
    writer = csv.writer(
        text, delimiter=separator, lineterminator=source.choice(["\n", "\r\n", "\r"]), quoting=source.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    )
    writer.writerows([names, *rows])
    text = text.getvalue()
    if source.random() < 0.2:
        text = text.rstrip("\r\n")
    if source.random() < 0.2:
        text = "\ufeff" + text
    return text.encode()


def damage(text, source):
    for _ in range(source.choice([1, 1, 2])):
        place = source.randrange(len(text) + 1)
        inserted = source.choice(INSERTED)
        text = source.choice([text[:place] + inserted + text[place:], text[:place] + text[place + 1 :], text[:place]])
    return text


def grammar(separator):
    field = rf'(?:"(?:[^"]|"")*"|[^"{separator}\r\n]*)'
    row = rf"{field}(?:{separator}{field})*"
    return re.compile(rf"{row}(?:(?:\r\n|\r|\n){row})*\Z")


GRAMMARS = {separator: grammar(separator) for separator in ",\t"}


def read(text, separator):
    try:
        decoded = text.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(decoded, newline=""), delimiter=separator, strict=True) if row]
    except (ValueError, csv.Error):
        return None
    if "\0" in decoded or not GRAMMARS[separator].match(decoded) or not rows:
        return None
    names = rows[0]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        return None
    # A single column that is not in quotes and has another separator in its name is a file with that separator.
    if len(names) == 1 and re.search("[,;\t]", names[0]) and not decoded.lstrip("\r\n").startswith('"'):
        return None
    if any(len(row) != len(names) for row in rows):
        return None
    return [dict(zip(names, row)) for row in rows[1:]]


def main():
    options = probe.options(count=4000)
    csv.field_size_limit(10**9)
    texts = []
    for number in range(options.count):
        source = random.Random(f"{options.seed} {number}")
        separator = source.choice(",\t")
        text = document(source, separator)
        texts.append((damage(text, source) if number % 2 else text, separator))
    questions = [{"base64": base64.b64encode(text).decode(), "tabs": separator == "\t"} for text, separator in texts]
    wrong = refused = 0
    for (text, separator), answer in zip(texts, probe.ask("separated", questions)):
        expected = read(text, separator)
        refused += expected is None
        if ("error" in answer) if expected is None else answer.get("value") == expected:
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {text!r}\n    Python:    {expected if expected is not None else 'error'!r}\n    graphflow: {answer}")
    print(f"{len(texts)} tables, {refused} of them refused, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
