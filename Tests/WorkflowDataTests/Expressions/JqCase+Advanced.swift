extension JqCase {
    /// The manual's examples under "Regular expressions".
    static let regularExpressions: [JqCase] = cases(
        #"""
        "a b" | test("a\\sb"; "x")
        null
        true

        ("test", "TEst", "teST", "TEST") | test("(?i)te(?-i)st")
        null
        true
        true
        false
        false

        test("foo")
        "foo"
        true

        .[] | test("a b c # spaces are ignored"; "ix")
        ["xabcd", "ABC"]
        true
        true

        match("(abc)+"; "g")
        "abc abc"
        {"offset": 0, "length": 3, "string": "abc", "captures": [{"offset": 0, "length": 3, "string": "abc", "name": null}]}
        {"offset": 4, "length": 3, "string": "abc", "captures": [{"offset": 4, "length": 3, "string": "abc", "name": null}]}

        match("foo")
        "foo bar foo"
        {"offset": 0, "length": 3, "string": "foo", "captures": []}

        match(["foo", "ig"])
        "foo bar FOO"
        {"offset": 0, "length": 3, "string": "foo", "captures": []}
        {"offset": 8, "length": 3, "string": "FOO", "captures": []}

        match("foo (?<bar123>bar)? foo"; "ig")
        "foo bar foo foo  foo"
        {"offset": 0, "length": 11, "string": "foo bar foo", "captures": [{"offset": 4, "length": 3, "string": "bar", "name": "bar123"}]}
        {"offset": 12, "length": 8, "string": "foo  foo", "captures": [{"offset": -1, "length": 0, "string": null, "name": "bar123"}]}

        [ match("."; "g")] | length
        "abc"
        3

        capture("(?<a>[a-z]+)-(?<n>[0-9]+)")
        "xyzzy-14"
        { "a": "xyzzy", "n": "14" }

        scan("c")
        "abcdefabc"
        "c"
        "c"

        scan("(a+)(b+)")
        "abaabbaaabbb"
        ["a","b"]
        ["aa","bb"]
        ["aaa","bbb"]

        split(", *"; null)
        "ab,cd, ef"
        ["ab","cd","ef"]

        splits(", *")
        "ab,cd,   ef, gh"
        "ab"
        "cd"
        "ef"
        "gh"

        sub("[^a-z]*(?<x>[a-z]+)"; "Z\(.x)"; "g")
        "123abc456def"
        "ZabcZdef"

        [sub("(?<a>.)"; "\(.a|ascii_upcase)", "\(.a|ascii_downcase)")]
        "aB"
        ["AB","aB"]

        gsub("(?<x>.)[^a]*"; "+\(.x)-")
        "Abcabc"
        "+A-+a-"

        [gsub("p"; "a", "b")]
        "p"
        ["a","b"]
        """#)

    /// The manual's examples under "Advanced features".
    static let advanced: [JqCase] = cases(
        #"""
        .realnames as $names | .posts[] | {title, author: $names[.author]}
        {"posts": [{"title": "First post", "author": "anon"}, {"title": "A well-written article", "author": "person1"}], "realnames": {"anon": "Anonymous Coward", "person1": "Person McPherson"}}
        {"title": "First post", "author": "Anonymous Coward"}
        {"title": "A well-written article", "author": "Person McPherson"}

        .bar as $x | .foo | . + $x
        {"foo":10, "bar":200}
        210

        . as $i|[(.*2|. as $i| $i), $i]
        5
        [10,5]

        . as [$a, $b, {c: $c}] | $a + $b + $c
        [2, 3, {"c": 4, "d": 5}]
        9

        .[] as [$a, $b] | {a: $a, b: $b}
        [[0], [0, 1], [2, 1, 0]]
        {"a":0,"b":null}
        {"a":0,"b":1}
        {"a":2,"b":1}

        .resources[] as {$id, $kind, events: {$user_id, $ts}} ?// {$id, $kind, events: [{$user_id, $ts}]} | {$user_id, $kind, $id, $ts}
        {"resources": [{"id": 1, "kind": "widget", "events": {"action": "create", "user_id": 1, "ts": 13}}, {"id": 2, "kind": "widget", "events": [{"action": "create", "user_id": 1, "ts": 14}, {"action": "destroy", "user_id": 1, "ts": 15}]}]}
        {"user_id":1,"kind":"widget","id":1,"ts":13}
        {"user_id":1,"kind":"widget","id":2,"ts":14}

        .[] as {$a, $b, c: {$d, $e}} ?// {$a, $b, c: [{$d, $e}]} | {$a, $b, $d, $e}
        [{"a": 1, "b": 2, "c": {"d": 3, "e": 4}}, {"a": 1, "b": 2, "c": [{"d": 3, "e": 4}]}]
        {"a":1,"b":2,"d":3,"e":4}
        {"a":1,"b":2,"d":3,"e":4}

        .[] as {$a, $b, c: {$d}} ?// {$a, $b, c: [{$e}]} | {$a, $b, $d, $e}
        [{"a": 1, "b": 2, "c": {"d": 3, "e": 4}}, {"a": 1, "b": 2, "c": [{"d": 3, "e": 4}]}]
        {"a":1,"b":2,"d":3,"e":null}
        {"a":1,"b":2,"d":null,"e":4}

        .[] as [$a] ?// [$b] | if $a != null then error("err: \($a)") else {$a,$b} end
        [[3]]
        {"a":null,"b":3}

        def foo(f): f|f; 5|foo(.*2)
        null
        20

        def addvalue(f): . + [f]; map(addvalue(.[0]))
        [[1,2],[10,20]]
        [[1,2,1], [10,20,10]]

        def addvalue(f): f as $x | map(. + $x); addvalue(.[0])
        [[1,2],[10,20]]
        [[1,2,1,2], [10,20,1,2]]

        isempty(empty)
        null
        true

        isempty(.[])
        []
        true

        isempty(.[])
        [1,2,3]
        false

        [limit(3;.[])]
        [0,1,2,3,4,5,6,7,8,9]
        [0,1,2]

        [first(range(.)), last(range(.)), nth(./2; range(.))]
        10
        [0,9,5]

        [range(.)]|[first, last, nth(5)]
        10
        [0,9,5]

        reduce .[] as $item (0; . + $item)
        [1,2,3,4,5]
        15

        reduce .[] as [$i,$j] (0; . + $i * $j)
        [[1,2],[3,4],[5,6]]
        44

        reduce .[] as {$x,$y} (null; .x += $x | .y += [$y])
        [{"x":"a","y":1},{"x":"b","y":2},{"x":"c","y":3}]
        {"x":"abc","y":[1,2,3]}

        foreach .[] as $item (0; . + $item)
        [1,2,3,4,5]
        1
        3
        6
        10
        15

        foreach .[] as $item (0; . + $item; [$item, . * 2])
        [1,2,3,4,5]
        [1,2]
        [2,6]
        [3,12]
        [4,20]
        [5,30]

        foreach .[] as $item (0; . + 1; {index: ., $item})
        ["foo", "bar", "baz"]
        {"index":1,"item":"foo"}
        {"index":2,"item":"bar"}
        {"index":3,"item":"baz"}

        def range(init; upto; by): def _range: if (by > 0 and . < upto) or (by < 0 and . > upto) then ., ((.+by)|_range) else . end; if by == 0 then init else init|_range end | select((by > 0 and . < upto) or (by < 0 and . > upto)); range(0; 10; 3)
        null
        0
        3
        6
        9

        def while(cond; update): def _while: if cond then ., (update | _while) else empty end; _while; [while(.<100; .*2)]
        1
        [1,2,4,8,16,32,64]
        """#)

    /// The manual's examples under "Input and output, streaming".
    static let streaming: [JqCase] = cases(
        #"""
        1 as $x | 2 | debug("Entering function foo with $x == \($x)", .) | (.+1)
        null
        3

        truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])
        1
        [[0],2]
        [[0]]

        fromstream(1|truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]]))
        null
        [2]

        . as $dot|fromstream($dot|tostream)|.==$dot
        [0,[1,{"a":1},{"b":2}]]
        true
        """#)
}
