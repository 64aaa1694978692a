"""Times an undo of a batch, next to the batch itself.

    python3 Benchmarks/undo.py GRAPHFLOW [COUNT]

Each item uploads a small file to `graphflow sandbox`: a file of its own, then one of a fifth as many files, so that
five items change one object. What is printed is seconds, CPU seconds and the largest memory.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Conformance"))
import sandbox

WORKFLOW = """\
document: { dsl: 1.0.3, namespace: tests, name: undo, version: 1.0.0 }
do:
  - file: { call: upload, with: { path: 'a/${ .n }.txt', content: x } }
"""


def timed(command, environment):
    """Seconds of a command, which are printed."""
    begin = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - begin
    assert status == 0, command
    print(f"{command[1]}: {took:.2f} s, {usage.ru_utime + usage.ru_stime:.2f} s of CPU, {usage.ru_maxrss // 1024} MB")
    return took


def measure(graphflow, count, files, *options):
    with tempfile.TemporaryDirectory() as folder, sandbox.running(graphflow) as graph:
        folder = pathlib.Path(folder)
        (folder / "workflow.yaml").write_text(WORKFLOW)
        (folder / "items.jsonl").write_text(
            "".join(json.dumps({"n": str(number % files), "key": number}) + "\n" for number in range(count)))
        environment = graph.environment(GRAPHFLOW_HOME=str(folder / "home"))
        batch = timed(
            [graphflow, "batch", folder / "workflow.yaml", "--each", folder / "items.jsonl", "--key", ".key", "--quiet",
             *options], environment)
        (name,) = os.listdir(folder / "home" / "batches")
        undo = timed([graphflow, "undo", name], environment)
        print(f"{count} items, {files} files: the undo takes {undo / batch:.1f} times the batch")


def main():
    graphflow, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    measure(graphflow, count, count)
    measure(graphflow, count, count // 5, "--undoable")


main()
