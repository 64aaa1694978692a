"""Compares the reading of JSON data with Python's json module.

    Tests/Conformance/environment reading_json.py [--count N] [--seed N] [--show N]

Half of the texts are valid; half of those are damaged. Both readers must return the same value, every digit of its numbers
included, or both an error.
"""

import base64
import decimal
import json
import operator
import random
import re
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


def fraction(text):
    """A number with all its digits, as long as its exponent has at most nine: the largest or the smallest one otherwise."""
    exponent = int(re.split("[eE]", text + "e0")[1]) if not re.fullmatch(r"-?0+(\.0+)?([eE].*)?", text) else 0
    if abs(exponent) < 10**17:
        number = decimal.Decimal(text)
        if not number or abs(number.adjusted()) < 10**9:
            return number
    if exponent < 0:
        return decimal.Decimal(0)
    return decimal.Decimal("1.7976931348623157e308").copy_sign(-1 if text[0] == "-" else 1)


def read(text):
    try:
        # Python accepts a byte order mark in bytes, and half of a surrogate pair, which graphflow reads as U+FFFD.
        decoded = text.decode("utf-8-sig")
        return True, json.loads(decoded, parse_constant=refuse, parse_float=fraction)
    except (ValueError, RecursionError):
        return False, None


def plain(value):
    """The value with graphflow's texts, which have no lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return value


def main():
    options = probe.options(count=2000)
    texts = []
    for number in range(options.count):
        source = random.Random(f"{options.seed} {number}")
        text = json.dumps(value(source), ensure_ascii=source.random() < 0.5, indent=source.choice([None, None, 2])).encode()
        texts.append(damage(text, source) if number % 2 else text)
    wrong = refused = 0
    answers = probe.ask("json", [{"base64": base64.b64encode(text).decode()} for text in texts], decimal.Decimal)
    for text, answer in zip(texts, answers):
        valid, expected = read(text)
        refused += not valid
        if "value" in answer and valid and same(answer["value"], plain(expected), operator.eq):
            continue
        if "error" in answer and not valid:
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {text!r}\n    Python:    {expected if valid else 'error'!r}\n    graphflow: {answer}")
    print(f"{len(texts)} texts, {refused} of them refused, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
