"""Random programs in the part of jq that 1.6 and 1.7 share, and random inputs for them."""

STRINGS = ["", "a", "b", "abc", "a,b", "1", "-1.5", "Hello World", "x-y_z", "é€", "foo bar foo", "null", "\n\t\"\\"]
ASCII = [text for text in STRINGS if text.isascii()]
NUMBERS = [0, 1, 2, 3, 10, -1, -2, 0.5, 1.5, -3.25, 100, 1000, 12345678901, 0.1]
KEYS = ["a", "b", "c", "d"]
# None of them matches the empty text, at which 1.6 stops too early or not at all.
PATTERNS = ["a", "b+", "[a-c]", "o+|b", "(?<x>[a-z])(?<y>[0-9])?", "\\\\w+", "[^a]", "(a)(b)?", "\\\\d", ".", "foo(?= bar)",
            "(?i)HELLO", "l{2}", "[[:upper:]]", "(o)\\\\1", "(?:x|y)-?", "\\\\bfoo\\\\b"]


class Generator:
    def __init__(self, rng):
        self.rng = rng

    def value(self, depth=3):
        rng = self.rng
        kind = rng.random()
        if depth == 0 or kind < 0.55:
            return rng.choice([None, True, False, rng.choice(NUMBERS), rng.choice(NUMBERS), rng.choice(STRINGS),
                               rng.choice(STRINGS)])
        if kind < 0.78:
            return [self.value(depth - 1) for _ in range(rng.randint(0, 4))]
        return {key: self.value(depth - 1) for key in rng.sample(KEYS, rng.randint(0, 4))}

    def program(self):
        self.variables = []
        self.functions = []
        self.labels = []
        return self.pipe(self.rng.randint(2, 5))

    def pick(self, *makers):
        return self.rng.choice(makers)

    def pipe(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.term(0)
        roll = rng.random()
        if roll < 0.35:
            return self.term(depth)
        if roll < 0.55:
            return f"{self.operand(depth - 1)} | {self.pipe(depth - 1)}"
        if roll < 0.62:
            return f"{self.operand(depth - 1)}, {self.operand(depth - 1)}"
        if roll < 0.67:
            return self.binding(depth)
        if roll < 0.70:
            return self.definition(depth)
        return self.operation(depth)

    def operand(self, depth):
        text = self.pipe(depth)
        return text if text.isalnum() or text == "." else f"({text})"

    def operation(self, depth):
        rng = self.rng
        left = self.operand(depth - 1)
        right = self.operand(depth - 1)
        roll = rng.random()
        if roll < 0.75:
            operator = rng.choice(["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", "+", "=="])
            if operator == "*":
                # A string times nothing is null in 1.6 and empty in 1.7.
                right = rng.choice(["1", "2", "3", ".", "{a: {b: 1}}"])
                left = rng.choice([".", "2", '"ab"', "[1]", "{a: {c: 2}}", "1.5", ".a"])
                if (left, right) in ((".", "."), (".a", ".")) or right == "." and left == '"ab"':
                    right = "2"
            if operator == "%":
                right = rng.choice(["2", "3", "-3", "7", '"a"', "0"])
            return f"{left} {operator} {right}"
        if roll < 0.9:
            operator = rng.choice(["=", "+=", "-=", "//="])
            return f"{self.path(depth - 1)} {operator} {self.simple(depth - 1)}"
        return f"{self.path(depth - 1)} |= {self.single(depth - 1)}"

    def binding(self, depth):
        rng = self.rng
        source = self.operand(depth - 1)
        name = rng.choice(["x", "y", "z"])
        pattern, names = rng.choice([
            (f"${name}", [name]), (f"[${name}]", [name]), ("{a: $x}", ["x"]), ("{$a, b: [$y]}", ["a", "y"]),
            ("[$x, {a: $y}]", ["x", "y"])])
        before = list(self.variables)
        self.variables += names
        body = self.pipe(depth - 1)
        self.variables = before
        return f"{source} as {pattern} | {body}"

    def definition(self, depth):
        rng = self.rng
        if rng.random() < 0.5:
            body = self.single(depth - 1)
            rest = rng.choice(["f", "f, f", "[f]", "map(f)?", "f as $q | [$q, f]"])
            return f"def f: {body}; {rest}"
        body = rng.choice(["g | g", "[g, g]", "g + 1", "if g then 1 else g end", "[.[]? | g]", "[g] | length"])
        return f"def f(g): {body}; f({self.pipe(depth - 1)})"

    def term(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.leaf()
        roll = rng.random()
        if roll < 0.22:
            return self.path(depth)
        if roll < 0.52:
            return self.call(depth)
        if roll < 0.60:
            return f"[{self.pipe(depth - 1)}]"
        if roll < 0.67:
            return self.object(depth)
        if roll < 0.73:
            return f'"<\\({self.pipe(depth - 1)})>"'
        if roll < 0.78:
            return (f"if {self.pipe(depth - 1)} then {self.pipe(depth - 1)} else {self.pipe(depth - 1)} end")
        if roll < 0.83:
            return f"(try {self.operand(depth - 1)} catch \"E\")"
        if roll < 0.87:
            return f"reduce {self.operand(depth - 1)} as $v ({rng.choice(STARTS)}; {self.fold(depth - 1)})"
        if roll < 0.91:
            return f"(foreach {self.operand(depth - 1)} as $v ({rng.choice(STARTS)}; {self.fold(depth - 1)}; {self.fold(depth - 1)}))"
        if roll < 0.94:
            return f"(label $l | {self.operand(depth - 1)} | if {self.single(depth - 2)} then ., break $l else . end)"
        return self.leaf()

    def fold(self, depth):
        before = list(self.variables)
        self.variables.append("v")
        text = self.rng.choice([". + $v", "[., $v]", self.single(depth), "$v", self.pipe(depth - 1), "if $v then . else $v end"])
        self.variables = before
        return text

    def object(self, depth):
        rng = self.rng
        members = []
        for key in rng.sample(KEYS, rng.randint(0, 3)):
            members.append(rng.choice([
                key, f'"{key}"', f"{key}: {self.operand(depth - 1)}", f"({self.key(depth)}): {self.operand(depth - 1)}"]))
        return "{" + ", ".join(members) + "}"

    def key(self, depth):
        return self.rng.choice(['"a"', '"a" + "b"', '"a", "b"', ".a | tostring", '"k\\(1 + 1)"', "tojson"])

    def path(self, depth):
        rng = self.rng
        text = rng.choice([".", ".a", ".b", ".[0]", ".[]", ".a.b", ".[-1]", ".[1:]", ".[:2]", '.["c"]', "..", ".[0, 1]",
                           ".a[]", ".[1:3]", 'getpath(["a", "b"])', "first(.[])", "(.a, .b)", "recurse", ".[-2:]"])
        if depth > 0 and rng.random() < 0.3 and text != "..":
            text += rng.choice(["?", "[]?", ".a?", "[0]?"]) if text != "." else "a?"
        if depth > 0 and rng.random() < 0.15:
            text = f"({text} | select({self.single(depth - 1)}))"
        return text

    def leaf(self):
        rng = self.rng
        choices = [".", ".", ".a", ".b", ".[0]", "null", "true", "false", "empty", "[]", "{}", ".[]?", "1, 2",
                   str(rng.choice(NUMBERS)), '"' + rng.choice(["a", "b", "abc", "1", ""]) + '"', "[1, 2, 3]",
                   '{"a": 1}', ".c"]
        choices += [f"${name}" for name in self.variables] * 2
        text = rng.choice(choices)
        return f"({text})" if "," in text or text.startswith("-") else text

    def simple(self, depth):
        """A term without operators outside parentheses."""
        return self.rng.choice([self.leaf(), f"({self.pipe(depth)})"])

    def single(self, depth):
        """A program with exactly one output, or an error."""
        rng = self.rng
        choices = [".", "type", "length", "not", ". == 1", ". != null", "tostring", "tojson", "[.]", ". + 1", "{a: .}",
                   ". < 2", "[.[]?]", "-1", "1", "null", '"s"', ". // 1", "[., 1] | add", "[.] | add", "tojson | length",
                   'if type == "number" then . * 2 else . end']
        text = rng.choice(choices)
        if depth > 1 and rng.random() < 0.3:
            text = f"({text}) | {rng.choice(choices)}"
        return f"({text})"

    def call(self, depth):
        rng = self.rng
        single = self.single(depth - 1)
        inner = self.pipe(depth - 1)
        text = rng.choice(ASCII)
        quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
        pattern = '"' + rng.choice(PATTERNS) + '"'
        number = rng.choice(["0", "1", "2", "3", "-1", "1.5"])
        return rng.choice([
            "length", "keys", "keys_unsorted", "type", "add", "any", "all", "sort", "unique", "reverse", "min", "max",
            "to_entries", "tostring", "tojson", "tonumber", "ascii_downcase", "ascii_upcase", "explode", "floor", "sqrt",
            "utf8bytelength", "not", "first", "last", "flatten", "transpose", "paths", "leaf_paths", "arrays", "objects",
            "iterables", "booleans", "numbers", "strings", "nulls", "values", "scalars", "tostream", "isnan", "isinfinite",
            "@text", "@json", "@csv", "@tsv", "@html", "@uri", "@sh", "@base64", "(@base64 | @base64d)", "combinations?",
            "(tojson | fromjson)", "fromstream(tostream)", "(explode | implode)", "round", "ceil", "fabs", "trunc", "exp2",
            f"map({inner})", f"map({single})", f"map_values({single})", f"select({inner})", f"select({single})",
            f"[limit({rng.choice(['1', '2', '3'])}; {inner})]", f"first({inner})", f"isempty({single})", f"any({single})",
            f"all({single})", f"any(.[]?; {single})", f"sort_by({single})", f"group_by({single})", f"unique_by({single})",
            f"min_by({single})", f"max_by({single})", f"[range({number})]", f"[range(0; {number})]",
            f"[range(0; 5; {rng.choice(['1', '2', '-1', '0.5'])})]", f"has({rng.choice(['0', '1', KEY])})",
            f"contains({self.leaf()})", f"inside({self.leaf()})", f"index({quoted})", f"rindex({rng.choice(['1', quoted])})",
            f"indices({rng.choice(['1', '[1]', '[1, 2]', COMMA])})", f"startswith({quoted})", f"endswith({quoted})",
            f"(tojson | ltrimstr({quoted}))", f"(tojson | rtrimstr({quoted}))", f"split({quoted})", f"join({quoted})",
            f"with_entries({rng.choice(['.value += 1', '.', '.key += KEY', 'select(.value)'])})".replace("KEY", '"k"'),
            f"del({self.path(depth - 1)})", f"[path({self.path(depth - 1)})]", f"[paths({single})]",
            f"setpath({rng.choice(PATHS)}; {single})", f"getpath({rng.choice(PATHS)})", f"delpaths([{rng.choice(PATHS)}])",
            f"walk({rng.choice(['.', WALK, 'if type == KIND then sort else . end'.replace('KIND', ARRAY)])})",
            f"[recurse({rng.choice(['.[]?', '.a?', 'if type == NUMBER and . < 3 then . + 1 else empty end'.replace('NUMBER', NUM)])})]",
            f"[.[]? | until({rng.choice(['type != NUMBER or . > 4'.replace('NUMBER', NUM)])}; . + 1)]",
            f"[while(type == {NUM} and . < 5; . + 1)]", f"error({single})", f"(error({quoted}))?", f"[.[]?, {single}]",
            f"nth({rng.choice(['0', '1', '2'])})", f"flatten({rng.choice(['0', '1', '2', '-1'])})", f"splits({pattern})",
            f"test({pattern})", f"[match({pattern})]", f"[match({pattern}; \"g\")]", f"[match({pattern}; \"gi\")]",
            f"capture({pattern})", f"[scan({pattern})]", f"split({pattern}; \"g\")", f"sub({pattern}; \"<\\(.x)>\")",
            f"gsub({pattern}; \"-\")", f"ascii_downcase?", f"pow({number}; 2)", f"log2?", f"IN({inner})", "IN(.[]?; 1, null)",
            f"INDEX({single})", 'arrays | sort | bsearch(1)', f"in({rng.choice(['[1, 2]', OBJECT])})", f"tojson | fromjson",
            f"input_line_number", f"@text \"v=\\({inner})\"", f"@json \"v=\\({inner})\"", f"@base64 \"\\({single})\"",
            f"@sh \"echo \\({single})\"", f"@html \"<\\({single})>\"", f"@uri \"?q=\\({single})\"",
            f"(now | type)", f"splits({quoted if text.isalnum() else pattern})", f"todate?", f"(mktime?)", f"gmtime?",
            f"limit(1; {inner})", f"combinations(2)?", f"[.[]? as [$a] | $a]",
        ])


# 1.6 treats all but the first of several starting values differently.
STARTS = ['0', 'null', '[]', '{}', '.', '"s"']
KEY = '"a"'
COMMA = '", "'
ARRAY = '"array"'
NUM = '"number"'
OBJECT = '{"a": 1}'
PATHS = ['["a"]', '["a", "b"]', "[0]", "[0, \"a\"]", "[]", '["c", 1]', "[1]", "[-1]"]
WALK = 'if type == "number" then . + 1 else . end'
