"""Compares the evaluation of expressions with the program `jq` (Debian's is 1.6; where 1.8 differs, 1.8 counts).

    python3 Tests/Conformance/jq.py [--count N] [--seed N] [--show]

Random programs run on random inputs in both. All outputs must be the same, and both must end in an error, or neither.
One of the reasons below must explain every difference.
"""

import argparse
import concurrent.futures
import json
import math
import random
import re
import subprocess
import sys

import probe
from jq_programs import Generator
from values import same

BATCH = 500
SECONDS = 10


def run_jq(case):
    """The outputs of `jq` for a case and whether it ended in an error; None if it cannot tell."""
    try:
        result = subprocess.run(["jq", "-c", case["program"]], input=json.dumps(case["input"]).encode(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    if result.returncode < 0 or result.returncode > 5 or b"cannot allocate" in result.stderr:
        return None
    if result.returncode == 3:
        return {"refused": result.stderr.decode()}
    outputs = [json.loads(line) for line in result.stdout.decode().splitlines()]
    return {"outputs": outputs, "error": result.stderr.decode() if result.returncode == 5 else None}


def same_numbers(left, right):
    return left == right or math.isclose(left, right, rel_tol=1e-15)


def agree(ours, theirs):
    if "refused" in ours or "refused" in theirs:
        return "refused" in ours and "refused" in theirs
    return ("error" in ours) == (theirs["error"] is not None) and same(ours["outputs"], theirs["outputs"], same_numbers)


def reason(case, ours, theirs):
    """Why 1.6 may differ here from 1.7, or None."""
    program = case["program"]
    if "refused" in ours or "refused" in theirs:
        return None
    if "error" in ours and ours["error"] in (None, "null (not a string)"):
        return "up to 1.7 error(null) has no output, in 1.8 it is an error"
    if re.search(r"\?|\btry\b", program):
        if theirs["error"] is None and len(theirs["outputs"]) < len(ours["outputs"]) and same(
                theirs["outputs"], ours["outputs"][:len(theirs["outputs"])], same_numbers):
            return "up to 1.6 'try' also catches errors raised after it (jq issue 1859)"
        if "error" in ours and same(ours["outputs"], theirs["outputs"][:len(ours["outputs"])], same_numbers):
            return "up to 1.6 'try' also catches errors raised after it (jq issue 1859)"
        if re.search(r"label|first\(|limit\(|isempty|any|all|IN\(", program):
            return "up to 1.6 'try' also catches 'break', which ends first, limit, any and the like (jq issue 1859)"
    return None


def compare(cases, show):
    answers = probe.ask("jq", cases)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        expected = list(pool.map(run_jq, cases))
    wrong, explained, skipped = 0, {}, 0
    for case, answer, theirs in zip(cases, answers, expected):
        ours = answer.get("value") or {"refused": answer.get("error")}
        if theirs is None:
            skipped += 1
        elif not agree(ours, theirs):
            why = reason(case, ours, theirs)
            if why:
                explained[why] = explained.get(why, 0) + 1
                continue
            wrong += 1
            if show:
                print(f"program  {case['program']}\ninput    {json.dumps(case['input'])}\nours     {json.dumps(ours)}\n"
                      f"jq       {json.dumps(theirs)}\n")
    return wrong, explained, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print every case that differs without a reason")
    options = parser.parse_args()
    generator = Generator(random.Random(options.seed))
    wrong, explained, skipped, left = 0, {}, 0, options.count
    while left > 0:
        cases = [{"program": generator.program(), "input": generator.value()} for _ in range(min(BATCH, left))]
        left -= len(cases)
        found, reasons, none = compare(cases, options.show)
        wrong += found
        skipped += none
        for why, count in reasons.items():
            explained[why] = explained.get(why, 0) + count
    for why, count in explained.items():
        print(f"{count} explained: {why}")
    print(f"{options.count} programs, {wrong} differ without a reason, {skipped} that jq itself does not finish")
    sys.exit(1 if wrong else 0)


main()
