import Testing
import WorkflowData

struct SchemaDefaultsTests {
    private static let schema: Value = [
        "$defs": ["size": ["type": "integer", "default": 3]],
        "properties": [
            "name": ["default": "none"],
            "place": ["properties": ["city": ["default": "Oslo"], "street": ["type": "string"]]],
            "room": ["default": [:], "properties": ["beds": ["default": 2]]],
            "rows": ["items": ["properties": ["count": ["default": 1]]]], "size": ["$ref": "#/$defs/size"],
        ],
        "allOf": [["properties": ["both": ["default": true]]]],
    ]

    @Test(
        arguments: [
            ([:], ["both": true, "name": "none", "room": ["beds": 2], "size": 3]),
            (
                ["name": nil, "place": [:], "rows": [[:], ["count": 5], 7], "size": 1, "both": false],
                [
                    "name": nil, "place": ["city": "Oslo"], "rows": [["count": 1], ["count": 5], 7], "size": 1,
                    "both": false, "room": ["beds": 2],
                ]
            ),
            ("text", "text"), ([], []),
        ] as [(Value, Value)])
    func `what is missing is filled at every depth, and what is there stays`(_ value: Value, _ filled: Value) {
        #expect(SchemaDefaults(Self.schema).filled(value) == filled)
    }

    @Test func `a schema that refers to itself ends`() {
        let schema: Value = ["default": [:], "properties": ["next": ["$ref": "#"]]]
        var depth = 0
        var value = SchemaDefaults(schema).filled([:])
        while let next = value.object?["next"] { (value, depth) = (next, depth + 1) }
        #expect(depth > 10 && depth < 100)
        #expect(SchemaDefaults(["$ref": "#"]).filled([:]) == [:])
    }

    @Test func `a default that its own schema refuses is found at its place`() {
        let schema: Value = [
            "properties": [
                "count": ["type": "integer", "default": "one"],
                "list": ["items": ["minimum": 3, "default": 2]], "right": ["type": "string", "default": "a"],
            ]
        ]
        let found = SchemaDefaults(schema).violations
        #expect(
            found.map { $0.place } == [
                JSONPointer(["properties", "count", "default"]),
                JSONPointer(["properties", "list", "items", "default"]),
            ])
    }
}
