"""Runs that wait for people, and somebody who goes around them, or a service that does not answer."""

import contextlib
import glob
import http.server
import os
import re
import signal
import threading
import time

import requests

from approval_desk import ALEX, MEGAN, content_of, finished
from approval_office import due, edit, office, wait_for
from checks import check


def two_waiting(here):
    """Two runs of one service, each with a plan."""
    here.write("due.yaml", due("due"))
    here.write("other.yaml", due("other", show="tostring"))
    here.serve("due.yaml", "other.yaml")
    run = here.waiting()
    return run, here.waiting([run])


def planned_only(program):
    """A plan without an approval begins nothing."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml")
        run = here.waiting()
        plan = here.file(here.asked(run)["plan"])
        words = ["resume", run, "--plan", plan]
        here.refused_command("resume with the plan of a held run", "holds the run .* back", *words)
        here.stays("resume with the plan of a held run", run)
        here.kill()
        here.refused_command("also while no service runs", "holds the run .* back", *words)
        check("it still waits", here.state(run) == "waiting", here.runs())
        check("it is rejected", here.graphflow("reject", run).returncode == 0, here.runs())
        here.refused_command("resume with the plan of a rejected run", "holds the run|reject|cancel", *words)
        check("it stays cancelled", here.state(run) == "cancelled" and not here.writes(), (here.runs(), here.writes()))


def plan_replaced(program):
    """What is shown is what is signed, and what runs."""
    with office(program) as here:
        run, other = two_waiting(here)
        path, foreign = here.request_of(run), here.asked(other)["plan"]
        # While no service has read the plan already.
        here.kill()
        own = content_of(path)["plan"]
        edit(path, lambda content: content.update(plan=foreign))
        begun = here.approving(run)
        if begun[1]:
            begun[0].kill()
        status, _, errors = finished(begun)
        check("a plan that was replaced is refused", status == 2 and "its plan was changed" in errors, (status, errors))
        check("before a sign-in", begun[1] is None, begun[1])
        edit(path, lambda content: content.update(plan=own))
        here.approves(run)
        edit(path, lambda content: content.update(plan=foreign))
        here.serve("due.yaml", "other.yaml")
        says = wait_for(lambda: re.search(f"{run}.*its plan was changed", here.log()))
        check("the service refuses it after an approval", says, here.log())
        here.stays("a plan that was replaced after its approval", run, other, seconds=1)


def unplanned(program):
    """A run that cannot be planned ends all the same."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.write("other.yaml", due("other"))
        here.serve("due.yaml", "other.yaml", "--approval-expires", "4s", GRAPHFLOW_GRAPH_URL="http://127.0.0.1:1/v1.0")
        check("two runs are due", wait_for(lambda: len(here.runs()) == 2), here.runs())
        runs = [one["run"] for one in here.runs()]
        check("there is no plan", here.questions() == {}, here.questions())
        done = here.graphflow("reject", runs[0], "--note", "no plan")
        is_cancelled = done.returncode == 0 and here.state(runs[0]) == "cancelled"
        check("a run without a plan is rejected", is_cancelled, (done.returncode, done.stderr, here.runs()))
        shown = here.graphflow("show", runs[0]).stdout
        check("show has the note", "no plan" in shown, shown)
        check("the other one expires", here.reaches(runs[1], "cancelled", 45), (here.runs(), here.log()))
        shown = here.graphflow("show", runs[1]).stdout
        check("show says that no one approved it in time", "no one approved it in time" in shown, shown)
        check("neither sends anything", here.writes() == [], here.writes())


def approvers_changed(program):
    """The approvers are those of the service that runs."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml", approvers=MEGAN.address)
        run = here.waiting()
        here.service.send_signal(signal.SIGSTOP)
        here.approves(run)
        here.kill()
        here.serve("due.yaml", approvers=ALEX.address)
        says = wait_for(lambda: re.search(f"{run} does not count.*not among", here.log()))
        check("the former approver's approval does not count", says, here.log())
        here.stays("the former approver's approval", run)
        status, _, errors = here.signs(run, MEGAN)
        check("approve refuses the former approver", status == 2 and "not among" in errors, (status, errors))
        here.approves(run, ALEX)
        here.runs_once("the new approver's approval", run)
        shown = here.graphflow("show", run).stdout
        check("show names the new approver only", ALEX.address in shown and MEGAN.address not in shown, shown)


class Flaky(http.server.BaseHTTPRequestHandler):
    """Answers 503 while it is down."""

    is_down = threading.Event()

    def do_GET(self):
        self.send_response(503 if self.is_down.is_set() else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments):
        pass


def unreadable_for_long(program):
    """A run that was approved and could not begin is still approved, and begins once."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Flaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with office(program) as here, contextlib.closing(server.socket):
        text = due("due", show='"hello"').replace("version: 1.0.0 }", "version: 1.0.0, metadata: { allowHttp: [127.0.0.1] } }")
        read = f"call: http, with: {{ method: get, endpoint: 'http://127.0.0.1:{server.server_port}/x' }}"
        here.write("due.yaml", re.sub("call: graph, with: {.*?} }", read + " }", text))
        here.serve("due.yaml")
        run = here.waiting()
        Flaky.is_down.set()
        here.approves(run, MEGAN, "--note", "while it was down")
        check("the run fails as it begins", wait_for(lambda: "503" in here.log(), 15), here.log())
        here.stays("a run that could not begin", run, seconds=2)
        path = here.request_of(run)
        check("it is still approved", glob.glob(path.replace(".request.", ".answer-*.")) != [], list(contents(here)))
        Flaky.is_down.clear()
        check("it completes when the service answers again", here.reaches(run, "completed", 45), (here.runs(), here.log()))
        here.runs_once("a run that could not begin at first", run)
        shown = here.graphflow("show", run).stdout
        check("show has its approval once", shown.count("while it was down") == 1, shown)
        server.shutdown()


def contents(here):
    """Everything in the folders of the runs' approvals."""
    found = {}
    for path in sorted(glob.glob(os.path.join(here.variables["GRAPHFLOW_HOME"], "runs", "*", "approvals", "*"))):
        with open(path, "rb") as file:
            found[path] = file.read()
    return found


def board_misled(program):
    """The board answers nothing but what waits in the run that it is asked about."""
    with office(program) as here:
        run, other = two_waiting(here)
        address, token = here.begin("board", here.folder).stdout.readline().strip().split("/#token=")
        headers, before = {"Authorization": f"Bearer {token}"}, contents(here)
        ids = [
            f"../../{other}/approvals/plan", f"../../../runs/{other}/approvals/plan", "../approvals/plan", "./plan", "plan.request",
            f"..%2f..%2f{other}%2fapprovals%2fplan", "plan\0", "", "*", None, 1, ["plan"],
        ]
        for act in ("reject", "approve"):
            for id in ids:
                at = f"{address}/api/runs/{run}/{act}"
                status = requests.post(at, json={"id": id, "note": "x"}, headers=headers, timeout=30).status_code
                check(f"the board refuses to {act} {id!r}", status == 409, status)
        check("nothing has changed", contents(here) == before, (list(before), list(contents(here))))
        here.stays("what the board refused", run, other)


SLOW_ATTACKS = [unplanned, unreadable_for_long]
ATTACKS = [planned_only, plan_replaced, approvers_changed, board_misled]
