"""What `graphflow show RUN --evidence FOLDER` writes, checked by the script that users copy."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import requests

from approval_desk import ALEX, MEGAN, content_of, finished
from approval_platform import TENANT, Key, moment
from checks import check

HERE = os.path.dirname(os.path.abspath(__file__))


def documented():
    """The script in the documentation is the one that is tested."""
    page = os.path.join(HERE, "../../Sources/Workflows/Engine/Documentation.docc/CheckEvidence.md")
    with open(page, encoding="utf-8") as file, open(os.path.join(HERE, "check_evidence.py"), encoding="utf-8") as script:
        check("the page of evidence has the script", f"```python\n{script.read()}```" in file.read())


QUESTION = """\
document: { dsl: 1.0.3, namespace: samples, name: ask, version: 1.0.0 }
do:
  - ask:
      call: approval
      with:
        approvers: [megan@contoso.com]
        text: Send the mail “now”?
        data: { to: lynner@contoso.com, amount: 1.5 }
  - mail:
      call: sendMail
      with: { to: lynner@contoso.com, subject: Welcome, body: Your desk is ready. }
"""

KINDS = """\
document: { dsl: 1.0.3, namespace: samples, name: kinds, version: 1.0.0 }
do:
  - file: { call: upload, with: { path: 'ä %20.txt', content: x } }
  - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
  - member: { call: addToGroup, with: { group: 02bd9fd6-8f93-4758-87c3-1fb73740a315, user: lynner@contoso.com } }
  - change: { call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body: { jobTitle: a } } }
  - mail:
      call: sendMail
      with: { to: lynner@contoso.com, subject: '${ "Welcome, " + $workflow.id }', body: Your desk is ready. }
"""


def checked(place):
    words = [sys.executable, os.path.join(HERE, "check_evidence.py"), place]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def evidence(desk):
    desk.write("kinds.yaml", KINDS)
    platform, plan = desk.platform, desk.plan(workflow="kinds.yaml")
    approvals = [platform.approval(plan, MEGAN, "checked “all”\n100 %"), platform.approval(plan, ALEX)]
    done = desk.graphflow(*desk.words(plan, approvals, ["--approvals", "2"], workflow="kinds.yaml"))
    check("the run that is shown", done.returncode == 0, done.stderr)
    folder = desk.path("evidence")
    done = desk.graphflow("show", "last", "--evidence", folder)
    check("show --evidence", done.returncode == 0, done.stderr)
    names = sorted(os.listdir(folder))
    check("the evidence's files", names == [
        "SHA256SUMS", "approval-1.json", "approval-2.json", "journal.jsonl", "plan.json", "workflow"], names)

    done = checked(folder)
    lines = done.stdout.splitlines()
    check("the evidence holds", done.returncode == 0 and len(lines) == 2, (done.stdout, done.stderr))
    for person, line in zip((MEGAN, ALEX), lines):
        check(f"it says that {person.name} approved",
              all(text in line for text in (person.address, person.id, TENANT)), line)
    tool = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True)
    check("sha256sum takes the list", tool.returncode == 0, tool.stderr)

    @contextlib.contextmanager
    def copy():
        place = desk.path("copy")
        shutil.copytree(folder, place)
        yield place
        shutil.rmtree(place)

    def refused(name, word, place):
        done = checked(place)
        check(f"evidence with {name} is refused",
              done.returncode == 1 and re.search(word, done.stderr) and "Traceback" not in done.stderr, done.stderr)

    for name in names:
        with copy() as place:
            with open(os.path.join(place, name), "r+b") as file:
                content = file.read()
                file.seek(len(content) // 2)
                file.write(bytes([content[len(content) // 2] ^ 1]))
            refused(f"a byte changed in {name}", "SHA256SUMS|UTF-8", place)
        with copy() as place:
            os.remove(os.path.join(place, name))
            refused(f"no {name}", "SHA256SUMS", place)
    with copy() as place:
        shutil.copy(os.path.join(place, "plan.json"), os.path.join(place, "approval-3.json"))
        refused("a file more", "SHA256SUMS", place)

    # From here on, the list of digests fits again.
    def summed(place):
        with open(os.path.join(place, "SHA256SUMS"), "w", encoding="ascii") as file:
            for name in sorted(os.listdir(place)):
                if name != "SHA256SUMS":
                    with open(os.path.join(place, name), "rb") as content:
                        file.write(f"{hashlib.sha256(content.read()).hexdigest()}  {name}\n")

    def rewrite(name, word, what, change, *, journal=None):
        with copy() as place:
            path = os.path.join(place, what)
            value = content_of(path)
            change(value)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(value, file)
            if journal:
                path = os.path.join(place, "journal.jsonl")
                with open(path, encoding="utf-8") as file:
                    lines = [json.loads(line) for line in file]
                journal(lines)
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(line) + "\n" for line in lines)
            summed(place)
            refused(name, word, place)

    def member(name, value):
        return lambda content: content.__setitem__(name, value)

    def in_journal(name, value):
        return lambda lines: lines[0]["approvals"][0].__setitem__(name, value)

    attacker = Key("first").jwk()
    first = "approval-1.json"
    later, forged = moment(days=400), platform.approval(plan, MEGAN, approvals[0]["note"], key=Key("first"))["idToken"]
    rewrite("another key", "journal has", first, member("key", attacker))
    rewrite("another key, also in the journal", "signature does not hold", first, member("key", attacker),
            journal=in_journal("key", attacker))
    rewrite("another note", "journal has", first, member("note", "x"))
    rewrite("another note, also in the journal", "signed something else", first, member("note", "x"),
            journal=in_journal("note", "x"))
    rewrite("a later expiry, also in the journal", "signed something else", first, member("expires", later),
            journal=in_journal("expires", later))
    rewrite("another token, also in the journal", "signature does not hold", first, member("idToken", forged),
            journal=in_journal("idToken", forged))
    rewrite("another plan", "for something else", "plan.json", lambda plan: plan["plan"].__setitem__("effects", []))
    rewrite("another plan, also in the approval", "journal has|signed something else", first, member("plan", "0" * 64))

    def more_effects(lines):
        done = next(line for line in lines if line.get("data", {}).get("state") == "done")
        done["data"]["effect"]["task"] = "/do/1/another"

    rewrite("an effect that was not planned", "plan does not have", first, lambda content: None, journal=more_effects)

    def altered(state, kind, change):
        def alter(lines):
            found = [line["data"] for line in lines if "effect.recorded" in line.get("type", "")]
            found = [one for one in found if one["effect"]["kind"] == kind]
            for one in found:
                one["state"] = state if one is found[-1] else one["state"]
                change(one["effect"])
        return alter

    changes = [(kind, name, change) for kind, members in {
        "mail": [("a changed recipient", {"to": ["mallory@example.com"]}), ("one recipient more", {"bcc": ["m@example.com"]}),
                 ("no recipient known", {"to": None}), ("another sender", {"from": "mallory@example.com"}),
                 ("an attachment", {"attachments": [{"name": "a", "size": 1}]})],
        "file": [("another path", {"path": "other.txt"}), ("another owner", {"owner": "alex@contoso.com"})],
        "link": [("another scope", {"scope": "anonymous"}), ("another right", {"type": "edit"})],
        "member": [("another group", {"group": "other"}), ("another member", {"member": "mallory@example.com"})],
        "change": [("another property", {"properties": {"jobTitle": {"after": "a"}, "city": {"after": "b"}}}),
                   ("another value", {"properties": {"jobTitle": {"after": "b"}}})],
    }.items() for name, change in members]
    for kind, name, change in changes:
        for state in ("begun", "done", "unknown", "undone"):
            rewrite(f"{name} of a {kind} that is {state}", "plan does not have", first, lambda content: None,
                    journal=altered(state, kind, lambda effect, change=change: effect.update(change)))
    with copy() as place:
        os.remove(os.path.join(place, "approval-2.json"))
        summed(place)
        refused("an approval less", "journal has other approvals", place)


def check_shown(desk, name, count):
    """The evidence of the newest run holds, with so many approvals."""
    folder = desk.new("evidence")
    done = desk.graphflow("show", "last", "--evidence", folder)
    check(f"show --evidence of {name}", done.returncode == 0, done.stderr)
    done = checked(folder)
    lines = done.stdout.splitlines()
    check(f"the evidence of {name} holds", done.returncode == 0 and len(lines) == count, (done.stdout, done.stderr))


def evidence_of_resumed(desk):
    """Runs that continued with an approved plan."""
    platform = desk.platform
    for name, count in [("a run that was approved later", 1), ("a run that was approved twice", 2)]:
        plan, later = desk.plan(), desk.plan()
        desk.sandbox.fault("POST /me/messages 400")
        words = desk.words(plan, [platform.approval(plan, MEGAN, "before")])
        done = desk.graphflow(*(words if count == 2 else ("run", "welcome.yaml", "--plan", plan)))
        check(f"{name}: it faults", done.returncode == 1, done.stderr)
        approval = desk.file(platform.approval(later, ALEX, "after"))
        before = len(desk.sent()[1])
        done = desk.graphflow(
            "resume", "last", "--plan", later, "--approval", approval, "--require-approval", "--approvers", desk.approvers)
        mails = len(desk.sent()[1]) - before
        check(f"{name}: it continues", done.returncode == 0 and mails == 1, (done.returncode, mails, done.stderr))
        check_shown(desk, name, count)


def evidence_of_questions(desk):
    """A run whose task asked a person."""
    desk.write("ask.yaml", QUESTION)
    process = subprocess.Popen(
        [desk.program, "run", "ask.yaml"], env=desk.environment({}), cwd=desk.folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(200):
            if "ask" in desk.graphflow("runs", "--state", "waiting").stdout:
                break
            time.sleep(0.1)
        before = desk.sent()
        begun = desk.approving("last", "--note", "yes, “do”")
        requests.post(begun[1], data={"person": ALEX.id}, timeout=30)
        status, _, errors = finished(begun)
        check("a question is not answered by somebody else", status == 2 and "not among" in errors, (status, errors))
        check("nothing is sent before the answer", desk.sent() == before, desk.sent())
        begun = desk.approving("last", "--note", "yes, “do”")
        requests.post(begun[1], data={"person": MEGAN.id}, timeout=30)
        status, _, errors = finished(begun)
        check("a question is answered", status == 0, errors)
        errors = process.communicate(timeout=60)[1]
        check("then the run completes", process.returncode == 0 and len(desk.sent()[1]) == len(before[1]) + 1, errors)
    finally:
        process.kill()
    check_shown(desk, "a question", 1)
