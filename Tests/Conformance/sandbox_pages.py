"""Looks at what a run left in the sandbox, in a real browser, and lets hostile mails and sites try.

    sandbox_pages.py GRAPHFLOW [--pictures FOLDER]

Does nothing, and says so, if there is no Chromium.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import browser as browsers
import report_page
import sandbox as sandboxes
from checks import check, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Chromium otherwise gives sandboxed frames a process of their own, which the page's connection does not see.
OPTIONS = ["--window-size=1100,800", "--disable-features=IsolateSandboxedIframes"]
HOSTILE = (
    "<script>parent.document.title = 'owned'; fetch('/sandbox', {method: 'DELETE'})</script>"
    "<img src=x onerror=\"parent.document.title = 'owned'\"><form action='/sandbox/faults' method=post>"
    "<button>Free money</button></form><meta http-equiv=refresh content='0; url=/sandbox'><p id=shown>Hello &amp; bye"
)


def send(sandbox, message):
    request = urllib.request.Request(
        sandbox.graph + "/me/sendMail", data=json.dumps({"message": message}).encode(), method="POST",
        headers={"Authorization": "Bearer x", "Content-Type": "application/json"},
    )  # fmt: skip
    urllib.request.urlopen(request).close()


def put(sandbox, path, content):
    request = urllib.request.Request(
        f"{sandbox.graph}/me/drive/root:/{path}:/content", data=content, method="PUT",
        headers={"Authorization": "Bearer x", "Content-Type": "text/html"},
    )  # fmt: skip
    urllib.request.urlopen(request).close()


def picture(page, folder, name):
    if folder:
        data = page.send("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(folder, f"{name}.png").write_bytes(base64.b64decode(data))


def framed_text(page):
    """The text in the page's frame, which no script of the page can read; empty if there is none within 10 seconds."""
    limit = time.monotonic() + 10
    while time.monotonic() < limit:
        for child in page.send("Page.getFrameTree")["frameTree"].get("childFrames", []):
            with contextlib.suppress(RuntimeError):
                world = page.send("Page.createIsolatedWorld", frameId=child["frame"]["id"])
                result = page.send(
                    "Runtime.evaluate", expression="document.body ? document.body.innerText : ''",
                    contextId=world["executionContextId"], returnByValue=True,
                )  # fmt: skip
                if text := result["result"].get("value"):
                    return text
        time.sleep(0.05)
    return ""


def a_run(program, sandbox, page, folder):
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [program, "run", str(ROOT / "workflows/share-profile-photo.yaml")], check=True, capture_output=True,
            env=sandbox.environment(GRAPHFLOW_HOME=home),
        )  # fmt: skip
    page.open(sandbox.origin + "/")
    page.wait_for_text("1 attachment")
    page.click("button", "My profile photo")
    page.wait_for("!!document.querySelector('#mail iframe')", "the mail's frame")
    page.wait_for("document.querySelector('#mail .detail img')?.naturalWidth > 0", "the attached picture")
    picture(page, folder, "mail")
    check("the mail is listed", "to megan@contoso.com" in page.text(), page.text())
    page.click("button", "Files")
    page.click("button", "me.jpg")
    page.wait_for("document.querySelector('#files .detail img')?.naturalWidth > 0", "the file's preview")
    link = page.evaluate("[...document.querySelectorAll('#files .detail a')].map(a => a.href).find(a => a.includes('/s/'))")
    with urllib.request.urlopen(link) as answer:
        check("the sharing link opens the file", answer.headers["Content-Type"] == "image/jpeg", link)
    picture(page, folder, "files")
    page.click("button", "People")
    page.wait_for_text("Adele Vance")
    page.click("button", "Requests")
    page.click("button", "createLink")
    page.wait_for_text("webUrl")
    check("no token is shown", "Bearer token" not in page.text(), page.text())
    picture(page, folder, "requests")
    check("the Content-Security-Policy reports nothing", not page.evaluate("window.violations ?? []"))


def faults(sandbox, page, folder):
    page.click("button", "Faults")
    page.click("button", "Throttle three requests")
    page.wait_for_text("* * 429 x3 retry-after=2")
    picture(page, folder, "faults")
    waiting = sandbox.ask("GET", "/sandbox/faults")["faults"]
    check("a click adds a fault", waiting == ["* * 429 x3 retry-after=2"], waiting)
    page.focus("#fault-text")
    page.write("GET /me 99")
    page.click("button", "Add")
    page.wait_for_text("expected METHOD PATH STATUS")
    # Longer than the page waits before it asks for the state again, and until that has been answered.
    page.evaluate("new Promise(done => setTimeout(done, 3000))")
    check("the page says for as long as one reads why a fault was refused",
          "expected METHOD PATH STATUS" in page.text(), page.text()[-200:])
    page.click("button", "Remove all faults")
    page.wait_for("!document.getElementById('waiting').innerText.includes('429')", "no fault")


def hostile_data(sandbox, page, folder):
    send(sandbox, {
        "subject": "<b onmouseover=alert(1)>Subject</b>\u202egpj.exe", "body": {"contentType": "html", "content": HOSTILE},
        "toRecipients": [{"emailAddress": {"address": "adelev@contoso.com"}}],
    })  # fmt: skip
    put(sandbox, "a&amp;b/b.html", b"<script>document.title = 'owned'</script>")
    page.click("button", "Mail")
    page.click("button", "<b onmouseover")
    page.wait_for("!!document.querySelector('#mail iframe')", "the mail's frame")
    check("the mail is shown as its reader sees it", "Hello & bye" in framed_text(page))
    check("what changes a text's direction is escaped", "Subject</b>\\u202egpj.exe" in page.text(), page.text())
    check("its markup stays in its frame", page.evaluate("document.title") == "graphflow sandbox")
    check("its script did not run", len(sandbox.ask("GET", "/sandbox/outbox")) == 2)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    picture(page, folder, "hostile-mail-dark")
    page.click("button", "Files")
    page.click("button", "b.html")
    page.wait_for("!!document.querySelector('#files iframe')", "the file's frame")
    check("a name with markup is text", "a&amp;b/" in page.text(), page.text())
    mail = f"{sandbox.origin}/sandbox/mails/1"
    page.open(mail)
    page.wait_for_text("Hello & bye")
    check("a mail opened by itself runs no script", page.evaluate("document.title") != "owned")
    page.open(sandbox.origin + "/")
    page.wait_for_text("Forget everything")


def hostile_site(sandbox, page):
    """A page of another origin may send what forms send, and must get nothing."""
    with browsers.elsewhere(page):
        def attempt(script):
            return page.evaluate(f"(async () => {{ try {{ return await ({script}) }} catch (error) {{ return 'refused' }} }})()")

        origin = sandbox.origin
        for path in ("/sandbox/state", "/sandbox/outbox", "/", "/sandbox/mails/0"):
            check(f"{path} cannot be read", attempt(f"fetch('{origin}{path}').then(a => a.text())") == "refused")
        attempt(f"fetch('{origin}/sandbox', {{ method: 'DELETE' }})")
        attempt(f"fetch('{origin}/sandbox/faults', {{ method: 'POST', mode: 'no-cors', body: '\"* * 500\"' }})")
        attempt(
            f"fetch('{origin}/sandbox/faults', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},"
            " body: '\"* * 500\"' })"
        )
        check("nothing was changed", sandbox.ask("GET", "/sandbox/faults")["faults"] == [])
        check("nothing was forgotten", len(sandbox.ask("GET", "/sandbox/outbox")) == 2)
        page.evaluate(f"document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{origin}/' }}))")
        page.wait_for("!!document.querySelector('iframe')", "the frame")
        check("the page is not shown in a frame", "graphflow" not in framed_text(page))
        rebound = urllib.request.Request(origin + "/sandbox/state", headers={"Host": f"attacker.example:{sandbox.port}"})
        with contextlib.suppress(urllib.error.HTTPError):
            with urllib.request.urlopen(rebound) as answer:
                check("another host name is refused", False, answer.status)


def after_a_run(program, page):
    """`run --sandbox --board` keeps the sandbox until it is interrupted."""
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [program, "run", str(ROOT / "workflows/share-profile-photo.yaml"), "--sandbox", "--board"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, GRAPHFLOW_HOME=home),
        )  # fmt: skip
        try:
            output = process.stdout.readline()
            address = next(word for line in process.stderr for word in line.split() if word.startswith("http://127"))
            page.open(address)
            page.wait_for_text("1 attachment")
            check("the run's output comes first", "webUrl" in output, output)
        finally:
            process.terminate()
            status = process.wait(60)
        check("the exit status is the run's", status == 0, status)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--pictures", help="a folder for pictures of the pages")
    arguments = parser.parse_args()
    with sandboxes.running(arguments.graphflow) as sandbox, browsers.running(*OPTIONS) as page:
        page.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.violations = [];"
            "addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective))",
        )
        a_run(arguments.graphflow, sandbox, page, arguments.pictures)
        faults(sandbox, page, arguments.pictures)
        hostile_data(sandbox, page, arguments.pictures)
        hostile_site(sandbox, page)
        after_a_run(arguments.graphflow, page)
        page.open(sandbox.origin + "/")
        page.browser, page.name = page, "the sandbox"
        for scheme in ("light", "dark"):
            report_page.scheme(page, scheme)
            for tab in ("Mail", "Files", "Requests", "Faults", "Connect"):
                page.click("button", tab)
                page.wait_for(f"!document.getElementById('{tab.lower()}').hidden", tab)
                report_page.is_accessible(page, f"{tab}, {scheme}")
    end("The sandbox's pages")


if __name__ == "__main__":
    main()
