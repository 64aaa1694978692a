"""Batches on disk as Documentation.docc/BatchesOnDisk.md describes them, written without graphflow's code.

    batch_files.py GRAPHFLOW [--count N]

As a program it writes the ledger of a batch with N items, and lets graphflow sum it up in bounded memory.
"""

import argparse
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import tempfile

START = "2026-01-31T12:00:00.000Z"
END = "2026-01-31T12:00:0%d.000Z"


def lines(members):
    """The checked lines of a journal or a ledger, one after the other."""
    previous = ""
    for number, line in enumerate(members, start=1):
        content = json.dumps({**line, "line": number}, ensure_ascii=False).encode()[:-1]
        previous = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        yield content + b',"checksum":"' + previous.encode() + b'"}\n'


def name(key):
    """An item's name: the hash of its key as RFC 8785 JSON, which that of a plain text is."""
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:20]


def event(run, number, kind, data):
    return {
        "specversion": "1.0", "id": f"{run}-{number}", "source": f"urn:graphflow:run:{run}",
        "type": f"io.serverlessworkflow.{kind}.v1", "time": END % number, "datacontenttype": "application/json", "data": data,
    }  # fmt: skip


def fault(key):
    return {"type": "https://serverlessworkflow.io/spec/1.0.0/errors/communication", "status": 404, "title": "Not Found", "detail": f"{key} is unknown"}


class Batch:
    """A batch whose items are given as (key, state)."""

    def __init__(self, home, batch, total, *, named=False, shard=None, workflow="greet"):
        self.batch, self.total = batch, total
        self.folder = pathlib.Path(home, "batches", batch)
        for folder in (self.folder.parent.parent, self.folder.parent, self.folder, self.folder / "blobs"):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.journal = {
            "format": "graphflow-journal", "version": 4, "run": batch,
            "workflow": {"dsl": "1.0.3", "namespace": "samples", "name": workflow, "version": "1.0.0"}, "file": None,
            "digest": "sha256:" + "0" * 64, "input": {}, "startedAt": START, "graphURL": None, "sandbox": False,
        }  # fmt: skip
        self.header = {
            "format": "graphflow-batch", "version": 1, "batch": batch, "name": batch if named else None, "source": "/data/users.csv",
            "sourceDigest": "sha256:" + "0" * 64, "key": None, "shard": shard, "total": total, "startedAt": START,
            "allowDuplicates": False, "concurrency": None, "rate": None, "maxFailures": None,
        }  # fmt: skip

    def entries(self, items, counts=True):
        ended = dict.fromkeys(("completed", "faulted", "unknown"), 0)
        for place, (key, state) in enumerate(items, start=1):
            ended[state] += 1
            entry = {"item": name(key), "key": key, "state": state, "run": f"{self.batch}.{name(key)}", "place": place}
            if state != "completed":
                entry["error"] = fault(key)
            entry |= {"startedAt": START, "endedAt": END % (1 + place % 8)}
            yield entry | ({"counts": [self.total, *ended.values()]} if counts else {})

    def events(self, items):
        for key, state in items:
            run = f"{self.batch}.{name(key)}"
            yield event(run, 1, "workflow.started", {"input": {"mail": key}})
            yield event(run, 2, "task.started", {"task": "/do/0/greet"})
            ends = {"output": f"greeted {key}"} if state == "completed" else {"error": fault(key) | {"instance": "/do/0/greet"}}
            kind = "completed" if state == "completed" else "faulted"
            yield event(run, 3, f"task.{kind}", {"task": "/do/0/greet", **ends})
            yield event(run, 4, f"workflow.{kind}", ends)

    def write(self, items, *, counts=True, events=True):
        workflow = "document: { dsl: 1.0.3, namespace: samples, name: greet, version: 1.0.0 }\ndo:\n  - greet: { set: { a: 1 } }\n"
        items = list(items)
        self.file("workflow", [workflow.encode()])
        self.file("lock", [])
        self.file("journal.jsonl", lines([self.journal, *(self.events(items) if events else [])]))
        self.file("ledger.jsonl", lines([self.header, *self.entries(items, counts)]))

    def file(self, file, parts):
        path = self.folder / file
        path.touch(mode=0o600)
        with open(path, "wb") as stream:
            stream.writelines(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=20_000, help="how many items the batch has")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        count = arguments.count
        items = ((f"user{number}@contoso.com", "faulted" if number % 100 == 7 else "completed") for number in range(count))
        Batch(home, "news-1-of-1", count, named=True, shard=[1, 1]).write(items, counts=False, events=False)
        environment = {"GRAPHFLOW_HOME": home, "PATH": os.environ["PATH"]}

        def graphflow(*command, status=0):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process = subprocess.run([arguments.graphflow, *command], env=environment, capture_output=True, text=True, timeout=600)
            assert process.returncode == status, process
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"  {' '.join(command)}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s of CPU, at most {after.ru_maxrss >> 10} MB")
            return json.loads(process.stdout)

        faulted = sum(number % 100 == 7 for number in range(count))
        wanted = {"total": count, "completed": count - faulted, "faulted": faulted, "unknown": 0, "pending": 0}
        assert graphflow("runs", "--json")[0]["counts"] == wanted
        shown = graphflow("show", "news-1-of-1", "--json")
        assert shown["counts"] == wanted and shown["errors"][0]["count"] == faulted, shown
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        assert peak < (100 << 20) + 60 * count, f"{count} items need {peak >> 20} MB"


if __name__ == "__main__":
    main()
