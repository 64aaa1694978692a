import Testing
import WorkflowData

struct `Data that is one of two` {
    private func joined(_ one: Value, _ other: Value) -> Value {
        one.joined(with: other) { path, shape, alternatives in
            Unknown(Value.array(path).json(), shape, from: .oneOf(alternatives))
        }
    }

    @Test func `keeps what both have`() {
        let result = joined(["a": 1, "b": ["x", 2]], ["a": 1, "b": ["y", 2]])
        #expect(result["a"] == 1)
        #expect(result["b"]?[1] == 2)
        let unknown = result["b"]?[0]?.unknown
        #expect(unknown?.shape == .text)
        #expect(unknown?.origin == .oneOf(["x", "y"]))
        #expect(unknown?.name == #"["b",0]"#)
    }

    @Test func `of different lengths is an array of any length`() {
        guard case .array(let element) = joined(["a", "b"], ["c"]).unknown?.shape else {
            Issue.record("no array")
            return
        }
        #expect(element.unknown?.shape == .text)
        #expect(joined([], []) == [])
        #expect(joined(["a"], []).unknown?.shape == .array("a"))
    }

    @Test func `with different names is an object of the common members`() {
        #expect(joined(["a": 1, "b": 2], ["a": 1]).unknown?.shape == .object(["a": 1]))
        let upload = Value.unknown(Unknown("upload", .object(["id": .unknown(Unknown("id", .text)), "n": 1])))
        guard case .object(let members) = joined(upload, ["id": "x", "n": 1]).unknown?.shape else {
            Issue.record("no object")
            return
        }
        #expect(members["n"] == 1)
        #expect(members["id"]?.unknown?.shape == .text)
    }

    @Test func `of one unknown is that unknown`() {
        let unknown = Value.unknown(Unknown("u"))
        #expect(joined(unknown, unknown) == unknown)
        #expect(joined(unknown, .unknown(Unknown("u"))) != unknown)
        #expect(joined([unknown, 1], [unknown, 2])[0] == unknown)
    }

    @Test(
        arguments: [
            (0 as Value, -0.0 as Value), (["a": 1, "b": 2], ["b": 2, "a": 1]), (nil, 1), ("a", 1),
        ] as [(Value, Value)])
    func `differs where any function can tell`(_ one: Value, _ other: Value) {
        #expect(joined(one, other).unknown != nil)
    }

    @Test(
        arguments: [
            (nil, false), (false, false), (true, true), (0, true), ("", true), ([], true),
            (.unknown(Unknown("u")), nil), (.unknown(Unknown("u", .boolean)), nil),
            (.unknown(Unknown("u", .text)), true),
            (.unknown(Unknown("u", .array(1))), true), (.secret("x", of: ["x"]), true),
        ] as [(Value, Bool?)])
    func `decides a condition if all its values do`(_ value: Value, _ truth: Bool?) {
        #expect(value.decidedTruth == truth)
    }
}
