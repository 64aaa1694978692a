"""Compares the reading of YAML with PyYAML, whose parser uses the types of YAML 1.2's core schema here.

    Tests/Conformance/environment reading.py [--count N] [--seed N] [--show]

Half of the documents are generated from a known value; half of those are then damaged. Both readers must return that
value for an undamaged document, and the same value or an error for a damaged one. One of the reasons below must explain
every difference: PyYAML reads YAML 1.1 and is lenient or strict in other places than YAML 1.2.2.
"""

import math
import re
import sys

import yaml

import probe
from reading_documents import CORE, Generator, mutate
from values import same

PREFIX = "tag:yaml.org,2002:"


class Refused(Exception):
    pass


def scalar(text, tag, is_plain):
    if tag == PREFIX + "str" or (tag in (None, "!") and not is_plain) or tag == "!":
        return text
    if not tag and not CORE.match(text):
        return text
    kind, value = resolve(text)
    if tag:
        wanted = tag[len(PREFIX):] if tag.startswith(PREFIX) else ""
        if wanted == "float" and kind == "int":
            return float(value)
        if wanted != kind:
            raise Refused(f"tag {tag}")
    return value


def resolve(text):
    if text in ("null", "Null", "NULL", "~", ""):
        return "null", None
    if text.lower() in ("true", "false") and CORE.match(text):
        return "bool", text.lower() == "true"
    if not CORE.match(text):
        return "str", text
    if re.match(r"0o[0-7]+\Z", text):
        return "int", int(text[2:], 8)
    if re.match(r"0x[0-9a-fA-F]+\Z", text):
        return "int", int(text[2:], 16)
    if re.match(r"[-+]?[0-9]+\Z", text):
        return "int", int(text)
    if text.lower().endswith("nan"):
        # graphflow's value for it, since JSON has no such number.
        return "float", None
    if text.lower().endswith("inf"):
        return "float", float(text.replace(".", ""))
    return "float", float(text)


def construct(node, merged=False):
    """The value of a PyYAML node, as a Value of graphflow would be."""
    if isinstance(node, yaml.ScalarNode):
        # PyYAML has resolved the tag by YAML 1.1; the parser's event says whether one was written.
        return scalar(node.value, node.tag, not node.style)
    if isinstance(node, yaml.SequenceNode):
        if node.tag not in (None, "!", PREFIX + "seq"):
            raise Refused(f"tag {node.tag}")
        return [construct(item) for item in node.value]
    if node.tag not in (None, "!", PREFIX + "map"):
        raise Refused(f"tag {node.tag}")
    result, merges = {}, []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused("key")
        construct(key)
        if key.value == "<<" and not key.style and key.tag is None and not getattr(key, "alias", False):
            merges.append(value)
        elif key.value in result:
            raise Refused("duplicate")
        else:
            result[key.value] = construct(value)
    if len(merges) > 1:
        raise Refused("duplicate <<")
    for merge in merges:
        sources = merge.value if isinstance(merge, yaml.SequenceNode) else [merge]
        for source in sources:
            if not isinstance(source, yaml.MappingNode):
                raise Refused("merge")
            for name, value in construct(source).items():
                result.setdefault(name, value)
    return result


def loader(base):
    class Loader(base):
        """Composes nodes without resolving the tags of YAML 1.1."""

        def compose_node(self, parent, index):
            return super().compose_node(parent, index)

        def resolve(self, kind, value, implicit):
            return None

        def descend_resolver(self, node, index):
            pass

        def ascend_resolver(self):
            pass

    return Loader


LOADERS = [loader(yaml.CSafeLoader), loader(yaml.SafeLoader)]


def read(text, base):
    try:
        node = yaml.compose(text, Loader=base)
        if node is None:
            return ("error", "empty")
        return ("value", construct(node))
    except (yaml.YAMLError, Refused, ValueError, RecursionError) as error:
        return ("error", str(error))


def same_numbers(left, right):
    """graphflow has 64-bit numbers; it reads larger ones as the nearest, or largest, floating point number."""
    if isinstance(left, int) and isinstance(right, int) and abs(left) < 2**63:
        return left == right
    try:
        left, right = float(left), float(right)
    except OverflowError:
        return False
    return left == right or (math.isinf(left) and abs(right) > 1e308) or (math.isinf(right) and abs(left) > 1e308)


# Each reason: its name, and a part of graphflow's and PyYAML's errors if it applies; None for no error.
REASONS = [
    ("PyYAML takes a comment that touches the value before it", r"needs a space before its '#'", None),
    ("PyYAML takes quotes and brackets whose lines are not indented",
     r"is not indented enough|must be indented more", None),
    ("PyYAML knows directives whose names are letters and digits only", None, r"scanning a directive"),
    ("PyYAML knows anchors whose names are letters, digits, '-' and '_' only", None, r"scanning an (anchor|alias)"),
    ("PyYAML takes no tag that ends at an indicator of flow style", None, r"parsing a tag"),
    ("PyYAML takes '-' alone as a text inside brackets", r"'-' cannot start a value here", None),
    ("PyYAML takes text blocks that are not indented more than their key", r"a text block must be indented more", None),
    ("PyYAML takes no '...' where no document was", None, r"found '<document end>'"),
    ("PyYAML takes no mapping that starts with an empty key", None, r"but found ':'"),
    ("PyYAML takes no top-level text block that is not indented", None, r"expected '<document start>', but found '<scalar>'"),
    ("PyYAML takes no key of several lines in a flow mapping", None, r"expected ',' or '}', but got ':'"),
    ("PyYAML takes '?' in a flow collection as an indicator, whatever follows", None, r"but got '\?'"),
]

# The same, recognised in the text.
TEXTS = [
    ("PyYAML takes NEL, LS and PS as line breaks, as YAML 1.1 had it", "[\u0085\u2028\u2029]"),
    ("PyYAML takes '?' in a flow collection as an indicator, whatever follows", r"[\[{,:]\s*\?[^\s,\[\]{}]"),
    ("PyYAML takes no top-level text block that is not indented", r"(\A|\n|\ufeff) *(--- +)?[|>][-+\d]*( [^\n]*)?\n+( *\n)*[^\s]"),
    ("PyYAML knows anchors whose names are letters, digits, '-' and '_' only", r"(^|[\s\ufeff])[&*][\w-]*[^\w\s-]"),
    ("PyYAML takes no tag that ends at an indicator of flow style", r"[\s\[{,:]![\]},]"),
    ("PyYAML takes text blocks that are not indented more than their key", r"\n *[|>][-+\d]*\n"),
    ("PyYAML takes no byte order mark but at the very start", r"(?s).\ufeff"),
    ("PyYAML takes ':' in a flow collection as an indicator, whatever follows", r"[\[{,:]\s*(!\S+ +)?:[^\s,\[\]{}]"),
    ("PyYAML does not tell that a value has the tag '!'", r"(^|[\s\[{,:\ufeff])!(\s|$)"),
]


def fits(result, pattern):
    if pattern is None:
        return result[0] == "value"
    return result[0] == "error" and re.search(pattern, str(result[1])) is not None


def explained(text, ours, theirs):
    text = text.replace("\r\n", "\n")
    for name, our_error, their_error in REASONS:
        pairs = ((ours, our_error), (theirs, their_error))
        if all(fits(result, pattern) for result, pattern in pairs):
            return name
    for name, pattern in TEXTS:
        if re.search(pattern, text):
            return name
    return None


def main():
    options = probe.options(count=1000)
    cases = []
    for number in range(options.count):
        generator = Generator(f"{options.seed} {number}")
        text, value = generator.document()
        if number % 2:
            cases.append((mutate(text, generator.random), None, False))
        else:
            cases.append((text, value, True))
    answers = probe.ask("yaml", [text for text, _, _ in cases])
    wrong, reasons = 0, {}
    for (text, value, is_known), answer in zip(cases, answers):
        ours = ("value", answer["value"]) if "value" in answer else ("error", answer["error"])
        theirs = [read(text, base) for base in LOADERS]
        if is_known and ours[0] == "value" and same(ours[1], value, same_numbers):
            continue
        if not is_known and any(ours[0] == other[0] and (ours[0] == "error" or same(ours[1], other[1], same_numbers)) for other in theirs):
            continue
        reason = not is_known and explained(text, ours, theirs[1])
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {text!r}\n{text}\n    expected: {value if is_known else '-'!r}\n    graphflow: {ours}\n    libyaml:  {theirs[0]}\n    PyYAML:   {theirs[1]}")
    for reason, count in sorted(reasons.items()):
        print(f"{count} × {reason}")
    print(f"{len(cases)} documents, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
