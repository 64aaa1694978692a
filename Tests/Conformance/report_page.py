"""Opens what `graphflow show --html` writes in a real browser, from a file and without a network.

    report_page.py GRAPHFLOW [--pictures FOLDER]

Runs workflows in the sandbox, and looks at their pages: the timeline, keys, what is hostile, light and dark, paper, and
the rules of axe-core. `--pictures` keeps pictures of them for a person to look at. Does nothing, and says so, if there is
no Chromium.
"""

import argparse
import base64
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import time

import browser as browsers
from checks import check, check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = "document: { dsl: 1.0.3, namespace: samples, name: %s, version: 1.0.0 }\ndo:\n"
MANY = HEAD % "many" + """
  - numbers: { set: "${ [range(3333)] }" }
  - each:
      for: { each: n, in: "${ . }" }
      do:
        - double: { set: { n: "${ $n * 2 }" } }
        - check: { set: { n: "${ $n }" } }
        - last: { set: { done: "${ $n }" } }
"""
FAILING = HEAD % "orders" + """
  - orders: { set: "${ [ { id: 17, total: 40 }, { id: 18, total: -3 } ] }" }
  - confirm:
      for: { each: order, in: "${ . }" }
      do:
        - patient:
            try:
              - reserve: { raise: { error: { type: "https://example.com/busy", status: 503, title: The shop is busy } } }
            catch:
              errors: { with: { status: 503 } }
              retry: { delay: { milliseconds: 60 }, limit: { attempt: { count: 2 } } }
              do: [ { goOn: { set: { reserved: false } } } ]
        - verify:
            if: "${ $order.total < 0 }"
            raise: { error: { type: "https://example.com/price", status: 422, title: The price is wrong, detail: "${ \\"it is \\\\($order.total)\\" }" } }
"""
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202eabc\u2028\u0007"
# Chromium reports what the policy refuses, and what goes wrong in a script, before the page can be asked.
WATCH = """
    window.problems = [];
    addEventListener('securitypolicyviolation', event => problems.push(event.violatedDirective + ' ' + event.blockedURI));
    addEventListener('error', event => problems.push(event.message));
"""
ROWS = "[...document.querySelectorAll('.row')].sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))"


class Runs:
    """Runs of workflows in a folder of their own, and their pages."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.environment = dict(os.environ, GRAPHFLOW_HOME=str(self.folder / "home"), GRAPHFLOW_ACCESS_TOKEN="x")

    def graphflow(self, *arguments):
        command = [self.program, *map(str, arguments)]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=300)

    def page(self, name, workflow):
        """The address of the page of a run of the workflow, and the run's JSON."""
        path = workflow
        if not isinstance(workflow, pathlib.Path):
            path = self.folder / (name + ".json")
            path.write_text(workflow, encoding="utf-8")
        self.graphflow("run", path, "--sandbox")
        run = json.loads(self.graphflow("runs", "--json", "--limit", 1).stdout)[0]["run"]
        file = self.folder / (name + ".html")
        written = self.graphflow("show", run, "--html", file)
        check(f"{name}: the page is written", written.returncode == 0, written.stderr)
        return file.as_uri(), json.loads(self.graphflow("show", run, "--json").stdout)


class Page:
    """A page that is open in the browser."""

    def __init__(self, browser, name, address, pictures=None):
        self.browser, self.name, self.pictures = browser, name, pictures
        browser.open("about:blank")
        browser.open(address)
        browser.wait_for("!!document.querySelector('.timeline .row, .timeline .empty')", "the timeline")

    def value(self, script):
        return self.browser.evaluate(script)

    def press(self, key, code=0, modifiers=0):
        for kind in ("rawKeyDown", "char", "keyUp") if len(key) == 1 else ("rawKeyDown", "keyUp"):
            text = {"text": key} if kind == "char" else {}
            self.browser.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers, **text)

    def rows(self):
        return self.value(ROWS + ".map(row => row.querySelector('bdi').textContent)")

    def chosen(self):
        return self.value("document.querySelector('.row.chosen bdi')?.textContent ?? null")

    def picture(self, kind, width=1280, height=1000, whole=True):
        if not self.pictures:
            return
        self.browser.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.browser.send("Emulation.setScrollbarsHidden", hidden=True)
        if whole:
            size = self.browser.send("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], 4000)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        data = self.browser.send("Page.captureScreenshot", captureBeyondViewport=whole, clip=clip)["data"]
        (self.pictures / f"{self.name}-{kind}.png").write_bytes(base64.b64decode(data))
        self.browser.send("Emulation.clearDeviceMetricsOverride")

    def is_sound(self):
        problems = self.value("window.problems")
        check_none(f"{self.name}: the policy and the script report nothing", problems)
        loaded = self.value("performance.getEntriesByType('resource').map(entry => entry.name)")
        check_none(f"{self.name}: nothing is loaded", loaded)


def axe():
    """The source of axe-core, which a package of PyPI carries."""
    package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
    return (pathlib.Path(package) / "axe.min.js").read_text(encoding="utf-8")


def is_accessible(page, kind):
    """Checks the page with axe-core, in a world of its own, because the page's policy refuses other scripts."""
    tree = page.browser.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = page.browser.send("Page.createIsolatedWorld", frameId=tree)["executionContextId"]

    def evaluate(script):
        result = page.browser.send("Runtime.evaluate", expression=script, contextId=world, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "axe-core failed"))
        return result["result"].get("value")

    evaluate(axe() + ";0")
    found = evaluate("axe.run(document).then(found => found.violations.map(rule => [rule.id, rule.nodes.length, rule.nodes[0].html.slice(0, 200), rule.nodes[0].failureSummary]))")
    check_none(f"{page.name}, {kind}: axe-core finds nothing", found)
    passed = evaluate("axe.run(document).then(found => found.passes.length)")
    check(f"{page.name}, {kind}: axe-core looks at the page", passed > 15, passed)


def scheme(browser, value):
    browser.send("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": value}])


def fork(browser, runs, pictures):
    address, run = runs.page("fork", ROOT / "workflows" / "fork-and-join.yaml")
    page = Page(browser, "fork-and-join", address, pictures)
    check("every branch is a row inside its fork", page.rows() == ["ask", "who", "picture", "colleagues"], page.rows())
    levels = page.value(ROWS + ".map(row => row.getAttribute('aria-level'))")
    check("with its level", levels == ["1", "2", "2", "2"], levels)
    bars = page.value(ROWS + ".map(row => { const bar = row.querySelector('.bar'); return [parseFloat(bar.style.left), parseFloat(bar.style.width)]; })")
    around, *branches = bars
    end = around[0] + around[1] + 0.5
    check("its bar is inside the fork's", all(around[0] - 0.5 <= left and left + width <= end for left, width in branches), bars)
    longest = max(run["tasks"][0]["tasks"], key=lambda task: task["duration"])["duration"]
    widest = max(width for _, width in branches)
    check("a bar is as long as its task", abs(widest / around[1] - longest / run["tasks"][0]["duration"]) < 0.1, (bars, longest))
    taken = page.value("[...document.querySelectorAll('.drawing .taken.completed')].map(part => part.dataset.task)")
    check("what was taken is marked in the drawing", "/do/0/ask" in taken and len(taken) == 4, taken)
    check("the output is in the page", "Megan Bowen" in page.browser.text(), page.browser.text()[:500])
    for value in ("light", "dark"):
        scheme(browser, value)
        is_accessible(page, value)
        page.picture(value)
    colours = [page.value("getComputedStyle(document.body).backgroundColor")]
    scheme(browser, "light")
    colours.append(page.value("getComputedStyle(document.body).backgroundColor"))
    check("dark is dark and light is light", colours == ["rgb(1, 4, 9)", "rgb(246, 248, 250)"], colours)
    page.is_sound()


def keys(browser, runs, pictures):
    address, _ = runs.page("failing", FAILING)
    page = Page(browser, "failing", address, pictures)
    check("the error's task is chosen", page.chosen() == "verify", page.chosen())
    text = page.browser.text()
    check("its place in the file is shown", ", line 15 of the file" in text and "- verify:" in text, text[:1500])
    here = page.value("document.querySelector('.source .here').textContent")
    check("its line is marked", "- verify:" in here, here)
    check("attempts and waits are in the timeline", page.value("document.querySelectorAll('.row .wait').length") == 4)
    is_accessible(page, "faulted")
    page.picture("light")
    page.picture("narrow", width=400)
    page.value("document.activeElement.blur(); document.body.focus(); 0")
    for _ in range(40):
        page.press("Tab", 9)
        if page.value("document.activeElement.getAttribute('role')") == "treegrid":
            break
    check("the timeline is reached with Tab", page.value("document.activeElement.getAttribute('role')") == "treegrid")
    page.press("Home", 36)
    check("Home chooses the first task", page.chosen() == "orders", page.chosen())
    page.press("ArrowDown", 40)
    check("Down the next one", page.chosen() == "confirm", page.chosen())
    active = page.value("document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).querySelector('bdi').textContent")
    check("which a screen reader is told", active == "confirm", active)
    page.press("ArrowLeft", 37)
    check("Left closes it", page.rows() == ["orders", "confirm"], page.rows())
    check("and says so", page.value("document.querySelector('.row.chosen').getAttribute('aria-expanded')") == "false")
    page.press("ArrowRight", 39)
    page.press("ArrowRight", 39)
    check("Right opens it and goes inside", page.chosen() == "patient", page.chosen())
    width = page.value("parseFloat(document.querySelector('.row.chosen .bar').style.width)")
    page.press("+", 187)
    wider = page.value("parseFloat(document.querySelector('.row.chosen .bar').style.width)")
    check("Plus zooms to it", wider > width * 1.5, (width, wider))
    page.press("0", 48)
    again = page.value("parseFloat(document.querySelector('.row.chosen .bar').style.width)")
    check("0 shows the whole run", abs(again - width) < 0.01, (width, again))
    page.press("Enter", 13)
    check("Enter leads to the task's data", page.value("document.activeElement.className") == "task")
    page.value("[...document.querySelectorAll('.tools input')].find(box => box.type == 'checkbox').click(); 0")
    failed = page.rows()
    check("only what failed is listed, with what is around it", "goOn" not in failed and failed[-1] == "verify", failed)
    page.is_sound()


def hostile(browser, runs, pictures):
    tasks = [{HOSTILE: {"set": {HOSTILE: HOSTILE}}}, {"large": {"set": {"text": "${ \"x\" * 2000000 }"}}}]
    workflow = {"document": {"dsl": "1.0.3", "namespace": "samples", "name": "hostile", "version": "1.0.0", "title": HOSTILE}, "do": tasks}
    address, _ = runs.page("hostile", json.dumps(workflow))
    page = Page(browser, "hostile", address, pictures)
    check("nothing from outside runs", page.value("window.hacked ?? null") is None)
    names = page.value("[...document.querySelectorAll('script, img, iframe, object, embed, link')].map(part => part.tagName)")
    check("nor is it markup", names == ["SCRIPT", "SCRIPT"], names)
    shown = page.rows()[0]
    check("it is shown as it is, and what turns text as a code", "<script>" in shown and "\\u202e" in shown and "\u202e" not in shown, shown)
    page.press("Tab", 9)
    page.is_sound()
    is_accessible(page, "light")


def many(browser, runs, pictures):
    address, _ = runs.page("many", MANY)
    scheme(browser, "dark")
    began = time.monotonic()
    page = Page(browser, "many", address, pictures)
    print(f"a page of {1 + 1 + 3 * 3333} tasks opens in {time.monotonic() - began:.2f} s", flush=True)
    count = page.value("Number(document.querySelector('[role=treegrid]').getAttribute('aria-rowcount'))")
    check("a loop is folded", count == 2, count)
    check("with its count", "3,333 rounds" in page.browser.text())
    began = time.monotonic()
    page.browser.click("button", "Open all")
    page.browser.wait_for("document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') == '10001'", "all rows")
    page.value("document.querySelector('.rows').focus(); 0")
    page.press("End", 35)
    last = page.value(ROWS + ".at(-1).textContent")
    check("the last round can be looked at", "round 3333" in last, last)
    print(f"opening all of them and going to the last takes {time.monotonic() - began:.2f} s", flush=True)
    rows = page.value("document.querySelectorAll('.row').length")
    check("only the rows that can be seen are elements", rows < 100, rows)
    page.press("PageUp", 33)
    order = page.value("[...document.querySelectorAll('.row')].map(row => Number(row.getAttribute('aria-rowindex')))")
    check("they are in their order", order == sorted(order), order)
    page.picture("dark")
    printed = page.value("dispatchEvent(new Event('beforeprint')), document.querySelectorAll('.row').length")
    check("paper has many rows, but not all of them", 2000 <= printed <= 2001, printed)
    page.is_sound()


def paper(browser, runs, pictures):
    address, _ = runs.page("paper", FAILING)
    Page(browser, "paper", address)
    printed = base64.b64decode(browser.send("Page.printToPDF", printBackground=True)["data"])
    check("it can be printed", printed.startswith(b"%PDF") and len(printed) > 10_000, len(printed))
    if pictures:
        (pictures / "paper.pdf").write_bytes(printed)
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(address)
    browser.wait_for_text("The price is wrong (422): it is -3")
    text = browser.text()
    check("without JavaScript its tasks can be read", "patient (round 2)" in text, text[:800])
    browser.send("Emulation.setScriptExecutionDisabled", value=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphflow")
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browsers.running() as browser:
        browser.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        runs = Runs(os.path.abspath(arguments.graphflow), folder)
        for part in (fork, keys, hostile, many, paper):
            part(browser, runs, arguments.pictures)
    end("Pages of runs")


if __name__ == "__main__":
    main()
