"""The documentation as a site: every link inside it leads somewhere, and a browser shows its pages.

docc itself refuses links between articles and symbols that lead nowhere; this looks at what it wrote.
"""

import functools
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading

import browser
from checks import check, check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The site is published below a folder, which is where links break that are written as if it were not.
BASE = "/docs"


def addresses(page):
    """The addresses within the site to which a page leads."""
    found = set()
    for reference in page.get("references", {}).values():
        if reference.get("type") in ("topic", "link"):
            found.add(reference.get("url", ""))
        for variant in reference.get("variants", []):
            found.add(BASE + variant["url"])
    # Only what begins with the folder of the site is written with it.
    return {address if address.startswith(BASE) else BASE + address for address in found if address.startswith("/")}


def links(site):
    broken, count = [], 0
    for path in (site / "data").rglob("*.json"):
        for address in addresses(json.loads(path.read_text())):
            count += 1
            place, _, fragment = address.removeprefix(BASE).lstrip("/").partition("#")
            if not ((site / place).is_file() or (site / place / "index.html").is_file()):
                broken.append(f"{path.relative_to(site)}: {address}")
            elif fragment and f'"anchor":"{fragment}"' not in (site / "data" / f"{place}.json").read_text():
                broken.append(f"{path.relative_to(site)}: {address}")
    check_none("links within the site lead somewhere", sorted(broken))
    check("there are links", count > 5_000, count)


def articles(site):
    pages = [path for path in (ROOT / "Sources").rglob("*.docc/*.md")]
    names = {"start": "graphflow"}
    missing = []
    for page in pages:
        name = page.stem.lower()
        places = (f"documentation/graphflow/{name}", f"documentation/{names.get(name, name)}")
        if not any((site / place / "index.html").exists() for place in places):
            missing.append(page.stem)
    check_none("every article is a page", missing)
    check("there are articles", len(pages) > 30, len(pages))
    listed = next(page for page in pages if page.stem == "Diagnostics").read_text()
    wanted = {f"diagnostic-{name}" for name in re.findall(r"^\| \[`([a-z-]+)`\]", listed, re.M)}
    found = {path.name for path in (site / "documentation/graphflow").glob("diagnostic-*")}
    check_none("each diagnostic has a page, and no other has", sorted(wanted ^ found))
    check("there are diagnostics", len(wanted) > 100, len(wanted))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def follow(page, text, path):
    """Follows a link to a page of the site, again if it was not ready for a click."""
    page.wait_for(
        f"""(() => {{
            if (location.pathname.replace(/[/]$/, "") == {json.dumps(path)}) return true;
            // A click begins the way to the page anew, so it gets a second.
            if (Date.now() - (window.clickedAt ?? 0) < 1000) return;
            window.clickedAt = Date.now();
            [...document.querySelectorAll("a")].find(link => link.innerText.includes({json.dumps(text)}))?.click();
        }})()""",
        f"the page of {text!r}",
    )


def shown(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    # A browser that goes to another page leaves answers half read.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}{BASE}"
    with browser.running("--window-size=1400,1000") as page:
        # What a page says at its beginning, in its drawing and in the list at its side.
        page.open(f"{address}/")
        page.wait_for_text("Automate Microsoft 365 from workflow files")
        picture = "[...document.images].some(image => image.src.includes('run') && image.naturalWidth > 100)"
        page.wait_for(picture, "a picture")
        follow(page, "Durable runs", f"{BASE}/documentation/graphflow/durableruns")
        page.wait_for_text("A task whose end is in the journal is not performed again")
        page.open(f"{address}/documentation/workflows/runner/")
        page.wait_for_text("Runs workflows; every task is a link of one promise chain.")
        # Each diagnostic has a page, to which the list of all leads.
        page.open(f"{address}/documentation/graphflow/diagnostics/")
        follow(page, "shell-injection", f"{BASE}/documentation/graphflow/diagnostic-shell-injection")
        page.wait_for_text("the shell may execute its data")
        page.open(f"{address}/documentation/graphflow/howitworks/")
        follow(page, "workflows/draft-mail.yaml", f"{BASE}/files/workflows/draft-mail.yaml.html")
        page.wait_for_text("call: graph")
    server.shutdown()


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder) / BASE.strip("/")
        command = [ROOT / "scripts/site", site, "--base", BASE]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        check("the site is made", made.returncode == 0, made.stdout + made.stderr)
        if made.returncode == 0:
            links(site)
            articles(site)
            shown(folder)
    end("site")


main()
