"""Opens `graphflow board` in a real browser: the list, a run as it goes, the three acts, and what other sites try.

    board_page.py GRAPHFLOW [--pictures FOLDER]

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

import batch_files
import browser as browsers
import report_page
import sandbox as sandboxes
from checks import check, check_none, end

HEAD = "document: { dsl: 1.0.3, namespace: samples, name: %s, version: 1.0.0 }\ndo:\n"
SLOW = HEAD % "slow" + "  - first: { set: { a: 1 } }\n  - nap: { wait: { seconds: 4 } }\n  - last: { set: { done: true } }\n"
FOREVER = HEAD % "forever" + "  - nap: { wait: { hours: 1 } }\n"
PHOTO = HEAD % "photo" + "  - before: { set: { a: 1 } }\n  - photo: { call: photo }\n  - after: { set: { done: true } }\n"
HOSTILE = HEAD % "hostile" + (
    "  - \"</script><img src=x onerror=window.hacked=1>\\u202e\":\n"
    "      set: { a: \"</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\" }\n"
)


class Place:
    """A folder of runs, and graphflow in it."""

    def __init__(self, program, folder, sandbox):
        self.program, self.folder = program, pathlib.Path(folder)
        self.environment = sandbox.environment(GRAPHFLOW_HOME=str(self.folder / "home"))

    def file(self, name, text):
        path = self.folder / (name + ".yaml")
        path.write_text(text, encoding="utf-8")
        return str(path)

    def start(self, *arguments):
        command = [self.program, *arguments]
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def runs(self):
        command = [self.program, "runs", "--json", "--all"]
        return json.loads(subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout)


@contextlib.contextmanager
def board(place):
    process = place.start("board", str(place.folder))
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        check("the board ends in order", process.wait(20) == 0)
        left = list(pathlib.Path(tempfile.gettempdir()).glob(f"graphflow-board-{process.pid}-*"))
        check("the inputs and plans of forms are removed", not left, left)


def picture(page, folder, name):
    if folder:
        data = page.send("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(folder, f"{name}.png").write_bytes(base64.b64decode(data))


def wait_for_state(page, state):
    page.wait_for(f"document.querySelector('.head .badge')?.textContent === '{state}'", f"the state {state}")


def as_it_goes(place, sandbox, page, folder):
    """A run that is throttled and waits, from its beginning to its end, without a reload."""
    page.evaluate("window.sameDocument = true")
    sandbox.fault("GET /me/photo* 429 retry-after=2")
    process = place.start("run", place.file("slow", SLOW.replace("set: { a: 1 }", "call: photo")))
    page.wait_for("document.querySelectorAll('.list tbody tr').length === 1", "the run in the list")
    page.click("a", place.runs()[0]["run"])
    wait_for_state(page, "running")
    page.wait_for("[...document.querySelectorAll('.row bdi')].some(name => name.textContent === 'nap')", "the wait")
    picture(page, folder, "running")
    wait_for_state(page, "completed")
    page.wait_for("[...document.querySelectorAll('.row bdi')].some(name => name.textContent === 'last')", "the last task")
    check("the run completes", process.wait(30) == 0)
    check("the drawing is coloured", page.evaluate("document.querySelectorAll('.drawing .taken.completed').length") >= 3)
    check("the page was never loaded again", page.evaluate("window.sameDocument === true"))
    picture(page, folder, "completed")


def resumed(place, sandbox, page, folder):
    sandbox.fault("GET /me/photo* 403")
    place.start("run", place.file("photo", PHOTO)).wait(30)
    run = place.runs()[0]
    check("the run faulted", run["state"] == "faulted", run)
    page.evaluate("location.hash = '#/'")
    page.click("a", run["run"])
    wait_for_state(page, "faulted")
    picture(page, folder, "faulted")
    page.click("button", "Resume")
    wait_for_state(page, "completed")
    check("the run is resumed by a click", place.runs()[0]["state"] == "completed", place.runs()[0])


def cancelled_and_removed(place, page, folder):
    process = place.start("run", place.file("forever", FOREVER))
    page.evaluate("location.hash = '#/'")
    page.wait_for("document.querySelectorAll('.list tbody tr').length === 3", "the third run")
    page.click("a", place.runs()[0]["run"])
    wait_for_state(page, "running")
    page.evaluate("window.confirm = () => true")
    page.click("button", "Cancel")
    wait_for_state(page, "cancelled")
    check("its process has ended", process.wait(20) == 143)
    page.click("button", "Remove")
    page.wait_for("document.querySelectorAll('.list tbody tr').length === 2", "two runs")
    check("the run is removed", len(place.runs()) == 2)
    page.focus(".tools input")
    page.write("photo")
    page.wait_for("document.querySelectorAll('.list tbody tr').length === 1", "one run that matches")
    picture(page, folder, "list")


def hostile(place, page, folder):
    place.start("run", place.file("hostile", HOSTILE)).wait(30)
    page.evaluate("location.hash = '#/'")
    page.evaluate("document.querySelector('.tools input').value = ''")
    page.evaluate("document.querySelector('.tools input').dispatchEvent(new Event('input'))")
    page.wait_for("document.querySelectorAll('.list tbody tr').length === 3", "the hostile run")
    page.click("a", place.runs()[0]["run"])
    wait_for_state(page, "completed")
    page.wait_for("document.querySelectorAll('.row').length === 1", "its task")
    check("names with markup are text", "<img src=x" in page.text() and not page.evaluate("window.hacked"))
    picture(page, folder, "hostile")


def schedules(place, page, folder):
    file = place.file("nightly", SLOW.replace("do:\n", "schedule: { cron: '0 2 * * *' }\ndo:\n", 1).replace("slow", "nightly"))
    service = place.start("serve", file, "--time-zone", "UTC")
    page.evaluate("location.hash = '#/'")
    page.wait_for("document.querySelectorAll('.schedules tbody tr').length === 1", "the schedule")
    check("a service's schedule is listed", "runs at '0 2 * * *' in UTC" in page.text(), page.text())
    next_times = page.evaluate("[...document.querySelectorAll('.schedules [data-label=Next] time')].map(time => time.dateTime)")
    check("with its next times", len(next_times) == 3 and all(time.endswith("T02:00:00.000Z") for time in next_times), next_times)
    picture(page, folder, "schedules")
    service.kill()
    service.wait(20)
    page.wait_for("!document.querySelector('.schedules')", "no schedule, once the service was killed")


def batches(place, page, folder):
    """A batch in the list, its page, an item's page, and what the batch is called when it was removed."""
    hostile = "</script><img src=x onerror=window.hacked=1>"
    items = [(f"user{number}@contoso.com", "faulted" if number in (3, 4) else "completed") for number in range(1, 9)]
    batch = batch_files.Batch(place.folder / "home", "newsletter", 10, named=True)
    batch.write([*items, (hostile, "faulted")])
    page.evaluate("location.hash = '#/'")
    page.wait_for("!!document.querySelector('.runs progress')", "the batch in the list")
    check("the list has its counts", "9 of 10, 3 faulted" in page.text(), page.text())
    check("its bar shows how many are over", page.evaluate("document.querySelector('.runs progress').position") == 0.9)
    page.click("a", "newsletter")
    wait_for_state(page, "interrupted")
    page.wait_for("!!document.querySelector('.error details')", "the errors")
    check("errors are grouped", "3 × 404 Not Found" in page.text(), page.text())
    page.evaluate("document.querySelector('.error details').open = true")
    check("keys with markup are text", hostile in page.text() and not page.evaluate("window.hacked"), page.text())
    check("the slowest items are there", "Slowest items" in page.text())
    picture(page, folder, "batch")
    page.evaluate("document.querySelector('details.card').open = true")
    page.wait_for("document.querySelectorAll('.items tbody tr').length === 9", "the items")
    page.focus("details.card input")
    page.write("user3")
    page.wait_for("document.querySelectorAll('.items tbody tr').length === 1", "the item that matches")
    check("an item has its error", "is unknown" in page.evaluate("document.querySelector('table.items').innerText"), page.text())
    page.evaluate("document.querySelector('details.card input').value = ''")
    page.evaluate("document.querySelector('details.card').open = false")
    looked_at(page, folder, "batch")
    report_page.is_accessible(page, "a batch")
    batch.write([*items, (hostile, "completed"), ("late@contoso.com", "completed")])
    wait_for_state(page, "faulted")
    page.wait_for("document.querySelector('.items').textContent.includes('10 of 10, 2 faulted')", "the batch as it went on")
    check("an open group stays open", page.evaluate("document.querySelector('.error details').open"))
    page.click("a", "user3@contoso.com")
    wait_for_state(page, "faulted")
    page.wait_for("[...document.querySelectorAll('.row bdi')].some(name => name.textContent === 'greet')", "the item's task")
    check("an item has its error", "user3@contoso.com is unknown" in page.text(), page.text())
    check("an item has no acts of its own", not page.evaluate("document.querySelectorAll('.acts button').length"))
    picture(page, folder, "item")
    page.click("a", "The batch newsletter")
    wait_for_state(page, "faulted")
    page.click("button", "Remove")
    page.wait_for("!!document.querySelector('.list') && !document.querySelector('.runs progress')", "no batch")
    check("the batch is removed", not batch.folder.exists())


VIEWS = [(width, scheme) for width in (390, 768, 1440) for scheme in ("light", "dark")]


def looked_at(page, folder, name):
    """The page as it is now, at the widths of a telephone, a tablet and a desk, in light and in dark."""
    for width, scheme in VIEWS:
        page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        report_page.scheme(page, scheme)
        page.evaluate("new Promise(resume => requestAnimationFrame(() => requestAnimationFrame(resume)))")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(f"{name} does not scroll sideways at {width} px", wide <= 0, wide)
        broken = page.evaluate("[...document.querySelectorAll('.badge')].filter(badge => badge.offsetHeight > 30).length")
        check(f"no state of {name} is broken in two at {width} px", broken == 0, broken)
        if folder:
            size = page.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": width, "height": min(size["height"], 2500), "scale": 1}
            data = page.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
            pathlib.Path(folder, f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(data))
    report_page.scheme(page, "light")
    page.send("Emulation.clearDeviceMetricsOverride")


def press(page, key, code):
    kinds = [("rawKeyDown", {}), ("char", {"text": "\r"}), ("keyUp", {})] if key == "Enter" else [("rawKeyDown", {}), ("keyUp", {})]
    for kind, text in kinds:
        page.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)


GREET = HEAD % "greet" + (
    "  - mail: { call: sendMail, with: { to: \"${ .to }\", subject: \"${ .text }\", body: \"${ .text }\" } }\n"
    "  - done: { set: { sent: true } }\n"
    "input:\n"
    "  schema:\n"
    "    document:\n"
    "      type: object\n"
    "      required: [ to, text ]\n"
    "      properties:\n"
    "        to: { type: string, format: email, description: Who gets it. }\n"
    "        text: { type: string }\n"
    "        often: { type: integer }\n"
    "        urgent: { type: boolean }\n"
    "        kind: { enum: [ news, \"</option><img src=x onerror=window.hacked=1>\" ] }\n"
)


def started(place, page, folder):
    """A workflow is started from its form by keys alone: its input, what it would do, and the run."""
    file = place.file("greet", GREET)
    page.evaluate("location.hash = '#/'")
    page.reload()
    page.wait_for("[...document.querySelectorAll('.workflows a')].some(link => link.href.includes('greet'))", "the workflow")
    looked_at(page, folder, "list")
    page.focus(".workflows a[href*=greet]")
    press(page, "Enter", 13)
    page.wait_for("document.querySelectorAll('.fields input').length === 3", "the form")
    check("the first field has the focus", page.evaluate("document.activeElement.type") == "email")
    check("choices are text", not page.evaluate("window.hacked"))
    page.write("lena@example.com")
    press(page, "Tab", 9)
    page.write("Grüße ‹x› 100 %")
    press(page, "Tab", 9)
    page.write("1.5")
    press(page, "Enter", 13)
    page.wait_for("document.querySelector('.fields input[inputmode]').validationMessage === 'a whole number is needed'", "what is wrong")
    page.evaluate("document.activeElement.select()")
    page.write("2")
    press(page, "Enter", 13)
    page.wait_for_text("What it would do")
    page.wait_for("document.activeElement.textContent === 'Run it in a sandbox'", "the button that runs it")
    text = page.text()
    check("the effects are shown", "lena@example.com" in text and "Grüße" in text and "complete" in text, text)
    looked_at(page, folder, "start")
    report_page.is_accessible(page, "the form")
    press(page, "Enter", 13)
    wait_for_state(page, "completed")
    run = place.runs()[0]
    check("the run is in a sandbox", run["sandbox"] is True and run["workflow"] == "greet", run)
    check("its page says so", page.evaluate("document.querySelector('.head .tag').textContent") == "sandbox")
    page.wait_for_text("to lena@example.com")
    looked_at(page, folder, "run")
    page.evaluate("location.hash = '#/'")
    page.wait_for("document.querySelectorAll('.list .tag').length === 1", "its mark in the list")
    page.evaluate("location.hash = '#/start/' + encodeURIComponent('/etc/passwd')")
    page.wait_for_text("the board was not started with")
    place.start("rm", run["run"]).wait(20)
    os.remove(file)


def ask(address, path, token=None, method="GET", **headers):
    request = urllib.request.Request(address + path, method=method, headers=headers)
    if token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def other_programs(address, token):
    run = json.loads(ask(address, "/api/runs", token)[2])["runs"][0]["run"]
    for path in ("/api/runs", "/api/runs/stream", f"/api/runs/{run}", f"/api/runs/{run}/drawing", f"/api/runs/{run}/stream"):
        for wrong in (None, "", "wrong", token[:-1], token + "0"):
            check(f"{path} needs the token", ask(address, path, wrong)[0] == 401, wrong)
        status = ask(address, path, token, Host="attacker.example:80")[0]
        check(f"{path} is not served to another host name", status == 421, status)
    for method, path in (("POST", f"/api/runs/{run}/resume"), ("POST", f"/api/runs/{run}/cancel"), ("DELETE", f"/api/runs/{run}")):
        check(f"{method} {path} needs the token", ask(address, path, method=method)[0] == 401)
    for path in ("/api/runs/..%2F..%2Fetc", "/api/runs/%2e%2e", "/api/runs/.removed", "/api/other", "/api"):
        check(f"{path} is not found", ask(address, path, token)[0] == 404, ask(address, path, token))
    status, headers, body = ask(address, "/")
    check("the page has no data", status == 200 and run.encode() not in body and token.encode() not in body)
    check("the page sets no cookie", "Set-Cookie" not in headers)
    policy = headers["Content-Security-Policy"]
    check("its policy is strict", "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy)


def other_sites(address, page):
    with browsers.elsewhere(page):
        for script in (
            f"fetch('{address}/api/runs')", f"fetch('{address}/')",
            f"fetch('{address}/api/runs', {{ headers: {{ Authorization: 'Bearer x' }} }})",
            f"fetch('{address}/api/runs', {{ credentials: 'include' }})",
            f"new Promise((open, fail) => {{ const socket = new WebSocket('{address.replace('http', 'ws')}/api/runs/stream'); socket.onopen = open; socket.onerror = fail; }})",
            f"new Promise((open, fail) => {{ const source = new EventSource('{address}/api/runs/stream'); source.onmessage = open; source.onerror = fail; }})",
        ):  # fmt: skip
            result = page.evaluate(f"(async () => {{ try {{ await {script}; return 'reached' }} catch {{ return 'refused' }} }})()")
            check(f"another site gets nothing by {script[:60]}", result == "refused", result)
        page.evaluate(f"document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{address}/' }}))")
        page.wait_for("!!document.querySelector('iframe')", "the frame")
        page.wait_for("document.querySelector('iframe').contentDocument === null", "what the frame shows instead")
        frames = page.send("Page.getFrameTree")["frameTree"].get("childFrames", [])
        shown = [frame["frame"]["url"] for frame in frames if not frame["frame"].get("unreachableUrl")]
        check("the page is not shown in a frame", not any(url.startswith(address) for url in shown), shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--pictures", help="a folder for pictures of the pages")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        sandboxes.running(arguments.graphflow) as sandbox,
        browsers.running("--window-size=1200,900") as page,
    ):
        place = Place(arguments.graphflow, folder, sandbox)
        with board(place) as printed:
            address, token = printed.split("/#token=")
            page.browser, page.name = page, "the board"
            page.send("Page.addScriptToEvaluateOnNewDocument", source=report_page.WATCH)
            page.open(printed)
            page.wait_for_text("no run yet")
            check("the token leaves the address", page.evaluate("location.hash") == "#/")
            as_it_goes(place, sandbox, page, arguments.pictures)
            resumed(place, sandbox, page, arguments.pictures)
            cancelled_and_removed(place, page, arguments.pictures)
            hostile(place, page, arguments.pictures)
            batches(place, page, arguments.pictures)
            schedules(place, page, arguments.pictures)
            started(place, page, arguments.pictures)
            page.evaluate("location.hash = '#/'")
            page.click("a", place.runs()[0]["run"])
            wait_for_state(page, place.runs()[0]["state"])
            report_page.is_accessible(page, "a run")
            page.evaluate("location.hash = '#/'")
            page.wait_for("document.querySelectorAll('.list tbody tr').length === 3", "the list")
            report_page.is_accessible(page, "the list")
            check_none("the policy and the script report nothing", page.evaluate("window.problems"))
            other_programs(address, token)
            other_sites(address, page)
        page.open(address)
        time.sleep(0.2)
    end("The board")


if __name__ == "__main__":
    main()
