"""Compares the validation by JSON Schema 2020-12 and draft 7 with the package jsonschema, and its metaschemas with the published ones.

    Tests/Conformance/environment jsonschema_validation.py [--count N] [--seed N] [--show N]

Schemas and values are generated; both must agree on whether a value is valid. Texts of the asserted formats are compared as well.
"""

import json
import re
import sys

import jsonschema
from jsonschema_specifications import REGISTRY as SPECIFICATIONS

import probe
from jsonschema_documents import Draft7Generator, Generator

# Formats in which jsonschema and the specification differ, and the texts for which jsonschema is not asked.
FORMATS = {
    "email": ("jsonschema only looks for an '@'", lambda text: True),
    "regex": ("jsonschema takes Python's expressions", lambda text: True),
    "time": ("jsonschema takes a leap second at any minute, and white space", lambda text: ":60" in text or " " in text),
    "date-time": ("jsonschema takes a leap second at any minute", lambda text: ":60" in text),
    "ipv6": ("jsonschema takes an address with a zone", lambda text: "%" in text),
    "duration": ("jsonschema takes fractions, weeks beside other units, years beside days, and numbers without a unit",
                 lambda text: re.search(r"[.,W]|[a-z]|Y[^M]*D|Y[^M]*T|H[^M]*S|\dT|\d$", text)),
    "uuid": ("jsonschema takes hyphens elsewhere", lambda text: False),
}


def metaschemas():
    """How many of the metaschemas in the program differ from those that the package brings."""
    with open(f"{probe.ROOT}/Sources/Workflows/Data/Schemas/metaschemas.json") as file:
        ours = json.load(file)
    return sum(SPECIFICATIONS.get(schema["$id"]).contents != schema for schema in ours)


def main():
    options = probe.options(count=500)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    questions, expected = [], []
    skipped = 0
    for number in range(options.count):
        generator = Generator(f"{options.seed} {number}")
        draft7 = Draft7Generator(f"{options.seed} 7 {number}")
        for (schema, values), kind in ((generator.pair(), jsonschema.Draft202012Validator),
                                       (draft7.pair(), jsonschema.Draft7Validator)):
            validator = kind(schema)
            for value in values:
                questions.append({"schema": schema, "instance": value})
                expected.append(validator.is_valid(value))
        format, text = generator.formatted()
        if FORMATS.get(format, ("", lambda text: False))[1](text):
            skipped += 1
            continue
        questions.append({"schema": {"format": format}, "instance": text})
        expected.append(checker.conforms(text, format))
    wrong = metaschemas()
    for question, valid, answer in zip(questions, expected, probe.ask("schema", questions)):
        if "value" in answer and (answer["value"] == []) == valid:
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {question}\n    jsonschema: {'valid' if valid else 'invalid'}\n    graphflow:  {answer}")
    print(f"{len(questions)} values, {sum(expected)} of them valid, "
          f"{skipped} formats not compared, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
