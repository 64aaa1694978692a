extension JqCase {
    /// The manual's examples under "Operators and functions".
    static let functions: [JqCase] = cases(
        #"""
        .a + 1
        {"a": 7}
        8

        .a + .b
        {"a": [1,2], "b": [3,4]}
        [1,2,3,4]

        .a + null
        {"a": 1}
        1

        .a + 1
        {}
        1

        {a: 1} + {b: 2} + {c: 3} + {a: 42}
        null
        {"a": 42, "b": 2, "c": 3}

        4 - .a
        {"a":3}
        1

        . - ["xml", "yaml"]
        ["xml", "yaml", "json"]
        ["json"]

        10 / . * 3
        5
        6

        . / ", "
        "a, b,c,d, e"
        ["a","b,c,d","e"]

        {"k": {"a": 1, "b": 2}} * {"k": {"a": 0,"c": 3}}
        null
        {"k": {"a": 0, "b": 2, "c": 3}}

        .[] | (1 / .)?
        [1,0,-1]
        1
        -1

        "x" * 0
        null
        ""

        map(abs)
        [-10, -1.1, -1e-1]
        [10,1.1,1e-1]

        .[] | length
        [[1,2], "string", {"a":2}, null, -5]
        2
        6
        1
        0
        5

        utf8bytelength
        "\u03bc"
        2

        keys
        {"abc": 1, "abcd": 2, "Foo": 3}
        ["Foo", "abc", "abcd"]

        keys
        [42,3,35]
        [0,1,2]

        map(has("foo"))
        [{"foo": 42}, {}]
        [true, false]

        map(has(2))
        [[0,1], ["a","b","c"]]
        [false, true]

        .[] | in({"foo": 42})
        ["foo", "bar"]
        true
        false

        map(in([0,1]))
        [2, 0]
        [false, true]

        map(.+1)
        [1,2,3]
        [2,3,4]

        map_values(.+1)
        {"a": 1, "b": 2, "c": 3}
        {"a": 2, "b": 3, "c": 4}

        map(., .)
        [1,2]
        [1,1,2,2]

        map_values(. // empty)
        {"a": null, "b": true, "c": false}
        {"b":true}

        map(., .), map(empty), map_values(.+1), map_values(., .), map_values(empty)
        [1]
        [1,1]
        []
        [2]
        [1]
        []

        pick(.a, .b.c, .x)
        {"a": 1, "b": {"c": 2, "d": 3}, "e": 4}
        {"a":1,"b":{"c":2},"x":null}

        pick(.[2], .[0], .[0])
        [1,2,3,4]
        [1,null,3]

        path(.a[0].b)
        null
        ["a",0,"b"]

        [path(..)]
        {"a":[{"b":1}]}
        [[],["a"],["a",0],["a",0,"b"]]

        del(.foo)
        {"foo": 42, "bar": 9001, "baz": 42}
        {"bar": 9001, "baz": 42}

        del(.[1, 2])
        ["foo", "bar", "baz"]
        ["foo"]

        getpath(["a","b"])
        null
        null

        [getpath(["a","b"], ["a","c"])]
        {"a":{"b":0, "c":1}}
        [0, 1]

        setpath(["a","b"]; 1)
        null
        {"a": {"b": 1}}

        setpath(["a","b"]; 1)
        {"a":{"b":0}}
        {"a": {"b": 1}}

        setpath([0,"a"]; 1)
        null
        [{"a":1}]

        delpaths([["a","b"]])
        {"a":{"b":1},"x":{"y":2}}
        {"a":{},"x":{"y":2}}

        to_entries
        {"a": 1, "b": 2}
        [{"key":"a", "value":1}, {"key":"b", "value":2}]

        from_entries
        [{"key":"a", "value":1}, {"key":"b", "value":2}]
        {"a": 1, "b": 2}

        with_entries(.key |= "KEY_" + .)
        {"a": 1, "b": 2}
        {"KEY_a": 1, "KEY_b": 2}

        map(select(. >= 2))
        [1,5,3,0,7]
        [5,3,7]

        .[] | select(.id == "second")
        [{"id": "first", "val": 1}, {"id": "second", "val": 2}]
        {"id": "second", "val": 2}

        .[]|numbers
        [[],{},1,"foo",null,true,false]
        1

        1, empty, 2
        null
        1
        2

        [1,2,empty,3]
        null
        [1,2,3]

        try error catch .
        "error message"
        "error message"

        try error("invalid value: \(.)") catch .
        42
        "invalid value: 42"

        try error("\($__loc__)") catch .
        null
        "{\"file\":\"<top-level>\",\"line\":1}"

        [paths]
        [1,[[],{"a":2}]]
        [[0],[1],[1,0],[1,1],[1,1,"a"]]

        [paths(type == "number")]
        [1,[[],{"a":2}]]
        [[0],[1,1,"a"]]

        add
        ["a","b","c"]
        "abc"

        add
        [1, 2, 3]
        6

        add
        []
        null

        any
        [true, false]
        true

        any
        [false, false]
        false

        any
        []
        false

        all
        [true, false]
        false

        all
        [true, true]
        true

        all
        []
        true

        flatten
        [1, [2], [[3]]]
        [1, 2, 3]

        flatten(1)
        [1, [2], [[3]]]
        [1, 2, [3]]

        flatten
        [[]]
        []

        flatten
        [{"foo": "bar"}, [{"foo": "baz"}]]
        [{"foo": "bar"}, {"foo": "baz"}]

        range(2; 4)
        null
        2
        3

        [range(2; 4)]
        null
        [2,3]

        [range(4)]
        null
        [0,1,2,3]

        [range(0; 10; 3)]
        null
        [0,3,6,9]

        [range(0; 10; -1)]
        null
        []

        [range(0; -5; -1)]
        null
        [0,-1,-2,-3,-4]

        floor
        3.14159
        3

        sqrt
        9
        3

        .[] | tonumber
        [1, "1"]
        1
        1

        .[] | tostring
        [1, "1", [1]]
        "1"
        "1"
        "[1]"

        map(type)
        [0, false, [], {}, null, "hello"]
        ["number", "boolean", "array", "object", "null", "string"]

        .[] | (infinite * .) < 0
        [-1, 1]
        true
        false

        infinite, nan | type
        null
        "number"
        "number"

        sort
        [8,3,null,6]
        [null,3,6,8]

        sort_by(.foo)
        [{"foo":4, "bar":10}, {"foo":3, "bar":10}, {"foo":2, "bar":1}]
        [{"foo":2, "bar":1}, {"foo":3, "bar":10}, {"foo":4, "bar":10}]

        sort_by(.foo, .bar)
        [{"foo":4, "bar":10}, {"foo":3, "bar":20}, {"foo":2, "bar":1}, {"foo":3, "bar":10}]
        [{"foo":2, "bar":1}, {"foo":3, "bar":10}, {"foo":3, "bar":20}, {"foo":4, "bar":10}]

        group_by(.foo)
        [{"foo":1, "bar":10}, {"foo":3, "bar":100}, {"foo":1, "bar":1}]
        [[{"foo":1, "bar":10}, {"foo":1, "bar":1}], [{"foo":3, "bar":100}]]

        min
        [5,4,2,7]
        2

        max_by(.foo)
        [{"foo":1, "bar":14}, {"foo":2, "bar":3}]
        {"foo":2, "bar":3}

        unique
        [1,2,5,3,5,3,1,3]
        [1,2,3,5]

        unique_by(.foo)
        [{"foo": 1, "bar": 2}, {"foo": 1, "bar": 3}, {"foo": 4, "bar": 5}]
        [{"foo": 1, "bar": 2}, {"foo": 4, "bar": 5}]

        unique_by(length)
        ["chunky", "bacon", "kitten", "cicada", "asparagus"]
        ["bacon", "chunky", "asparagus"]

        reverse
        [1,2,3,4]
        [4,3,2,1]

        contains("bar")
        "foobar"
        true

        contains(["baz", "bar"])
        ["foobar", "foobaz", "blarp"]
        true

        contains(["bazzzzz", "bar"])
        ["foobar", "foobaz", "blarp"]
        false

        contains({foo: 12, bar: [{barp: 12}]})
        {"foo": 12, "bar":[1,2,{"barp":12, "blip":13}]}
        true

        contains({foo: 12, bar: [{barp: 15}]})
        {"foo": 12, "bar":[1,2,{"barp":12, "blip":13}]}
        false

        indices(", ")
        "a,b, cd, efg, hijk"
        [3,7,12]

        indices(1)
        [0,1,2,1,3,1,4]
        [1,3,5]

        indices([1,2])
        [0,1,2,3,1,4,2,5,1,2,6,7]
        [1,8]

        index(", ")
        "a,b, cd, efg, hijk"
        3

        index(1)
        [0,1,2,1,3,1,4]
        1

        index([1,2])
        [0,1,2,3,1,4,2,5,1,2,6,7]
        1

        rindex(", ")
        "a,b, cd, efg, hijk"
        12

        rindex(1)
        [0,1,2,1,3,1,4]
        5

        rindex([1,2])
        [0,1,2,3,1,4,2,5,1,2,6,7]
        8

        inside("foobar")
        "bar"
        true

        inside(["foobar", "foobaz", "blarp"])
        ["baz", "bar"]
        true

        inside(["foobar", "foobaz", "blarp"])
        ["bazzzzz", "bar"]
        false

        inside({"foo": 12, "bar":[1,2,{"barp":12, "blip":13}]})
        {"foo": 12, "bar": [{"barp": 12}]}
        true

        inside({"foo": 12, "bar":[1,2,{"barp":12, "blip":13}]})
        {"foo": 12, "bar": [{"barp": 15}]}
        false

        [.[]|startswith("foo")]
        ["fo", "foo", "barfoo", "foobar", "barfoob"]
        [false, true, false, true, false]

        [.[]|endswith("foo")]
        ["foobar", "barfoo"]
        [false, true]

        combinations
        [[1,2], [3, 4]]
        [1, 3]
        [1, 4]
        [2, 3]
        [2, 4]

        combinations(2)
        [0, 1]
        [0, 0]
        [0, 1]
        [1, 0]
        [1, 1]

        [.[]|ltrimstr("foo")]
        ["fo", "foo", "barfoo", "foobar", "afoo"]
        ["fo","","barfoo","bar","afoo"]

        [.[]|rtrimstr("foo")]
        ["fo", "foo", "barfoo", "foobar", "foob"]
        ["fo","","bar","foobar","foob"]

        explode
        "foobar"
        [102,111,111,98,97,114]

        implode
        [65, 66, 67]
        "ABC"

        split(", ")
        "a, b,c,d, e, "
        ["a","b,c,d","e",""]

        join(", ")
        ["a","b,c,d","e"]
        "a, b,c,d, e"

        join(" ")
        ["a",1,2.3,true,null,false]
        "a 1 2.3 true  false"

        ascii_upcase
        "useful but not for é"
        "USEFUL BUT NOT FOR é"

        [while(.<100; .*2)]
        1
        [1,2,4,8,16,32,64]

        [repeat(.*2, error)?]
        1
        [2]

        [.,1]|until(.[0] < 1; [.[0] - 1, .[1] * .[0]])|.[1]
        4
        24

        recurse(.children[]) | .name
        {"name": "/", "children": [{"name": "/bin", "children": [{"name": "/bin/ls", "children": []}]}, {"name": "/home", "children": []}]}
        "/"
        "/bin"
        "/bin/ls"
        "/home"

        recurse(.foo[])
        {"foo":[{"foo": []}, {"foo":[{"foo":[]}]}]}
        {"foo":[{"foo":[]},{"foo":[{"foo":[]}]}]}
        {"foo":[]}
        {"foo":[{"foo":[]}]}
        {"foo":[]}

        recurse
        {"a":0,"b":[1]}
        {"a":0,"b":[1]}
        0
        [1]
        1

        recurse(. * .; . < 20)
        2
        2
        4
        16

        walk(if type == "array" then sort else . end)
        [[4, 1, 7], [8, 5, 2], [3, 6, 9]]
        [[1,4,7],[2,5,8],[3,6,9]]

        walk( if type == "object" then with_entries( .key |= sub( "^_+"; "") ) else . end )
        [ { "_a": { "__b": 2 } } ]
        [{"a":{"b":2}}]

        transpose
        [[1], [2,3]]
        [[1,2],[null,3]]

        bsearch(0)
        [0,1]
        0

        bsearch(0)
        [1,2,3]
        -1

        bsearch(4) as $ix | if $ix < 0 then .[-(1+$ix)] = 4 else . end
        [1,2,3]
        [1,2,3,4]

        "The input was \(.), which is one less than \(.+1)"
        42
        "The input was 42, which is one less than 43"

        [.[]|tostring]
        [1, "foo", ["foo"]]
        ["1","foo","[\"foo\"]"]

        [.[]|tojson]
        [1, "foo", ["foo"]]
        ["1","\"foo\"","[\"foo\"]"]

        [.[]|tojson|fromjson]
        [1, "foo", ["foo"]]
        [1,"foo",["foo"]]

        @uri "https://www.google.com/search?q=\(.search)"
        {"search":"what is jq?"}
        "https://www.google.com/search?q=what%20is%20jq%3F"

        @html
        "This works if x < y"
        "This works if x &lt; y"

        @sh "echo \(.)"
        "O'Hara's Ale"
        "echo 'O'\\''Hara'\\''s Ale'"

        @base64
        "This is a message"
        "VGhpcyBpcyBhIG1lc3NhZ2U="

        @base64d
        "VGhpcyBpcyBhIG1lc3NhZ2U="
        "This is a message"

        fromdate
        "2015-03-05T23:51:47Z"
        1425599507

        strptime("%Y-%m-%dT%H:%M:%SZ")
        "2015-03-05T23:51:47Z"
        [2015,2,5,23,51,47,4,63]

        strptime("%Y-%m-%dT%H:%M:%SZ")|mktime
        "2015-03-05T23:51:47Z"
        1425599507
        """#)
}
