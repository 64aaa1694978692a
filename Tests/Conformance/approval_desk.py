"""Where plans are made, approved and run: a folder, a sandbox, and the approvers' platform."""

import hashlib
import json
import os
import re
import subprocess
import threading

import rfc8785

from approval_platform import CLIENT, TENANT, Person, compact
from checks import check

ADELE = Person("Adele Vance", "adelev@contoso.com", 1)
MEGAN = Person("Megan Bowen", "megan@contoso.com", 2)
ALEX = Person("Alex Wilber", "alexw@contoso.com", 3)
LYNNE = Person("Lynne Robbins", "lynner@contoso.com", 4)
GUEST = Person("Gil Guest", "gil@fabrikam.com", 5, provider="https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/")
NAMELESS = Person("Nora Nameless", None, 6)
OTHER = "11111111-2222-4333-8444-555555555555"

WORKFLOW = """\
document: { dsl: 1.0.3, namespace: samples, name: welcome-mail, version: 1.0.0 }
input:
  schema:
    document: { type: object, required: [to], properties: { to: { type: string } } }
do:
  - mail:
      call: sendMail
      with: { to: '${ .to }', subject: Welcome, body: Your desk is ready. }
"""


class Desk:
    """Where plans are made, approved and run: a folder, a sandbox and the approvers' platform."""

    def __init__(self, program, sandbox, platform, folder):
        self.program, self.sandbox, self.platform, self.folder = program, sandbox, platform, folder
        self.count = 0
        self.approvers = f"{MEGAN.address},{ALEX.id}"
        self.variables = {
            "AZURE_AUTHORITY_HOST": platform.origin, "AZURE_TENANT_ID": TENANT, "GRAPHFLOW_APPROVAL_CLIENT_ID": CLIENT,
            "GRAPHFLOW_HOME": os.path.join(folder, "home"), "GRAPHFLOW_ACCESS_TOKEN": ADELE.token(),
            # Whatever the caller has set.
            "GRAPHFLOW_REQUIRE_APPROVAL": None, "AZURE_CLIENT_ID": None, "AZURE_CLIENT_SECRET": None,
        }
        self.write("welcome.yaml", WORKFLOW)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def new(self, ending):
        self.count += 1
        return self.path(f"{self.count}.{ending}")

    def environment(self, variables):
        given = {**self.sandbox.environment(), **self.variables, **variables}
        return {name: value for name, value in given.items() if value is not None}

    def graphflow(self, *words, **variables):
        return subprocess.run(
            [self.program, *words], env=self.environment(variables), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120, cwd=self.folder)

    def plan(self, to="lynner@contoso.com", given=None, workflow="welcome.yaml", **variables):
        """The path of a new plan; what is given is more input, as JSON or as its text."""
        path = self.new("json")
        given = given if isinstance(given, str) else json.dumps({"to": to, **(given or {})})
        made = self.graphflow(
            "run", workflow, "--input", given, "--dry-run=read", "--plan-out", path, **variables)
        if made.returncode != 0:
            raise RuntimeError(f"no plan: {made.stderr}")
        return path

    def edited(self, plan, change):
        """A copy of a plan that somebody has changed, with digests that fit."""
        with open(plan, encoding="utf-8") as file:
            content = json.load(file)
        change(content["plan"])
        for name, part in [("input", content["plan"]["input"]), ("plan", content["plan"])]:
            content["digests"][name] = hashlib.sha256(rfc8785.dumps(part)).hexdigest()
        return self.file(content)

    def file(self, content):
        """The path of a new file with this JSON or this text."""
        path = self.new("json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def words(self, plan, approvals, options=(), approvers=None, workflow="welcome.yaml"):
        """The command that runs a plan with approvals, which are paths or the content of files."""
        paths = [one if isinstance(one, str) else self.file(one) for one in approvals]
        return [
            "run", workflow, "--plan", plan, *(word for path in paths for word in ("--approval", path)),
            "--require-approval", "--approvers", approvers or self.approvers, *options,
        ]

    def sent(self):
        """Every request that the sandbox got, and every mail that left."""
        return self.sandbox.read("/sandbox/requests"), self.sandbox.read("/sandbox/outbox")

    def refused_command(self, name, word, *words, status=(2,), **variables):
        before = self.sent()
        done = self.graphflow(*words, **variables)
        is_named = re.search(word, done.stderr, re.IGNORECASE) is not None
        check(f"{name}: refused, with the reason", done.returncode in status and is_named,
              (done.returncode, f"expected /{word}/", done.stderr, done.stdout))
        check(f"{name}: nothing is sent", self.sent() == before, self.sent()[0][len(before[0]):])

    def refused(self, name, word, plan, *approvals, options=(), approvers=None, **variables):
        self.refused_command(name, word, *self.words(plan, approvals, options, approvers), **variables)

    def accepted(self, name, plan, *approvals, options=(), approvers=None, **variables):
        before = len(self.sent()[1])
        done = self.graphflow(*self.words(plan, approvals, options, approvers), **variables)
        mails = len(self.sent()[1]) - before
        is_right = done.returncode == 0 and mails == 1
        check(f"{name}: accepted, with one mail", is_right, (done.returncode, mails, done.stderr))

    def approving(self, plan, *options, **variables):
        """`graphflow approve` and the address that it prints."""
        process = subprocess.Popen(
            [self.program, "approve", plan, "--yes", "--print-url", *options], env=self.environment(variables),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        timer = threading.Timer(60, process.kill)
        timer.start()
        process.shown = ""
        for line in process.stderr:
            process.shown += line
            if found := re.search(r"https?://\S+/authorize\?\S+", line):
                return process, found[0], timer
        return process, None, timer


def finished(begun):
    process, _, timer = begun
    output, errors = process.communicate()
    timer.cancel()
    return process.returncode, output, process.shown + errors


def content_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def token_of(id):
    return compact({"alg": "RS256"}, {"oid": id}, lambda part: b"any")
