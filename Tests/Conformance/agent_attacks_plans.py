"""Attacks with ids of plans, and on what is kept of plans: files in GRAPHFLOW_HOME, workflows and what they read."""

import glob
import json
import os
import re
import shutil
import time

from agent_office import MAIL, OTHER_ID, agents
from approval_desk import ADELE, ALEX, LYNNE, MEGAN, content_of
from approval_office import due, edit, private
from approval_platform import digest, moment
from checks import check


def ids(program):
    with agents(program, "ids") as here:
        server, toy = here.server(), here.server("--sandbox")
        plan = here.plan(server)
        here.write("due.yaml", due("due"))
        here.serve("due.yaml", approvers=MEGAN.address)
        served = here.waiting([plan])
        done = here.graphflow("run", "mail.yaml", "--input", '{"to": "lynner@contoso.com"}')
        person = next(one["run"] for one in here.runs() if one["state"] == "completed")
        here.count_sent = len(here.sends())
        check("a person's run", done.returncode == 0 and person not in (plan, served), done.stderr)
        invented = toy.call("plan_mail", {"to": "lynner@contoso.com"}).data["planId"]
        tries = {
            "an unknown id": OTHER_ID, "an empty id": "", "a path upwards": f"../{plan}", "a path downwards": f"{plan}/approvals",
            "a path around": f"{OTHER_ID}/../{plan}", "an absolute path": here.folder_of(plan), "a dot": ".", "two dots": "..",
            "10,000 characters": "A" * 10_000, "26 umlauts": "Ä" * 26, "13 umlauts": "Ä" * 13, "a null": plan + "\0",
            "a null inside": plan[:25] + "\0", "another case": plan.lower(), "a space": plan + " ", "a line break": plan + "\n",
            "its beginning": plan[:20], "the last one": "last", "a star": "*" * 26, "full-width digits": "\uff10" * 26,
            "a percent sign": "%2e%2e%2f" + plan, "a person's run": person, "a run of a service": served,
            "a plan of a sandbox": invented, "escapes": "\x1b[2J" + plan, "both directions": "\u202e" + plan,
        }  # fmt: skip
        for name, id in tries.items():
            here.refused(f"run_plan with {name}", "there is no plan", server.run(id))
        for name in ("a path upwards", "an absolute path", "a person's run", "a run of a service", "a plan of a sandbox"):
            here.refused(f"run_status with {name}", "there is no plan", server.call("run_status", {"runId": tries[name]}))
        here.refused("a sandbox's server with a real plan", "there is no plan", toy.run(plan))
        for value in (None, 1, True, [plan], {"planId": plan}):
            here.refused(f"planId as {type(value).__name__}", "not valid", server.call("run_plan", {"planId": value}))
        for name in ("approve", "approved", "force", "__proto__", "inputResponses", "requestState", "runId"):
            here.refused(
                f"the argument {name}", "not valid", server.call("run_plan", {"planId": plan, name: True}))
        here.refused("no planId", "not valid", server.call("run_plan", {}))
        for uri in (
            f"graphflow://run/{person}", f"graphflow://plan/{served}", f"graphflow://run/../{plan}", "file:///etc/passwd",
            f"graphflow://plan/{plan}/../{plan}", f"graphflow://plan/..%2f{plan}", "graphflow://plan/", f"graphflow://run/{invented}",
            f"GRAPHFLOW://plan/{plan}", f"graphflow://plan//{plan}/x", "graphflow://" + "x" * 10_000, "", f"http://127.0.0.1/{plan}",
        ):  # fmt: skip
            here.refused(f"the resource {uri[:60]}", "no such resource", server.request("resources/read", {"uri": uri}))
        check("the run of a service waits", here.state(served) == "waiting", here.runs())
        # What the person ran is no agent's.
        here.approved.add(person)
        here.plans[person] = here.plans[plan]


def files(program):
    """Files of a plan that somebody has edited."""
    with agents(program, "files") as here:
        server = here.server("--approvers", f"{MEGAN.address},{ALEX.address}")
        changes = {
            "another recipient": lambda plan: step(plan)["body"]["json"]["toRecipients"][0]["emailAddress"].update(address="x@fabrikam.com"),
            "another request": lambda plan: step(plan).update(method="DELETE"),
            "another address": lambda plan: step(plan).update(url=step(plan)["url"].replace("/me/", "/users/alexw@contoso.com/")),
            "no tasks": lambda plan: plan["plan"].update(tasks=[]), "another input": lambda plan: plan["plan"]["input"].update(to="x@fabrikam.com"),
            "an added task": lambda plan: plan["plan"]["tasks"].append(plan["plan"]["tasks"][0]),
            "no digests": lambda plan: plan.pop("digests"),
        }
        for name, change in changes.items():
            plan = here.plan(server)
            edit(here.request_of(plan), lambda content, change=change: change(content["plan"]))
            here.refused(f"an edited plan: {name}", "changed after it was made", server.run(plan))
            done = here.graphflow("approve", plan, "--yes", "--print-url")
            here.holds(f"approve of an edited plan: {name}", done.returncode == 2, done.stderr)
        both(here, server, "before the approval", is_approved=False)
        both(here, server, "after the approval", is_approved=True)

        first, second = here.plan(server), here.plan(server, to="alexw@contoso.com")
        here.approves(first)
        for path in glob.glob(here.request_of(first).replace(".request.", ".answer-*.")):
            shutil.copy(path, path.replace(first, second))
        here.refused("the answer to another plan", "not approved", server.run(second))
        here.approved.add(first)
        here.runs_as("and the plan that it is for", first, server.run(first))
        here.refused("the answer to another plan, after its run", "not approved", server.run(second))

        copied(here, server)
        for name, answer in {
            "a bare yes": {"approved": True}, "that of a form": {"approved": True, "by": "form", "name": "x", "at": moment()},
            "an empty object": {}, "a list": [], "text": "yes", "a broken token": {"plan": "x", "expires": moment(hours=1), "note": "", "idToken": "a.b.c", "key": {}},
        }.items():  # fmt: skip
            forged(here, server, f"a forged answer: {name}", answer, "not approved|does not count")
        for name, person, more, word in (
            ("one who is no approver", LYNNE, {}, "does not count|not among"),
            ("another tenant", MEGAN, {"claims": {"tid": "another"}}, "does not count"),
            ("another application", MEGAN, {"claims": {"aud": "another"}}, "does not count"),
            ("no signature", MEGAN, {"head": {"alg": "none"}}, "does not count"),
            ("a later end than that of the plan", MEGAN, {"expires": moment(hours=-1)}, "does not count|expired"),
            ("the person who planned", ADELE, {}, "does not count|not among"),
        ):  # fmt: skip
            plan = here.plan(server)
            path = here.file(here.asked(plan)["plan"])
            answer = here.platform.approval(path, person, expires=more.pop("expires", re.sub(r"\.\d+Z", "Z", here.asked(plan)["expires"])), **more)
            forged(here, server, f"an approval with {name}", answer, word, plan)


def step(plan):
    return plan["plan"]["tasks"][0]["steps"][0]


def forged(here, server, name, answer, word, plan=None):
    """An answer that was put into the folder of a plan."""
    plan = plan or here.plan(server)
    path = here.request_of(plan).replace(".request.", f".answer-{'0' * 32}.")
    with open(path, "w", encoding="utf-8", opener=private) as file:
        json.dump(answer, file)
    here.refused(name, word, server.run(plan))


def both(here, server, name, is_approved):
    """A plan that was edited together with all its digests."""
    plan = here.plan(server)
    if is_approved:
        here.approves(plan)
    path = here.request_of(plan)
    content = content_of(path)
    own = here.file(content["plan"])

    def change(part):
        part["tasks"][0]["steps"][0]["body"]["json"]["toRecipients"][0]["emailAddress"]["address"] = "x@fabrikam.com"
        part["input"]["to"] = "x@fabrikam.com"

    changed = content_of(here.edited(own, change))
    edit(path, lambda content: content.update(plan=changed, digest=digest(here.file(changed))))
    here.refused(f"a plan that was edited with its digests {name}", "not approved|changed", server.run(plan))


def copied(here, server):
    """The whole folder of an approved plan, under another name."""
    plan = here.plan(server)
    here.approves(plan)
    copy = plan[:-1] + ("0" if plan[-1] != "0" else "1")
    shutil.copytree(here.folder_of(plan), here.folder_of(copy), symlinks=True)
    here.approved.add(plan)
    here.runs_as("a plan whose folder was copied", plan, server.run(plan))
    answer = server.run(copy)
    here.refused("the copy of an approved plan, with its approval", "used|no plan|damaged|another run|name", answer)
    journal = os.path.join(here.folder_of(copy), "journal.jsonl")
    with open(journal, encoding="utf-8") as file:
        text = file.read()
    with open(journal, "w", encoding="utf-8") as file:
        file.write(text.replace(plan, copy))
    here.refused("the copy with its name in its journal", "used|no plan|damaged", server.run(copy))


def workflows(program):
    """What a plan was made of, changed afterwards."""
    with agents(program, "workflows") as here:
        here.write("text.txt", "Hello")
        here.write("filled.yaml", MAIL.replace("name: mail", "name: filled").replace(
            "do:\n", "do:\n  - text: { call: readFile, with: { file: text.txt } }\n").replace(
            "'${ .to }'", "'${ $workflow.input.to }'").replace("'${ .text // \"Hello\" }'", "'${ . | tostring }'"))
        server = here.server(files=("mail.yaml", "filled.yaml"))
        for name, approved in (("before its approval", False), ("after its approval", True)):
            plan = here.plan(server)
            if approved:
                here.approves(plan)
            here.write("mail.yaml", MAIL.replace("Hello", "Goodbye"))
            word = "changed since" if approved else "not approved|changed since"
            here.refused(f"a file that changed {name}", word, server.run(plan))
            if not approved:
                here.approves(plan)
                here.refused("and was approved then", "changed since", server.run(plan))
            here.write("mail.yaml", MAIL)
            # The file is the one of the plan again.
            here.approved.add(plan)
            here.runs_as(f"the same file again, {name}", plan, server.run(plan))
        for name, change in {
            "other text": lambda: here.write("text.txt", "Goodbye"), "no file": lambda: os.unlink(here.path("text.txt")),
            "a link": lambda: os.symlink("/etc/hostname", here.path("text.txt")),
        }.items():
            if os.path.lexists(here.path("text.txt")):
                os.unlink(here.path("text.txt"))
            here.write("text.txt", "Hello")
            # A server uses what it has read of a folder for a second.
            time.sleep(1.1)
            plan = here.plan(server, "filled", to="lynner@contoso.com")
            here.approves(plan)
            if name == "a link":
                os.unlink(here.path("text.txt"))
            change()
            result = server.run(plan)
            here.holds(f"a file that the workflow reads: {name}", result.is_refused, result.reason, repr(result))
        if os.path.lexists(here.path("text.txt")):
            os.unlink(here.path("text.txt"))

        plan = here.plan(server)
        here.approves(plan)
        kept = os.path.join(here.folder_of(plan), "workflow")
        paths = glob.glob(kept + "/**/*", recursive=True) if os.path.isdir(kept) else [kept]
        for path in filter(os.path.isfile, paths):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("Hello", "Goodbye"))
        # The file itself is the one of the plan, and what is sent is in the plan.
        here.approved.add(plan)
        here.runs_as("the kept copy of the workflow is edited", plan, server.run(plan))

        plan = here.plan(server)
        here.approves(plan)
        os.rename(here.path("mail.yaml"), here.path("gone.yaml"))
        result = server.run(plan)
        here.holds("the file is gone", result.is_refused, result.reason, repr(result))
        os.rename(here.path("gone.yaml"), here.path("mail.yaml"))
        os.makedirs(here.path("apart"))
        here.write("apart/apart.yaml", MAIL.replace("name: mail", "name: apart"))
        other = here.server(files=("apart",))
        plan = here.plan(other, "apart", to="lynner@contoso.com")
        here.approves(plan)
        shutil.rmtree(here.path("apart"))
        result = other.run(plan)
        here.holds("the folder is gone", result.is_refused, result.reason, repr(result))
        here.refused("a tool whose file is gone", "no tool", other.call("plan_apart", {"to": "x"}))

        plan = here.plan(server)
        here.approves(plan)
        journal = os.path.join(here.folder_of(plan), "journal.jsonl")
        with open(journal, encoding="utf-8") as file:
            text = file.read()
        with open(journal, "w", encoding="utf-8") as file:
            file.write(text.replace("lynner@contoso.com", "x@fabrikam.co.uk"))
        result = server.run(plan)
        here.holds("the input in the journal is edited", result.is_refused, result.reason, repr(result))


ATTACKS = [ids, files, workflows]
