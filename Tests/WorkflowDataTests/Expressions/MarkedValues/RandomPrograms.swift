import WorkflowData

/// A generator of random numbers that gives the same ones every time.
struct Draws: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// Random jq programs over members `a` to `f`, the variable `$v`, every built-in function and every form of the syntax.
struct RandomPrograms {
    var draws: Draws

    init(_ seed: Int) { draws = Draws(seed) }

    private static let names = ["a", "b", "c", "d", "e", "f"]
    private static let leaves = [
        ".", ".", ".a", ".b", ".c", ".d", ".e", ".f", ".a.b", ".b.a", ".c[0]", ".d[1]", ".c[]", ".[]", ".c[]?",
        ".a?", "$v", "$v.a", "1", "2", "0", "-1", "\"a\"", "\"x y\"", "\"\"", "null", "true", "false", "[]", "{}", "..",
        ".c[-1]", ".d[1:]", ".a[:2]", "[.a, .b]", "{a, b}", "{a: .b, c: $v}", "[.c[]]", "\"n \\(.a)\"", "[.d[] | .a]",
    ]
    private static let operators = [
        "+", "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "//", ",", "|", "|",
    ]
    private static let assignments = ["=", "|=", "+=", "-=", "*=", "/=", "//="]
    private static let formats = ["text", "json", "html", "uri", "csv", "tsv", "sh", "base64", "base64d", "base32"]
    /// Those that never end for most arguments, or that list all built-ins.
    private static let leftOut: Set<String> = [
        "repeat", "builtins", "recurse", "range", "until", "while", "combinations",
    ]
    private static let builtins: [(name: String, arity: Int)] = {
        let outputs = try? WorkflowData.Expression("builtins").first(nil)
        return (outputs?.array ?? []).compactMap(\.string).compactMap { signature in
            let parts = signature.split(separator: "/")
            guard let name = parts.first, let arity = parts.last.flatMap({ Int($0) }) else { return nil }
            return leftOut.contains(String(name)) ? nil : (String(name), arity)
        }.sorted { ($0.name, $0.arity) < ($1.name, $1.arity) }
    }()
    private static let usual: [(name: String, arity: Int)] = [
        ("map", 1), ("select", 1), ("length", 0), ("keys", 0), ("to_entries", 0), ("with_entries", 1), ("join", 1),
        ("tostring", 0), ("type", 0), ("has", 1), ("any", 0), ("all", 0), ("any", 1), ("add", 0), ("sort_by", 1),
        ("not", 0), ("first", 1), ("reverse", 0), ("map_values", 1), ("del", 1), ("path", 1), ("getpath", 1),
        ("flatten", 0), ("unique", 0), ("group_by", 1), ("min_by", 1), ("isempty", 1), ("tojson", 0), ("fromjson", 0),
        ("test", 1), ("startswith", 1), ("split", 1), ("ascii_upcase", 0), ("sub", 2), ("gsub", 2), ("index", 1),
        ("contains", 1), ("error", 1), ("tonumber", 0), ("first", 0), ("last", 0), ("capture", 1), ("scan", 1),
    ]

    mutating func program(_ depth: Int = 4) -> String {
        if depth == 0 { return draws.pick(Self.leaves) }
        let inner = depth - 1
        switch draws.below(34) {
        case 0..<4: return draws.pick(Self.leaves)
        case 4..<9: return "(\(program(inner)) \(draws.pick(Self.operators)) \(program(inner)))"
        case 9..<13: return call(draws.pick(Self.usual), inner)
        case 13, 14: return call(draws.pick(Self.builtins), inner)
        case 15, 16: return "(\(program(inner)) | \(call(draws.pick(Self.usual), inner)))"
        case 17: return "[\(program(inner))]"
        case 18: return "{a: \(program(inner)), b: \(program(inner))}"
        case 19: return "{(\(program(inner))): \(program(inner)), c: 1}"
        case 20, 21: return "(if \(program(inner)) then \(program(inner)) else \(program(inner)) end)"
        case 22: return "(try \(program(inner)) catch \(draws.pick(["1", ".", program(inner)])))"
        case 23: return "(\(program(inner)))?"
        case 24: return "(\(program(inner)) as $v | \(program(inner)))"
        case 25:
            let pattern = draws.pick(["[$v, $w]", "{a: $v, b: [$w]}", "{$a, b: $v}", "[$v] ?// $v", "{(\"a\"): $v}"])
            return "(\(program(inner)) as \(pattern) | \(program(inner)))"
        case 26: return "(reduce \(program(inner)) as $v (\(program(inner)); \(program(inner))))"
        case 27: return "(foreach \(program(inner)) as $v (\(program(inner)); \(program(inner)); [., $v]))"
        case 28: return "(\(path(inner)) \(draws.pick(Self.assignments)) \(program(inner)))"
        case 29: return "@\(draws.pick(Self.formats)) \"a\\(\(program(inner)))b\\(\(program(inner)))\""
        case 30: return "(\(program(inner)) | @\(draws.pick(Self.formats)))"
        case 31: return "(\(program(inner)) | .[\(program(inner))])"
        case 32: return "(\(program(inner)) | .[\(program(inner)):\(program(inner))])"
        default:
            switch draws.below(8) {
            case 0: return "(label $o | \(program(inner)), break $o, \(program(inner)))"
            case 1: return "first(range(3) | select(. > 1) | \(program(inner)))"
            case 2: return "limit(2; \(program(inner)))"
            case 3: return "(def f: \(program(inner)); def g(h): h | f; g(\(program(inner))))"
            case 4: return "[limit(5; recurse(\(path(inner)); . != null))]"
            case 5: return "[limit(4; \(program(inner)) | until(. == null; .a?))]"
            case 6: return "first(\(program(inner)), 1)"
            default: return "-(\(program(inner)))"
            }
        }
    }

    private mutating func call(_ builtin: (name: String, arity: Int), _ depth: Int) -> String {
        if builtin.arity == 0 { return builtin.name }
        let arguments = (0..<builtin.arity).map { _ in
            ["path", "del", "pick", "paths"].contains(builtin.name) ? path(depth) : program(depth)
        }
        return "\(builtin.name)(\(arguments.joined(separator: "; ")))"
    }

    /// Mostly a path expression.
    private mutating func path(_ depth: Int) -> String {
        switch draws.below(8) {
        case 0: return program(depth)
        case 1: return "(\(draws.pick([".a", ".c[]", ".d[0]", ".[]"])) | select(\(program(depth))))"
        case 2: return "(.a, .b)"
        case 3: return "..?"
        case 4: return ".c[]"
        default: return draws.pick([".a", ".b.a", ".c[0]", ".d[1:]", ".[\"e\"]", ".a?", ".f.x.y"])
        }
    }
}

/// Random data without marks.
struct RandomData {
    var draws: Draws

    mutating func value(_ depth: Int = 2) -> Value {
        switch draws.below(depth > 0 ? 11 : 8) {
        case 0: return nil
        case 1: return .bool(draws.chance(50))
        case 2, 3: return .integer(draws.below(7) - 2)
        case 4: return .double(Double(draws.below(9)) / 2 - 1)
        case 5...7: return text()
        case 8: return .array((0..<draws.below(4)).map { _ in value(depth - 1) })
        default: return object(depth - 1)
        }
    }

    mutating func text() -> Value {
        .string(draws.pick(["", "a", "b", "x y", "a,b", "ab", "1", "5.5", "null", "true", "{\"a\":1}", "aGk=", "é"]))
    }

    mutating func object(_ depth: Int) -> Value {
        var members = Object()
        for name in ["b", "a", "c", "key", "value"] where draws.chance(45) { members[name] = value(depth) }
        return .object(members)
    }
}
