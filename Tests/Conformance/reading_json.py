"""Compares the reading of JSON data with Python's json module.

    Tests/Conformance/environment reading_json.py [--count N] [--seed N] [--show N]

Half of the texts are valid; half of those are damaged. Both readers must return the same value, or both an error.
"""

import base64
import json
import random
import sys

import probe
from values import same

TEXTS = ["", "a", "é", "😀", "\n", "\t", '"', "\\", "/", "\u2028", "\x7f", "\x00", "a b", "long " * 30, "\ufeff"]
INSERTED = list(b'{}[],:"\\0123456789.eE+-truefalsn /u') + [b"\\u00e9", b"\\ud83d\\ude00", b"\\ud800", b"\xff", b"\xc3", b"null", b"1e400",
                                                              b"-0", b"\n", b"\t", b"NaN", b"\x00", b"00", b"//"]


def value(random, depth=0):
    kind = random.random()
    if depth < 4 and kind < 0.3:
        return [value(random, depth + 1) for _ in range(random.randint(0, 4))]
    if depth < 4 and kind < 0.6:
        return {random.choice(TEXTS) + str(random.randint(0, 20)): value(random, depth + 1) for _ in range(random.choice([0, 1, 2, 3, 15]))}
    return random.choice([None, True, False, random.choice(TEXTS), random.randint(-10, 10), random.randint(-2**63, 2**63 - 1), 2**63, -2**63,
                          random.random(), random.uniform(-1, 1) * 10.0 ** random.randint(-320, 308), float(random.randint(-100, 100)),
                          5e-324, 1.7976931348623157e308, 0.1, 1e22, 1e23, 9007199254740993.0, 123456789.125])


def damage(text, random):
    for _ in range(random.choice([1, 1, 2])):
        place = random.randrange(len(text) + 1)
        inserted = random.choice(INSERTED)
        inserted = inserted if isinstance(inserted, bytes) else bytes([inserted])
        text = random.choice([text[:place] + inserted + text[place:], text[:place] + text[place + 1:], text[:place],
                              text[:place] + inserted + text[place + 1:]])
    return text


def refuse(word):
    raise ValueError(word)


def read(text):
    try:
        # Python accepts a byte order mark in bytes, and half of a surrogate pair, which graphflow reads as U+FFFD.
        decoded = text.decode("utf-8-sig")
        return True, json.loads(decoded, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False, None


def plain(value):
    """The value with graphflow's numbers and texts: 64 bits, and no lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and not -2**63 <= value < 2**63:
        value = float(value) if abs(value) < 2**1024 else value * float("inf")
    if isinstance(value, float) and abs(value) == float("inf"):
        return 1.7976931348623157e308 if value > 0 else -1.7976931348623157e308
    return value


def same_numbers(left, right):
    return left == right or float(left) == float(right)


def main():
    options = probe.options(count=2000)
    texts = []
    for number in range(options.count):
        source = random.Random(f"{options.seed} {number}")
        text = json.dumps(value(source), ensure_ascii=source.random() < 0.5, indent=source.choice([None, None, 2])).encode()
        texts.append(damage(text, source) if number % 2 else text)
    wrong = refused = 0
    answers = probe.ask("json", [{"base64": base64.b64encode(text).decode()} for text in texts])
    for text, answer in zip(texts, answers):
        valid, expected = read(text)
        refused += not valid
        if "value" in answer and valid and same(answer["value"], plain(expected), same_numbers):
            continue
        if "error" in answer and not valid:
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {text!r}\n    Python:    {expected if valid else 'error'!r}\n    graphflow: {answer}")
    print(f"{len(texts)} texts, {refused} of them refused, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
