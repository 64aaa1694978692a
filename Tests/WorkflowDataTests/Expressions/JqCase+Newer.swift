extension JqCase {
    /// Cases in which jq 1.8 differs from the versions before it.
    static let newer: [JqCase] = cases(
        #"""
        [1.000, 100e-2, 0.10, .5, 5., 1e2, 0.0000001, 0e5] | tojson
        null
        "[1.000,1.00,0.10,0.5,5,1E+2,1E-7,0E+5]"

        .[] | tojson
        [0.1234567890123456789, 100000000000000000001, 1e1000, 1.50]
        "0.1234567890123456789"
        "100000000000000000001"
        "1E+1000"
        "1.50"

        map(. + 0) | tojson
        [100000000000000000001, 1e1000, 1.50]
        "[1e+20,1.7976931348623157e+308,1.5]"

        [-.[0], (-.[0] | abs), (-.[0] | length), -.[1]] | tojson
        [0.1234567890123456789, -9223372036854775808]
        "[-0.1234567890123456789,0.1234567890123456789,0.1234567890123456789,9223372036854775808]"

        sort | tojson
        [1.10, 1.1, 1.0999999999999999999, -1.10000000000000000001, -1.1000000000000000000]
        "[-1.10000000000000000001,-1.1000000000000000000,1.0999999999999999999,1.10,1.1]"

        [.[0] == .[0] + 0, .[1] == .[1] + 0, .[2] == 0.5, .[2] > 0.5]
        [100000000000000000001, 0.1234567890123456789, 0.50000000000000000001]
        [true,true,false,true]

        [.[0] == .[1], .[0] > .[1], .[2] == .[3], .[3] == 1]
        [100000000000000000001, 100000000000000000000, 1.0, 1.00]
        [false,true,true,true]

        map(try tonumber catch "none") | tojson
        ["1.50", "1e400", "-0.000", "1,5"]
        "[1.50,1E+400,-0.000,\"none\"]"

        try (. + 1) catch .
        "very-long-long-long-long-string"
        "string (\"very-long-long-long-long...\") and number (1) cannot be added"

        1 + 2 as $x | -$x
        null
        -3

        . + 1 as $x | [$x, .]
        3
        [4,3]

        [-1 as $x | 1, $x]
        null
        [1,-1]

        [., 1 as $x | $x + 1]
        3
        [3,2]

        . == 1 as $x | $x
        3
        false

        reduce -.[] as $x (0; . + $x)
        [1,2]
        -3

        [foreach .[] / .[] as $x (0; . + $x)]
        [1,2]
        [1,3,3.5,4.5]

        reduce try error("x") catch . as $x (0; $x)
        null
        "x"

        {a: 1 + 2, b: 3 | . + 1, c: .x == 1 and true, d: null // 3, e: . = 1,}
        {"x":1}
        {"a":3,"b":4,"c":true,"d":3,"e":1}

        {a: try error("x") catch ., (1, 2 | tostring): 3 * 2}
        null
        {"a":"x","1":6}
        {"a":"x","2":6}

        [{a: try error("x")}]
        null
        []

        try error(null) catch [.]
        null
        [null]

        try (try 1 catch . | error("later")) catch ["outer", .]
        null
        ["outer","later"]

        try limit(-1; 1, 2) catch .
        null
        "limit doesn't support negative count"

        [.[] | try ltrimstr("a") catch "not text"]
        ["ab",1,null]
        ["b","not text","not text"]

        try ("ab" | rtrimstr(1)) catch .
        null
        "endswith() requires string inputs"

        try strftime("%Y") catch .
        "x"
        "strftime/1 requires parsed datetime inputs"

        [strftime("%D"), mktime]
        [2024,8,21]
        ["09/21/24",1726876800]

        [.[nan:], .[:nan], .[nan:nan]]
        [1,2]
        [[1,2],[1,2],[1,2]]

        [try (0 / 0) catch ., try (1 / 0) catch "infinite", try (. / 0) catch .]
        0
        ["number (0) and number (0) cannot be divided because the divisor is zero","infinite","number (0) and number (0) cannot be divided because the divisor is zero"]

        [range(10001)] as $p | try setpath($p; 1) catch .
        null
        "Path too deep"

        [range(10001)] as $p | try getpath($p) catch ., try delpaths([$p]) catch .
        null
        "Path too deep"
        "Path too deep"

        [range(0; 3; 0)]
        null
        []

        [match("o*"; "g") | [.offset, .length]], gsub("x*"; "-")
        "foo"
        [[0,0],[1,2],[3,0]]
        "-f-o-o-"

        map(try tonumber catch "no")
        ["+5"," 1","1 ","","-.5","0x10"]
        [5,"no","no","no",-0.5,"no"]

        map(tonumber | isnan, isinfinite)
        ["nan","-nan"]
        [true,false,true,false]

        try fromjson catch "no value"
        " "
        "no value"
        """#)
}
