"""What waits for people, and somebody who goes around them: with files that were edited, old approvals, and no plan."""

import contextlib
import glob
import http.server
import json
import os
import re
import signal
import threading
import time

import requests

from approval_desk import ALEX, LYNNE, MEGAN, content_of, finished
from approval_office import asking, due, office, wait_for
from checks import check


def edit(path, change):
    """Changes a file in its place, so that only its owner may still read it."""
    content = content_of(path)
    change(content)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)


def request_of(here, run):
    return next((path for path in here.questions() if f"/{run}/" in path), "none")


def two_waiting(here):
    """Two runs of one service, each with a plan."""
    here.write("due.yaml", due("due"))
    here.write("other.yaml", due("other", show="tostring"))
    here.serve("due.yaml", "other.yaml")
    run = here.waiting()
    return run, here.waiting([run])


def stays(here, name, *runs, seconds=1.5):
    time.sleep(seconds)
    states = [here.state(run) for run in runs]
    check(f"{name}: nothing is sent, it waits", here.writes() == [] and set(states) == {"waiting"}, (here.writes(), states, here.log()))


def planned_only(program):
    """A plan without an approval begins nothing."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml")
        run = here.waiting()
        plan = here.file(here.asked(run)["plan"])
        words = ["resume", run, "--plan", plan]
        here.refused_command("resume with the plan of a held run", "holds the run .* back", *words)
        stays(here, "resume with the plan of a held run", run)
        here.kill()
        here.refused_command("also while no service runs", "holds the run .* back", *words)
        check("it still waits", here.state(run) == "waiting", here.runs())
        check("it is rejected", here.graphflow("reject", run).returncode == 0, here.runs())
        here.refused_command("resume with the plan of a rejected run", "holds the run|reject|cancel", *words)
        check("it stays cancelled, and nothing is sent", here.state(run) == "cancelled" and not here.writes(), (here.runs(), here.writes()))


def plan_replaced(program):
    """What is shown is what is signed, and what runs."""
    with office(program) as here:
        run, other = two_waiting(here)
        path, foreign = request_of(here, run), here.asked(other)["plan"]
        here.service.send_signal(signal.SIGSTOP)
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
        here.service.send_signal(signal.SIGCONT)
        check("the service refuses it after an approval", wait_for(lambda: re.search(f"{run}.*its plan was changed", here.log())), here.log())
        stays(here, "a plan that was replaced after its approval", run, other, seconds=1)


def unplanned(program):
    """A run that cannot be planned ends all the same."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.write("other.yaml", due("other"))
        here.serve("due.yaml", "other.yaml", "--approval-expires", "4s", GRAPHFLOW_GRAPH_URL="http://127.0.0.1:1/v1.0")
        runs = wait_for(lambda: (lambda names: len(names) == 2 and sorted(names))([one["run"] for one in here.runs()])) or ["none", "none"]
        check("there is no plan", here.questions() == {}, here.questions())
        done = here.graphflow("reject", runs[0], "--note", "no plan")
        check("a run without a plan is rejected", done.returncode == 0 and here.state(runs[0]) == "cancelled", (done.returncode, done.stderr, here.runs()))
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
        check("the former approver's approval does not count", wait_for(lambda: re.search(f"{run} does not count.*not among", here.log())), here.log())
        stays(here, "the former approver's approval", run)
        status, _, errors = here.signs(run, MEGAN)
        check("approve refuses the former approver", status == 2 and "not among" in errors, (status, errors))
        here.approves(run, ALEX)
        here.runs_once("the new approver's approval", run)
        shown = here.graphflow("show", run).stdout
        check("show names the new approver only", ALEX.address in shown and MEGAN.address not in shown, shown)


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
        edit(request_of(here, run), lambda content: content.pop("approvers"))
        process = here.begin("resume", run)
        check("an edited question waits", here.reaches(run, "waiting"), here.runs())
        status, _, errors = here.signs(run, LYNNE)
        if status != 0:
            check("an approval by somebody else is refused", status == 2 and "not among" in errors, (status, errors))
        else:
            check("an approval by somebody else does not count", wait_for(lambda: "not among" in here.log(), 10), here.log())
        stays(here, "an approval by somebody else", run)
        check("the task still waits", process.poll() is None and here.asked(run) != {}, (process.poll(), here.questions()))
        rejected_in_the_end(here, "an edited question", run, process)


def asked_again(program):
    """An approval answers the question for which it was given, not the next one with the same words."""
    with office(program) as here:
        here.write("ask.yaml", asking("ask") + "  - boom: { raise: { error: { type: 'https://example.com/boom', status: 500 } } }\n")
        process = here.begin_asking("run", "ask.yaml")
        run = here.runs()[0]["run"]
        here.approves(run)
        check("a run that fails after its approval", process.wait(30) == 1 and len(here.mails(run)) == 1, (here.mails(run), here.log()))
        here.graphflow("show", run, "--evidence", here.path("evidence"))
        with open(here.path("evidence/approval-1.json"), encoding="utf-8") as file:
            approval = file.read()
        time.sleep(1.1)
        process = here.begin_asking("resume", run, "--from", "ask", "--repeat-effects")
        path = request_of(here, run).replace(".request.", f".answer-{'0' * 32}.")
        with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(approval)
        check("an old approval is dropped", wait_for(lambda: not os.path.exists(path), 10), here.log())
        check("the log says why", "asked before" in here.log(), here.log())
        time.sleep(1)
        check("the question still waits", process.poll() is None and here.state(run) == "waiting", (process.poll(), here.runs()))
        rejected_in_the_end(here, "a question that was asked again", run, process, mails=1)


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
        stays(here, "a run that could not begin", run, seconds=2)
        path = request_of(here, run)
        check("it is still approved", glob.glob(path.replace(".request.", ".answer-*.")) != [], os.listdir(os.path.dirname(path) or "."))
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
                status = requests.post(f"{address}/api/runs/{run}/{act}", json={"id": id, "note": "x"}, headers=headers, timeout=30).status_code
                check(f"the board refuses to {act} {id!r}", status == 409, status)
        check("nothing has changed", contents(here) == before, (list(before), list(contents(here))))
        stays(here, "what the board refused", run, other)


ATTACKS = [unplanned, unreadable_for_long, planned_only, plan_replaced, approvers_changed, question_edited, asked_again, board_misled]
