"""Compares dates, regular expressions and numbers of drawn programs with jq 1.8.2, which the package 'jq' of PyPI has.

    ./environment jq_drawn.py [--count N] [--seed N]

The draws leave out what the page on expressions names as a difference. Each zone gets its share of the dates.
"""

import json
import os
import random
import subprocess
import sys

import probe
from jq_latest import ASK, plain

ZONES = ["UTC", "Europe/Paris", "America/Sao_Paulo", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Kathmandu"]
# No moment of a broken-down time ('%s'), and no name of UTC ('%Z'): both are differences that the page names.
CONVERSIONS = "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyY%"
FORMATS = ["%Y-%m-%d", "%d.%m.%Y %H:%M", "%Y %j", "%a %b %d %Y", "%y%m%d", "%c", "%D %T", "%F %R", "%b %d %Y %I:%M %p",
           "%A %d %B %Y", "%C %y %m %d", "%Y-%m-%dT%H:%M:%SZ"]
TEXTS = ["1+1", "a.b*c", "ab", "hH0f", "[a]", "a{,2}", "straße", "STRASSE", "Σς", "ﬁx", "ſt", "naïve", "\r\n", "\t", "x\\E", "", "K",
         "a-b_c", "ÀÉ", "ßs", "123", "aaa bbb", "q(r)s", "}{", "日本", "😀x"]
ATOMS = ["a", "b", "s", "ß", "ss", "ﬁ", "fi", "σ", ".", "\\d", "\\w", "\\s", "\\D", "\\N", "\\O", "\\Q+\\E", "\\Qa.b\\E", "\\Q[\\E", "[ab]",
         "[^s]", "[a-z]", "[ß]", "[[:alpha:]]", "[[:digit:]x]", "(a)", "(?:st)", "(?<n>b)", "\\x61", "\\x{e9}", "\\.", "\\+", "[&&a]", "[[a]",
         "{", "}", "\\-", "(a|b)", "(?=a)", "(?i:A)", "\\\\"]
QUANTIFIERS = ["", "", "", "", "+", "{2}", "{1,2}", "{,2}"]


def moment(rng):
    parts = [rng.choice([1970, 2000, 2024, 2026, 1999, 2100, rng.randint(1971, 2200)])]
    near = [(0, 11), (1, 31), (0, 23), (0, 59), (0, 59)]
    far = [(-40, 40), (-800, 800), (-100, 100), (-5000, 5000), (-100000, 100000)]
    parts += [rng.randint(*(within if rng.random() < 0.6 else beyond)) for within, beyond in zip(near, far)]
    return parts + [rng.choice([0, 3, 8, -1, 99]), rng.choice([0, 5, 367, -20])][: rng.randint(0, 2)]


def directives(rng, conversions):
    text = ""
    for _ in range(rng.randint(1, 4)):
        flags = "".join(rng.choice("^#_-0") for _ in range(rng.randint(1, 2))) if rng.random() < 0.4 else ""
        width = str(rng.choice([1, 2, 3, 5, 10, 30])) if rng.random() < 0.3 else ""
        text += "%" + flags + width + rng.choice(conversions) + rng.choice(["", "-", " ", "é", "/"])
    return text


def date(rng):
    roll = rng.random()
    if roll < 0.4:
        return moment(rng), f"strftime({json.dumps(directives(rng, CONVERSIONS))})"
    if roll < 0.6:
        return moment(rng), f"strflocaltime({json.dumps(directives(rng, CONVERSIONS + 'zZ'))})"
    if roll < 0.7:
        return rng.randint(0, 4 * 10**9), f"strflocaltime({json.dumps(directives(rng, CONVERSIONS + 'zZ'))}), (localtime | mktime)"
    if roll < 0.8:
        return moment(rng), "mktime, todate, (gmtime? // 0)"
    chosen = json.dumps(rng.choice(FORMATS))
    rest = json.dumps(rng.choice(["", "", " ", "\n", "\t \r\n", "x"]))
    return rng.randint(0, 4 * 10**9), f"[strftime({chosen}) + {rest} | ., try (strptime({chosen})[:8], (strptime({chosen}) | mktime)) catch 0]"


def pattern(rng):
    text = "".join(rng.choice(ATOMS) + rng.choice(QUANTIFIERS) for _ in range(rng.randint(1, 4)))
    flags = rng.choice(["", "i", "i", "x", "g", "gi"])
    # Several characters for one of a class is a difference.
    if "i" in flags:
        text = text.replace("[[:alpha:]]", "[a-zß]")
    # An empty match is another difference.
    call = rng.choice([f"[match({json.dumps(text)}; \"n{flags}\") | [.offset, .length, .string]]",
                       f"test({json.dumps(text)}; \"{flags}\")", f"[scan({json.dumps('(?:' + text + ')')}; \"n{flags}\")]"])
    return [text for text in TEXTS if rng.random() < 0.5], f"[.[] | {call}]"


def number(rng):
    return rng.choice([rng.randint(-9, 9), round(rng.uniform(-6, 6), 1), rng.choice([0.5, -0.5, -1.2, 1.5, 2.99, 1e300, -1e300, 5e-324, 0])])


def numbers(rng):
    a, b, c = number(rng), number(rng), number(rng)
    data = rng.choice([[1, 2, 3], list(range(rng.randint(0, 6))), [1, [2, [3, [4]]]], "abcdef", None, {"a": [1, 2]}])
    forms = [f".[{a}]", f".[{a}:{b}]", f".[{a}:]", f"getpath([{a}])", f".[{a}] = 9", f".[{a}] |= 7", f"del(.[{a}])", f"del(.[{a}:{b}])",
             f".[{a}:{b}] = [8]", f"setpath([{a}]; 8)", f"delpaths([[{a}]])", f"[limit({a}; .[])]", f"[skip({a}; .[])]", f"[nth({a}; .[])]",
             f"nth({a})", f"flatten({a})", f"has({a})", f"[{a} % {b}, -{abs(a)} * {b}, {a} - {b} % {c}]", f"[{a} | frexp, significand, logb, trunc]",
             f"[range({a}; {b}; {c})] | length" if abs(a) < 99 and abs(b) < 99 and abs(c) > 0.1 else "length", f"[{round(b % 7, 3)}, nan] | @csv, @tsv",
             f".[{{\"start\": {a}}}]", f"bsearch({a})", f"\"{rng.choice(['+', '-', '', '.'])}{abs(b)}\" | fromjson",
             f"\"[{rng.choice(['+1', 'nan', '-nan', '1.', '.5', '01', '--1', '1e', '+', '+.5', '1.e3', 'nan1', 'x'])}]\" | fromjson",
             "{\"\\(\"a\", \"b\")\", \"c\\(1, 2)\": 3}"]
    return data, "[." + "|" + f"try ({rng.choice(forms)}) catch \"error\"]"


def rounded(value):
    """Numbers as doubles, and written alike: the package gives all digits of what is beyond 2^53."""
    if isinstance(value, list):
        return [rounded(element) for element in value]
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    value = plain(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 else value


def theirs(cases):
    text = "".join(json.dumps({"input": json.dumps(data), "program": program}) + "\n" for data, program in cases)
    result = subprocess.run([sys.executable, "-I", "-c", ASK], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def compare(cases, show):
    answers = probe.ask("jq", [{"program": program, "input": data} for data, program in cases])
    wrong = 0
    for (data, program), answer, expected in zip(cases, answers, theirs(cases), strict=True):
        found = answer.get("value") or {"refused": True}
        ours = {"refused": True} if "refused" in found else {"outputs": rounded(found["outputs"]), "error": "error" in found}
        if "outputs" in expected:
            expected["outputs"] = rounded(expected["outputs"])
        if json.dumps(ours) != json.dumps(expected):
            wrong += 1
            if wrong <= show:
                print(f"program  {program}\ninput    {json.dumps(data, ensure_ascii=False)}\nours     {ours}\njq       {expected}\n")
    return wrong


def main():
    options = probe.options(600)
    rng = random.Random(options.seed)
    wrong = 0
    for zone in ZONES:
        os.environ["TZ"] = zone
        cases = [date(rng) for _ in range(options.count // len(ZONES))]
        if zone == ZONES[0]:
            cases += [draw(rng) for draw in (pattern, numbers) for _ in range(options.count)]
        found = compare(cases, options.show)
        print(f"{zone}: {len(cases)} drawn programs, {found} differ from jq 1.8.2")
        wrong += found
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
