extension JqCase {
    /// Cases that the manual leaves open: scopes, backtracking, what exactly `try` catches, odd paths.
    static let semantics: [JqCase] = cases(
        #"""
        def f: . + 1; def g: def g: . + 100; f | g | f; (f | g), g
        3
        106
        105

        def f: 1; def g: f, def f: 2; def g: 3; f, def f: g; f, g; def f: 4; [f, def f: g; def g: 5; f, g]+[f,g]
        null
        [4,1,2,3,3,5,4,1,2,3,3]

        def f: .+1; def g: f; def f: .+100; def f(a):a+.+11; [(g|f(20)), f]
        1
        [33,101]

        def id(x):x; 2000 as $x | def f(x):1 as $x | id([$x, x, x]); def g(x): 100 as $x | f($x,$x+x); g($x)
        "more testing"
        [1,100,2100,100,2100]

        def x(a;b): a as $a | b as $b | $a + $b; def y($a;$b): $a + $b; def check(a;b): [x(a;b)] == [y(a;b)]; check(.[];.[]*2)
        [1,2,3]
        true

        def f($a): 10 | a; 1 | f(. + 1)
        null
        11

        [[20,10][1,0] as $x | def f: (100,200) as $y | def g: [$x + $y, .]; . + $x | g; f[0] | [f][0][1] | f]
        999999999
        [[110,130],[210,130],[110,230],[210,230],[120,160],[220,160],[120,260],[220,260]]

        def f(x): x | x; f([.], . + [42])
        [1,2,3]
        [[[1,2,3]]]
        [[1,2,3],42]
        [[1,2,3,42]]
        [1,2,3,42,42]

        [range(0,1,2;4,3,2;2,3)]
        null
        [0,2,0,3,0,2,0,0,0,1,3,1,1,1,1,1,2,2,2,2]

        [(index(",","|"), rindex(",","|")), indices(",","|")]
        "a,b|c,d,e||f,g,h,|,|,i,j"
        [1,3,22,19,[1,5,7,12,14,16,18,20,22],[3,9,10,17,19]]

        del(.[2:4],.[0],.[-2:])
        [0,1,2,3,4,5,6,7]
        [1,4,5]

        .[2:4] = ([], ["a","b"], ["a","b","c"])
        [0,1,2,3,4,5,6,7]
        [0,1,4,5,6,7]
        [0,1,"a","b",4,5,6,7]
        [0,1,"a","b","c",4,5,6,7]

        del(.), del(empty), del((.foo,.bar,.baz) | .[2,3,0]), del(.foo[0], .bar[0], .foo, .baz.bar[0].x)
        {"foo": [0,1,2,3,4], "bar": [0,1]}
        null
        {"foo": [0,1,2,3,4], "bar": [0,1]}
        {"foo": [1,4], "bar": [1]}
        {"bar": [1]}

        del(.[1,1]), del(.[3,-1]), del(.[0],.[0:2]), del(.[1].a, .[1])
        [0,{"a":1},2,3]
        [0,2,3]
        [0,{"a":1},2]
        [2,3]
        [0,2,3]

        [range(50000)] | del(.[] | select(. % 2 == 0)) | length
        null
        25000

        (.[] | select(. >= 2)) |= empty
        [1,5,3,0,7]
        [1,0]

        .foo[1,4,2,3] |= empty
        {"foo":[0,1,2,3,4,5]}
        {"foo":[0,5]}

        (.. | select(type == "object" and has("b") and (.b | type) == "array")|.b) |= .[0]
        {"a": {"b": [1, {"b": 3}]}}
        {"a": {"b": 1}}

        (.a as $x | .b) = "b"
        {"a":null,"b":null}
        {"a":null,"b":"b"}

        path(.a[path(.b)[0]])
        {"a":{"b":0}}
        ["a","b"]

        .[] | try (getpath(["a",0,"b"]) |= 5) catch .
        [null,{"b":0},{"a":0},{"a":null},{"a":[0,1]},{"a":{"b":1}},{"a":[{}]},{"a":[{"c":3}]}]
        {"a":[{"b":5}]}
        {"b":0,"a":[{"b":5}]}
        "Cannot index number with number"
        {"a":[{"b":5}]}
        "Cannot index number with string \"b\""
        "Cannot index object with number"
        {"a":[{"b":5}]}
        {"a":[{"c":3,"b":5}]}

        try path(.a | map(select(.b == 0)) | .[0]) catch .
        {"a":[{"b":0}]}
        "Invalid path expression near attempt to access element 0 of [{\"b\":0}]"

        try path(.a | map(select(.b == 0))) catch .
        {"a":[{"b":0}]}
        "Invalid path expression with result [{\"b\":0}]"

        try ((map(select(.a == 1))[].b) = 10) catch .
        [{"a":0},{"a":1}]
        "Invalid path expression near attempt to iterate through [{\"a\":1}]"

        try path(foreach range(3) as $x (.; if $x == 1 then empty else . end)) catch .
        {"a":1}
        []
        "Invalid path expression with result null"

        "foo" | try ((try . catch "caught too much") | error) catch "caught just right"
        null
        "caught just right"

        .[]|(try (if .=="hi" then . else error end) catch empty) | "\(.) there!"
        ["hi","ho"]
        "hi there!"

        try (["hi","ho"]|.[]|(try . catch (if .=="ho" then "BROKEN"|error else empty end)) | if .=="ho" then error else "\(.) there!" end) catch "caught outside \(.)"
        null
        "hi there!"
        "caught outside ho"

        try ((try error catch "inner catch \(.)")|error) catch "outer catch \(.)"
        "foo"
        "outer catch inner catch foo"

        .[] |= try tonumber
        ["1", "2a", "3", 4]
        [1, 3, 4]

        [limit(0; error), limit(1; 1, error)]
        "badness"
        [1]

        any(true, error; .), all(false, error; .), isempty(1, error("foo"))
        "badness"
        true
        false
        false

        .[] | . as {$a, b: [$c, {$d}]} ?// [$a, {$b}, $e] ?// $f | [$a, $b, $c, $d, $e, $f]
        [{"a":1, "b":[2,{"d":3}]}, [4, {"b":5, "c":6}, 7, 8, 9], "foo"]
        [1, null, 2, 3, null, null]
        [4, 5, null, null, 7, null]
        [null, null, null, null, null, "foo"]

        . as {as: $kw, "str": $str, ("e"+"x"+"p"): $exp} | [$kw, $str, $exp]
        {"as": 1, "str": 2, "exp": 3}
        [1, 2, 3]

        reduce .[] as $then (4 as $else | $else; . as $elif | . + $then * $elif)
        [1,2,3]
        96

        1 as $x | "2" as $y | "3" as $z | { $x, as, $y: 4, ($z): 5, if: 6, foo: 7, $__loc__ }
        {"as":8}
        {"x":1,"as":8,"2":4,"3":5,"if":6,"foo":7,"__loc__":{"file":"<top-level>","line":1}}

        [.[] * "abc"]
        [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.7]
        [null,null,"","","abc","abc","abcabcabc"]

        try join(",") catch .
        ["1","2",{"a":{"b":{"c":33}}}]
        "string (\"1,2,\") and object ({\"a\":{\"b\":{\"c\":33}}}) cannot be added"

        implode|explode
        [-1,0,1,2,3,1114111,1114112,55295,55296,57343,57344,1.1,1.9]
        [65533,0,1,2,3,1114111,65533,55295,65533,65533,57344,1,1]

        @text,@json,([1,.]|@csv,@tsv),@html,@uri,@sh,(@base64|.,@base64d)
        "!()<>&'\"\t"
        "!()<>&'\"\t"
        "\"!()<>&'\\\"\\t\""
        "1,\"!()<>&'\"\"\t\""
        "1\t!()<>&'\"\\t"
        "!()&lt;&gt;&amp;&apos;&quot;\t"
        "%21%28%29%3C%3E%26%27%22%09"
        "'!()<>&'\\''\"\t'"
        "ISgpPD4mJyIJ"
        "!()<>&'\"\t"

        .[] | [@base32, (@base32|@base32d)]
        ["","a","ab","abc","abcd","abcde","é"]
        ["",""]
        ["ME======","a"]
        ["MFRA====","ab"]
        ["MFRGG===","abc"]
        ["MFRGGZA=","abcd"]
        ["MFRGGZDF","abcde"]
        ["YOUQ====","é"]

        [gsub("";"a";"g"), gsub("^";"a"), gsub("$";"a";"g")], gsub("^.*?a"; "b")
        "a"
        ["aaa","aa","aa"]
        "b"

        [match("( )*"; "g") | .offset], [splits("")], gsub("\\b(?<x>.)"; "\(.x|ascii_downcase)")
        "AB"
        [0,1,2]
        ["","A","B",""]
        "aB"

        capture("(?<a>x)|(?<b>[yé])")
        "y"
        {"a":null,"b":"y"}

        capture("(?<a>x)|(?<b>[yé])")
        "é"
        {"a":null,"b":"é"}

        strftime("%A, %B %d, %Y"), (gmtime|mktime), (todate|fromdate)
        1435677542.822351
        "Tuesday, June 30, 2015"
        1435677542
        1435677542
        """#)
}
