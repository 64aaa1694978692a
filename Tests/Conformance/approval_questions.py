"""Tasks that ask a person: in runs that are killed, in rounds, in other workflows, and in batches."""

import json
import os
import time

from approval_desk import LYNNE, MEGAN
from approval_evidence import check_shown
from approval_office import HEAD, asking, edit, office, private, wait_for
from checks import check


def asked_in_runs(program):
    with office(program) as here:
        here.write("ask.yaml", asking("ask", more=", data: { amount: 1.5 }"))
        process = here.begin("run", "ask.yaml")
        first = wait_for(here.questions)
        run = here.runs()[0]["run"]
        check("a run that asks waits", here.state(run) == "waiting" and not here.writes(), here.runs())
        here.kill(process)
        process = here.begin("resume", run)
        time.sleep(1.5)
        check("a resumed run asks the same", here.questions() == first and here.state(run) == "waiting", (first, here.questions()))
        here.kill(process)
        here.approves(run, MEGAN, "--note", "while it was dead")
        process = here.begin("resume", run)
        check("an approval counts that was given while nothing ran", process.wait(30) == 0, here.log())
        here.runs_once("a question", run)
        shown = here.graphflow("show", run).stdout
        check("show has it once", shown.count("while it was dead") == 1, shown)
        check_shown(here, "a question after a kill", 1)

        caught = (
            "  - try:\n      try:\n%s\n"
            "      catch: { as: error, do: [ { set: { set: { status: '${ $error.status }', why: '${ $error.detail }' } } } ] }")
        indented = asking("late", more=", expires: PT2S").split("do:\n")[1].rstrip().replace("  - ", "        - ")
        for kind, status in (("expiry", 408), ("rejection", 403)):
            asks = indented if kind == "expiry" else indented.replace("PT2S", "PT1H")
            here.write("late.yaml", HEAD % "late" + "do:\n" + caught % asks + "\n")
            process = here.begin("run", "late.yaml")
            wait_for(here.questions)
            if kind == "rejection":
                done = here.graphflow("reject", "last", "--note", "‹no› \"100 %\"")
                check("a question is rejected", done.returncode == 0, done.stderr)
            output = json.loads(process.communicate(timeout=30)[0] or "{}")
            check(f"an {kind} is an error of status {status}", output.get("status") == status, (output, here.log()))
            check("it has the note", kind == "expiry" or "‹no› \"100 %\"" in output.get("why", ""), output)

        here.write("inner.yaml", asking("inner", tail=False))
        each = "  - each:\n      for: { each: n, in: '${ [1, 2] }' }\n      do:\n        - %s\n"
        for kind, task in (
            ("a round", "ask: { call: approval, with: { approvers: [megan@contoso.com], text: 'Now?' } }"),
            ("another workflow", "sub: { run: { workflow: { namespace: samples, name: inner, version: latest } } }"),
        ):
            here.write("each.yaml", HEAD % "each" + "do:\n" + each % task)
            process, tasks = here.begin("run", "each.yaml"), []
            for _ in range(2):
                question = wait_for(lambda: [one for one in here.questions().values() if one["task"] not in tasks])
                tasks += [one["task"] for one in question or [{"task": "none"}]]
                here.approves("last")
            status = process.wait(30)
            check(f"{kind}: each round asks", status == 0 and len(set(tasks)) == 2 and all("@" in one for one in tasks), (status, tasks, here.log()))


def asked_in_batches(program):
    with office(program) as here:
        here.write("ask.yaml", asking("ask"))
        here.write("people.csv", "mail\nadelev@contoso.com\nalexw@contoso.com\n")
        words = ["batch", "ask.yaml", "--each", "people.csv", "--key", ".mail", "--approvals-for"]
        process = here.begin(*words, "item")
        found = wait_for(lambda: (lambda found: len(found) == 2 and list(found.values()))(here.questions("batches"))) or []
        items = sorted(one["run"] for one in found)
        check("each item waits for itself", len(items) == 2 and all("." in item for item in items), found)
        batch = items[0].split(".")[0] if items else "none"
        done = here.graphflow("approve", batch, "--yes")
        check("approve wants to know which", done.returncode == 64 and all(item in done.stderr for item in items), done.stderr)
        for item in items[:1]:
            here.approves(item)
        wait_for(lambda: here.writes())
        done = here.graphflow("reject", *items[1:], "--note", "not this one")
        check("the other item is rejected", done.returncode == 0, done.stderr)
        output = process.communicate(timeout=30)[0]
        sent = here.sandbox.read("/sandbox/outbox")
        check("one item ran, one did not", process.returncode == 1 and len(sent) == 1 and "403" in output, (process.returncode, output, here.log()))

        process = here.begin(*words, "batch")
        found = wait_for(lambda: here.questions("batches")) or {}
        time.sleep(1)
        check("items with the same text ask once", len(here.questions("batches")) == 1, here.questions("batches"))
        here.approves(next(iter(found.values()), {}).get("run") or "last")
        status = process.wait(30)
        sent = here.sandbox.read("/sandbox/outbox")
        check("one approval is for all items", status == 0 and len(sent) == 3, (status, sent, here.log()))


def rejected_in_the_end(here, name, run, process, mails=0):
    done = here.graphflow("reject", run)
    status = process.wait(30)
    check(f"{name}: it is rejected", done.returncode == 0 and status == 1, (done.returncode, done.stderr, status))
    check(f"{name}: nothing more is sent", len(here.mails(run)) == mails, here.mails(run))


def question_edited(program):
    """Who may answer a question is what the workflow says, not its file."""
    with office(program) as here:
        here.write("ask.yaml", asking("ask"))
        here.kill(here.begin_asking("run", "ask.yaml"))
        run = here.runs()[0]["run"]
        edit(here.request_of(run), lambda content: content.pop("approvers"))
        process = here.begin("resume", run)
        check("an edited question waits", here.reaches(run, "waiting"), here.runs())
        status, _, errors = here.signs(run, LYNNE)
        if status != 0:
            check("an approval by somebody else is refused", status == 2 and "not among" in errors, (status, errors))
        else:
            check("an approval by somebody else does not count", wait_for(lambda: "not among" in here.log(), 10), here.log())
        here.stays("an approval by somebody else", run)
        check("the task still waits", process.poll() is None and here.asked(run) != {}, (process.poll(), here.questions()))
        rejected_in_the_end(here, "an edited question", run, process)


def asked_again(program):
    """An approval answers the question for which it was given, not the next one with the same words."""
    with office(program) as here:
        boom = "  - boom: { raise: { error: { type: 'https://example.com/boom', status: 500 } } }\n"
        here.write("ask.yaml", asking("ask") + boom)
        process = here.begin_asking("run", "ask.yaml")
        run = here.runs()[0]["run"]
        here.approves(run)
        status = process.wait(30)
        check("a run fails after its approval", status == 1 and len(here.mails(run)) == 1, (status, here.mails(run), here.log()))
        here.graphflow("show", run, "--evidence", here.path("evidence"))
        with open(here.path("evidence/approval-1.json"), encoding="utf-8") as file:
            approval = file.read()
        time.sleep(1.1)
        process = here.begin_asking("resume", run, "--from", "ask", "--repeat-effects")
        path = here.request_of(run).replace(".request.", f".answer-{'0' * 32}.")
        with open(path, "w", encoding="utf-8", opener=private) as file:
            file.write(approval)
        check("an old approval is dropped", wait_for(lambda: not os.path.exists(path), 10), here.log())
        check("the log says why", "asked before" in here.log(), here.log())
        time.sleep(1)
        check("the question still waits", process.poll() is None and here.state(run) == "waiting", (process.poll(), here.runs()))
        rejected_in_the_end(here, "a question that was asked again", run, process, mails=1)
