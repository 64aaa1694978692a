extension JqCase {
    /// The manual's examples under "Basic filters".
    static let basic: [JqCase] = cases(
        #"""
        .
        "Hello, world!"
        "Hello, world!"

        .
        0.12345678901234567890123456789
        0.12345678901234567890123456789

        . < 0.12345678901234567890123456788
        0.12345678901234567890123456789
        false

        .foo
        {"foo": 42, "bar": "less interesting data"}
        42

        .foo
        {"notfoo": true, "alsonotfoo": false}
        null

        .["foo"]
        {"foo": 42}
        42

        .foo?
        {"foo": 42, "bar": "less interesting data"}
        42

        .foo?
        {"notfoo": true, "alsonotfoo": false}
        null

        .["foo"]?
        {"foo": 42}
        42

        [.foo?]
        [1,2]
        []

        .[0]
        [{"name":"JSON", "good":true}, {"name":"XML", "good":false}]
        {"name":"JSON", "good":true}

        .[2]
        [{"name":"JSON", "good":true}, {"name":"XML", "good":false}]
        null

        .[-2]
        [1,2,3]
        2

        .[2:4]
        ["a","b","c","d","e"]
        ["c", "d"]

        .[2:4]
        "abcdefghi"
        "cd"

        .[:3]
        ["a","b","c","d","e"]
        ["a", "b", "c"]

        .[-2:]
        ["a","b","c","d","e"]
        ["d", "e"]

        .[]
        [{"name":"JSON", "good":true}, {"name":"XML", "good":false}]
        {"name":"JSON", "good":true}
        {"name":"XML", "good":false}

        .[]
        []

        .foo[]
        {"foo":[1,2,3]}
        1
        2
        3

        .[]
        {"a": 1, "b": 1}
        1
        1

        .foo, .bar
        {"foo": 42, "bar": "something else", "baz": true}
        42
        "something else"

        .user, .projects[]
        {"user":"stedolan", "projects": ["jq", "wikiflow"]}
        "stedolan"
        "jq"
        "wikiflow"

        .[4,2]
        ["a","b","c","d","e"]
        "e"
        "c"

        .[] | .name
        [{"name":"JSON", "good":true}, {"name":"XML", "good":false}]
        "JSON"
        "XML"

        (. + 2) * 5
        1
        15

        [.user, .projects[]]
        {"user":"stedolan", "projects": ["jq", "wikiflow"]}
        ["stedolan", "jq", "wikiflow"]

        [ .[] | . * 2]
        [1, 2, 3]
        [2, 4, 6]

        {user, title: .titles[]}
        {"user":"stedolan","titles":["JQ Primer", "More JQ"]}
        {"user":"stedolan", "title": "JQ Primer"}
        {"user":"stedolan", "title": "More JQ"}

        {(.user): .titles}
        {"user":"stedolan","titles":["JQ Primer", "More JQ"]}
        {"stedolan": ["JQ Primer", "More JQ"]}

        "f o o" as $foo | "b a r" as $bar | {$foo, $bar:$foo}
        null
        {"foo":"f o o","b a r":"f o o"}

        .. | .a?
        [[{"a":1}]]
        1
        """#)

    /// The manual's examples under "Conditionals and comparisons".
    static let conditionals: [JqCase] = cases(
        #"""
        . == false
        null
        false

        . == {"b": {"d": (4 + 1e-20), "c": 3}, "a":1}
        {"a":1, "b": {"c": 3, "d": 4}}
        true

        .[] == 1
        [1, 1.0, "1", "banana"]
        true
        true
        false
        false

        if . == 0 then "zero" elif . == 1 then "one" else "many" end
        2
        "many"

        . < 5
        2
        true

        42 and "a string"
        null
        true

        (true, false) or false
        null
        true
        false

        (true, true) and (true, false)
        null
        true
        false
        true
        false

        [true, false | not]
        null
        [false, true]

        empty // 42
        null
        42

        .foo // 42
        {"foo": 19}
        19

        .foo // 42
        {}
        42

        (false, null, 1) // 42
        null
        1

        (false, null, 1) | . // 42
        null
        42
        42
        1

        try .a catch ". is not an object"
        true
        ". is not an object"

        [.[]|try .a]
        [{}, true, {"a":1}]
        [null, 1]

        try error("some exception") catch .
        true
        "some exception"

        [.[] | .a?]
        [{}, true, {"a":1}]
        [null, 1]

        [.[] | tonumber?]
        ["1", "invalid", "3", 4]
        [1, 3, 4]
        """#)

    /// The manual's examples under "Assignment".
    static let assignment: [JqCase] = cases(
        #"""
        {a:{b:{c:1}}} | (.a.b|=3), .
        null
        {"a":{"b":3}}
        {"a":{"b":{"c":1}}}

        (..|select(type=="boolean")) |= if . then 1 else 0 end
        [true,false,[5,true,[true,[false]],false]]
        [1,0,[5,1,[1,[0]],0]]

        .foo += 1
        {"foo": 42}
        {"foo": 43}

        .a = .b
        {"a": {"b": 10}, "b": 20}
        {"a":20,"b":20}

        .a |= .b
        {"a": {"b": 10}, "b": 20}
        {"a":10,"b":20}

        (.a, .b) = range(3)
        null
        {"a":0,"b":0}
        {"a":1,"b":1}
        {"a":2,"b":2}

        (.a, .b) |= range(3)
        null
        {"a":0,"b":0}

        (.posts[] | select(.author == "stedolan") | .comments) |= . + ["terrible."]
        {"posts": [{"author": "stedolan", "comments": ["fine"]}, {"author": "anon", "comments": []}]}
        {"posts": [{"author": "stedolan", "comments": ["fine", "terrible."]}, {"author": "anon", "comments": []}]}
        """#)
}
