"""What `graphflow serve` makes of changes in Microsoft 365, while it is killed and the service has faults.

Changes messages, files, people and groups at random, kills the service at random moments, and compares what its runs
were told with what is there: each version that was there at rest has one run, and nothing has two. The Graph is that of
`graphflow sandbox`, which has delta queries with faults.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import checks
import sandbox

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
parser.add_argument("--count", type=int, default=None, help="how many times changes are made and compared")
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--all", action="store_true", help="1,000 rounds instead of a few")
arguments = parser.parse_args()
graphflow = os.path.abspath(arguments.graphflow)
rounds = arguments.count or (1000 if arguments.all else 10)
seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
print(f"seed {seed}", flush=True)
patience = 60

HOSTILE = ["Größe ‹x›", "a 'b' \"c\"", "50 % & more", "😀 emoji", "x" * 200, "tab\there", "#hash?query", "${ .a }", "null"]
FAULTS = [
    "early", "twice", "empty", "replay", "syncStateNotFound", "syncStateInvalid", "resyncChangesApplyDifferences",
    "429 retry-after=1", "503 x2", "drop", "truncate", "malformed", "reset", "500",
]


class Office:
    """A sandbox, and a service that follows it."""

    def __init__(self, folder, graph, *options):
        self.folder = pathlib.Path(folder)
        self.home = self.folder / "home"
        self.graph = graph
        self.options = options
        self.files = []
        self.process = None
        self.read_runs = set()
        # The items whose runs were interrupted, and wrote perhaps twice.
        self.resumed = set()

    def workflow(self, name, sources, tasks="  - a: { set: { done: true } }"):
        file = self.folder / f"{name}.yaml"
        changes = [{"every": "PT5S", **source} for source in sources]
        file.write_text(
            f"document: {{ dsl: 1.0.3, namespace: tests, name: {name}, version: 1.0.0, "
            f"metadata: {{ changes: {json.dumps(changes)} }} }}\n"
            "schedule: { on: { any: ["
            + ", ".join(f"{{ with: {{ source: {json.dumps(source['resource'])} }} }}" for source in sources)
            + f"] }} }}\ndo:\n{tasks}\n")
        if file not in self.files:
            self.files.append(file)

    def start(self):
        with open(self.folder / "log", "ab") as log, open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(
                [graphflow, "serve", *self.files, "--keep", "2000", *self.options], stdout=output, stderr=log,
                env=self.graph.environment(GRAPHFLOW_HOME=str(self.home)))

    def end(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            status = self.process.wait(timeout=patience)
            self.process = None
            return status

    @property
    def log(self):
        return (self.folder / "log").read_text()

    def said(self, text, count=1, name="log"):
        """Whether the service says something in time, or prints it."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if (self.folder / name).read_text().count(text) >= count:
                return True
            time.sleep(0.05)
        return False

    def new_events(self):
        """Those that began runs since the last call, as (workflow, event)."""
        found = []
        for place in (self.home / "runs").glob("[0-9A-Z]*"):
            if place.name in self.read_runs:
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                header = json.loads((place / "journal.jsonl").read_bytes().splitlines()[0])
                found += [(header["workflow"]["name"], event) for event in header["input"]]
                self.read_runs.add(place.name)
        return found

    def find_resumed(self, workflow):
        """Notes the items whose runs continued after a kill: what the first attempt wrote was not answered."""
        for place in (self.home / "runs").glob("[0-9A-Z]*"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                lines = (place / "journal.jsonl").read_bytes().splitlines()
                header = json.loads(lines[0])
                if header["workflow"]["name"] == workflow and any(b"workflow.resumed" in line for line in lines):
                    self.resumed |= {event["subject"] for event in header["input"]}

    def call(self, method, path, body=None, content=None):
        """Graph's answer; None if it refuses, because another change came first."""
        data = content if content is not None else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.graph.graph + path, data=data, method=method)
        request.add_header("Authorization", "Bearer token")
        request.add_header("Content-Type", "application/json" if content is None else "text/plain")
        request.add_header("Prefer", 'IdType="ImmutableId"')
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
                return json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            if error.code in (404, 409):
                return None
            raise SystemExit(f"{method} {path}: {error.code} {error.read()[:500]}")

    def all(self, path):
        items, address = [], path
        while address:
            page = self.call("GET", address)
            items += page["value"]
            address = page.get("@odata.nextLink", "").removeprefix(self.graph.graph)
        return items


def office(*options):
    """An office in a folder that it has, whose service is ended at the end."""

    @contextlib.contextmanager
    def made():
        with tempfile.TemporaryDirectory() as folder, sandbox.running(graphflow, *options) as graph:
            made = Office(folder, graph)
            try:
                yield made
            finally:
                made.end()

    return made()


# What is followed, and how an observer sees it.


def messages(folder):
    resource = f"/me/mailFolders/{folder}/messages"
    return resource, lambda office: {
        item["id"]: item["@odata.etag"] for item in office.all(f"{resource}?$select=subject&$top=100")}


def files(office):
    found, folders = {}, ["/me/drive/root"]
    while folders:
        for item in office.all(f"{folders.pop()}/children"):
            found[item["id"]] = item["eTag"]
            if "folder" in item:
                folders.append(f"/me/drive/items/{item['id']}")
    return found


def directory(resource):
    return lambda office: {
        item["id"]: f"{item['displayName']} {item.get('jobTitle') or item.get('description')}"
        for item in office.all(f"{resource}?$select=id,displayName,{'jobTitle' if resource == '/users' else 'description'}")}


def version(event):
    item = event["data"]
    return item.get("eTag") or item.get("@odata.etag") or (
        f"{item.get('displayName')} {item.get('jobTitle') or item.get('description')}")


class Observer:
    """Adds up what runs were told of a source."""

    def __init__(self, workflow, resource, look, writes=False):
        self.workflow, self.resource, self.look = workflow, resource, look
        # Whether its runs change the items themselves: of these it must not be told.
        self.writes = writes
        self.seen, self.new = {}, []

    def begin(self, office):
        self.seen = self.look(office)

    def state(self):
        seen = dict(self.seen)
        for event in sorted(self.new, key=order):
            if event["type"].endswith(".deleted"):
                seen.pop(event["subject"], None)
            else:
                seen[event["subject"]] = version(event)
        return seen

    def is_complete(self, office):
        there, seen = self.look(office), self.state()
        return there.keys() == seen.keys() if self.writes else there == seen

    def settle(self, office):
        """The events that should not have been."""
        if self.writes and any(event["type"].endswith(".updated") for event in self.new):
            office.find_resumed(self.workflow)
        wrong = []
        for event in sorted(self.new, key=order):
            id, kind = event["subject"], event["type"].rsplit(".", 1)[1]
            is_right = {
                "created": id not in self.seen,
                "updated": id in self.seen and self.seen[id] != version(event)
                and (not self.writes or id in office.resumed),
                "deleted": id in self.seen,
            }[kind]
            if not is_right:
                wrong.append(f"{self.workflow} {self.resource}: {event['id']} {kind} {id[-12:]} {version(event)}, "
                             f"known as {self.seen.get(id)}")
            if kind == "deleted":
                self.seen.pop(id, None)
            else:
                self.seen[id] = version(event)
        self.new = []
        return wrong


def order(event):
    _, number, place = event["id"].rsplit("-", 2)
    return int(number), int(place)


class Changer:
    """A person who changes things at random."""

    def __init__(self, office, chance, folders):
        self.office, self.chance, self.folders = office, chance, folders
        self.number = 0

    def name(self):
        self.number += 1
        return f"{self.chance.choice(HOSTILE)} {self.number}"

    def change(self):
        self.chance.choice([self.mail, self.mail, self.mail, self.file, self.file, self.user, self.group])()

    def mail(self):
        folder = self.chance.choice(self.folders)
        there = self.office.all(f"/me/mailFolders/{folder}/messages?$select=subject&$top=100")
        kind = self.chance.choice(["new", "new", "update", "move", "move", "delete"] if len(there) < 15 else ["delete"])
        # No one else changes what a workflow works on, also not by moving it out and in again.
        if kind in ("update", "move") and folder == self.folders[-1]:
            kind = "delete"
        if kind == "new" or not there:
            self.office.call("POST", f"/me/mailFolders/{folder}/messages", {"subject": self.name()})
            return
        id = self.chance.choice(there)["id"]
        if kind == "update":
            self.office.call("PATCH", f"/me/messages/{id}", {"categories": [self.name()]})
        elif kind == "delete":
            self.office.call("DELETE", f"/me/messages/{id}")
        else:
            destination = self.chance.choice([other for other in self.folders if other != folder])
            self.office.call("POST", f"/me/messages/{id}/move", {"destinationId": destination})

    def file(self):
        there = self.office.all("/me/drive/root/children")
        kind = self.chance.choice(["new", "new", "write", "rename", "delete"] if len(there) < 15 else ["delete"])
        name = "".join(c for c in self.name() if c not in '"*:<>?/\\|\t').strip()
        if kind == "new" or not there:
            if self.chance.random() < 0.3:
                self.office.call("POST", "/me/drive/root/children", {"name": name, "folder": {}})
            else:
                self.put(f"/me/drive/root:/{urllib.parse.quote(name)}:/content")
            return
        item = self.chance.choice(there)
        address = f"/me/drive/items/{item['id']}"
        if kind == "delete":
            self.office.call("DELETE", address)
        elif kind == "rename":
            self.office.call("PATCH", address, {"name": name})
        elif "folder" in item:
            self.put(f"{address}:/{urllib.parse.quote(name)}:/content")
        else:
            self.put(f"{address}/content")

    def put(self, path):
        self.office.call("PUT", path, content=self.name().encode())

    def user(self):
        there = [user for user in self.office.all("/users") if user["userPrincipalName"].startswith("new")]
        kind = self.chance.choice(["new", "update", "update", "delete"] if len(there) < 8 else ["delete"])
        if kind == "new" or not there:
            name = self.name()
            self.office.call("POST", "/users", {
                "accountEnabled": True, "displayName": name, "mailNickname": f"new{self.number}",
                "userPrincipalName": f"new{self.number}@contoso.com", "jobTitle": name[:100],
                "passwordProfile": {"password": "Geheim-123-456"}})
            return
        user = self.chance.choice(there)
        if kind == "delete":
            self.office.call("DELETE", f"/users/{user['id']}")
        else:
            self.office.call("PATCH", f"/users/{user['id']}", {"jobTitle": self.name()[-100:]})

    def group(self):
        there = self.office.all("/groups")
        kind = self.chance.choice(["new", "update", "update", "delete"] if len(there) < 8 else ["delete"])
        if kind == "new" or not there:
            name = self.name()
            self.office.call("POST", "/groups", {
                "displayName": name, "mailEnabled": False, "mailNickname": f"group{self.number}",
                "securityEnabled": True, "description": name})
            return
        group = self.chance.choice(there)
        if kind == "delete":
            self.office.call("DELETE", f"/groups/{group['id']}")
        else:
            self.office.call("PATCH", f"/groups/{group['id']}", {"description": self.name()})


def kill_at_random():
    chance = random.Random(seed)
    with office() as place:
        folder = place.call("POST", "/me/mailFolders", {"displayName": "Größe ‹x› 50 %"})["id"]
        worked = place.call("POST", "/me/mailFolders", {"displayName": "Worked on 'here'"})["id"]
        changer = Changer(place, chance, ["inbox", "archive", folder, worked])
        for _ in range(25):
            changer.change()
        sources = [*map(messages, ("inbox", "archive", folder)), ("/me/drive/root", files),
                   ("/users", directory("/users")), ("/groups", directory("/groups"))]
        observers = [Observer("watch", *source) for source in sources]
        observers.append(Observer("work", *messages(worked), writes=True))
        place.workflow("watch", [{"resource": resource} for resource, _ in sources])
        # It changes what its event names, unless that is gone.
        place.workflow(
            "work", [{"resource": observers[-1].resource}],
            "  - mark:\n      try:\n        - patch: { call: graph, with: { method: PATCH, path: '/me/messages/${ .[0].subject }', "
            "body: { categories: [worked] } } }\n      catch: { errors: { with: { status: 404 } }, do: [] }")
        for observer in observers:
            observer.begin(place)
        place.graph.fault("GET *delta* early x3")
        place.start()
        checks.check("the first rounds end", place.said("followed from now on", len(observers)), place.log)
        count, kills, started, twice, stopped = 0, 0, 0, [], []
        ids = set()
        for _ in range(rounds):

            def make_changes():
                for _ in range(chance.randint(0, 12)):
                    changer.change()
                    time.sleep(chance.choice([0, 0, 0.02, 0.1]))

            if chance.random() < 0.6:
                fault = chance.choice(FAULTS)
                place.graph.fault(f"GET *delta* {fault}" + ("" if " x" in fault else f" x{chance.randint(1, 3)}"))
            thread = threading.Thread(target=make_changes)
            thread.start()
            for _ in range(chance.randint(0, 3)):
                time.sleep(chance.uniform(0, 0.6))
                place.end(chance.choice([signal.SIGKILL] * 4 + [signal.SIGTERM]))
                place.start()
                kills += 1
            thread.join()
            # A new service begins a round at once.
            place.end()
            place.start()
            end = time.monotonic() + patience
            while True:
                for workflow, event in place.new_events():
                    started += 1
                    if event["id"] in ids:
                        twice.append(event["id"])
                    ids.add(event["id"])
                    for observer in observers:
                        if (observer.workflow, observer.resource) == (workflow, event["source"]):
                            observer.new.append(event)
                open_ones = [observer for observer in observers if not observer.is_complete(place)]
                if not open_ones or time.monotonic() > end:
                    break
                time.sleep(0.1)
            missing = [f"{one.workflow} {one.resource}: {set(one.look(place).items()) ^ set(one.state().items())}"
                       for one in open_ones]
            wrong = [problem for observer in observers for problem in observer.settle(place)]
            checks.check_none("runs were told of everything that is there", missing)
            checks.check_none("runs were told of nothing else", wrong)
            count += 1
            if missing or wrong:
                print(place.log[-3000:])
                break
        checks.check_none("no event has begun two runs", twice)
        checks.check("no source has stopped", "no longer followed" not in place.log, place.log[-2000:])
        checks.check("there were runs", started > rounds, started)
        sizes = sum(file.stat().st_size for file in (place.home / "changes").glob("*/changes.jsonl"))
        print(f"  {count} rounds, {kills} kills, {started} runs, {sizes >> 10} KB of cursors", flush=True)


INBOX = "/me/mailFolders/inbox/messages"


def quiet():
    """A source where nothing changes."""
    with office() as place:
        place.workflow("quiet", [{"resource": INBOX}])
        place.start()
        checks.check("it is followed", place.said("followed from now on"), place.log)
        file = next((place.home / "changes").glob("*/changes.jsonl"))
        before, size = len(place.graph.read("/sandbox/requests")), file.stat().st_size
        time.sleep(11)
        asked = len(place.graph.read("/sandbox/requests")) - before
        checks.check("a quiet source makes one request an interval", asked == 2, asked)
        checks.check("its file does not grow", file.stat().st_size == size, file.stat().st_size - size)
        other = subprocess.run(
            [graphflow, "changes", place.files[0], "--skip"], capture_output=True, text=True, timeout=patience,
            env=place.graph.environment(GRAPHFLOW_HOME=str(place.home)))
        checks.check("no other process can write what the source has seen", other.returncode != 0
                     and "follows the changes of" in other.stderr, other.stderr)
        place.call("POST", INBOX, {"subject": HOSTILE[0]})
        shown = subprocess.run(
            [graphflow, "changes", place.files[0]], capture_output=True, text=True, timeout=patience,
            env=place.graph.environment(GRAPHFLOW_HOME=str(place.home)))
        lines = [json.loads(line) for line in shown.stdout.splitlines()]
        checks.check("looking at the changes takes none", place.said(f"changes of {INBOX}: 1"), place.log)
        checks.check("'graphflow changes' shows what it will find",
                     [line["data"]["subject"] for line in lines] in ([HOSTILE[0]], []), shown.stdout)


def two_services():
    """A second service of the same workflow, which listens at another port."""
    with office() as place:
        place.workflow("one", [{"resource": INBOX}])
        place.options = ("--listen", "127.0.0.1:0")
        place.start()
        checks.check("it is followed", place.said("followed from now on"), place.log)
        first, place.process = place.process, None
        try:
            with open(place.folder / "second", "wb") as log:
                second = subprocess.Popen(
                    [graphflow, "serve", *place.files], stdout=subprocess.DEVNULL, stderr=log,
                    env=place.graph.environment(GRAPHFLOW_HOME=str(place.home)))
            try:
                end = time.monotonic() + patience
                while "are not followed" not in (place.folder / "second").read_text() and time.monotonic() < end:
                    time.sleep(0.1)
                said = (place.folder / "second").read_text()
                checks.check("the second service says that it does not follow", f"another process ({first.pid})" in said, said)
                place.call("POST", INBOX, {"subject": "one"})
                checks.check("the first one does", place.said(f"changes of {INBOX}: 1"), place.log)
                time.sleep(1)
                checks.check("one run has begun", len(place.new_events()) == 1)
                first.kill()
                first.wait()
                place.call("POST", INBOX, {"subject": HOSTILE[0]})
                ended = time.monotonic()
                checks.check("the second one takes over", place.said("followed from here now", name="second"))
                checks.check("it does so within 30 seconds", time.monotonic() - ended < 30)
                checks.check("it finds what has changed", place.said(f"changes of {INBOX}: 1", name="second"))
                time.sleep(1)
                subjects = [event["data"]["subject"] for _, event in place.new_events()]
                checks.check("one more run has begun", subjects == [HOSTILE[0]], subjects)
            finally:
                second.kill()
                second.wait()
        finally:
            first.kill()
            first.wait()


def others_change_too():
    """What a workflow writes starts nothing, and what others write to the same items does."""
    with office() as place:
        place.workflow(
            "writes", [{"resource": "/users"}],
            "  - patch: { call: graph, with: { method: PATCH, path: '/users/${ .[0].subject }', "
            "body: { jobTitle: 'Größe ‹x› 50 %' } } }")
        place.workflow(
            "sends", [{"resource": INBOX}],
            "  - mail: { call: sendMail, with: { to: [alex@contoso.com, megan@contoso.com], subject: 'Größe', body: 'x' } }")
        user = place.call("POST", "/users", {
            "accountEnabled": True, "displayName": "Größe", "mailNickname": "new", "jobTitle": "first",
            "userPrincipalName": "new@contoso.com", "passwordProfile": {"password": "Geheim-123-456"}})["id"]
        place.start()
        checks.check("both are followed", place.said("followed from now on", 2), place.log)
        expected = 0
        for change in ({"displayName": "Größe 2"}, {"jobTitle": "by HR"}, {"jobTitle": "by HR"}, {"officeLocation": "x"}):
            place.call("PATCH", f"/users/{user}", change)
            expected += 1
            checks.check("a person's change begins a run", place.said(" completed", expected), place.log)
            # The next round has what the run wrote.
            time.sleep(11)
            checks.check("what the run wrote begins none", len(place.new_events()) == 1, place.log)
        place.call("POST", INBOX, {"subject": "one"})
        checks.check("a mail begins a run", place.said(" completed", expected + 1), place.log)
        time.sleep(11)
        sent = place.all("/me/mailFolders/sentitems/messages?$select=subject,internetMessageId")
        message = next(mail["internetMessageId"] for mail in sent if mail["subject"] == "Größe")
        found = len(place.new_events())
        checks.check("the sent mail begins none", found == 1, place.log)
        place.call("POST", INBOX, {"subject": "other", "internetMessageId": message})
        checks.check("a mail of another with its message id begins one", place.said(" completed", expected + 2), place.log)


def permission_lost():
    """One of two sources is refused; then too much changes at once; then files are edited."""
    with office() as place:
        drafts = "/me/mailFolders/drafts/messages"
        place.workflow("two", [{"resource": INBOX, "maximum": 3}, {"resource": drafts}])
        place.start()
        checks.check("both are followed", place.said("followed from now on", 2), place.log)
        place.graph.fault(f"GET {drafts}/delta 403")
        place.graph.fault(f"GET {INBOX}/delta 429 retry-after=1")
        checks.check("a source that is refused stops and says so",
                     place.said(f"changes of {drafts} are no longer followed"), place.log)
        place.call("POST", INBOX, {"subject": "one"})
        place.call("POST", drafts, {"subject": "draft"})
        checks.check("the other one continues", place.said(f"changes of {INBOX}: 1"), place.log)
        for number in range(4):
            place.call("POST", INBOX, {"subject": f"many {number}"})
        checks.check("too many changes stop a source", place.said("a round has more than 3 changes"), place.log)
        time.sleep(0.5)
        checks.check("nothing of them has begun", len(place.new_events()) == 1, place.log)
        place.workflow("two", [{"resource": INBOX, "maximum": 4}, {"resource": drafts}])
        place.process.send_signal(signal.SIGHUP)
        checks.check("SIGHUP follows both again, where they were",
                     place.said(f"changes of {INBOX}: 4") and place.said(f"changes of {drafts}: 1"), place.log)
        time.sleep(1)
        subjects = collections.Counter(event["data"]["subject"] for _, event in place.new_events())
        checks.check("nothing was lost", subjects == {"draft": 1, **{f"many {n}": 1 for n in range(4)}}, subjects)


def one_at_a_time():
    """Runs of the same item, with an interrupted one, and tasks that listen."""
    with office() as place:
        place.workflow("slow", [{"resource": INBOX}], "  - pause: { wait: PT7S }")
        drafts = "/me/mailFolders/drafts/messages"
        place.workflow("listens", [{"resource": drafts}],
                       "  - next: { listen: { to: { one: { with: { type: microsoft.graph.message.created } } } } }\n"
                       "  - said: { set: { heard: '${ .[0].data.subject // .[0].subject }' } }")
        place.start()
        checks.check("both are followed", place.said("followed from now on", 2), place.log)
        place.call("POST", drafts, {"subject": "first"})
        mail = place.call("POST", INBOX, {"subject": "slow"})
        checks.check("runs begin", place.said("Z info slow") and place.said("Z info listens"), place.log)
        place.call("PATCH", f"/me/messages/{mail['id']}", {"categories": ["again"]})
        checks.check("the second change is seen", place.said(f"changes of {INBOX}: 1", 2), place.log)
        place.end()
        place.start()
        end, words = time.monotonic() + patience, []
        while words.count("completed") < 2 and time.monotonic() < end:
            time.sleep(0.2)
            lines = [line.split(" ", 1)[1] for line in place.log.splitlines() if " info slow " in line]
            words = [line.split()[-1] for line in lines]
        checks.check("the runs of an item begin one after another",
                     words == ["started", "resumed", "completed", "started", "completed"], lines)
        place.call("POST", drafts, {"subject": "second"})
        checks.check("a task that listens hears of changes", place.said("second", name="output"),
                     place.log)


def bells():
    """A subscription that rings, is left by a kill, is lost, and rings with forged notifications."""
    with office() as place:
        place.workflow("bells", [{"resource": INBOX, "every": "PT1H"}])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        hook = f"http://127.0.0.1:{port}/changes/%C3%A4%20"
        place.options = ("--listen", f"127.0.0.1:{port}", "--hook", hook)

        def subscriptions():
            return place.call("GET", "/subscriptions")["value"]

        def rings(subject, count):
            """Whether a mail begins a run long before the interval has ended."""
            place.call("POST", INBOX, {"subject": subject})
            return place.said(" completed", count)

        place.start()
        checks.check("it subscribes", place.said("subscribed until"), place.log)
        former = subscriptions()
        checks.check("the subscription is the source's",
                     [(one["resource"], one["notificationUrl"]) for one in former] == [(INBOX[1:], hook)], former)
        checks.check("it rings", rings(HOSTILE[0], 1), place.log)
        place.end()
        place.start()
        checks.check("after a kill, the former subscription is replaced", place.said("subscribed until", 2), place.log)
        now = subscriptions()
        checks.check("there is one", len(now) == 1 and now[0]["id"] != former[0]["id"], now)
        place.graph.fault(f"NOTIFY {INBOX} forged")
        checks.check("it rings again", rings("forged before", 2), place.log)
        place.graph.fault(f"NOTIFY {INBOX} duplicate")
        checks.check("twice is once", rings("twice", 3), place.log)
        place.graph.fault(f"NOTIFY {INBOX} subscriptionRemoved")
        checks.check("a subscription that was removed is made again",
                     rings("removed", 4) and place.said("subscribed until", 3), place.log)
        place.graph.fault(f"NOTIFY {INBOX} missed")
        checks.check("what was missed is read", rings("missed", 5), place.log)
        requests = place.graph.read("/sandbox/requests")
        for secret in ("", "x" * 100_000, former[0]["clientState"], None):
            body = json.dumps({"value": [{"clientState": secret, "subscriptionId": now[0]["id"]}]})
            urllib.request.urlopen(urllib.request.Request(hook, body.encode()), timeout=patience).close()
        for body in (b"", b"[]", b"{", b'{"value": 1}', b"\xff"):
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(urllib.request.Request(hook, body), timeout=patience).close()
        time.sleep(6)
        checks.check("forged notifications ask nothing", len(place.graph.read("/sandbox/requests")) == len(requests))
        events = [event["data"]["subject"] for _, event in place.new_events()]
        checks.check("each mail began one run", sorted(events) == sorted(
            [HOSTILE[0], "forged before", "twice", "removed", "missed"]), events)
        checks.check("at its end it unsubscribes", place.end(signal.SIGTERM) == 143 and subscriptions() == [])


if __name__ == "__main__":
    checks.at_once(
        kill_at_random, quiet, two_services, others_change_too, permission_lost, one_at_a_time, bells)
    checks.end("changes")
