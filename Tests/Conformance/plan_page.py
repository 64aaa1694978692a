"""Opens the page of a plan in a real browser, from a file and without a network.

    plan_page.py GRAPHFLOW [--pictures FOLDER]

A plan with an anonymous link, people outside, a deletion, a program and hostile names is saved, and its page is read as
a person reads it: five questions are answered from its text alone. Nothing is loaded, no script runs, a message shows
no picture from elsewhere, and nothing is wider than a phone.
"""

import argparse
import base64
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading

import browser as browsers
import plan_examples
from checks import check, check_none, end

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202eabc‹x›'\""
WORKFLOW = {
    "document": {"dsl": "1.0.3", "namespace": "samples", "name": "leaving", "version": "1.0.0"},
    "do": [
        {"report": {"call": "upload", "with": {"path": "Salaries/Übersicht.xlsx", "content": "x", "user": "adelev@contoso.com"}}},
        {"share": {"call": "createLink", "with": {
            "itemId": "${ .id }", "type": "edit", "scope": "anonymous", "user": "adelev@contoso.com"}}},
        {"tell": {"call": "sendMail", "with": {
            "to": ["megan@contoso.com", "lena@example.com"], "subject": HOSTILE, "body": {"contentType": "html", "content": ""}}}},
        {"meet": {"call": "createEvent", "with": {
            "subject": "Farewell", "start": "2026-12-01T09:00", "end": "2026-12-01T10:00", "attendees": ["guest@example.org"]}}},
        {"promote": {"call": "graph", "with": {
            "method": "PATCH", "path": "/users/alexw@contoso.com", "body": {"jobTitle": HOSTILE, "department": "S" * 3000}}}},
        {"remove": {"call": "graph", "with": {"method": "DELETE", "path": "/users/adelev@contoso.com"}}},
        {"clean": {"run": {"shell": {"command": "rm -rf /tmp/some-folder"}}}},
    ],
}


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A server that nothing in the page may reach."""

    asked = []

    def do_GET(self):
        Elsewhere.asked.append(self.path)
        self.send_response(404)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def read_examples(program, browser):
    """Answers the questions of the documentation's examples from the text of their pages alone."""
    for example in plan_examples.EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "plan.html"
            page.write_text(example.run(program, folder, "--format", "html"), encoding="utf-8")
            browser.send("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=False)
            browser.open("about:blank")
            browser.open(page.as_uri())
            browser.wait_for("document.readyState == 'complete'", "the page")
            text = " ".join(browser.text().split())
            for question, answers in example.questions.items():
                missing = [answer for answer in answers if answer not in text]
                check_none(f"the page of {example.name} says {question}", missing)
            wide = browser.evaluate("document.documentElement.scrollWidth")
            check(f"{example.name}: nothing is wider than a phone", wide <= 390, wide)


def read_batch(program, browser, folder):
    """The pages of a batch, before and after it: rows of items, a filter without a server, hostile keys as text."""
    workflow, items = folder / "greet.json", folder / "items.jsonl"
    workflow.write_text(json.dumps({
        "document": {"dsl": "1.0.3", "namespace": "samples", "name": "greet", "version": "1.0.0"},
        "do": [{"mail": {"call": "sendMail", "with": {
            "to": "${ $workflow.input.mail }", "subject": "Hi", "body": "${ $workflow.input.text }"}}}]}))
    people = ["adelev@contoso.com", "lena@example.com", *(f"p{number}@contoso.com" for number in range(200))]
    rows = [{"mail": mail, "text": "x"} for mail in people] + [{"mail": HOSTILE, "text": "ü"}]
    items.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    environment = dict(os.environ, GRAPHFLOW_HOME=str(folder / "home"), GRAPHFLOW_DOMAINS="contoso.com")

    def graphflow(*given):
        return subprocess.run(
            [program, *map(str, given)], env=environment, capture_output=True, text=True, timeout=300)

    batch = ["batch", workflow, "--each", items, "--key", ".mail", "--sandbox"]
    plan, page = folder / "batch-plan.html", folder / "batch.html"
    plan.write_text(graphflow(*batch, "--dry-run", "--format", "html").stdout, encoding="utf-8")
    graphflow(*batch, "--name", "b")
    shown = graphflow("show", "b", "--html", page)
    check("a batch has a page", shown.returncode == 0, shown.stderr)
    for file in (plan, page):
        browser.send("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=False)
        browser.open("about:blank")
        browser.open(file.as_uri())
        browser.wait_for("document.readyState == 'complete'", "the page")
        text = " ".join(browser.text().split())
        name = file.name
        check(f"{name}: who outside gets a mail is said", "lena@example.com" in text and "outside" in text)
        check(f"{name}: all items are there", all(mail in text for mail in people))
        check(f"{name}: a key is text", browser.evaluate("window.hacked === undefined"))
        wide = browser.evaluate("document.documentElement.scrollWidth")
        check(f"{name}: nothing is wider than a phone", wide <= 390, wide)
    shown = browser.evaluate("""(() => {
        const filter = document.getElementById('filter');
        filter.value = 'EXAMPLE.com completed';
        filter.dispatchEvent(new Event('input'));
        return [...document.querySelectorAll('#items tbody tr')].filter(row => row.offsetParent !== null).length;
    })()""")
    check("the filter shows the rows that have all words", shown == 1, shown)
    check("what failed says why", "has the invisible character U+202E" in browser.evaluate("document.body.textContent"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.graphflow)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    there = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as folder, browsers.running() as browser:
        folder = pathlib.Path(folder)
        WORKFLOW["do"][2]["tell"]["with"]["body"]["content"] = (
            f"<p style='color:red'>Good bye <img src='{there}/pixel.png'><link rel=stylesheet href='{there}/a.css'>"
            f"<script>top.hacked=1</script><iframe src='{there}/frame'></iframe></p>")
        file, plan = folder / "leaving.json", folder / "plan.json"
        file.write_text(json.dumps(WORKFLOW), encoding="utf-8")
        environment = dict(os.environ, GRAPHFLOW_HOME=str(folder / "home"))

        def graphflow(*given):
            command = [program, *map(str, given)]
            return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

        made = graphflow("run", file, "--dry-run", "--sandbox", "--plan-out", plan, "--format", "html")
        check("the plan is made", made.returncode == 0, made.stderr)
        command = f"graphflow run {file} --plan {plan} --sandbox"
        check("the last line is the command that runs it", made.stderr.strip().splitlines()[-1].endswith(command), made.stderr)
        shown = graphflow("show", plan, "--format", "html")
        check("a saved plan has a page", shown.returncode == 0, shown.stderr)
        edited = json.loads(plan.read_text(encoding="utf-8"))
        edited["plan"]["effects"].pop()
        other = folder / "edited.json"
        other.write_text(json.dumps(edited), encoding="utf-8")
        check("an edited plan is not shown", graphflow("show", other).returncode != 0)
        markdown = graphflow("show", plan, "--format", "markdown").stdout
        check_none("in Markdown nothing from outside is markup", re.findall(r"(?<!\\)[<>]", markdown))

        page = folder / "plan.html"
        page.write_text(shown.stdout, encoding="utf-8")
        for scheme in ("light", "dark"):
            browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width in (390, 768, 1440):
                browser.send(
                    "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                browser.open("about:blank")
                browser.open(page.as_uri())
                browser.wait_for("document.readyState == 'complete'", "the page")
                wide = browser.evaluate("document.documentElement.scrollWidth")
                check(f"{scheme}, {width} px: nothing is wider than the page", wide <= width, wide)
                if arguments.pictures:
                    arguments.pictures.mkdir(parents=True, exist_ok=True)
                    picture = browser.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]
                    (arguments.pictures / f"plan-{scheme}-{width}.png").write_bytes(base64.b64decode(picture))
        text = " ".join(browser.text().split())
        questions = {
            "who gets the mail": ["lena@example.com outside gets the mail", "megan@contoso.com"],
            "who may open the file": ["by which anyone can change Salaries/Übersicht.xlsx"],
            "who outside is invited": ["guest@example.org outside is invited to 'Farewell'"],
            "what is lost": ["deletes the user adelev@contoso.com (this is lost unless it is restored)"],
            "what runs on this machine": ["rm -rf /tmp/some-folder", "it may do anything that you may do"],
            "what changes": ["department", "not read"],
        }
        for question, answers in questions.items():
            check_none(f"the page says {question}", [answer for answer in answers if answer not in text])
        check("a name is text", "<script>window.hacked=1</script>" in browser.text())
        check("nothing hostile ran", browser.evaluate("window.hacked === undefined"))
        check_none(
            "nothing was loaded", browser.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)"))
        check_none("no server was asked", Elsewhere.asked)
        check("there is no script", browser.evaluate("document.scripts.length") == 0)
        printed = base64.b64decode(browser.send("Page.printToPDF", printBackground=True)["data"])
        read_examples(program, browser)
        read_batch(program, browser, folder)
        check("it can be printed", printed.startswith(b"%PDF") and len(printed) > 10_000, len(printed))
    server.shutdown()
    end("Pages of plans")


if __name__ == "__main__":
    main()
