"""Compares the evaluation of expressions with jq 1.8.2, which the package 'jq' of PyPI is built from.

    ./environment jq_latest.py

The programs are in jq-programs.txt, each after its input and a tab. Both must refuse a program, or give the same outputs
and both end in an error, or neither; what the errors say may differ.
"""

import json
import os
import subprocess
import sys

import probe

HERE = os.path.dirname(os.path.abspath(__file__))

# A process of its own, because the file jq.py of this folder hides the package.
ASK = r"""
import json, sys, jq
for line in sys.stdin:
    question = json.loads(line)
    outputs = []
    try:
        program = jq.compile(question["program"])
        try:
            for output in program.input_text(question["input"]):
                outputs.append(output)
            answer = {"outputs": outputs, "error": False}
        except ValueError:
            answer = {"outputs": outputs, "error": True}
    except ValueError:
        answer = {"refused": True}
    print(json.dumps(answer))
"""


def read_cases():
    with open(os.path.join(HERE, "jq-programs.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    return [dict(zip(("input", "program"), line.split("\t", 1))) for line in lines if line and not line.startswith("#")]


def plain(value):
    """The value without how its numbers are written: the package takes 1.0 for 1, and what is beyond a double for its
    greatest."""
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, float):
        value = max(-sys.float_info.max, min(value, sys.float_info.max))
        return int(value) if value.is_integer() and abs(value) <= 2**53 else value
    return value


def main():
    cases = read_cases()
    text = "".join(json.dumps(case) + "\n" for case in cases)
    result = subprocess.run([sys.executable, "-I", "-c", ASK], input=text.encode(), stdout=subprocess.PIPE, check=True)
    expected = [json.loads(line) for line in result.stdout.decode().splitlines()]
    answers = probe.ask("jq", [{"program": case["program"], "input": json.loads(case["input"])} for case in cases])
    wrong = 0
    for case, answer, theirs in zip(cases, answers, expected, strict=True):
        found = answer.get("value") or {"refused": True}
        ours = {"refused": True} if "refused" in found else {"outputs": plain(found["outputs"]), "error": "error" in found}
        # As text, because Python takes 1 for true.
        if json.dumps(ours) != json.dumps(theirs):
            wrong += 1
            print(f"program  {case['program']}\ninput    {case['input']}\nours     {ours}\njq       {theirs}\n")
    print(f"{len(cases)} programs, {wrong} differ from jq 1.8.2")
    sys.exit(1 if wrong or not cases else 0)


if __name__ == "__main__":
    main()
