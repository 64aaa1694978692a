"""Where a service runs what people approve: a desk, its runs, and what waits."""

import contextlib
import glob
import json
import os
import subprocess
import tempfile
import time
import urllib.request

import requests

import sandbox as sandboxes
from approval_desk import ADELE, ALEX, LYNNE, MEGAN, Desk, content_of, finished
from approval_platform import Platform
from checks import check

HEAD = "document: { dsl: 1.0.3, namespace: samples, name: %s, version: 1.0.0 }\n"
USERS = "/users?$top=3&$select=displayName"
NAMES = '.value | map(.displayName) | join(", ")'
HOSTILE = '<img src=x onerror=alert(1)>‹›"%😀'


def due(name, path=USERS, when="every: PT1H", subject="${ $workflow.id }", show=NAMES):
    """A workflow that reads something and mails it, with the run's name as the subject."""
    return HEAD % name + (
        f"schedule: {{ {when} }}\n"
        "do:\n"
        f"  - read: {{ call: graph, with: {{ path: {json.dumps(path)} }} }}\n"
        "  - mail:\n"
        "      call: sendMail\n"
        f"      with: {{ to: lynner@contoso.com, subject: {json.dumps(subject)}, body: {json.dumps('${ ' + show + ' }')} }}\n")


def wait_for(find, seconds=30):
    """What is found, once it is something."""
    limit = time.monotonic() + seconds
    while not (found := find()) and time.monotonic() < limit:
        time.sleep(0.1)
    return found


class Office(Desk):
    """A desk with a service and its runs."""

    def runs(self, *options):
        return json.loads(self.graphflow("runs", "--all", "--json", *options).stdout or "[]")

    def state(self, run):
        return next((one["state"] for one in self.runs() if one["run"] == run), None)

    def reaches(self, run, state, seconds=30):
        return wait_for(lambda: self.state(run) == state, seconds)

    def questions(self, kind="runs"):
        """Everything that waits, by the path of its file; a plan is complete when it is there."""
        place = os.path.join(self.variables["GRAPHFLOW_HOME"], kind, "*", "approvals", "*.request.json")
        found = {}
        for path in sorted(glob.glob(place)):
            with contextlib.suppress(OSError, ValueError):
                found[path] = content_of(path)
        return found

    def waiting(self, known=()):
        """The newest run that waits with a plan, other than those that are known."""
        def find():
            names = [path.split(os.sep)[-3] for path in self.questions() if path.endswith("plan.request.json")]
            return next((name for name in sorted(names, reverse=True) if name not in known), None)
        return wait_for(find) or "none"

    def asked(self, run):
        return next((one for path, one in self.questions().items() if f"/{run}/" in path), {})

    def request_of(self, run):
        """The path of what a run asks."""
        return next((path for path in self.questions() if f"/{run}/" in path), "none")

    def stays(self, name, *runs, seconds=1.5):
        time.sleep(seconds)
        states = {self.state(run) for run in runs}
        check(f"{name}: nothing is sent, it waits", self.writes() == [] and states == {"waiting"}, (self.writes(), self.runs(), self.log()))

    def mails(self, subject):
        return [mail for mail in self.sandbox.read("/sandbox/outbox") if mail["subject"] == subject]

    def writes(self):
        return [one["method"] for one in self.sandbox.read("/sandbox/requests") if one["method"] != "GET"]

    def signs(self, run, person, *options):
        """`approve`, with a person who signs in."""
        begun = self.approving(run, *options)
        if begun[1]:
            requests.post(begun[1], data={"person": person.id}, timeout=30)
        return finished(begun)

    def approves(self, run, person=MEGAN, *options):
        status, output, errors = self.signs(run, person, *options)
        check(f"{person.name} approves", status == 0, (status, output, errors))
        return errors

    def runs_once(self, name, run):
        check(f"{name}: it completes", self.reaches(run, "completed"), (self.runs(), self.log()))
        time.sleep(1.5)
        check(f"{name}: it runs once", len(self.mails(run)) == 1, self.mails(run))

    def serve(self, *words, approvers=None, **variables):
        """A service, which asks for approvals unless there are no approvers."""
        names = self.approvers if approvers is None else approvers
        demand = ["--require-approval", "--approvers", names] if names else []
        self.service = self.begin("serve", *words, *demand, **variables)

    def begin(self, *words, **variables):
        with open(self.path("log"), "ab") as log:
            process = subprocess.Popen(
                [self.program, *words], env=self.environment(variables), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if words[0] in ("run", "resume", "batch", "board") else log, stderr=log, text=True)
        self.processes.append(process)
        return process

    def begin_asking(self, *words):
        """A command that runs in the background, when its question can be answered."""
        process = self.begin(*words)
        wait_for(self.questions)
        return process

    def kill(self, process=None):
        (process or self.service).kill()
        (process or self.service).wait()

    def log(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read()


@contextlib.contextmanager
def office(program):
    platform = Platform([ADELE, MEGAN, ALEX, LYNNE])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sandboxes.running(program) as sandbox:
        here = Office(program, sandbox, platform, folder)
        here.processes = []
        try:
            yield here
        finally:
            for process in here.processes:
                process.kill()
                process.wait()
            platform.server.shutdown()


def graph(here, method, path, body):
    headers = {"Authorization": "Bearer token", "Content-Type": "application/json" if body[:1] == "{" else "text/plain"}
    request = urllib.request.Request(here.sandbox.graph + path, data=body.encode(), method=method, headers=headers)
    urllib.request.urlopen(request, timeout=30).read()


def asking(name, text="Send it?", more="", wrap="%s", tail=True):
    ask = f"- ask: {{ call: approval, with: {{ approvers: [megan@contoso.com], text: {json.dumps(text)}{more} }} }}"
    mail = "- mail: { call: sendMail, with: { to: lynner@contoso.com, subject: \"${ $workflow.id }\", body: asked } }"
    lines = [ask, mail] if tail else [ask]
    return HEAD % name + "do:\n" + wrap % "\n".join("  " + line for line in lines) + "\n"


def edit(path, change):
    """Changes a file in its place, so that only its owner may still read it."""
    content = content_of(path)
    change(content)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)


def private(path, flags):
    """Opens a file that others may not read."""
    return os.open(path, flags, 0o600)
