"""Asks the program `conformance-probe` many questions at once."""

import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def path():
    """Where the probe is: $CONFORMANCE_PROBE, or the newest build."""
    if "CONFORMANCE_PROBE" in os.environ:
        return os.environ["CONFORMANCE_PROBE"]
    builds = [os.path.join(ROOT, ".build", kind, "conformance-probe") for kind in ("debug", "release")]
    found = [build for build in builds if os.path.exists(build)]
    if not found:
        raise SystemExit("conformance-probe is not built: run 'swift build'")
    return max(found, key=os.path.getmtime)


def ask(command, questions):
    """The answers to the questions, each {"value": …} or {"error": …}."""
    text = "".join(json.dumps(question) + "\n" for question in questions)
    result = subprocess.run([path(), command], input=text.encode(), stdout=subprocess.PIPE, check=False)
    answers = [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]
    if len(answers) != len(questions):
        # What was asked last is what the probe did not survive.
        raise SystemExit(f"the probe ended with {result.returncode} at {json.dumps(questions[len(answers)])}")
    return answers
