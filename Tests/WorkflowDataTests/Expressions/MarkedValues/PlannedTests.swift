import Testing
import WorkflowData

struct `Expressions in a plan` {
    private static let input: Value = [
        "name": .unknown(Unknown("name", .text)), "n": .unknown(Unknown("n", .number)),
        "any": .unknown(Unknown("any")), "is": .unknown(Unknown("is", .boolean)),
        "user": .unknown(Unknown("user", .object(["mail": .unknown(Unknown("mail", .text)), "kind": "person"]))),
        "files": .unknown(
            Unknown(
                "files", .array(["path": .unknown(Unknown("path", .text)), "size": .unknown(Unknown("size", .number))]))
        ),
        "known": ["a": 1, "b": [1, 2]], "mail": .unknown(Unknown("mail2", .text)),
    ]

    private func planned(_ source: String) throws -> String {
        let expression = try WorkflowData.Expression(source)
        let result = try expression.evaluatePlanned(Self.input, variables: ["v": Self.input["any"] ?? nil]) {
            path, shape, derivation in
            #expect(derivation.path == path)
            return Unknown("new\(Value.array(path).json())", shape, from: .computed(derivation))
        }
        return result.json()
    }

    @Test(arguments: [
        (#""Hello \(.name)""#, #""Hello ‹name›""#),
        (#""Order \(.n) of \(.any)""#, #""Order ‹n› of ‹any›""#),
        (#"{to: .mail, subject: "x"}"#, #"{"to":"‹mail2›","subject":"x"}"#),
        (".files | map({path: .path, n: 1})", #"[{"path":"‹path›","n":1}]"#),
        ("[.files[] | select(.size > 3) | .path]", #"["‹path›"]"#),
        (#"if .n > 3 then "a" else "a" end"#, #""a""#),
        (#"if .n > 3 then {a: 1, b: 2} else {a: 1, b: 3} end"#, #"{"a":1,"b":"‹new[\"b\"]›"}"#),
        (#".mail // "x""#, #""‹mail2›""#),
        (#".any // "x""#, #""‹new[]›""#),
        (".user.kind", #""person""#),
        (".user.mail", #""‹mail›""#),
        (".user.other", #""‹user.other›""#),
        (".known.a", "1"),
        (".known | length", "2"),
        (".name == .name", "true"),
        (".name == 1", "false"),
        (".name == \"Ada\"", #""‹new[]›""#),
        (".name | length > 40", #""‹new[]›""#),
        (".name | type", #""string""#),
        (".user | has(\"mail\")", "true"),
        (#""a" + .name + "b""#, #""a‹name›b""#),
        (#"["a", .name, .n] | join(", ")"#, #""a, ‹name›, ‹n›""#),
        (".known + {c: .n}", #"{"a":1,"b":[1,2],"c":"‹n›"}"#),
        (".known.a = .name | .known", #"{"a":"‹name›","b":[1,2]}"#),
        (".user + {x: 1} | .x, .mail", "1"),
        ("[.name, .n] | reverse", #"["‹n›","‹name›"]"#),
        ("{a: .name} | to_entries", #"[{"key":"a","value":"‹name›"}]"#),
        ("any(.is, true; .)", "true"),
        (".is and false", "false"),
        ("[.files[].size] | add", #""‹new[]›""#),
        ("{a: ([.files[].size] | add), b: 1}", #"{"a":"‹new[\"a\"]›","b":1}"#),
        ("try error(\"x\") catch .", #""x""#),
        ("(.any.b)?", #""‹new[]›""#),
        ("(.any + true | not) == .is", #""‹new[]›""#),
        ("now > 1e9", "true"),
        ("{a: (now | strflocaltime(\"%H\")), b: 2}", #"{"a":"‹new[\"a\"]›","b":2}"#),
        ("{(.name): 1}", #""‹new[]›""#),
        ("[[(if (if .any[1:] then -1 else \"n \\(.name)\" end) then all(false) else true end)]]", #"[["‹new[0,0]›"]]"#),
    ])
    func `stay informative`(_ source: String, _ expected: String) throws {
        #expect(try planned(source) == expected)
    }
}
