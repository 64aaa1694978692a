#!/usr/bin/env python3
"""Writes the page of examples of plans. With --pictures, it also takes pictures of their pages, with Chromium.

    Tests/Conformance/environment ../../scripts/make-plan-examples.py .build/debug/graphflow [--pictures | --check]

With --check, it writes nothing and fails if the page is out of date.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "Conformance"))

import plan_examples  # noqa: E402

DOCUMENTATION = ROOT / "Sources/Workflows/Engine/Documentation.docc"
PAGE = DOCUMENTATION / "PlanExamples.md"
WIDTH, HEIGHT, MOST = 900, 1100, 200_000

HEAD = """\
# Examples of plans

What a plan shows to the person who approves it: as text, as a page and as JSON.

## Overview

`scripts/make-plan-examples.py` runs graphflow to write this page and its pictures. [Effects](Effects.md) explains the words
and the JSON members.
"""


def steady(text):
    """The text without what every plan has anew: its moment."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-11-26T08:00:00Z", text)


def article(program):
    parts = [HEAD]
    for example in plan_examples.EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            text = steady(example.run(program, folder)).rstrip("\n")
            plan = json.loads(steady(example.run(program, folder, "--format", "json")))
        parts.append(f"### {example.title}\n\n{example.text}\n")
        if example.source:
            parts.append(f"`{example.file}`:\n\n```yaml\n{example.source}```\n")
        parts.append(f"```\n{example.command}\n```\n\n```text\n{text}\n```\n")
        parts.append(f"`--format html` writes a page:\n\n![The page of the plan: totals, what happens, and a table by person](Resources/{example.name}-plan.png)\n")
        parts.append(
            f"`--format json` has these effects and these non-zero totals:\n\n"
            f"```json\n{plan_examples.excerpt(plan)}\n```\n")
    return "\n".join(parts)


def take_pictures(program):
    import browser as browsers
    with browsers.running() as browser:
        for example in plan_examples.EXAMPLES:
            with tempfile.TemporaryDirectory() as folder:
                page = pathlib.Path(folder) / "plan.html"
                page.write_text(example.run(program, folder, "--format", "html"), encoding="utf-8")
                browser.send(
                    "Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
                browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
                browser.open(page.as_uri())
                browser.wait_for("document.readyState == 'complete'", "the page")
                bottom = browser.evaluate("document.documentElement.scrollHeight")
                clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(bottom, HEIGHT), "scale": 1}
                data = browser.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
            picture = base64.b64decode(data)
            if len(picture) > MOST:
                raise SystemExit(f"the picture of {example.name} has {len(picture)} bytes, which is too much")
            path = DOCUMENTATION / "Resources" / f"{example.name}-plan.png"
            path.write_bytes(picture)
            print(f"{path.relative_to(ROOT)}: {len(picture)} bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.graphflow)
    text = article(program)
    if arguments.check:
        if PAGE.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{PAGE.relative_to(ROOT)} is not as scripts/make-plan-examples.py would write it")
        print("The examples of plans are as the program prints them.")
        return
    PAGE.write_text(text, encoding="utf-8")
    if arguments.pictures:
        take_pictures(program)


if __name__ == "__main__":
    main()
