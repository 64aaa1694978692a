"""Approvals and rejections on the board, in a browser."""

import contextlib
import json
import re
import signal
import urllib.request

import requests

import board_page
import browser as browsers
import report_page
from approval_desk import LYNNE, MEGAN
from approval_office import HOSTILE, due, graph, office, wait_for
from checks import check, check_none


def on_board(program, pictures):
    board_page.VIEWS = [(width, scheme) for width in (390, 1280) for scheme in ("light", "dark")]
    with office(program) as here, browsers.running("--window-size=1280,900") as page:
        board(here, page, pictures)


def signed_in(page, person, end="You approved the plan of"):
    """The link is clicked, and the person in the window that it opens."""
    page.click("a", "Sign in to approve")
    origin = "http://" + page.address.split("/")[0]

    def window():
        with urllib.request.urlopen(origin + "/json/list") as answer:
            return next((one for one in json.load(answer) if "/authorize" in one["url"]), None)

    other = browsers.Browser(wait_for(window)["webSocketDebuggerUrl"])
    other.click("button", person.name)
    other.wait_for_text(end)
    with contextlib.suppress(Exception):
        other.send("Page.close")


def appears(page, script, seconds=8):
    def look():
        with contextlib.suppress(RuntimeError):
            return page.evaluate(script)

    return wait_for(look, seconds)


def board(here, page, pictures):
    here.write("due.yaml", due("hostile", subject=HOSTILE))
    here.write("other.yaml", due("other"))
    address, token = here.begin("board", here.folder).stdout.readline().strip().split("/#token=")
    page.browser, page.name = page, "the board"
    page.send("Page.addScriptToEvaluateOnNewDocument", source=report_page.WATCH)
    # The plan of the first run takes a while.
    here.sandbox.process.send_signal(signal.SIGSTOP)
    here.serve("due.yaml")
    run = wait_for(lambda: next((one["run"] for one in here.runs()), None))
    page.open(f"{address}/#token={token}")
    page.wait_for("document.querySelector('.list .badge')?.textContent === 'waiting'", "the waiting run")
    for state, count in (("completed", 0), ("waiting", 1)):
        change = f"select => {{ select.value = '{state}'; select.dispatchEvent(new Event('change')) }}"
        page.evaluate(f"({change})(document.querySelector('select[aria-label=State]'))")
        check(f"the filter finds {count} {state}", appears(page, f"document.querySelectorAll('.list tbody tr').length === {count}"), page.text()[:500])
    page.click("a", run)
    board_page.wait_for_state(page, "waiting")
    facts = page.evaluate("document.querySelector('.head').parentElement.innerText")
    check("a run that waits has not ended", not re.search(r"\bEnded\b", facts), facts)
    here.sandbox.process.send_signal(signal.SIGCONT)
    check("the plan appears on the page that is open", appears(page, "!!document.querySelector('section[aria-label=Approval] details')"), page.text()[:500])
    here.waiting()
    page.reload()
    page.wait_for("!!document.querySelector('section[aria-label=Approval] details')", "the plan")
    page.click("summary", "The plan as a page")
    check("what is hostile is text", page.text().count(HOSTILE[:28]) >= 3 and not page.evaluate("document.querySelectorAll('#page img').length"), page.text()[:500])
    board_page.looked_at(page, pictures, "approval")
    report_page.is_accessible(page, "a run that waits")
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(25):
        board_page.press(page, "Tab", 9)
        reached.append(page.evaluate(
            "(focused => focused.closest('section[aria-label=Approval]') &&"
            " (focused.localName + ' ' + (focused.localName === 'button' ? focused.textContent : '')))(document.activeElement)"))
    missing = [one for one in ("pre ", "input ", "button Approve …", "button Reject", "summary ") if one not in reached]
    check_none("everything is reached by keys", missing)

    for path in ("approve", "reject"):
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            at = f"{address}/api/runs/{run}/{path}"
            status = requests.post(at, json={"id": "plan"}, headers=headers, timeout=10).status_code
            check(f"{path} needs the token", status == 401 and here.state(run) == "waiting", status)
    page.click("button", "Approve …")
    signed_in(page, LYNNE, "Nothing was decided")
    refused = "document.querySelector('section[aria-label=Approval] .error')?.textContent.includes('not among the approvers')"
    check("somebody else is told so on the page", appears(page, refused), page.text()[:500])
    page.reload()
    check("also when it is loaded again", appears(page, refused), page.text()[:500])
    check("and nothing runs", not here.writes(), here.writes())
    page.wait_for("!!document.querySelector('section[aria-label=Approval] input')", "the note")
    page.focus("section[aria-label=Approval] input")
    page.write("checked ‹all›")
    board_page.press(page, "Tab", 9)
    board_page.press(page, "Enter", 13)
    signed_in(page, MEGAN)
    board_page.wait_for_state(page, "completed")
    check("an approved run completes", len(here.mails(HOSTILE)) == 1, here.mails(HOSTILE))
    said = f"['{MEGAN.address}', 'checked ‹all›'].every(text => document.body.innerText.includes(text))"
    check("the page has the approver and the note", appears(page, said), page.text()[:500])
    check("it no longer asks", not page.evaluate("document.querySelector('section[aria-label=Approval]')?.innerText"), page.text()[:500])
    board_page.looked_at(page, pictures, "approved")
    report_page.is_accessible(page, "a run that was approved")

    here.kill()
    here.serve("other.yaml")
    run = here.waiting([run])
    page.evaluate("location.hash = '#/'")
    page.click("a", run)
    page.wait_for("!!document.querySelector('section[aria-label=Approval] input')", "the note")
    # What it reads changes, so that another plan waits.
    graph(here, "PATCH", "/users/alexw@contoso.com", '{"displayName": "Alex “W” ‹x›"}')
    here.approves(run)
    wait_for(lambda: here.asked(run).get("changes"))
    check("a new plan appears, and what has changed", appears(page, "document.body.innerText.includes('this has changed')"), page.text()[:500])
    page.reload()
    check("also when it is loaded again", appears(page, "document.body.innerText.includes('this has changed')"), page.text()[:500])
    page.wait_for("!!document.querySelector('section[aria-label=Approval] input')", "the note")
    page.focus("section[aria-label=Approval] input")
    page.write(HOSTILE)
    page.click("button", "Reject")
    board_page.wait_for_state(page, "cancelled")
    shown = here.graphflow("show", run).stdout
    check("a rejected run is cancelled, with the note", HOSTILE in shown and not here.mails(run), shown)
    acts = page.evaluate("[...document.querySelectorAll('.acts button')].map(button => button.textContent)")
    check("a rejected run is not offered to be resumed", not [act for act in acts if act.startswith("Resume")], acts)
    check("its page says why", appears(page, f"document.body.innerText.includes({json.dumps(HOSTILE)})"), page.text()[:500])
    check_none("the policy and the script report nothing", page.evaluate("window.problems"))
