#!/usr/bin/env python3
"""Makes the library's copy of the standard's schema: the YAML of the standard as compact JSON.

Needs PyYAML; `Tests/Conformance/environment ../../scripts/make-workflow-schema.py` has it. With --check nothing is written;
the exit status says whether the file is up to date.
"""

import json
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "Tests/Conformance/workflow-1.0.3.schema.yaml"
TARGET = ROOT / "Sources/Workflows/Validation/FileSchema/workflow-schema.json"


def main():
    schema = yaml.safe_load(SOURCE.read_text("utf-8"))
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":")) + "\n"
    if "--check" in sys.argv:
        if TARGET.read_text("utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is out of date: run {Path(__file__).relative_to(ROOT)}")
    else:
        TARGET.write_text(text, "utf-8")


main()
