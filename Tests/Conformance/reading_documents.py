"""Random YAML documents: values, each with one of the many ways to write it."""

import math
import random
import re

WORDS = ["a", "b", "key", "value", "x y", "true", "null", "~", "12", "0o7", "1e3", ".5", "-1", "", "yes", "<<", "é", "日本",
         "😀", "it's", 'say "hi"', "a: b", "a #b", "#c", "- d", "[e", "{f}", "g,h", "i]", "*j", "&k", "!l", "|m", ">n",
         "%o", "@p", "`q", "a\nb", "a\n\nb", "a\nb\n", "a\n\n", "\n", " lead", "trail ", "a\n  b\nc", "a\n b\n", "t\tt",
         "http://x.com/?a=b", "a:b", "::", "?", "-", "--", "---", "...", ":x", "?y", "-z", "a,b", "${ .a }", "\\", "c:\\d",
         "\x07", "\u0085x", "\u2028", "long " * 20, "a\n\n\nb\n c\n\nd", "0x1F", "+5", "1_000", ".inf", "2001-01-01"]
PLAIN = re.compile(r"(?:[A-Za-z0-9_/é日本😀$.(+]|[-?:](?=[A-Za-z0-9_/]))(?:[A-Za-z0-9_/é日本😀$.()+<>'\"!@%&*?|`~^=;\\-]|:(?=[A-Za-z0-9_/])| (?=[A-Za-z0-9_/]))*\Z")
CORE = re.compile(r"(?:null|Null|NULL|~|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
                  r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|)\Z")
KEEPING = re.compile(r"[|>]\d?\+")


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pool, self.anchors = [], {}

    def document(self):
        """A text and its value."""
        self.pool, self.anchors = [], {}
        value = self.value(0)
        self.count_uses(value, {})
        start = self.random.choice(["", "", "", "# c\n", "---\n", "%YAML 1.2\n---\n", "\ufeff", "--- # c\n"])
        text = self.node(value, -1, True)
        end = self.random.choice(["\n", "\n", "\n...\n", "\n# end"] + ([] if KEEPING.search(text) else ["\n\n"])
                                 + ([] if re.search(r"[|>]", text) else [""]))
        text = start + text.lstrip("\n") + end
        return text.replace("\n", "\r\n") if self.random.random() < 0.05 else text, value

    def count_uses(self, value, uses):
        """The anchors of collections that are used more than once: the name, and whether it is written yet."""
        if not isinstance(value, (list, dict)):
            return
        uses[id(value)] = uses.get(id(value), 0) + 1
        if uses[id(value)] == 2:
            self.anchors[id(value)] = [self.random.choice("abc") + str(len(self.anchors)), False]
        if uses[id(value)] == 1:
            for item in value.values() if isinstance(value, dict) else value:
                self.count_uses(item, uses)

    def value(self, depth):
        if self.pool and depth > 0 and self.random.random() < 0.05:
            return self.random.choice(self.pool)
        value = self.new_value(depth)
        if isinstance(value, (list, dict)) and depth > 1:
            self.pool.append(value)
        return value

    def new_value(self, depth):
        kind = self.random.random()
        if depth < 5 and kind < (0.75 if depth < 2 else 0.35):
            size = self.random.choice([0, 1, 1, 2, 2, 3, 4])
            if self.random.random() < 0.5:
                return [self.value(depth + 1) for _ in range(size)]
            return {self.key(): self.value(depth + 1) for _ in range(size)}
        return self.random.choice([
            lambda: None, lambda: True, lambda: False, lambda: self.random.randint(-1000, 1000),
            lambda: self.random.randint(-2**63, 2**63 - 1), lambda: self.random.choice([0.5, -1.25, 1e300, 5e-324, 1e21]),
            self.text, self.text, self.text, self.text])()

    def text(self):
        if self.random.random() < 0.7:
            return self.random.choice(WORDS)
        return "".join(self.random.choice("ab :#-,\n'\"[]{}é \\?!&*|>%") for _ in range(self.random.randint(1, 12)))

    def key(self):
        if self.random.random() < 0.7:
            return self.random.choice(["a", "b", "c", "name", "with", "x y", "é"]) + str(self.random.randint(0, 99))
        return self.text().replace("\n", " ")

    def comment(self):
        return self.random.choice([""] * 8 + [" # c", "  # : x"])

    def node(self, value, indent, is_line_start, in_flow=False):
        """The node's text; a block collection starts on a new line unless it is compact."""
        anchor = self.anchors.get(id(value))
        if anchor and anchor[1]:
            return "*" + anchor[0] + " " * in_flow
        if anchor:
            anchor[1] = True
            text = self.content(value, indent, False, in_flow)
            return "&" + anchor[0] + ("" if text.startswith("\n") else " ") + text
        return self.content(value, indent, is_line_start, in_flow)

    def content(self, value, indent, is_line_start, in_flow):
        if isinstance(value, (list, dict)):
            if in_flow or not value or self.random.random() < 0.2:
                return self.flow(value, indent)
            return self.block(value, indent, is_line_start)
        return self.scalar(value, indent, in_flow)

    def block(self, value, indent, is_line_start):
        width = indent + self.random.choice([1, 2, 2, 2, 4]) if indent >= 0 else self.random.choice([0, 0, 0, 1])
        return ("" if is_line_start else self.comment() + "\n") + self.lines(value, width, False)

    def lines(self, value, width, compact):
        pad = " " * width
        lines = []
        items = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        for key, item in items:
            if self.random.random() < 0.05 and (lines or not compact) and not (lines and KEEPING.search(lines[-1])):
                is_open = lines and re.search(r"[|>]", lines[-1])
                lines.append(self.random.choice(["", "" if is_open else "   ", pad + "# c", "# c"]))
            if isinstance(value, list):
                lines.append(pad + "-" + self.item(item, width))
            elif self.random.random() < 0.05:
                lines.append(pad + "?" + self.item(key, width))
                lines.append(pad + ":" + self.item(item, width))
            else:
                lines.append(pad + self.scalar(key, width, False, key=True) + self.random.choice(["", "", "", " "]) + ":"
                             + self.member(item, width))
        text = "\n".join(lines)
        return text[width:] if compact else text

    def item(self, value, width):
        if isinstance(value, (list, dict)) and value and id(value) not in self.anchors and self.random.random() < 0.6:
            gap = self.random.choice([1, 1, 1, 3])
            return " " * gap + self.lines(value, width + 1 + gap, True)
        return self.member(value, width)

    def member(self, value, width):
        if value is None and self.random.random() < 0.3:
            return self.comment()
        text = self.node(value, width, False)
        if text.startswith("\n") or (text.lstrip(" ").startswith("#") and "\n" in text):
            return text
        return self.random.choice([" ", " ", " ", "  "]) + text + (self.comment() if "\n" not in text else "")

    def flow(self, value, indent):
        gap = lambda: self.random.choice(["", " ", " ", "  "])
        if isinstance(value, list):
            inner = [self.node(item, indent, False, True) for item in value]
            end = self.random.choice(["", "", gap() + ","]) if inner else ""
            return "[" + gap() + ("," + " ").join(inner) + end + gap() + "]"
        inner = []
        for key, item in value.items():
            text = self.scalar(key, indent, True, key=True)
            if item is None and self.random.random() < 0.3 and text:
                inner.append(text)
            else:
                inner.append(text + self.random.choice(["", "", " "]) + ": " + self.node(item, indent, False, True))
        return "{" + gap() + ", ".join(inner) + gap() + "}"

    def scalar(self, value, indent, in_flow, key=False):
        if value is None:
            return self.random.choice(["null", "~", "Null", "!!null ''"] if not key else ["null"])
        if value is True or value is False:
            return self.random.choice([str(value), str(value).lower(), str(value).upper()])
        if isinstance(value, int):
            return self.random.choice([str(value), str(value), f"!!int {value}"] + ([hex(value), f"0o{value:o}"] if value > 0 else []))
        if isinstance(value, float):
            return repr(value) if not math.isinf(value) else ".inf"
        styles = ["double"]
        printable = not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", value)
        if printable and "\n" not in value:
            styles += ["single", "single"]
            if PLAIN.match(value) and not value.startswith(("---", "...")) and (key or not CORE.match(value)):
                styles += ["plain"] * 6
        elif printable and not key:
            styles += ["single"]
        if printable and not key and not in_flow and value:
            if re.search(r"[^\s]", value):
                styles += ["literal"] * 2
            if re.match(r"[^\s].*\Z", value, re.S):
                styles += ["folded"] * 2
        style = self.random.choice(styles)
        tag = "!!str " if self.random.random() < 0.03 and style == "plain" and not key else ""
        text = tag + getattr(self, style)(value, indent)
        if style in ("plain", "double") and not key and self.random.random() < 0.3:
            # One space between two words may be a line break.
            text = re.sub(r"(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])",
                          lambda m: self.random.choice([" ", "\n" + " " * (indent + self.random.randint(1, 3))]), text)
        return text

    def plain(self, value, indent):
        return value

    def double(self, value, indent):
        escapes = {"\n": "\\n", '"': '\\"', "\\": "\\\\", "\t": "\\t", "\x07": "\\a", "\u0085": "\\N", "\u2028": "\\L"}
        return '"' + "".join(escapes.get(c, c) for c in value) + '"'

    def single(self, value, indent):
        # A line break inside quotes is written as an empty line; white space beside it would be lost.
        if re.search(r"[ \t]\n|\n[ \t]|^\n|\n$", value):
            return self.double(value, indent)
        return "'" + re.sub(r"\n+", lambda m: m.group() + "\n" + " " * (indent + 2), value.replace("'", "''")) + "'"

    def header(self, value, indent):
        stripped = value.rstrip("\n")
        chomping = "-" if value == stripped else "" if value == stripped + "\n" else "+"
        width = self.random.choice([1, 2, 2, 3])
        hint = str(width) if value[0] in " \n\t" or self.random.random() < 0.1 else ""
        if hint and indent < 0:
            width += 0
        return self.random.choice([hint + chomping, chomping + hint]), " " * (max(indent, 0) + width)

    def literal(self, value, indent):
        header, pad = self.header(value, indent)
        lines = value.split("\n")
        if value.endswith("\n"):
            lines = lines[:-1]
        return "|" + header + "\n" + "\n".join(pad + line if line else "" for line in lines)

    def folded(self, value, indent):
        if re.search(r"\n[ \t]|[ \t]\n", value):
            return self.literal(value, indent)
        header, pad = self.header(value, indent)
        body = value.rstrip("\n")
        tail = value[len(body):]
        body = re.sub(r"\n+", lambda m: m.group() + "\n", body)
        if " " in body and self.random.random() < 0.5:
            body = re.sub(r"(?<=[^\s]) (?=[^\s])", lambda m: self.random.choice([" ", "\n"]), body)
        lines = body.split("\n")
        return ">" + header + "\n" + "\n".join(pad + line if line else "" for line in lines) + "\n" * max(0, len(tail) - 1)


INSERTED = list(" \n:-#,[]{}'\"&*!|>?%@\\ab1~") + ["\n  ", ": ", "- ", " #", "---\n", "...\n", "? ", "<<: ", "\n\n", "''"]


def mutate(text, random):
    """The text with a few small damages."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        place = random.randrange(len(text) + 1)
        kind = random.randrange(8)
        lines = text.split("\n")
        row = random.randrange(len(lines))
        if kind == 0:
            text = text[:place] + text[place + 1:]
        elif kind in (1, 2, 3):
            text = text[:place] + random.choice(INSERTED) + text[place:]
        elif kind == 4:
            lines[row] = (" " * random.choice([1, 2])) + lines[row]
            text = "\n".join(lines)
        elif kind == 5:
            lines[row] = lines[row][random.choice([1, 2]):] if lines[row].startswith(" ") else lines[row]
            text = "\n".join(lines)
        elif kind == 6:
            other = random.randrange(len(lines))
            lines[row], lines[other] = lines[other], lines[row]
            text = "\n".join(lines)
        else:
            text = text[:place]
    return text
