"""Runs of a service that wait for people, on the command line and on the board, and questions that tasks ask.

    ./environment approvals_service.py GRAPHFLOW [--pictures FOLDER]

The approvers' identity platform is authlib's. What a sandbox was sent is the judge: nothing, unless it was approved.
"""

import argparse
import base64
import contextlib
import html
import json
import os
import re
import signal
import socket
import time

import requests

import browser as browsers
import sandbox as sandboxes
from approval_attacks import ATTACKS, SLOW_ATTACKS
from approval_board import on_board
from approval_desk import ALEX, LYNNE, MEGAN
from approval_evidence import check_shown
from approval_office import HOSTILE, NAMES, USERS, due, graph, office, private, wait_for
from approval_platform import Key
from approval_questions import asked_again, asked_in_batches, asked_in_runs, question_edited
from checks import at_once, case, check, end


def scheduled(program):
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml")
        run = here.waiting()
        listed = here.graphflow("runs", "--state", "waiting").stdout
        check("a run that is due is listed as waiting", run in listed and "waiting" in listed, listed)
        check("it is the only one", [one["state"] for one in here.runs()] == ["waiting"], here.runs())
        time.sleep(1.5)
        check("nothing is written before the approval", here.writes() == [], here.writes())
        shown = here.approves(run, MEGAN, "--note", "checked “all” 100 %")
        check("approve shows the plan", "lynner@contoso.com" in shown and "It can be approved until" in shown, shown)
        here.runs_once("an approved run", run)
        shown = here.graphflow("show", run).stdout
        check("show names the approver and the note", MEGAN.address in shown and "checked “all” 100 %" in shown, shown)
        check_shown(here, "a run of a service", 1)
        done = here.graphflow("approve", run, "--yes")
        check("what has run is not approved again", done.returncode == 64 and "waits for no" in done.stderr, done.stderr)

        # The same service, with no one who wants it.
        here.kill()
        here.serve("due.yaml")
        run = here.waiting()
        done = here.graphflow("reject", run, "--note", "the list is old", USER="pat")
        check("reject succeeds", done.returncode == 0 and run in done.stdout, done.stderr)
        check("a rejected run is cancelled", here.state(run) == "cancelled", here.runs())
        shown = here.graphflow("show", run).stdout
        check("show says who rejected it and why", "by pat" in shown and "the list is old" in shown, shown)
        check("show does not advise to resume it", "graphflow resume" not in shown, shown)
        done = here.graphflow("resume", run)
        check("resume of it is refused", done.returncode == 2 and not here.mails(run), (done.returncode, done.stderr))
        check("without the advice to approve it, which is refused", "graphflow approve" not in done.stderr, done.stderr)
        time.sleep(1.5)
        check("nothing of it is sent", here.mails(run) == [], here.mails(run))
        here.kill()
        here.serve("due.yaml")
        time.sleep(1.5)
        check("it stays cancelled after a restart", here.state(run) == "cancelled" and not here.mails(run), here.runs())


def expired(program):
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml", "--approval-expires", "3s")
        run = here.waiting()
        check("without an approval, it is cancelled", here.reaches(run, "cancelled", 15), here.runs())
        shown = here.graphflow("show", run).stdout
        check("show says that no one approved in time", "no one approved it in time" in shown, shown)
        done = here.graphflow("approve", run, "--yes")
        check("approve is refused then", done.returncode in (2, 64) and "waits for no" in done.stderr, done.stderr)
        here.kill()
        here.serve("due.yaml", "--approval-expires", "3s")
        run = here.waiting([run])
        here.kill()
        time.sleep(3.5)
        done = here.graphflow("approve", run, "--yes")
        check("approve is refused while no service runs", done.returncode == 2 and "until" in done.stderr, done.stderr)
        here.serve("due.yaml", "--approval-expires", "1h")
        check("the next service cancels it", here.reaches(run, "cancelled", 15), here.runs())
        check("nothing is sent", here.writes() == [], here.writes())


GROUP = "/groups/06f62f70-9827-4e6e-93ef-8e0f2d9b7b23/members"
FILE = "/me/drive/root:/list.txt:/content"
MEMBER = '{"@odata.id": "https://graph.microsoft.com/v1.0/directoryObjects/16cfe710-1625-4806-9990-91b8f0afee35"}'


def changing(what, program):
    """What the workflow reads changes between the plan and the approval."""
    path, change = {
        "users": (USERS, ("PATCH", "/users/alexw@contoso.com", '{"displayName": "Alex “W” 100 %"}')),
        "members": (GROUP, ("POST", GROUP + "/$ref", MEMBER)),
        "a file": (FILE, ("PUT", FILE, "second")),
    }[what]
    with office(program) as here:
        graph(here, "PUT", FILE, "first")
        here.write("due.yaml", due("due", path, show="tostring" if what == "a file" else NAMES))
        here.serve("due.yaml")
        run = here.waiting()
        first = here.asked(run)
        graph(here, *change)
        before = here.writes()
        here.approves(run, MEGAN, "--note", "the first")
        check(f"{what} changed: a new plan waits", wait_for(lambda: here.asked(run).get("digest", first["digest"]) != first["digest"]),
              (here.runs(), here.log()))
        time.sleep(2.5)
        check(f"{what} changed: nothing is sent, the run waits", here.writes() == before and here.state(run) == "waiting",
              (here.writes(), here.runs()))
        check(f"{what} changed: its expiry stays", here.asked(run).get("expires") == first["expires"], (first["expires"], here.asked(run)))
        shown = here.approves(run, ALEX, "--note", "the second")
        check(f"{what} changed: approve says what", "this has changed" in shown and "in the plan" in shown and "'read'" in shown, shown)
        here.runs_once(f"{what} changed, the new plan", run)
        shown = here.graphflow("show", run).stdout
        check(f"{what} changed: only the second approval counts", "the second" in shown and "the first" not in shown, shown)
        new = {"users": "100 %", "members": "Lynne Robbins", "a file": "second"}[what]
        check(f"{what} changed: the mail has the new answer", new in str([one["body"] for one in here.mails(run)]), here.mails(run))
        check_shown(here, f"a run after {what} changed", 1)


def killed(program):
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml")
        run = here.waiting()
        here.kill()
        here.serve("due.yaml")
        check("a run waits after a kill", here.reaches(run, "waiting"), here.runs())
        here.service.send_signal(signal.SIGSTOP)
        here.approves(run)
        here.kill()
        check("the service has not seen the approval", not here.mails(run) and here.state(run) == "waiting", here.runs())
        here.serve("due.yaml", approvers="")
        says = wait_for(lambda: re.search("wait.? for an approval.*--require-approval", here.log()))
        check("a service without --require-approval says that it waits", says, here.log())
        time.sleep(1.5)
        check("and does not run it", not here.mails(run) and here.state(run) == "waiting", here.runs())
        done = here.graphflow("resume", run)
        check("resume of it is refused, with what to do", done.returncode == 2 and "graphflow approve" in done.stderr, (done.returncode, done.stderr))
        check("resume sends nothing", not here.mails(run), here.mails(run))
        here.kill()
        here.serve("due.yaml")
        here.runs_once("after a restart", run)
        here.kill()
        here.serve("due.yaml")
        time.sleep(2)
        check("not again after another restart", len(here.mails(run)) == 1, here.mails(run))
        demand = ["--require-approval", "--approvers", here.approvers]
        for words in (["--no-journal", *demand], ["--approval-expires", "3s"], ["--approval-mail", MEGAN.address], ["--require-approval"]):
            done = here.graphflow("serve", "due.yaml", *words)
            check(f"serve {words} is refused", done.returncode == 64 and words[0] in done.stderr, (done.returncode, done.stderr))


def two_people(program):
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.serve("due.yaml", "--approvals", "2")
        run = here.waiting()
        status, _, errors = here.signs(run, LYNNE)
        check("approve refuses somebody else at once", status == 2 and "not among" in errors, (status, errors))
        here.approves(run, MEGAN, "--note", "one")
        here.approves(run, MEGAN, "--note", "the same again")
        time.sleep(2.5)
        check("one person is not enough, also twice", here.state(run) == "waiting" and not here.mails(run), here.runs())
        path = next(path for path in here.questions() if run in path)
        plan = here.file(here.asked(run)["plan"])
        written = [here.platform.approval(plan, LYNNE), here.platform.approval(plan, ALEX, key=Key("first")), {"approved": True}]
        check("the digest of a plan that waits", written[0]["plan"] == here.asked(run)["digest"], written[0]["plan"])
        for number, content in enumerate(written):
            # Files that others may read are not even looked at.
            with open(path.replace(".request.", f".answer-{number}."), "w", encoding="utf-8", opener=private) as file:
                json.dump(content, file)
        time.sleep(2.5)
        check("files that were written by hand do not count", here.state(run) == "waiting" and not here.mails(run), here.runs())
        check("the log says why", "waits: it is by" in here.log() or "does not count" in here.log(), here.log())
        answer = json.dumps(here.platform.approval(plan, ALEX))
        copy = path.replace(".request.", ".answer-copied.")
        with open(copy, "w", encoding="utf-8", opener=private) as file:
            for start in range(0, len(answer), len(answer) // 5 + 1):
                file.write(answer[start : start + len(answer) // 5 + 1])
                file.flush()
                check("an answer that is still being copied is left alone", os.path.exists(copy), here.log())
                time.sleep(0.1)
        check("two people are enough, also next to files that do not count", here.reaches(run, "completed", 8), here.log())
        for number in [*range(len(written)), "copied"]:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path.replace(".request.", f".answer-{number}."))
        here.reaches(run, "completed", 35)
        check("two people are enough: it runs once", len(here.mails(run)) == 1, (here.mails(run), here.log()))


def events(program):
    with office(program) as here:
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as probe:
            port = probe.getsockname()[1]
        here.write("on.yaml", due("on", when="on: { one: { with: { type: com.contoso.hello } } }", show="$workflow.input[0].data.text"))
        here.serve("on.yaml", "--listen", f"127.0.0.1:{port}")

        def post(id, text):
            event = {"specversion": "1.0", "id": id, "source": "/t", "type": "com.contoso.hello", "data": {"text": text}}
            with contextlib.suppress(OSError):
                kind = {"Content-Type": "application/cloudevents+json"}
                return requests.post(f"http://127.0.0.1:{port}", json.dumps(event).encode(), headers=kind, timeout=10).status_code

        check("an event is taken", wait_for(lambda: post("1", HOSTILE)) == 202)
        run = here.waiting()
        check("a second delivery is taken", post("1", HOSTILE) == 202)
        time.sleep(1.5)
        check("an event is one waiting run", [one["state"] for one in here.runs()] == ["waiting"], here.runs())
        here.kill()
        here.serve("on.yaml", "--listen", f"127.0.0.1:{port}")
        check("a third after a kill is taken", wait_for(lambda: post("1", HOSTILE)) == 202)
        time.sleep(1.5)
        check("it is still one", [one["state"] for one in here.runs()] == ["waiting"] and not here.writes(), here.runs())
        here.approves(run)
        here.runs_once("an approved event", run)
        check("with the event's data", HOSTILE in str([one["body"]["content"] for one in here.mails(run)]), here.mails(run))


def mailed(program):
    with office(program) as here:
        here.write("due.yaml", due("due"))
        words = ["due.yaml", "--approval-mail", "alexw@contoso.com"]
        here.serve(*words)
        run = here.waiting()

        def found():
            return [one for one in here.sandbox.read("/sandbox/outbox") if f"graphflow approve {run}" in str(one["body"])]

        wait_for(found)
        check("a plan is mailed", len(found()) == 1 and found()[0]["to"] == ["alexw@contoso.com"], (found(), here.log()))
        check("with its page", [one["name"] for one in (found() or [{"attachments": []}])[0]["attachments"]] == ["plan.html"], found())
        for _ in range(3):
            here.kill()
            here.serve(*words)
            time.sleep(1.2)
        time.sleep(1)
        check("once, through kills", len(found()) == 1, found())
        graph(here, "PATCH", "/users/alexw@contoso.com", '{"displayName": "Alex W"}')
        here.approves(run)
        check("a changed plan is mailed", wait_for(lambda: len(found()) == 2), (found(), here.log()))
        here.kill()
        here.serve(*words)
        time.sleep(2)
        check("once too", len(found()) == 2, found())
        here.approves(run)
        here.runs_once("a run whose plan was mailed", run)


def mailed_later(program, fault):
    """A mail that could not be sent is tried again while the run waits, also by the next service, and is one mail."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        words = ["due.yaml", "--approval-mail", "alexw@contoso.com"]

        def found():
            return [one for one in here.sandbox.read("/sandbox/outbox") if f"graphflow approve {run}" in str(one["body"])]

        here.sandbox.fault(fault)
        here.serve(*words)
        run = here.waiting()
        check(f"{fault}: it is said", wait_for(lambda: "was not sent" in here.log()), here.log())
        check(f"{fault}: nothing is mailed", found() == [], found())
        wait_for(found, 90)
        check(f"{fault}: the mail follows", len(found()) == 1, (found(), here.log()))
        here.kill()
        here.serve(*words)
        time.sleep(3)
        check(f"{fault}: once", len(found()) == 1, found())
        here.kill()
        here.sandbox.fault(fault)
        here.write("due.yaml", due("later"))
        here.serve(*words)
        run = here.waiting([run])
        wait_for(lambda: here.log().count("was not sent") == 2)
        here.kill()
        here.serve(*words)
        wait_for(found, 90)
        time.sleep(3)
        check(f"{fault}: the next service sends it once", len(found()) == 1, (found(), here.log()))


def throttled(program):
    """What Microsoft Graph refuses for a moment, while it plans or while it runs, is no change."""
    with office(program) as here:
        here.write("due.yaml", due("due"))
        here.sandbox.fault("GET /users* 429 retry-after=1")
        here.serve("due.yaml")
        run = here.waiting()
        here.approves(run)
        here.runs_once("a plan whose read was throttled", run)
        here.kill()
        here.serve("due.yaml")
        run = here.waiting([run])
        here.sandbox.fault("GET /users* 429 retry-after=1")
        here.approves(run)
        here.runs_once("a run whose read was throttled", run)


NOTE = "from afar “100 %” ‹›"


def decides(page, address, decision, person, end):
    """The page is opened, a note is written, and the person signs in."""
    page.open(address)
    page.wait_for_text("lynner@contoso.com")
    page.focus("[name=note]")
    page.write(NOTE)
    page.click("button", f"Sign in and {decision}")
    page.click("button", person.name)
    page.wait_for_text(end)


def away(program, pictures):
    """Approvers in browsers that have only the address of a page."""
    with office(program) as here, browsers.running("--window-size=1000,900") as page:
        here.write("due.yaml", due("due", subject=HOSTILE + "${ $workflow.id }"))
        port = sandboxes.free_port()
        site = f"http://localhost:{port}/decide"
        missing = here.graphflow("serve", "due.yaml", "--approve-url", site)
        check("--approve-url needs --require-approval", missing.returncode == 64 and "--require-approval" in missing.stderr, missing.stderr)
        missing = here.graphflow("serve", "due.yaml", "--require-approval", "--approvers", here.approvers, "--approve-url", site)
        check("and --listen", missing.returncode == 64 and "--listen" in missing.stderr, missing.stderr)
        missing = here.graphflow("serve", "due.yaml", "--require-approval", "--approvers", here.approvers, GRAPHFLOW_APPROVAL_CLIENT_ID=None)
        check("what a click needs is said at the start", missing.returncode == 2 and "GRAPHFLOW_APPROVAL_CLIENT_ID" in missing.stderr, (missing.returncode, missing.stderr))
        known, tokens = [], here.path("tokens")
        with open(tokens, "w", encoding="utf-8", opener=private) as file:
            file.write("a-token-of-32-characters-0123456789\n")

        def next_page():
            here.serve("due.yaml", "--listen", f"127.0.0.1:{port}", "--approve-url", site, "--token-file", tokens)
            run = here.waiting(known)
            known.append(run)
            check("the log has the address", wait_for(lambda: f"{site}/{run}" in here.log(), 10), here.log())
            return run, f"{site}/{run}"

        run, address = next_page()
        page.open(address)
        page.wait_for_text("lynner@contoso.com")
        check("the page says until when and by whom", "It can be approved until" in page.text() and MEGAN.address in page.text(), page.text())
        if pictures:
            with open(os.path.join(pictures, "approve.png"), "wb") as file:
                file.write(base64.b64decode(page.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
        check("events still need a token", requests.post(f"http://localhost:{port}/", json={}, timeout=30).status_code == 401)
        attacked(here, site, run)
        decides(page, address, "approve", LYNNE, "Nothing was decided")
        check("somebody else does not approve", not here.mails(HOSTILE + run) and here.state(run) == "waiting", page.text())
        decides(page, address, "approve", MEGAN, "You approved the plan of 'due'")
        check("the page says who approved", MEGAN.address in page.text(), page.text())
        check("an approved run completes", here.reaches(run, "completed"), here.log())
        check("and mails once", len(here.mails(HOSTILE + run)) == 1, here.mails(HOSTILE + run))
        shown = here.graphflow("show", run).stdout
        check("show has the note", NOTE in shown and MEGAN.address in shown, shown)
        page.open(address)
        page.wait_for_text("no longer waits")

        here.kill()
        run, address = next_page()
        decides(page, address, "reject", MEGAN, "You rejected the plan of 'due'")
        check("a rejected run is cancelled", here.reaches(run, "cancelled") and not here.mails(HOSTILE + run), here.runs())
        shown = here.graphflow("show", run).stdout
        check("show has who rejected it, and why", NOTE in shown and MEGAN.address in shown, shown)


def attacked(here, site, run):
    """Sign-ins that another browser began, or that belong to another decision, decide nothing."""
    address = f"{site}/{run}"
    thief, victim = requests.Session(), requests.Session()

    def proof(browser):
        return re.search('name="proof" value="([^"]+)"', browser.get(address, timeout=30).text)[1]

    def sign_in(browser, **form):
        answer = browser.post(address, data={"proof": proof(browser), "id": "plan", "note": "", "decision": "approve", **form}, timeout=30)
        return html.unescape(re.search(r'url=([^"]+)"', answer.text)[1])

    mine = proof(thief)
    for name, browser, form in (("of another browser", victim, {"proof": mine}), ("of none", requests, {"proof": mine}), ("twice", thief, {"proof": [mine, mine]})):
        if browser is victim:
            victim.get(address, timeout=30)
        answer = browser.post(address, data=form, timeout=30)
        check(f"a form with the proof {name} begins nothing", answer.status_code == 403 and "/authorize?" not in answer.text, answer.text[:300])
    answer = victim.post(sign_in(thief), data={"person": MEGAN.id}, timeout=30)
    check("a sign-in that somebody else began decides nothing", answer.status_code == 400 and "not the expected" in answer.text, answer.text[:500])
    there = sign_in(thief)
    back = thief.post(there, data={"person": MEGAN.id}, timeout=30, allow_redirects=False).headers["Location"]
    for name, place in (("another state", back.replace("state=", "state=x")), ("no state", back.split("&state=")[0] if "&state=" in back else site + "?code=1")):
        answer = thief.get(place, timeout=30)
        check(f"a code with {name} decides nothing", answer.status_code == 400, (place, answer.text[:300]))
    answer = thief.get(back.replace("code=", "code=x"), timeout=30)
    check("a code that is not one decides nothing", answer.status_code == 200 and "You approved" not in answer.text, answer.text[:500])
    for text in ("evil.example", "127.0.0.1:1"):
        answer = requests.get(address, headers={"Host": text}, timeout=30)
        check(f"the page sets no header from {text}", text not in str(answer.headers), dict(answer.headers))
    for path in (run[:20], "last", run + "/x", run.lower(), "", "%2e%2e%2f" + run, "x" * 10_000):
        answer = requests.get(f"{site}/{path}", timeout=30)
        check(f"there is no page {path[:30]}", answer.status_code in (400, 404, 414, 431), (path[:50], answer.status_code))
    check("nothing was decided by any of them", here.writes() == [] and here.state(run) == "waiting", (here.writes(), here.runs()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--pictures", help="a folder for pictures of the pages")
    arguments = parser.parse_args()
    program = arguments.graphflow
    if arguments.pictures:
        os.makedirs(arguments.pictures, exist_ok=True)
    cases = [
        scheduled, expired, killed, throttled, two_people, events, mailed, asked_in_runs, asked_in_batches, question_edited, asked_again,
        *ATTACKS]
    at_once(
        # These wait for half a minute.
        *(case(one, program) for one in SLOW_ATTACKS),
        *(case(mailed_later, program, fault) for fault in ("POST /me/messages 403", "POST /me/messages/*/send 403")),
        case(on_board, program, arguments.pictures), case(away, program, arguments.pictures), *(case(changing, what, program) for what in ("users", "members", "a file")),
        *(case(one, program) for one in cases), most=8)
    end("approvals of a service")


if __name__ == "__main__":
    main()
