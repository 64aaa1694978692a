/// Built-in functions defined in jq itself; each is compiled on its first call in an expression.
enum Prelude {
    static let sources: [String: String] = [
        "values/0": "def values: select(. != null);",
        "nulls/0": "def nulls: select(. == null);",
        "booleans/0": #"def booleans: select(type == "boolean");"#,
        "numbers/0": #"def numbers: select(type == "number");"#,
        "strings/0": #"def strings: select(type == "string");"#,
        "arrays/0": #"def arrays: select(type == "array");"#,
        "objects/0": #"def objects: select(type == "object");"#,
        "iterables/0": #"def iterables: select(type | . == "array" or . == "object");"#,
        "scalars/0": #"def scalars: select(type | . != "array" and . != "object");"#,
        "finites/0": "def finites: select(isfinite);",
        "normals/0": "def normals: select(isnormal);",
        "first/0": "def first: .[0];",
        "last/0": "def last: .[-1];",
        "nth/1": "def nth($n): .[$n];",
        "nth/2": """
        def nth($n; f):
          if $n < 0 then error("nth doesn't support negative indices")
          else first(skip($n; f)) end;
        """,
        "until/2": "def until(cond; update): def _until: if cond then . else (update | _until) end; _until;",
        "while/2": "def while(cond; update): def _while: if cond then ., (update | _while) else empty end; _while;",
        "repeat/1": "def repeat(f): def _repeat: f, _repeat; _repeat;",
        "in/1": "def in(xs): . as $x | xs | has($x);",
        "inside/1": "def inside(xs): . as $x | xs | contains($x);",
        "combinations/0": """
        def combinations:
          if length == 0 then []
          else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;
        """,
        "combinations/1": "def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;",
        "walk/1": """
        def walk(f):
          def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f;
          w;
        """,
        "with_entries/1": "def with_entries(f): to_entries | map(f) | from_entries;",
        "dateadd/2": "def dateadd(u; n): . + n;",
        "datesub/2": "def datesub(u; n): . - n;",
        "date/0": "def date: todate;",
        "fromdateiso8601/0": #"def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;"#,
        "todateiso8601/0": #"def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");"#,
        "fromdate/0": "def fromdate: fromdateiso8601;",
        "todate/0": "def todate: todateiso8601;",
        "match/1": "def match($val): _pattern($val) as [$re, $flags] | match($re; $flags);",
        "match/2": "def match(re; flags): _match(re; flags; false) | .[];",
        "test/1": "def test($val): _pattern($val) as [$re, $flags] | test($re; $flags);",
        "test/2": "def test(re; flags): _match(re; flags; true);",
        "capture/1": "def capture($val): _pattern($val) as [$re, $flags] | capture($re; $flags);",
        "capture/2": "def capture(re; flags): match(re; flags) | _captures;",
        "scan/1": "def scan($re): scan($re; null);",
        "scan/2": """
        def scan($re; $flags):
          match($re; "g" + $flags)
          | if (.captures | length) > 0 then [.captures[].string] else .string end;
        """,
        "splits/1": "def splits($re): splits($re; null);",
        "splits/2": "def splits($re; flags): split($re; flags) | .[];",
        "ascii/0": "def ascii: [.] | implode;",
        "tostream/0": """
        def tostream:
          path(def r: (.[]?|r), .; r) as $p
          | getpath($p)
          | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
        """,
        "fromstream/1": """
        def fromstream(f):
          { x: null, e: false } as $init
          | foreach f as $i
              ( $init;
                if .e then $init else . end
                | if $i | length == 2
                  then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
                  else setpath(["e"]; $i[0] | length == 1) end;
                if .e then .x else empty end );
        """,
        "truncate_stream/1": """
        def truncate_stream(stream):
          . as $n | null | stream
          | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
        """,
        "paths/0": "def paths: path(..) | select(length > 0);",
        "paths/1": "def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);",
        "leaf_paths/0": "def leaf_paths: paths(scalars);",
        "pick/1": """
        def pick(pathexps):
          . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
        """,
        "del/1": "def del(f): delpaths([path(f)]);",
        "debug/1": "def debug(msgs): (msgs | empty), .;",
        "INDEX/2": "def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);",
        "INDEX/1": "def INDEX(f): INDEX(.[]; f);",
        "IN/1": "def IN(s): any(s == .; .);",
        "IN/2": "def IN(src; s): any(src == s; .);",
        "JOIN/2": "def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];",
        "JOIN/3": "def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];",
        "JOIN/4": "def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;",
    ]
}
