"""The documentation as a site: every link leads somewhere, and a browser shows and searches its pages from disk.

docc itself refuses links between articles and symbols that lead nowhere; this looks at the pages that are made.
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import browser
import report_page
from checks import check, check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Links(html.parser.HTMLParser):
    """The addresses in a page, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.found, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.found.append(value)
            elif name == "id":
                self.anchors.add(value)


def links(site):
    pages = {path: Links(path.read_text()) for path in site.rglob("*.html") if "files" not in path.relative_to(site).parts}
    broken, count = [], 0
    for path, page in pages.items():
        for target in page.found:
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, fragment = target.partition("#")
            aim = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
            if not aim.is_file() or fragment and aim in pages and urllib.parse.unquote(fragment) not in pages[aim].anchors:
                broken.append(f"{path.relative_to(site)}: {target}")
    check_none("links within the site lead somewhere", sorted(broken))
    check("there are links", count > 1_000, count)
    return pages


def articles(site):
    files = [path for path in (ROOT / "Sources").rglob("*.docc/*.md")]
    missing = [path.stem for path in files if not (site / ("index.html" if path.stem == "Start" else f"{path.stem}.html")).exists()]
    check_none("every article is a page", missing)
    check("there are articles", len(files) > 60, len(files))
    for module in ("Promises", "MicrosoftGraph", "Workflows", "GraphSandbox", "GraphflowTesting"):
        check(f"{module} has a page of its symbols", (site / f"api/{module}.html").exists())


def shown(site, pages):
    with browser.running("--window-size=1400,1000") as page:
        page.browser, page.name = page, "the site"
        page.open(site.joinpath("index.html").as_uri())
        page.wait_for_text("Automate Microsoft 365 from workflow files")
        page.wait_for("[...document.images].some(image => image.src.includes('run') && image.naturalWidth > 100)", "a picture")
        for scheme in ("light", "dark"):
            report_page.scheme(page, scheme)
            report_page.is_accessible(page, scheme)
        report_page.scheme(page, "light")
        page.focus("#query")
        page.write("unknown outcome")
        page.wait_for("document.querySelectorAll('#found a').length > 2", "what the search finds")
        found = page.evaluate("[...document.querySelectorAll('#found a')].map(link => link.textContent)")
        check("a message is found", any("Troubleshooting" in text or "Errors" in text for text in found), found)
        page.evaluate("document.getElementById('query').value = ''")
        page.write("GrUßé")
        page.wait_for("document.getElementById('count').textContent.endsWith('results')", "the count")
        page.evaluate("document.getElementById('query').value = ''")
        page.write("retain cycle xyzzy")
        page.wait_for("document.getElementById('count').textContent === '0 results'", "no result")
        page.evaluate("document.getElementById('query').value = ''")
        page.write("attempt(maximumRetryCount")
        page.wait_for("document.querySelectorAll('#found a').length > 0", "a symbol")
        page.click("#found a", "Promises")
        page.wait_for("location.pathname.includes('Promises')", "its page")
        # On a telephone no page is wider than the window.
        page.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
        wide = []
        for path in sorted(pages):
            page.open(path.as_uri())
            page.wait_for(f"location.href === {json.dumps(path.as_uri())} && document.readyState === 'complete'", path.name)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(path.name)
        check_none("no page scrolls sideways at 390 px", wide)
        others = "performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('file:'))"
        check_none("nothing is loaded from elsewhere", page.evaluate(others))


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve() / "site"
        made = subprocess.run([sys.executable, ROOT / "scripts/site", site], capture_output=True, text=True, check=False)
        check("the site is made", made.returncode == 0, made.stdout + made.stderr)
        if made.returncode == 0:
            pages = links(site)
            articles(site)
            shown(site, pages)
    end("site")


main()
