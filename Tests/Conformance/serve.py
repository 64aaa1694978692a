"""What `graphflow serve` keeps of the events that it accepts, while it is killed and terminated.

Posts events while the service is killed at random moments and started again: an event that was answered with 202 has run
exactly once, also when it was delivered again. Then terminates a service with a backlog: nothing is lost or started. Then
takes the room from the disk of a service: what it accepts has run once, without another start, when there is room again.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import threading
import time

import checks
import sandbox

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
parser.add_argument("--count", type=int, default=400, help="how many events are posted while the service is killed")
parser.add_argument("--kills", type=int, default=5)
parser.add_argument("--backlog", type=int, default=2000, help="how many events wait when the service is terminated")
parser.add_argument("--seed", type=int, default=None)
arguments = parser.parse_args()
graphflow = os.path.abspath(arguments.graphflow)
seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
chance = random.Random(seed)
print(f"seed {seed}", flush=True)
patience = 120

workflow = """
document: { dsl: 1.0.3, namespace: tests, name: NAME, version: 1.0.0 }
schedule: { on: { one: { with: { type: t } } } }
do:
  - first: { set: '${ { id: $workflow.input[0].id } }' }
  - pause: { wait: PAUSE }
  - last: { set: '${ . + { done: true } }' }
"""


class Service:
    """A service in a folder of its own, which is started and ended again and again."""

    def __init__(self, folder, pause, *options):
        self.folder = pathlib.Path(folder)
        self.home = self.folder / "home"
        self.file = self.folder / "workflow.yaml"
        self.file.write_text(workflow.replace("NAME", "kept").replace("PAUSE", pause))
        self.port = sandbox.free_port()
        self.options = options
        self.log = open(self.folder / "log", "ab")
        self.output = open(self.folder / "output", "ab")

    def start(self, *options):
        command = [graphflow, "serve", self.file, "--listen", f"127.0.0.1:{self.port}", *self.options, *options]
        self.process = subprocess.Popen(
            command, stdout=self.output, stderr=self.log, env={**os.environ, "GRAPHFLOW_HOME": str(self.home)})

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(timeout=patience)

    def post(self, ids):
        """The status of a delivery; None if it was not answered."""
        events = [{"specversion": "1.0", "id": id, "source": "/t", "type": "t", "data": {"id": id}} for id in ids]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                "POST", "/", json.dumps(events), {"Content-Type": "application/cloudevents-batch+json"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == 503:
                checks.check("503 has Retry-After", answer.headers["Retry-After"] is not None)
            return answer.status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def deliver(self, ids):
        """Posts until it is answered with 202."""
        end = time.monotonic() + patience
        while self.post(ids) != 202:
            if time.monotonic() > end:
                raise SystemExit(f"no answer: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def runs(self):
        """For each event the states of its runs."""
        states = collections.defaultdict(list)
        for folder in (self.home / "runs").glob("[0-9A-Z]*"):
            lines = (folder / "journal.jsonl").read_bytes().splitlines()
            if not lines:
                continue
            id = json.loads(lines[0])["input"][0]["id"]
            isOver = any(b'"type":"io.serverlessworkflow.workflow.completed.v1"' in line for line in lines[1:])
            states[id].append("completed" if isOver else "open")
        return states

    def wait_for(self, ids):
        """The runs, when all of the events have run, or when patience ends without another one that has."""
        count, end = 0, time.monotonic() + patience
        while True:
            begun = time.monotonic()
            runs = self.runs()
            completed = sum("completed" in runs.get(id, []) for id in ids)
            if completed > count:
                count, end = completed, time.monotonic() + patience
            if completed == len(ids) or time.monotonic() > end:
                return runs
            # Reading many journals must not keep the service from its work.
            time.sleep(max(0.3, 5 * (time.monotonic() - begun)))


def kill_at_random():
    with tempfile.TemporaryDirectory() as folder:
        service = Service(folder, "PT0.05S", "--keep", "1000000")
        service.start()
        answered, given_up = [], []
        is_over = threading.Event()

        def post():
            number = 0
            while number < arguments.count:
                ids = [f"e{number + index}" for index in range(min(chance.randint(1, 20), arguments.count - number))]
                number += len(ids)
                if chance.random() < 0.1:
                    # A sender that does not try again.
                    (answered if service.post(ids) == 202 else given_up).extend(ids)
                else:
                    service.deliver(ids)
                    answered.extend(ids)
                if chance.random() < 0.1:
                    service.deliver(chance.sample(answered, min(5, len(answered))))
                time.sleep(chance.uniform(0, pace))
            is_over.set()

        # The senders outlast the kills.
        pace = 2 * arguments.kills * 1.0 / max(1, arguments.count / 10)
        sender = threading.Thread(target=post)
        sender.start()
        for _ in range(arguments.kills):
            time.sleep(chance.uniform(0.05, 1.2))
            service.end(signal.SIGKILL)
            service.start()
        sender.join()
        runs = service.wait_for(answered)
        time.sleep(0.5)
        status = service.end(signal.SIGTERM)
        checks.check("a service that is terminated ends with 143", status == 143, status)
        runs = service.runs()
        lost = [id for id in answered if "completed" not in runs.get(id, [])]
        checks.check_none("events that were answered have run", lost[:10] and [f"{len(lost)} of {len(answered)} have not", *lost[:10]])
        twice = [f"{id}: {states}" for id, states in runs.items() if len(states) > 1]
        checks.check_none("no event has run twice", twice[:10])
        open_runs = [f"{id}: {states}" for id, states in runs.items() if states != ["completed"]]
        checks.check_none("runs that were interrupted have gone on", open_runs[:10])
        checks.check("events were answered", len(answered) > arguments.count / 2, len(answered))
        print(f"  {arguments.kills} kills: {len(answered)} answered, {len(given_up)} not, {len(runs)} ran", flush=True)
        if lost or twice or open_runs:
            print((service.folder / "log").read_text()[-3000:])


def terminate_with_backlog():
    with tempfile.TemporaryDirectory() as folder:
        service = Service(folder, "PT0.2S", "--keep", "1000000")
        service.start("--concurrency", "1", "--grace", "10s")
        ids = [f"b{number}" for number in range(arguments.backlog)]
        begin = time.monotonic()
        for start in range(0, len(ids), 100):
            service.deliver(ids[start:start + 100])
        posted = time.monotonic() - begin
        memory = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{service.process.pid}/status").read_text())
        begin = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        before = len(list((service.home / "runs").glob("[0-9A-Z]*")))
        status = service.process.wait(timeout=patience)
        took = time.monotonic() - begin
        after = len(list((service.home / "runs").glob("[0-9A-Z]*")))
        checks.check("it ends within the grace", took < 10 and status == 143, f"{took} s, {status}")
        checks.check("it starts nothing more", after <= before + 1, f"{before} runs, then {after}")
        service.start("--concurrency", "200", "--concurrency-per-workflow", "200")
        runs = service.wait_for(ids)
        service.end(signal.SIGTERM)
        lost = [id for id in ids if runs.get(id) != ["completed"]]
        checks.check_none("what waited has run once", lost[:10] and [f"{len(lost)} have not", *lost[:10]])
        print(f"  backlog of {len(ids)}: posted in {posted:.1f} s, ended in {took:.1f} s, "
              f"{int(memory[1]) // 1024} MB", flush=True)


def fill_the_disk():
    if os.geteuid() != 0:
        checks.not_run("a service whose disk is full", "only root can make a small file system")
        return
    with tempfile.TemporaryDirectory() as folder:
        disk = pathlib.Path(folder) / "home"
        disk.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "none", str(disk)], check=True)
        try:
            service = Service(folder, "PT2S", "--keep", "1000000")
            service.start()
            before = [f"d{number}" for number in range(20)]
            for id in before:
                service.deliver([id])
            filler = disk / "filler"
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
            log = service.folder / "log"
            end = time.monotonic() + patience
            while "space" not in log.read_text() and time.monotonic() < end:
                time.sleep(0.1)
            checks.check("what fails for lack of room is said", "No space left" in log.read_text(), log.read_text()[-500:])
            # What is accepted is on disk, where the last pages of its files had room.
            during = [id for id in (f"during {number} " + "x" * 3000 for number in range(4)) if service.post([id]) == 202]
            checks.check("events that have no room are not accepted", len(during) < 4)
            filler.unlink()
            service.deliver(["after"])
            ids = [*before, *during, "after"]
            runs = service.wait_for(ids)
            checks.check("the service is the same one", service.process.poll() is None)
            wrong = [f"{id}: {runs.get(id)}" for id in ids if runs.get(id) != ["completed"]]
            checks.check_none("each run has ended once, when there is room", wrong)
            service.end(signal.SIGTERM)
            print(f"  full disk: {len(ids)} events ran", flush=True)
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=False)


kill_at_random()
terminate_with_backlog()
fill_the_disk()
checks.end("serve")
