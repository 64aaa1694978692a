"""The links between Markdown files: each leads somewhere, and a reader of README can reach every article."""

import pathlib
import re
import subprocess

from checks import check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def anchors(path):
    """The anchors that a code host gives to the headings of a page."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    return [
        re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.M)
    ]


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [ROOT / line for line in listed.splitlines()]
    broken, links = [], {page: set() for page in pages}
    for page in pages:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, fragment = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            links[page].add(path)
            if not path.exists() or (fragment and fragment not in anchors(path)):
                broken.append(f"{page.relative_to(ROOT)}: {target}")
        # A code host shows docc's own links as text; scripts/site makes them of the others.
        broken += [f"{page.relative_to(ROOT)}: {link}" for link in re.findall(r"<doc:[^>]*>|\]\(doc:[^)]*\)", text)]
    check_none("links lead somewhere", broken)
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in links and page not in reached:
            reached.add(page)
            waiting += links[page]
    # Pages of a code host are found by their names.
    alone = [str(page.relative_to(ROOT)) for page in pages if page not in reached and page.stem != "CHANGELOG"]
    check_none("every article is reached from README", [path for path in alone if not path.startswith(".github")])
    end("links")


main()
