"""Attacks on who approves, and until when."""

import glob
import os
import shutil
import time

from agent_office import MAIL, agents
from approval_desk import ADELE, ALEX, LYNNE, MEGAN
from approval_office import edit
from approval_platform import moment
from checks import check


def people(program):
    """Who approves, and until when."""
    with agents(program, "people") as here:
        strict = here.server("--approvers", f"{MEGAN.address},{ADELE.address}")
        plan = here.plan(strict)
        status, _, errors = here.signs(plan, ADELE)
        here.refused("the planner under four eyes", "not approved|does not count|planned", strict.run(plan))
        plan = here.plan(strict)
        status, _, errors = here.signs(plan, LYNNE)
        here.holds("a sign-in of another person", status == 2, errors)
        here.refused("and the plan", "not approved", strict.run(plan))
        here.approves(plan, MEGAN)
        strict.kill()
        other = here.server("--approvers", ALEX.address)
        here.refused("an approver who was removed", "not among|does not count", other.run(plan))
        other.kill()

        two = here.server("--approvers", f"{MEGAN.address},{ALEX.address}", "--approvals", "2")
        plan = here.plan(two)
        here.approves(plan, MEGAN)
        here.approves(plan, MEGAN, "--note", "again")
        here.refused("one person twice", "not approved", two.run(plan))
        path = here.request_of(plan)
        for answer in glob.glob(path.replace(".request.", ".answer-*.")):
            shutil.copy(answer, path.replace(".request.", f".answer-{'1' * 32}."))
        result = two.run(plan)
        here.holds("a copy of an approval as the second one", result.is_refused, result.reason, repr(result))
        edit(path, lambda content: content.update(count=1))
        os.unlink(path.replace(".request.", f".answer-{'1' * 32}."))
        here.refused("a smaller number in the file", "not approved", two.run(plan))
        edit(path, lambda content: content.update(approvers=[LYNNE.address, MEGAN.address]))
        here.signs(plan, LYNNE)
        result = two.run(plan)
        here.holds("another approver in the file", result.is_refused, result.reason, repr(result))
        two.kill()

        brief = here.server("--approval-expires", "15s")
        plan = here.plan(brief)
        here.approves(plan)
        time.sleep(15.2)
        here.refused("a plan that has expired", "could be approved until", brief.run(plan))
        edit(here.request_of(plan), lambda content: content.update(expires=moment(hours=2)))
        result = brief.run(plan)
        here.holds("a later end in the file", result.is_refused, result.reason, repr(result))
        brief.kill()

        server = here.server()
        plan = here.plan(server)
        check("reject", here.graphflow("reject", plan).returncode == 0)
        result = server.run(plan)
        here.holds("a plan that was rejected", result.is_refused and result.data.get("state") == "cancelled", str(result.data.get("state")), repr(result))
        done = here.graphflow("approve", plan, "--yes")
        here.holds("approve of a plan that was rejected", done.returncode == 64, done.stderr)
        plan = here.plan(server)
        for words in (["resume", plan], ["resume", plan, "--plan", here.file(here.asked(plan)["plan"])]):
            done = here.graphflow(*words)
            here.holds(f"graphflow {words[0]} {'--plan' if len(words) > 2 else ''} before an approval", done.returncode == 2, done.stderr)
        here.refused("and the plan then", "not approved", server.run(plan))
        for name, words, variables in (
            ("--approve form with --approvers", ["--approve", "form", "--approvers", "x"], {}),
            ("--approve form where approvals are required", ["--approve", "form"], {"GRAPHFLOW_REQUIRE_APPROVAL": "1"}),
            ("no approvers where approvals are required", [], {"GRAPHFLOW_REQUIRE_APPROVAL": "1"}),
            ("two workflows of one name", [here.file(MAIL)], {}), ("all addresses without a token", ["--http", "0.0.0.0:0"], {}),
        ):
            done = here.graphflow("mcp", "mail.yaml", *words, **variables)
            here.holds(name, done.returncode in (2, 64), done.stderr, (done.returncode, done.stderr))


ATTACKS = [people]
