"""Where agents attack: servers of `graphflow mcp`, people who approve, and a judge that compares what was sent."""

import contextlib
import json
import os
import re
import tempfile

import requests

import sandbox as sandboxes
from agent_client import Broken, Server, WebServer
from approval_desk import ADELE, ALEX, LYNNE, MEGAN
from approval_office import HEAD, Office
from approval_platform import Platform
from checks import check

FORM = {"elicitation": {"form": {}}}
URL = {"elicitation": {"url": {}}}
ACCEPTED = {"approve": {"action": "accept", "content": {"approve": True}}}
OTHER_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

MAIL = HEAD % "mail" + """\
input:
  schema:
    document: { type: object, required: [to], properties: { to: { type: string }, text: { type: string } } }
do:
  - mail:
      call: sendMail
      with: { to: '${ .to }', subject: '${ $workflow.id }', body: '${ .text // "Hello" }' }
"""


def shown(text, limit=140):
    """Text for a terminal, in one line."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(text).split()))
    return line if len(line) <= limit else line[:limit] + "…"


def matches(planned, sent, run):
    """Whether what was sent is what was planned, where the plan has names for what is only known in the run."""
    if isinstance(planned, dict) and isinstance(sent, dict):
        return planned.keys() == sent.keys() and all(matches(planned[name], sent[name], run) for name in planned)
    if isinstance(planned, list) and isinstance(sent, list):
        return len(planned) == len(sent) and all(matches(*pair, run) for pair in zip(planned, sent))
    if isinstance(planned, str) and isinstance(sent, str):
        known = re.split("(‹[^›]*›)", planned.replace("‹workflow.id›", run))
        return re.fullmatch("".join(".*" if part[:1] == "‹" else re.escape(part) for part in known), sent, re.DOTALL) is not None
    return planned == sent


class AgentOffice(Office):
    """An office whose plans agents make."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.servers, self.plans, self.approved, self.count_sent, self.attacks = [], {}, set(), 0, 0
        self.write("mail.yaml", MAIL)

    def server(self, *words, http=False, files=("mail.yaml",), **variables):
        make = WebServer if http else Server
        options = [*words, *(["--http", "0"] if http and "--http" not in words else [])]
        one = make(
            [self.program, "mcp", *files, *options], self.environment(variables), self.folder,
            self.new("log"))
        self.servers.append(one)
        return one

    def plan(self, server, tool="mail", **arguments):
        """A new plan's id; what it plans is kept for the judge before anybody can edit it."""
        given = {"to": "lynner@contoso.com", **arguments} if tool == "mail" else arguments
        made = server.call(f"plan_{tool}", given)
        if not (name := made.data.get("planId")):
            raise RuntimeError(f"no plan: {made}")
        self.plans[name] = self.asked(name).get("plan", {}).get("plan", {})
        return name

    def approve(self, plan, *people, words=()):
        for person in people or [MEGAN]:
            self.approves(plan, person, *words)
        self.approved.add(plan)

    def by_form(self, server, plan, **more):
        """Approves by the form of a client."""
        asked = server.run(plan, FORM)
        self.approved.add(plan)
        return server.run(plan, FORM, inputResponses=ACCEPTED, requestState=asked.result.get("requestState"), **more)

    def sends(self):
        """What graphflow sent that changes something, the oldest first."""
        return [
            one for one in self.sandbox.read("/sandbox/requests")
            if one["method"] not in ("GET", "HEAD") and one["headers"].get("User-Agent", "").startswith("graphflow")]

    def mails_of(self, run):
        return [mail for mail in self.sandbox.read("/sandbox/outbox") if run in mail["subject"]]

    def line(self, name, by):
        self.attacks += 1
        print(f"{name}: {shown(by)}", flush=True)

    def holds(self, name, is_right, by, detail=""):
        """Counts an attack that must change nothing."""
        sent = self.sends()
        check(name, is_right, detail or by)
        check(f"{name}: nothing is sent", len(sent) == self.count_sent, sent[self.count_sent:])
        self.count_sent = len(sent)
        self.line(name, by)

    def refused(self, name, word, result):
        """Counts an attack that must be refused with a reason."""
        right = result.is_refused and re.search(word, result.reason, re.IGNORECASE) is not None
        self.holds(name, right, result.reason, f"expected /{word}/: {result}")
        return result

    def runs_as(self, name, plan, result, mails=1):
        """Counts an attack on a run that must happen all the same, once."""
        state, found = result.data.get("state"), self.mails_of(plan)
        check(name, state == "completed" and len(found) == mails, (state, len(found), repr(result)))
        self.count_sent = len(self.sends())
        self.line(name, f"{len(found)} mail, {state}")

    def alive(self, name, server):
        """The server still answers."""
        found = server.call("list_workflows")
        check(f"{name}: the server answers", not found.is_refused, found)

    def folder_of(self, run):
        return os.path.join(self.variables["GRAPHFLOW_HOME"], "runs", run)

    def judge(self, name, repeats=False):
        """Compares what was sent with what the approved plans say."""
        left = []
        for run in self.approved:
            for task in self.plans[run].get("tasks", []):
                left += [[run, step, False] for step in steps_of(task)]
        strange = []
        for one in self.sends():
            found = next((part for part in left if (repeats or not part[2]) and is_step(part[1], one, part[0])), None)
            if found:
                found[2] = True
            else:
                strange.append((one["method"], one["path"], one["body"]))
        check(f"{name}: everything that was sent is in an approved plan", not strange, strange)
        print(f"{name}: {self.attacks} attacks, {len(self.sends())} requests that change something, "
              f"{len(self.approved)} approved plans", flush=True)


def steps_of(part):
    """The requests in a part of a plan."""
    if isinstance(part, list):
        return [step for one in part for step in steps_of(one)]
    if not isinstance(part, dict):
        return []
    if part.get("type") == "request":
        return [part]
    return [step for one in part.values() for step in steps_of(one)]


def is_step(step, sent, run):
    path = requests.utils.unquote(re.sub(r"^https?://[^/]*", "", step["url"]))
    if step["method"] != sent["method"] or not matches(path, requests.utils.unquote(sent["path"]), run):
        return False
    body = step.get("body") or {}
    return body.get("kind") != "json" or matches(body["json"], sent["body"], run)


@contextlib.contextmanager
def agents(program, name, repeats=False):
    """Its own office; in the end the judge compares."""
    platform = Platform([ADELE, MEGAN, ALEX, LYNNE])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sandboxes.running(program) as sandbox:
        here = AgentOffice(program, sandbox, platform, folder)
        here.processes = []
        try:
            yield here
            here.judge(name, repeats)
        finally:
            for server in here.servers:
                with contextlib.suppress(Exception):
                    server.kill()
            for process in here.processes:
                process.kill()
                process.wait()
            platform.server.shutdown()


def quiet(call, *arguments, **more):
    """The result of a call; None if the server closed the connection."""
    try:
        return call(*arguments, **more)
    except (Broken, ValueError):
        return None


def members(content):
    return json.dumps(content, ensure_ascii=False)
