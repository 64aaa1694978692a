"""Times what a source of changes with many items takes: opening what it has seen, and comparing it with what is there.

    python3 Benchmarks/ledger.py GRAPHFLOW [COUNT]

The file is written here, as a service would have written it. What is printed is its size, seconds, and the largest memory.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Conformance"))
import sandbox

RESOURCE = "/me/mailFolders/inbox/messages"
WORKFLOW = f"""
document: {{ dsl: 1.0.3, namespace: tests, name: ledger, version: 1.0.0,
  metadata: {{ changes: [{{ resource: {RESOURCE}, maximum: 100000000 }}] }} }}
schedule: {{ on: {{ one: {{ with: {{ type: other }} }} }} }}
do: [a: {{ set: {{ b: 1 }} }}]
"""


def lines(members):
    """The bytes of a log with these lines."""
    previous, data = "", []
    for number, line in enumerate(members, start=1):
        content = json.dumps(line, separators=(",", ":")).encode()[:-1] + b',"line":%d' % number
        previous = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        data.append(content + b',"checksum":"' + previous.encode() + b'"}\n')
    return b"".join(data)


def ledger(former, count):
    """A file with so many items of the length of a mail's id, which has the header and the cursor of another one."""
    head, *_, end = [json.loads(line) for line in former.splitlines()]
    for line in (head, end):
        del line["line"], line["checksum"]
    items = []
    for number in range(count):
        id = hashlib.sha512(b"%d" % number).hexdigest()[:120]
        items += [id, id[:16].lstrip("0") or "0"]
    parts = [{"items": items[start:start + 2000]} for start in range(0, len(items), 2000)]
    return lines([head, *parts, end])


def memory(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def served(command, environment, log, text):
    """Seconds and memory until a service has said something."""
    with open(log, "wb") as file:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file, env=environment)
        try:
            while not re.search(text, log.read_text()):
                assert process.poll() is None, log.read_text()
                time.sleep(0.01)
            return time.monotonic() - begin, memory(process.pid)
        finally:
            process.kill()
            process.wait()


def main():
    graphflow, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder, sandbox.running(graphflow) as graph:
        folder = pathlib.Path(folder)
        (folder / "workflow.yaml").write_text(WORKFLOW)
        environment = graph.environment(GRAPHFLOW_HOME=str(folder / "home"))
        command = [graphflow, "serve", folder / "workflow.yaml"]
        served(command, environment, folder / "log", "followed from now on")
        (file,) = (folder / "home" / "changes").glob("*/changes.jsonl")
        file.write_bytes(ledger(file.read_bytes(), count))
        file.chmod(0o600)
        print(f"{count} items: {file.stat().st_size / 1e6:.1f} MB", flush=True)
        for _ in range(3):
            begin = time.monotonic()
            changes = subprocess.run(
                [graphflow, "changes", folder / "workflow.yaml"], env=environment, capture_output=True, check=True)
            print(f"  read: {time.monotonic() - begin:.2f} s, {len(changes.stdout.splitlines())} changes", flush=True)
        graph.fault(f"GET {RESOURCE}/delta syncStateNotFound")
        took, most = served(command, environment, folder / "log", "read and compared, .* had changed")
        print(f"  opened and compared, all items being gone: {took:.2f} s, {most} MB", flush=True)
        print(f"  the file after that: {file.stat().st_size / 1e6:.1f} MB", flush=True)


main()
