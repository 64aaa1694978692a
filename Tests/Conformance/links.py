"""The links between Markdown files: each leads somewhere, and every article is linked from another one."""

import pathlib
import re
import subprocess

from checks import check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = [ROOT / line for line in listed.splitlines()]
    broken, linked = [], set()
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                continue
            path = (page.parent / target.split("#")[0]).resolve()
            linked.add(path)
            if not path.exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
        for name in re.findall(r"<doc:(\w+)>", text):
            article = next((each for each in pages if each.stem == name), None)
            if article is None:
                broken.append(f"{page.relative_to(ROOT)}: <doc:{name}>")
            else:
                linked.add(article.resolve())
    check_none("links lead somewhere", broken)
    # A catalog's own page and the pages of a code host are found by their names.
    own = {"Promises", "Workflows", "README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "MicrosoftGraph"}
    alone = [str(page.relative_to(ROOT)) for page in pages if page.stem not in own and page.resolve() not in linked]
    check_none("every article is linked", [path for path in alone if not path.startswith(".github")])
    end("links")


main()
