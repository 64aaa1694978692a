"""Asks the program `conformance-probe` many questions at once."""

import argparse
import json
import os
import subprocess

# The number of questions for one process.
BATCH = 5000
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def path():
    """The path of the probe: $CONFORMANCE_PROBE, or the newest build."""
    if "CONFORMANCE_PROBE" in os.environ:
        return os.environ["CONFORMANCE_PROBE"]
    builds = [os.path.join(ROOT, ".build", kind, "conformance-probe") for kind in ("debug", "release")]
    found = [build for build in builds if os.path.exists(build)]
    if not found:
        raise SystemExit("conformance-probe is not built: run 'swift build'")
    return max(found, key=os.path.getmtime)


def options(count):
    """The number of questions, their seed, and the number of wrong answers to show."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    return parser.parse_args()


def ask(command, questions, number=float):
    """The answers to the questions, each {"value": …} or {"error": …}, with fractions of the type `number`."""
    answers = []
    for start in range(0, len(questions), BATCH):
        answers += ask_batch(command, questions[start : start + BATCH], number)
    return answers


def ask_batch(command, questions, number):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    result = subprocess.run([path(), command], input=text.encode(), stdout=subprocess.PIPE, check=False)
    answers = [json.loads(line, parse_float=number) for line in result.stdout.decode().split("\n")[:-1]]
    if len(answers) != len(questions):
        # The probe did not survive the last question.
        raise SystemExit(f"the probe ended with {result.returncode} at {json.dumps(questions[len(answers)])}")
    return answers
