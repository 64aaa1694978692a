import Foundation
import Testing
import WorkflowData

@Suite struct `A JSON schema` {
    @Test(arguments: [
        (#"{"type":"string"}"#, #""a""#, "1"), (#"{"type":["integer","null"]}"#, "1.0", "1.5"),
        (#"{"enum":[1,"a",{"b":[]}]}"#, #"{"b":[]}"#, "true"), (#"{"const":1}"#, "1.0", "true"),
        (#"{"multipleOf":0.1}"#, "0.3", "0.35"), (#"{"multipleOf":3}"#, "9007199254740993", "9007199254740992"),
        (#"{"minimum":1,"exclusiveMaximum":2}"#, "1", "2"), (#"{"minLength":2}"#, #""é😀""#, #""😀""#),
        (#"{"minimum":3}"#, "3.5", "2.5"), (#"{"maximum":3}"#, "2.5", "3.5"), (#"{"minimum":-3}"#, "-2.5", "-3.5"),
        (#"{"maximum":1.5}"#, "1.5", "1.6"), (#"{"minimum":1.5}"#, "1.5", "1.4"), (#"{"maximum":1.5}"#, "1", "2"),
        (#"{"pattern":"^\\d+$"}"#, #""12""#, #""12\n""#), (#"{"pattern":"b"}"#, #""abc""#, #""ac""#),
        (#"{"minItems":1,"maxItems":2}"#, "[1]", "[]"), (#"{"uniqueItems":true}"#, "[1,true,[1]]", "[1,2,1.0]"),
        (#"{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}"#, #"["a",1]"#, #"["a","b"]"#),
        (#"{"contains":{"const":1},"minContains":2,"maxContains":3}"#, "[1,2,1]", "[1,1,1,1]"),
        (#"{"contains":{"const":1},"minContains":0}"#, "[]", "null!"),
        (#"{"required":["a"]}"#, #"{"a":null}"#, "{}"), (#"{"minProperties":1}"#, #"{"a":1}"#, "{}"),
        (
            #"{"properties":{"a":{"type":"string"}},"patternProperties":{"^x":true},"additionalProperties":false}"#,
            #"{"a":"","x1":2}"#, #"{"b":1}"#
        ),
        (#"{"propertyNames":{"maxLength":2}}"#, #"{"ab":1}"#, #"{"abc":1}"#),
        (#"{"dependentRequired":{"a":["b"]}}"#, #"{"b":1}"#, #"{"a":1}"#),
        (#"{"dependentSchemas":{"a":{"required":["b"]}}}"#, #"{"b":1}"#, #"{"a":1}"#),
        (#"{"allOf":[{"minimum":1},{"maximum":3}]}"#, "2", "4"),
        (#"{"anyOf":[{"type":"string"},{"minimum":3}]}"#, "3", "2"),
        (#"{"oneOf":[{"minimum":1},{"maximum":3}]}"#, "4", "2"), (#"{"not":{"type":"null"}}"#, "1", "null"),
        (#"{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}"#, #""ab""#, "1"),
        (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#"}}}}"##, "[[],[[]]]", "[[1]]"),
        (##"{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"null"}}}"##, "null", "1"),
        (#"{"$id":"https://example.com/a/","$ref":"b","$defs":{"b":{"$id":"b","type":"null"}}}"#, "null", "1"),
        (#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#, #"{"a":1}"#, #"{"b":1}"#),
        (
            #"{"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":true}}],"unevaluatedProperties":false}"#,
            #"{"a":1,"b":2}"#, #"{"a":2,"b":2}"#
        ),
        (
            #"{"prefixItems":[true],"contains":{"const":1},"unevaluatedItems":{"type":"string"}}"#, #"[0,1,"a"]"#,
            "[0,1,2]"
        ),
        (
            #"{"if":{"properties":{"a":{"const":1}},"required":["a"]},"unevaluatedProperties":false}"#, #"{"a":1}"#,
            #"{"a":2}"#
        ),
        (#"{"unevaluatedProperties":{"type":"string"}}"#, #"{"a":"x"}"#, #"{"a":1}"#),
        ("true", "1", "null!"), (#"{"properties":{"a":false}}"#, "{}", #"{"a":1}"#),
        (
            ##"{"$id":"https://example.com/list","$ref":"tree","$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{"next":{"$dynamicRef":"#node"}}},"strict":{"$dynamicAnchor":"node","$ref":"tree","required":["name"]}}}"##,
            #"{"name":1,"next":{"name":2}}"#, #"{"name":1,"next":{}}"#
        ),
    ])
    func `accepts the one value and refuses the other`(_ schema: String, _ valid: String, _ invalid: String) throws {
        let schema = try JSONSchema(Value(json: schema))
        #expect(schema.validate(try Value(json: valid)) == [])
        #expect(schema.accepts(try Value(json: valid)))
        if invalid.hasSuffix("!") { return }
        #expect(!schema.accepts(try Value(json: invalid)))
        #expect(!schema.validate(try Value(json: invalid)).isEmpty)
    }

    @Test(arguments: [
        (#"{"items":[{"type":"string"}],"additionalItems":false}"#, #"["a"]"#, #"["a",1]"#),
        (#"{"items":[{"type":"string"}],"additionalItems":{"type":"number"}}"#, #"["a",1]"#, #"["a","b"]"#),
        (#"{"items":[],"additionalItems":false}"#, "[]", "[1]"),
        (#"{"items":{"type":"number"},"additionalItems":false}"#, "[1,2]", #"["a"]"#),
        (#"{"prefixItems":[false],"items":true,"minItems":1}"#, "[1]", "[]"),
        (#"{"contains":{"const":1},"minContains":2}"#, "[1]", "[2]"),
        (#"{"dependencies":{"a":["b"],"c":{"maxProperties":1}}}"#, #"{"a":1,"b":2}"#, #"{"a":1}"#),
        (#"{"dependencies":{"a":["b"],"c":{"maxProperties":1}}}"#, #"{"c":1}"#, #"{"c":1,"d":2}"#),
        (##"{"$ref":"#/definitions/a","minimum":9,"definitions":{"a":{"maximum":3}}}"##, "2", "10"),
        (##"{"allOf":[{"$ref":"#x"}],"definitions":{"a":{"$id":"#x","type":"null"}}}"##, "null", "1"),
        (
            ##"{"allOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"$ref":"#/definitions/b","$id":"z"},"b":{"type":"null"}}}"##,
            "null", "1"
        ),
        (#"{"required":["a"],"dependentRequired":{"a":["b"]},"unevaluatedProperties":false}"#, #"{"a":1}"#, "{}"),
        (#"{"format":"uuid","minLength":1}"#, #""a""#, #""""#),
        (##"{"allOf":[{"$ref":"http://json-schema.org/draft-07/schema#"}]}"##, #"{"items":[true]}"#, #"{"type":1}"#),
    ])
    func `of draft 7 is read by the rules of its draft`(_ keywords: String, _ valid: String, _ invalid: String) throws {
        guard case .object(var members) = try Value(json: keywords) else { return }
        members["$schema"] = "http://json-schema.org/draft-07/schema#"
        let schema = try JSONSchema(.object(members))
        #expect(schema.validate(try Value(json: valid)) == [])
        #expect(!schema.accepts(try Value(json: invalid)))
        #expect(!schema.validate(try Value(json: invalid)).isEmpty)
    }

    @Test func `may refer to the metaschema of another draft`() throws {
        let schema = try JSONSchema(["$ref": "http://json-schema.org/draft-07/schema#"])
        #expect(schema.accepts(["items": [true]]))
        #expect(!schema.accepts(["additionalItems": 1]))
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "1", " must be a string, but is a number"),
        (#"{"type":["object","null"]}"#, "[]", " must be an object or null, but is an array"),
        (#"{"enum":["view","edit"]}"#, #""veiw""#, " must be 'view' or 'edit', but is 'veiw' (did you mean 'view'?)"),
        (
            #"{"properties":{"user":{}},"additionalProperties":false}"#, #"{"usr":1}"#,
            "/usr the property 'usr' is not known (did you mean 'user'?)"
        ),
        (
            #"{"required":["with"],"properties":{"with":{}}}"#, #"{"wiht":1}"#,
            " the property 'with' is missing (did you mean 'with' instead of 'wiht'?)"
        ),
        (#"{"properties":{"a":{"items":{"minimum":3}}}}"#, #"{"a":[4,2]}"#, "/a/1 must be at least 3, but is 2"),
        (#"{"minItems":2}"#, "[]", " must have at least 2 elements, but has none"),
        (#"{"maxItems":2}"#, "[1,2,3]", " must have at most 2 elements, but has 3"),
        (#"{"maxItems":0}"#, "[1]", " must be empty, but has 1 element"),
        (#"{"maxItems":0}"#, "[1,2]", " must be empty, but has 2 elements"),
        (
            #"{"enum":[1,2,3,4,5,6,7,8,9,10,11,12]}"#, "13",
            " must be 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 12, but is 13"
        ),
        (
            #"{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13]}"#, "14",
            " must be 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 or another known value, but is 14"
        ),
        (
            #"{"prefixItems":[{"type":"string"}],"unevaluatedItems":false}"#, "[1,2]",
            "/0 must be a string, but is a number"
        ),
        (#"{"contains":{"const":1}}"#, "[2]", " must have an element of the required form"),
        (
            #"{"contains":{"const":1},"minContains":2}"#, "[1]",
            " must have at least 2 elements of the required form, but has 1"
        ),
        (#"{"oneOf":[{"type":"string"},{"type":"object"}]}"#, "1", " must be a string or an object, but is a number"),
        (
            #"{"oneOf":[{"type":"string"},{"type":"object","required":["a"],"additionalProperties":{"type":"null"}}]}"#,
            #"{"a":1}"#, "/a must be null, but is a number"
        ),
        (
            #"{"anyOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"null"}}},{"properties":{"kind":{"const":"b"},"x":{"type":"string"}}}]}"#,
            #"{"kind":"b","x":1}"#, "/x must be a string, but is a number"
        ),
        (
            #"{"oneOf":[{"required":["call"]},{"required":["set"]}]}"#, "{}",
            " one of the properties 'call' or 'set' is missing"
        ),
        (#"{"oneOf":[{"const":"a"},{"const":"b"}]}"#, #""c""#, " must be 'a' or 'b', but is 'c'"),
        (#"{"oneOf":[true,true]}"#, "1", " must match exactly one alternative, but matches alternatives 1 and 2"),
        (#"{"format":"email"}"#, #""x""#, " must be an e-mail address, but is 'x'"),
        (#"{"uniqueItems":true}"#, "[1,2,1]", "/2 must differ from element 0, because no two may be equal"),
        (
            #"{"propertyNames":{"pattern":"^a$"}}"#, #"{"b":1}"#,
            "/b the name 'b' must match the pattern ^a$, but is 'b'"
        ),
    ])
    func `says what is wrong in words that help`(_ schema: String, _ value: String, _ words: String) throws {
        let schema = try JSONSchema(Value(json: schema))
        let found = schema.validate(try Value(json: value)).map { violation in
            "\(violation.instance) \(violation.message)" + (violation.hint.map { " (\($0))" } ?? "")
        }
        #expect(found == [words])
    }

    @Test(arguments: [
        (##"{"type":"strin"}"##, "#/type: there is no type 'strin' (did you mean 'string'?)"),
        (##"{"$ref":"#/$defs/x"}"##, "#/$ref: the reference '#/$defs/x' cannot be resolved"),
        (##"{"properties":{"a":1}}"##, "#/properties/a: a schema must be an object or a boolean, but this is number"),
        (##"{"pattern":"("}"##, "#/pattern: '(' is not a regular expression (end pattern with unmatched parenthesis)"),
        (##"{"minLength":-1}"##, "#/minLength: 'minLength' must be an integer of at least 0, but is -1"),
        (##"{"allOf":[]}"##, "#/allOf: 'allOf' must be a list of at least one schema, but is []"),
        (##"{"required":"a"}"##, "#/required: 'required' must be a list of names, but is 'a'"),
        (
            ##"{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}"##,
            "#/$schema: the draft 'http://json-schema.org/draft-04/schema#' is not supported ("
                + "'https://json-schema.org/draft/2020-12/schema' and 'http://json-schema.org/draft-07/schema#' are)"
        ),
        (
            ##"{"$defs":{"a":{"$schema":"http://json-schema.org/draft-07/schema#"}},"$ref":"#/$defs/a"}"##,
            "#/$defs/a/$schema: part of the schema uses another draft"
        ),
        (
            ##"{"$schema":"http://json-schema.org/draft-07/schema","dependencies":[]}"##,
            "#/dependencies: 'dependencies' must be an object, but is []"
        ),
    ])
    func `that is wrong is refused with its place`(_ schema: String, _ message: String) throws {
        let error = #expect(throws: JSONSchemaError.self) { try JSONSchema(Value(json: schema)) }
        #expect(error?.description == message)
    }

    @Test(
        arguments: [
            ("date", ["2024-02-29"], ["2023-02-29", "2024-2-1", "2024-13-01", "20240101"]),
            (
                "time", ["23:59:60Z", "01:02:03.5+01:00", "15:59:60-08:00", "01:02:03+05:45", "01:02:03-23:59"],
                [
                    "24:00:00Z", "12:60:00Z", "12:00:00", "12:00:60Z", "1:00:00Z", "01:02:03+05:60", "01:02:03+24:00",
                ]
            ),
            ("date-time", ["2024-01-01T00:00:00Z", "2024-01-01t00:00:00z"], ["2024-01-01 00:00:00Z", "2024-01-01"]),
            (
                "duration", ["P1Y2M3DT4H5M6S", "P2W", "PT1S", "P1D"],
                ["P", "PT", "PW", "P1Y3D", "1D", "P1S", "P1W2D", "PT1H3S"]
            ),
            (
                "email", ["a.b+c@contoso.com", "\"a b\"@contoso.com", "a@[127.0.0.1]"],
                ["a", "a@", "@b.com", "a..b@c.com", ".a@b.com", "a@-b.com"]
            ),
            (
                "hostname",
                [
                    "contoso.com", "a-b.c1", String(repeating: "a.", count: 126) + "a",
                    String(repeating: "a", count: 63) + ".com",
                ],
                [
                    "-a.com", "a_b.com", "", "a..b", String(repeating: "a", count: 64),
                    String(repeating: "a.", count: 126) + "aa",
                ]
            ),
            ("ipv4", ["127.0.0.1"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"]),
            (
                "ipv6", ["::1", "::", "1::", "2001:db8::8a2e:370:7334", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8"],
                [
                    "1:2:3:4:5:6:7", "1::2::3", ":1", "12345::", "1:2:3:4:5:6:7:8:9", "::1%eth0", ":::",
                    "1:2:3:4:5:6:7:8::",
                ]
            ),
            (
                "uri",
                [
                    "https://a.example/b?c=d#e", "urn:x:y", "mailto:a@b.c", "http://[::1]:80/", "http://a:80/",
                    "http://[v1.a]/",
                ],
                [
                    "/a", "a b", "http://a b", "//a", "http://[1", "x:%zz", "http://a:b/", "http://[w1.a]/",
                    "http://[v.a]/",
                ]
            ),
            ("uri-template", ["/a/{b}", "{?x,y*}", "{+p:3}/c"], ["{a", "a}", "{a b}", "{a:0}"]),
            (
                "uuid", ["2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
                ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638"]
            ),
            ("regex", ["^a[b-d]+$", "(?<x>a)"], ["(", "[", "\\a"]),
            ("json-pointer", ["", "/a~0b/0"], ["a", "/~2"]),
        ] as [(String, [String], [String])])
    func `checks a format`(_ format: String, _ valid: [String], _ invalid: [String]) throws {
        let schema = try JSONSchema(["format": .string(format)])
        for text in valid { #expect(schema.accepts(.string(text)), "\(text)") }
        for text in invalid { #expect(!schema.accepts(.string(text)), "\(text)") }
    }

    @Test func `of OpenAPI finds its references in the document around it`() throws {
        let root: Value = [
            "components": [
                "schemas": [
                    "user": [
                        "type": "object",
                        "properties": [
                            "mail": ["type": "string", "nullable": true],
                            "boss": ["$ref": "#/components/schemas/user", "type": "null"],
                        ],
                    ]
                ]
            ]
        ]
        let schema = try JSONSchema(
            ["anyOf": [["$ref": "#/components/schemas/user"]], "maximum": 3, "exclusiveMaximum": true],
            dialect: .openAPI30, root: root)
        #expect(schema.accepts(["mail": nil, "boss": ["mail": "x"]]))
        #expect(!schema.accepts(["boss": ["mail": 1]]))
        #expect(!schema.accepts(3))
    }

    @Test func `that refers to itself without end does not crash`() throws {
        let schema = try JSONSchema(["$ref": "#"])
        #expect(schema.validate(1).count == 1)
        let inside = try JSONSchema(
            Value(json: ##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}"##))
        #expect(!inside.accepts(1))
        #expect(inside.validate(1).count == 1)
        let both = try JSONSchema([
            "$defs": ["a": ["anyOf": [["$ref": "#/$defs/b"]]], "b": ["not": ["$ref": "#/$defs/a"]]],
            "$ref": "#/$defs/a",
        ])
        _ = both.accepts(1)
    }

    @Test func `takes data of ten thousand levels`() throws {
        let schema = try JSONSchema(["items": ["$ref": "#"], "uniqueItems": true])
        let text = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(
            schema.validate(try Value(json: text)).map(\.message) == [
                "is nested too deeply to be checked, or its schema refers to itself without end"
            ])
    }

    @Test func `shows what it finds in a file`() throws {
        let document = try Document(text: "do:\n  with:\n    usr: 1\n", name: "a.yaml")
        let schema = try JSONSchema(["properties": ["user": true], "additionalProperties": false])
        let pointer = JSONPointer(["do", "with"])
        let value = try #require(document.value[pointer])
        let violation = try #require(schema.validate(value).first)
        #expect(
            document.diagnostic(id: "with", violation, at: pointer).text() == """
                a.yaml:3:5: error: the property 'usr' is not known
                    usr: 1
                    ^~~
                hint: did you mean 'user'?
                """)
    }
}
