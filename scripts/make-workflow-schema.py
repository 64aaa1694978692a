#!/usr/bin/env python3
"""Makes the library's copy of the standard's schema: the standard's YAML as compact JSON.

Needs ruamel.yaml, so run it as `Tests/Conformance/environment ../../scripts/make-workflow-schema.py`. With --check
nothing is written; the exit status says whether the file is up to date.
"""

import json
import sys
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "Tests/Conformance/workflow-1.0.3.schema.yaml"
TARGET = ROOT / "Sources/Workflows/Model/Validation/FileSchema/workflow-schema.json"


def main():
    schema = YAML(typ="safe", pure=True).load(SOURCE)  # YAML 1.2, where 'on' is a string
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n"
    if "--check" in sys.argv:
        if TARGET.read_text("utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is out of date: run {Path(__file__).relative_to(ROOT)}")
    else:
        TARGET.write_text(text, "utf-8")


main()
