import Workflows

/// Workflows of any shape, the same for the same seed.
struct RandomWorkflow {
    private var state: UInt64
    private var left: Int
    private var count = 0

    /// A workflow of about this many tasks.
    static func tasks(_ count: Int, seed: UInt64) throws -> Workflow {
        var random = RandomWorkflow(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1, left: count)
        var tasks: [Value] = []
        while random.left > 0 { tasks += random.list(depth: 0, atMost: random.left) }
        return try Workflow(
            text: Value.object([
                "document": ["dsl": "1.0.3", "namespace": "samples", "name": "random", "version": "1.0.0"],
                "do": .array(tasks),
            ]).json())
    }

    private mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    private mutating func list(depth: Int, atMost most: Int) -> [Value] {
        let length = max(1, min(most, 1 + next(5)))
        let first = count + 1
        var names: [String] = []
        var bodies: [Object] = []
        // The names are drawn before the tasks, which can continue at any of them.
        for number in 0..<length { names.append("task\(first + number)") }
        count += length
        left -= length
        for _ in 0..<length { bodies.append(task(depth: depth, names: names)) }
        return zip(names, bodies).map { name, body in .object([name: .object(body)]) }
    }

    private mutating func task(depth: Int, names: [String]) -> Object {
        var body = action(depth: depth, names: names)
        if next(6) == 0 { body["if"] = ".enough > 3" }
        if next(5) == 0, body["switch"] == nil { body["then"] = .string(directive(names)) }
        return body
    }

    private mutating func directive(_ names: [String]) -> String {
        (names + ["continue", "exit", "end"])[next(names.count + 3)]
    }

    private mutating func action(depth: Int, names: [String]) -> Object {
        let isLeaf = depth > 3 || left <= 0
        switch next(isLeaf ? 6 : 11) {
        case 0: return ["call": "upload", "with": ["path": "a.txt", "content": "x"]]
        case 1: return ["call": "me"]
        case 2: return ["set": ["number": 1]]
        case 3: return ["wait": ["seconds": 5]]
        case 4: return ["raise": ["error": ["type": "https://contoso.com/errors/no", "status": 400, "title": "No"]]]
        case 5:
            let cases = (0...next(4)).map { number -> Value in
                [
                    "case\(number)": [
                        "when": .string(".number == \(number) and .text != \"nothing at all\""),
                        "then": .string(directive(names)),
                    ]
                ]
            }
            return ["switch": .array(cases)]
        case 6: return ["do": .array(list(depth: depth + 1, atMost: left))]
        case 7: return ["for": ["in": ".all"], "do": .array(list(depth: depth + 1, atMost: left))]
        case 8: return ["fork": ["branches": .array(list(depth: depth + 1, atMost: left))]]
        case 9:
            return [
                "try": .array(list(depth: depth + 1, atMost: left)),
                "catch": ["errors": ["with": ["status": 503]], "do": .array(list(depth: depth + 1, atMost: left))],
            ]
        default: return ["try": .array(list(depth: depth + 1, atMost: left)), "catch": [:]]
        }
    }
}
