"""Feeds damaged and random expressions to the evaluation and watches for crashes, hangs and memory without bounds.

    python3 Tests/Conformance/jq_fuzz.py [--seconds N] [--seed N]
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time

import probe
from jq_programs import Generator

BATCH = 200
MEMORY = 4 << 30
SECONDS = 120
# Few enough for a debug build to use them up in most programs of a batch.
STEPS = 300_000
WORDS = [".", "..", "[", "]", "(", ")", "{", "}", "|", ",", ":", ";", "=", "|=", "//", "?//", "?", "as", "$x", "$__loc__", "def",
         "f", "if", "then", "elif", "else", "end", "reduce", "foreach", "try", "catch", "label", "$out", "break", "and", "or", "not",
         "\"", "\\(", "\"a\"", "@base64", "@json", "1", "-1", "1e1000", "0.1", ".a", ".[0]", ".[]", "..", "empty", "error", "range(9)",
         "recurse", "path(.)", "repeat(.)", "input", "limit(3; .[])", "first", "add", "sort", "tojson", "fromjson", "test(\"(a*)*b\")",
         "gsub(\"\"; \"x\")", "until(false; .)", "[.]", "{a: .}", "+", "-", "*", "/", "%", "#", "\n", "\u0000", "é", "😀", "\\u", "import",
         "implode", "strftime(\"%c\")", "strptime(\"%Y\")", "splits(\"a\")", "ltrimstr(\"a\")", "tostream", "getpath([\"a\"])",
         "setpath([0]; 1)", "del(.[0])", "to_entries", "walk(.)", "env", "$ENV", "@sh", "combinations", "infinite", "nan", "9999999999"]
PATTERN = ["(", ")", "[", "]", "*", "+", "?", "{2,3}", "{", "}", "|", "a", "b", ".", "^", "$", "\\\\", "d", "w", "(?:", "(?=", "(?<=",
           "(?<n>", "(?>", "(?i)", "-", "[^", "[[:alpha:]]", "\\\\p{L}", "\\\\1", "\\\\k<n>", "&&", "é"]


def damaged(rng, text):
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(text))
        end = min(len(text), place + rng.randint(0, 6))
        text = text[:place] + rng.choice([rng.choice(WORDS), "", text[place:end] * 2, chr(rng.randint(0, 0x2FF))]) + text[end:]
    return text


def deep(rng):
    count = rng.choice([10, 100, 300, 1000, 20000])
    opening, closing = rng.choice([("[", "]"), ("(", ")"), ("{a:", "}"), ("-", ""), ("if . then ", " end"), ("1 as $x | ", ""),
                                   ("try ", ""), (".[", "]"), ("\"\\(", ")\""), ("def f: ", ";"), (". | ", ""), ("1 + ", ""),
                                   ("1 // ", ""), ("., ", ""), ("reduce . as $x (", ";.)"), ("label $x | ", ""), ("path(", ")")])
    return opening * count + "." + closing * count


def program(rng, generator):
    roll = rng.random()
    if roll < 0.35:
        return damaged(rng, generator.program())
    if roll < 0.6:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 25)))
    if roll < 0.7:
        return f'test("{"".join(rng.choice(PATTERN) for _ in range(rng.randint(1, 15)))}"; "{rng.choice(["", "g", "x", "i"])}")'
    if roll < 0.75:
        return deep(rng)
    if roll < 0.8:
        return rng.choice([
            "def f: HOLE; f", "[HOLE] | f", "reduce range(1000000) as $i (.; HOLE)", "last(range(1e9) | HOLE)", "[range(1e9)] | HOLE",
            "def f(x): f(x | HOLE); f(.)", "def f: HOLE, f; [f]", ". as $x | [$x | HOLE] | .. | HOLE", "[limit(100000; repeat(HOLE))]",
            "until(false; HOLE)"]).replace("HOLE", rng.choice(["[.]", "{a: .}", "f", ". + .", "[., .]", "tojson", "\"\\(.)\" + \"\\(.)\"", ".a = ."]))
    return generator.program()


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    generator = Generator(rng)
    end = time.monotonic() + options.seconds
    total, failed = 0, 0
    while time.monotonic() < end:
        cases = [{"program": program(rng, generator), "input": generator.value(), "steps": STEPS} for _ in range(BATCH)]
        text = "".join(json.dumps(case) + "\n" for case in cases).encode("utf-8", "surrogatepass")
        try:
            result = subprocess.run([probe.path(), "jq"], input=text, stdout=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit,
                                    check=False)
            answers, status = result.stdout.count(b"\n"), result.returncode
        except subprocess.TimeoutExpired as expired:
            answers, status = (expired.stdout or b"").count(b"\n"), "no answer in time"
        total += answers
        if answers < len(cases):
            failed += 1
            print(f"ended with {status} at {json.dumps(cases[answers])[:2000]}", flush=True)
    print(f"{total} expressions, {failed} that ended the program")
    sys.exit(1 if failed else 0)


main()
