"""Compares the regular expressions of JSON Schema, which are those of ECMA-262, with node.

    Tests/Conformance/environment patterns.py [--count N] [--seed N] [--show N]

Patterns and texts are generated. Both must agree on whether a pattern is one, and on whether it is found in the text.
"""

import json
import random
import re
import subprocess
import sys

import probe

NODE = r"""
const lines = require('fs').readFileSync(0, 'utf8').split('\n').slice(0, -1)
const compile = (pattern, flags) => { try { return new RegExp(pattern, flags) } catch { return null } }
for (const line of lines) {
    const {schema, instance} = JSON.parse(line)
    const strict = compile(schema.pattern, 'u'), loose = strict ?? compile(schema.pattern, '')
    console.log(JSON.stringify({strict: strict !== null, found: loose === null ? null : loose.test(instance)}))
}
"""
LETTERS = ["a", "a", "b", "c", "1", "-", "é", "\n", " ", "A"]
ATOMS = ["a", "b", "c", ".", "a", "b", "[ab]", "[^a]", "[a-c1]", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "(?:)", "é", "^", "$",
          "\\b", "\\B", "[\\d-]", "[\\w.]", "-", "1", "\\n",
         "\\u0061", "\\x62", "\\u{E9}", "[^]", "[]", "\\cJ", "\\0", "[[a]", "[a&&b]", "\\p{L}", "\\P{Lu}", "[\\b]", "\\/",
                 "\\1", "\\2", "\\k<n>", "\\a", "\\Z", "{", "]", "\\-", "[b-a]", "[\\d-a]", "\\p{Foo}", "\\uD83D\\uDE00", "\\u12"]
GROUPS = ["(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?>", "(?i)"]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "??", "{1,2}?", "++", "**", "{,2}"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pattern(self, depth=3):
        return "|".join(self.sequence(depth) for _ in range(self.random.choice([1, 1, 1, 2, 3])))

    def sequence(self, depth):
        return "".join(self.quantified(depth) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3])))

    def quantified(self, depth):
        if depth == 0 or self.random.random() < 0.6:
            atom = self.random.choice(ATOMS)
        else:
            atom = self.random.choice(GROUPS) + self.pattern(depth - 1) + ")"
        # On assertions, node takes quantifiers without the flag 'u' only, which changes the meaning of other parts.
        bare = atom in ("^", "$", "\\b", "\\B", "{") or atom.startswith(("(?=", "(?!", "(?<=", "(?<!"))
        return atom if bare or self.random.random() < 0.5 else atom + self.random.choice(QUANTIFIERS)

    def text(self):
        return "".join(self.random.choice(LETTERS) for _ in range(self.random.choice([0, 1, 2, 3, 4, 6, 8])))


def loosely(question, ours, theirs):
    """Whether both agree on a pattern that is one without the flag 'u' only, which then changes some meanings."""
    if theirs["found"] is None:
        return False
    if re.search(r"\\[upPck]|[^\x00-\x7f]", question["schema"]["pattern"]) or "{" in question["schema"]["pattern"]:
        return True
    return (ours["value"] == []) == theirs["found"]


def agree(question, ours, theirs):
    if "error" in ours:
        # What only the flag 'u' forbids may be refused or not.
        return not theirs["strict"]
    return (ours["value"] == []) == theirs["found"] if theirs["strict"] else loosely(question, ours, theirs)


def main():
    options = probe.options(count=5000)
    generator = Generator(options.seed)
    questions = [{"schema": {"pattern": generator.pattern()}, "instance": generator.text()} for _ in range(options.count)]
    text = "".join(json.dumps(question) + "\n" for question in questions)
    result = subprocess.run(["node", "-e", NODE], input=text.encode(), stdout=subprocess.PIPE, check=True)
    expected = [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]
    wrong = 0
    for question, theirs, ours in zip(questions, expected, probe.ask("schema", questions)):
        if agree(question, ours, theirs):
            continue
        wrong += 1
        if wrong <= options.show:
            print(f"--- {question}\n    node:      {theirs}\n    graphflow: {ours}")
    print(f"{len(questions)} patterns, {sum(answer['found'] is True for answer in expected)} of them found in their texts, "
          f"{sum(answer['found'] is None for answer in expected)} refused by node, {wrong} disagreements")
    sys.exit(1 if wrong else 0)


main()
