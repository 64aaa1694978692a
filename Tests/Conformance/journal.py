"""The journals of runs as Documentation.docc/RunsOnDisk.md describes them, read and written without graphflow's code.

Reads the journal of the tests' snapshot, lets graphflow show one that is written here, and changes bytes of it.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
parser.add_argument("--count", type=int, default=20, help="how many bytes are changed, one at a time")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
graphflow = os.path.abspath(arguments.graphflow)
here = pathlib.Path(__file__).parent
snapshot = here.parent / "WorkflowsTests/Events/Journal/Snapshots/journal.jsonl"


def read(data):
    """The lines of a journal; checks every checksum."""
    previous, lines = "", []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        content, checksum = re.fullmatch(rb'(.*),"checksum":"([0-9a-f]{16})"\}', line, re.S).groups()
        expected = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        assert checksum.decode() == expected, f"line {number}: {checksum} is not {expected}"
        members = json.loads(line)
        assert members["line"] == number and list(members)[-1] == "checksum", f"line {number}"
        previous = expected
        lines.append(members)
    return lines


def write(lines):
    """The bytes of a journal."""
    previous, data = "", b""
    for number, members in enumerate(lines, start=1):
        content = json.dumps({**members, "line": number}, ensure_ascii=number % 2 == 0).encode()[:-1]
        previous = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        data += content + b',"checksum":"' + previous.encode() + b'"}\n'
    return data


def check_cloud_event(event):
    """The requirements of CloudEvents 1.0 on an event and its attributes' names and values."""
    assert event["specversion"] == "1.0" and event["id"] and event["source"] and event["type"], event
    for name, value in event.items():
        assert re.fullmatch("[a-z0-9]{1,20}", name), name
        assert name == "data" or isinstance(value, (str, bool, int)), (name, value)


header, *events = read(snapshot.read_bytes())
assert header["format"] == "graphflow-journal" and header["version"] == 4, header
for event in events:
    check_cloud_event(event)
print(f"  the snapshot: {len(events)} events, every checksum is right")

run = "01K0CM3Y0V5N3QZ5J3K2W8F9QX"
task = "/do/0/grüße"


def event(number, kind, data):
    return {
        "specversion": "1.0", "id": f"{run}-{number}", "source": f"urn:graphflow:run:{run}",
        "type": f"io.serverlessworkflow.{kind}.v1", "time": f"2026-01-31T12:00:0{number}.000Z",
        "datacontenttype": "application/json", "data": data,
    }


written = [
    {**header, "run": run, "startedAt": "2026-01-31T12:00:00.000Z"},
    event(1, "workflow.started", {"input": {"name": "☃"}}),
    event(2, "task.started", {"task": task}),
    event(3, "task.completed", {"task": task, "output": "ÄÖ\u2028"}),
    event(4, "workflow.completed", {"output": None}),
]
for members in written:
    for name in ("line", "checksum"):
        members.pop(name, None)

with tempfile.TemporaryDirectory() as home:
    folder = pathlib.Path(home, "runs", run)
    for path in (folder.parent, folder, folder / "blobs"):
        path.mkdir(mode=0o700)
    journal = folder / "journal.jsonl"
    journal.touch(mode=0o600)
    data = write(written[:1])
    # Large values are in blobs: this file puts the input into one.
    large = json.dumps({"text": "x" * 70_000}).encode()
    digest = hashlib.sha256(large).hexdigest()
    (folder / "blobs" / digest).touch(mode=0o600)
    (folder / "blobs" / digest).write_bytes(large)
    written[0] = {**written[0], "input": None, "large": f"input=sha256:{digest}"}
    data = write(written)
    journal.write_bytes(data)

    def show(*options):
        command = [graphflow, "show", run[:20].lower(), *options]
        environment = {"GRAPHFLOW_HOME": home, "PATH": os.environ["PATH"]}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    shown = show("--json")
    report = json.loads(shown.stdout)
    assert report["state"] == "completed" and report["duration"] == 4, report
    assert report["tasks"][0]["name"] == "grüße" and report["tasks"][0]["output"] == "ÄÖ\u2028", report
    assert len(report["input"]["text"]) == 70_000
    lines = [json.loads(line) for line in show("--events").stdout.split("\n")[:-1]]
    assert [line["id"] for line in lines] == [f"{run}-{number}" for number in range(1, 5)]
    print("  a journal that is written here is shown")

    generator = random.Random(arguments.seed)
    for _ in range(arguments.count):
        place = generator.randrange(len(data) - 1)
        changed = bytearray(data)
        changed[place] ^= 1 << generator.randrange(8)
        journal.write_bytes(changed)
        shown = show("--json")
        number = data[:place].count(b"\n") + 1
        assert shown.returncode == 1 and "journal" in shown.stderr, (place, shown)
        assert f"line {number} " in shown.stderr or number == 1, (place, number, shown.stderr)
    print(f"  {arguments.count} changed bytes are found")
