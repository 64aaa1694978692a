"""The documentation as pages of HTML that need no server: articles, public symbols, and a search over both."""
import html, json, os, pathlib, re, shutil

try:
    from markdown_it import MarkdownIt
except ImportError:
    raise SystemExit("scripts/site needs markdown-it-py: pip install markdown-it-py") from None

STYLE = """
:root{color-scheme:light dark;--page:#fff;--side:#f6f8fa;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--code:#f6f8fa;--accent:#0969da;--mark:#fff8c5}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--side:#010409;--text:#f0f6fc;--quiet:#9198a1;--line:#30363d;--code:#161b22;--accent:#58a6ff;--mark:#5c4a00}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.6 system-ui,"Segoe UI",sans-serif;display:grid;grid-template-columns:280px minmax(0,1fr)}
a{color:var(--accent)}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--page);padding:4px 8px;z-index:1}
nav{background:var(--side);border-right:1px solid var(--line);padding:16px;height:100vh;position:sticky;top:0;overflow:auto;font-size:14px}
nav a{display:block;padding:2px 0;text-decoration:none;overflow-wrap:anywhere}
nav a[aria-current]{font-weight:700}
nav h2{font-size:12px;color:var(--quiet);margin:16px 0 4px}
nav>.home{font-weight:700;font-size:16px;margin-bottom:8px}
input{font:inherit;color:inherit;width:100%;padding:5px 10px;background:var(--page);border:1px solid var(--line);border-radius:6px}
#found{list-style:none;margin:8px 0 0;padding:0}
#found small{display:block;color:var(--quiet);overflow-wrap:anywhere}
main{padding:24px 32px 64px;max-width:860px;min-width:0;overflow-wrap:anywhere}
h1{line-height:1.25;margin-top:0;overflow-wrap:anywhere}
h2{margin-top:32px;border-bottom:1px solid var(--line)}
h2,h3{overflow-wrap:anywhere}
pre,code{font-family:ui-monospace,"Cascadia Mono","DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--code);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}
pre{overflow-wrap:normal;background:var(--code);border:1px solid var(--line);border-radius:6px;padding:12px;overflow:auto;line-height:1.45}
pre code{padding:0;background:none;overflow-wrap:normal}
.table{overflow:auto}
table{border-collapse:collapse}
th,td{border:1px solid var(--line);padding:4px 10px;text-align:left;vertical-align:top}
img{max-width:100%;height:auto}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
@media(max-width:760px){body{display:block}nav{height:auto;position:static;border-right:0;border-bottom:1px solid var(--line)}main{padding:16px}details:not([open])>:not(summary){display:none}}
@media(min-width:761px){nav summary{display:none}}
@media print{nav{display:none}body{display:block}}
"""

SCRIPT = """'use strict';
const query = document.getElementById('query'), found = document.getElementById('found'), root = document.body.dataset.root;
const plain = text => text.toLowerCase().normalize('NFKD').replace(/[\\u0300-\\u036f]/g, '');
// Each entry is a section: its page, its heading, its address and its text.
const sections = INDEX.map(([page, heading, address, text]) => ({ page, heading, address, text, title: plain(page + ' ' + heading), all: plain(text) }));
const search = () => {
  const words = plain(query.value).split(/\\s+/).filter(Boolean);
  const results = [];
  if (words.length) for (const section of sections) {
    let score = 0;
    for (const word of words) {
      const part = (section.title.includes(word) ? 10 : 0) + (section.all.includes(word) ? 1 : 0);
      if (!part) { score = 0; break; }
      score += part;
    }
    if (score) results.push([score, section]);
  }
  results.sort((one, other) => other[0] - one[0]);
  found.replaceChildren(...results.slice(0, 30).map(([, section]) => {
    const item = document.createElement('li'), link = document.createElement('a'), note = document.createElement('small');
    link.href = root + section.address;
    link.textContent = section.heading && section.heading !== section.page ? section.page + ': ' + section.heading : section.page;
    const at = Math.max(0, section.all.indexOf(words[0]) - 40);
    note.textContent = section.text.slice(at, at + 120);
    item.append(link, note);
    return item;
  }));
  document.getElementById('count').textContent = words.length ? results.length + (results.length === 1 ? ' result' : ' results') : '';
};
query.addEventListener('input', search);
addEventListener('keydown', event => {
  if (event.key === '/' && !['INPUT', 'TEXTAREA'].includes(document.activeElement.tagName)) { event.preventDefault(); query.focus(); }
});
"""


def anchor(heading):
    """The anchor that a code host gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading).lower().strip().replace(" ", "-")


def plain(token):
    """The words of a heading or a paragraph."""
    return "".join(child.content for child in token.children or [] if child.type in ("text", "code_inline", "softbreak"))


class Site:
    """Writes pages into a folder, and what a search finds in them."""

    def __init__(self, folder, home):
        self.folder, self.home = folder, home
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self.index = []
        # The entries of the list at the side, by section.
        self.sections = []

    def body(self, text, title, address, link):
        """The HTML of a Markdown text; notes its sections for the search, and rewrites its links."""
        tokens = self.markdown.parse(text)
        heading, words, used = title, [], {}

        def note():
            name = f"#{used_anchor}" if used_anchor else ""
            self.index.append([title, heading, address + name, " ".join(words)[:2000]])

        used_anchor = ""
        for index, token in enumerate(tokens):
            if token.type == "heading_open":
                if words or used_anchor:
                    note()
                heading, words = plain(tokens[index + 1]), []
                used_anchor = anchor(heading)
                used[used_anchor] = used.get(used_anchor, 0) + 1
                if used[used_anchor] > 1:
                    used_anchor += f"-{used[used_anchor] - 1}"
                token.attrSet("id", used_anchor)
            elif token.type == "inline" and tokens[index - 1].type != "heading_open":
                words.append(plain(token))
            elif token.type in ("fence", "code_block"):
                words.append(token.content[:400])
            for child in token.children or []:
                for name in ("href", "src"):
                    if target := child.attrGet(name):
                        child.attrSet(name, link(target))
        note()
        made = self.markdown.renderer.render(tokens, self.markdown.options, {})
        return made.replace("<table>", '<div class="table" tabindex="0"><table>').replace("</table>", "</table></div>") \
            .replace("<pre>", '<pre tabindex="0">')

    def write(self, address, title, body):
        root = "../" * address.count("/")
        side = "".join(
            f"<h2>{html.escape(name)}</h2>" + "".join(
                f'<a href="{root}{place}"{" aria-current=page" if place == address else ""}>{html.escape(text)}</a>'
                for text, place in entries) for name, entries in self.sections)
        path = self.folder / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="stylesheet" href="{root}site.css">
</head>
<body data-root="{root}">
<a class="skip" href="#content">To the content</a>
<nav aria-label="Pages">
<a class="home" href="{root}index.html">{html.escape(self.home)}</a>
<input type="search" id="query" placeholder="Search ( / )" aria-label="Search" autocomplete="off">
<span id="count" role="status"></span>
<ul id="found"></ul>
<details open><summary>All pages</summary>{side}</details>
</nav>
<main id="content">
{body}
</main>
<script src="{root}index.js"></script>
<script src="{root}site.js"></script>
</body>
</html>
""")

    def end(self):
        (self.folder / "site.css").write_text(STYLE.lstrip())
        (self.folder / "site.js").write_text(SCRIPT)
        # A script and no JSON: a page that was opened from disk may not read files.
        (self.folder / "index.js").write_text(f"const INDEX = {json.dumps(self.index, ensure_ascii=False)};\n")


def articles(site, pages, start, root):
    """Writes the articles; `pages` are their files and texts, in the sections of the start's topics."""
    title = {path: text.split("\n", 1)[0].strip("# `") for path, text in pages.items()}
    place = {path: "index.html" if path == start else f"{path.stem}.html" for path in pages}
    copied = {}
    for name, body in re.findall(r"^### (.*)\n(.*?)(?=^### |\Z)", pages[start].split("## Topics")[1], re.M | re.S):
        listed = [(text, (start.parent / target).resolve()) for text, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", body)]
        site.sections.append((name, [(text, place[path]) for text, path in listed if path in place]))

    def linker(path):
        def link(target):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                return target
            name, _, fragment = target.partition("#")
            aim = (path.parent / name).resolve()
            if aim in place:
                return place[aim] + (f"#{fragment}" if fragment else "")
            if not aim.is_file():
                raise SystemExit(f"{path.relative_to(root)}: {target} leads nowhere")
            copied[aim] = f"files/{aim.relative_to(root)}"
            return copied[aim]
        return link

    for path, text in pages.items():
        # docc's links to symbols are code here, and a link to code where they have a page.
        text = re.sub(r"``([^`]+)``", r"`\1`", text)
        body = site.body(text, title[path], place[path], linker(path))
        yield place[path], title[path], body
    for path, name in copied.items():
        target = site.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def symbols(site, graphs):
    """The public symbols of each module on one page, with their declarations and comments."""
    modules = {}
    for graph in graphs.values():
        for symbol in graph["symbols"]:
            modules.setdefault(graph["module"]["name"], {})[symbol["identifier"]["precise"]] = symbol
    site.sections.append(("Swift modules", [(name, f"api/{name}.html") for name in sorted(modules)]))
    for name, found in sorted(modules.items()):
        text = [f"# {name}\n\nThe public symbols of the module `{name}`.\n"]
        for symbol in sorted(found.values(), key=lambda each: [part.lower() for part in each["pathComponents"]]):
            declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
            comment = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
            comment = re.sub(r"``([^`]+)``", r"`\1`", re.sub(r"^(#+) ", r"###\1 ", comment, flags=re.M))
            path = ".".join(symbol["pathComponents"])
            text.append(f"## {path}\n\n```swift\n{declaration}\n```\n\n{comment}\n")
        address = f"api/{name}.html"
        yield address, name, site.body("\n".join(text), name, address, lambda target: target)


def write(folder, pages, start, graphs, root, name):
    """Writes the whole site."""
    site = Site(folder, name)
    # The list at the side names every page, so that all are known before the first is written.
    made = list(articles(site, pages, start, root)) + list(symbols(site, graphs))
    for address, title, body in made:
        site.write(address, title if address != "index.html" else name, body)
    site.end()
