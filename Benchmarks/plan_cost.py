"""Times dry runs of files whose ways part and meet, and of what is nested.

    python3 Benchmarks/plan_cost.py GRAPHFLOW

Prints for each file its bytes, the seconds of a dry run (the smallest of three), the largest memory, and the number of
lines of the plan with its requests.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HEAD = "document: { dsl: 1.0.3, namespace: benchmarks, name: cost, version: 1.0.0 }\ndo:\n"
MAIL = "{ call: sendMail, with: { to: [megan@contoso.com], subject: x, body: { content: y } } }"


def nested(depth, before):
    text, indent = "", "  "
    for number in range(depth):
        for line in before:
            text += indent + line.replace("N", str(number)) + "\n"
        indent += " " * (len(before[-1]) - len(before[-1].lstrip()) + 2)
    return HEAD + text + f"{indent}- mail: {MAIL}\n"


def switches(count):
    text = HEAD + "  - who: { call: me, export: { as: '.' } }\n"
    for number in range(count):
        text += (
            f"  - s{number}: {{ switch: [ {{ yes: {{ when: '$context.jobTitle == \"{number}\"', then: last }} }}, "
            f"{{ no: {{ then: continue }} }} ] }}\n  - m{number}: {MAIL}\n")
    return text + f"  - last: {MAIL}\n"


def rounds(count):
    return HEAD + (
        f"  - all:\n      for: {{ each: n, in: '[range({count})]' }}\n      do:\n"
        "        - patch: { call: graph, with: { method: PATCH, path: '/users/u${ $n }', body: { jobTitle: x } } }\n")


FORK = ["- fN:", "    fork:", "      branches:"]
TRY = ["- tN:", "    catch: { retry: { limit: { attempt: { count: 3 } } } }", "    try:"]
FILES = {
    "20 nested forks": nested(20, FORK),
    "20 nested retries": nested(20, TRY),
    "5 switches to one task": switches(5),
    "6 switches to one task": switches(6),
    "300 switches": switches(300),
    "a loop of 3,000,000 rounds": rounds(3_000_000),
}


def main():
    graphflow = os.path.abspath(sys.argv[1])
    print(f"{'':28} {'bytes':>7} {'seconds':>8} {'MB':>6} {'lines':>6}")
    for name, text in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "cost.yaml"
            file.write_text(text)
            best, memory, lines = 60.0, 0, 0
            for _ in range(3):
                begun = time.monotonic()
                process = subprocess.Popen(
                    [graphflow, "run", str(file), "--dry-run", "--requests"], stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
                output = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                if status != 0:
                    raise SystemExit(f"{name}: {process.stderr.read().decode()[:500]}")
                best = min(best, time.monotonic() - begun)
                memory, lines = max(memory, usage.ru_maxrss // 1024), output.count(b"\n")
            print(f"{name:28} {len(text):7} {best:8.2f} {memory:6} {lines:6}", flush=True)


main()
