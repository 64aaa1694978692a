# Built-in functions that are defined in jq itself, each after a blank line.

def values: select(. != null);

def nulls: select(. == null);

def booleans: select(type == "boolean");

def numbers: select(type == "number");

def strings: select(type == "string");

def arrays: select(type == "array");

def objects: select(type == "object");

def iterables: select(type | . == "array" or . == "object");

def scalars: select(type | . != "array" and . != "object");

def finites: select(isfinite);

def normals: select(isnormal);

def first: .[0];

def last: .[-1];

def nth($n): .[$n];

def nth($n; f):
  if $n < 0 then error("nth doesn't support negative indices")
  else first(skip($n; f)) end;

def until(cond; update): def _until: if cond then . else (update | _until) end; _until;

def while(cond; update): def _while: if cond then ., (update | _while) else empty end; _while;

def repeat(f): def _repeat: f, _repeat; _repeat;

def in(xs): . as $x | xs | has($x);

def inside(xs): . as $x | xs | contains($x);

def combinations:
  if length == 0 then []
  else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;

def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;

def walk(f):
  def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f;
  w;

def with_entries(f): to_entries | map(f) | from_entries;

def dateadd(u; n): . + n;

def datesub(u; n): . - n;

def date: todate;

def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;

def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");

def fromdate: fromdateiso8601;

def todate: todateiso8601;

def match($val): _pattern($val) as [$re, $flags] | match($re; $flags);

def match(re; flags): _match(re; flags; false) | .[];

def test($val): _pattern($val) as [$re, $flags] | test($re; $flags);

def test(re; flags): _match(re; flags; true);

def capture($val): _pattern($val) as [$re, $flags] | capture($re; $flags);

def capture(re; flags): match(re; flags) | _captures;

def scan($re): scan($re; null);

def scan($re; $flags):
  match($re; "g" + $flags)
  | if (.captures | length) > 0 then [.captures[].string] else .string end;

def splits($re): splits($re; null);

def splits($re; flags): split($re; flags) | .[];

def ascii: [.] | implode;

def tostream:
  path(def r: (.[]?|r), .; r) as $p
  | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);

def fromstream(f):
  { x: null, e: false } as $init
  | foreach f as $i
      ( $init;
        if .e then $init else . end
        | if $i | length == 2
          then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
          else setpath(["e"]; $i[0] | length == 1) end;
        if .e then .x else empty end );

def truncate_stream(stream):
  . as $n | null | stream
  | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;

def paths: path(..) | select(length > 0);

def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);

def leaf_paths: paths(scalars);

def pick(pathexps):
  . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));

def del(f): delpaths([path(f)]);

def debug(msgs): (msgs | empty), .;

def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);

def INDEX(f): INDEX(.[]; f);

def IN(s): any(s == .; .);

def IN(src; s): any(src == s; .);

def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];

def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];

def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
