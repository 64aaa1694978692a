/// An OData `$filter`: comparisons, `in`, `startswith`, `endswith`, `contains`, `any`, `and`, `or`, `not` and
/// parentheses.
struct SandboxFilter {
    indirect enum Node {
        case compare(field: String, operator: String, Value)
        case function(String, field: String, text: String)
        case isAmong(field: String, [Value])
        case any(field: String, variable: String, Node)
        case hasProperty(SandboxExtendedProperty.ID, variable: String, Node?)
        case not(Node)
        case and(Node, Node)
        case or(Node, Node)
    }

    let operators: Set<String>
    let fields: [String]
    private let node: Node

    /// - Parameters:
    ///   - text: The decoded filter.
    ///   - type: The filtered type, for errors: `microsoft.graph.user`.
    ///   - hasField: Whether the type has a property with a name.
    init(parsing text: String, on type: String, hasField: (String) -> Bool) throws(SandboxError) {
        var parser = try SandboxFilterParser(text)
        node = try parser.whole()
        operators = parser.operators
        fields = parser.fields
        for field in parser.fields {
            let name = String(field.split(separator: "/").first ?? "")
            guard hasField(name) else {
                throw GraphProperties.unknown(name, on: type)
            }
        }
        if let mismatch = parser.mismatch { throw mismatch }
    }

    /// Whether an object matches.
    /// - Parameters:
    ///   - properties: The object's extended properties.
    ///   - value: Returns the value of a property by its name; nil if there is none.
    func matches(_ properties: [SandboxExtendedProperty] = [], _ value: (String) -> Value?) -> Bool {
        Self.matches(node, properties, value)
    }

    var alternatives: [String]? {
        func texts(_ node: Node) -> [String]? {
            switch node {
            case .compare(_, "eq", .string(let text)): [text]
            case .or(let left, let right): texts(left).flatMap { one in texts(right).map { one + $0 } }
            default: nil
            }
        }
        return texts(node)
    }

    private static func matches(
        _ node: Node, _ properties: [SandboxExtendedProperty], _ value: (String) -> Value?
    ) -> Bool {
        switch node {
        case .hasProperty(let id, let variable, let inner):
            properties.contains { property in
                guard property.id == id else { return false }
                guard let inner else { return true }
                return matches(inner, []) { $0 == variable ? property.shown : nil }
            }
        case .compare(let field, let name, let literal):
            isTrue(find(field, value) ?? .null, name, literal)
        case .isAmong(let field, let literals):
            literals.contains { isTrue(find(field, value) ?? .null, "eq", $0) }
        case .function(let name, let field, let text):
            find(field, value)?.string.map { isTrue($0.lowercased(), name, text.lowercased()) } ?? false
        case .any(let field, let variable, let inner):
            (find(field, value)?.array ?? []).contains { element in
                matches(inner, properties) { name in name == variable ? element : value(name) }
            }
        case .not(let inner): !matches(inner, properties, value)
        case .and(let left, let right): matches(left, properties, value) && matches(right, properties, value)
        case .or(let left, let right): matches(left, properties, value) || matches(right, properties, value)
        }
    }

    private static func find(_ path: String, _ value: (String) -> Value?) -> Value? {
        var names = path.split(separator: "/").map(String.init)[...]
        guard let first = names.popFirst(), var found = value(first) else { return nil }
        while let name = names.popFirst() {
            guard let member = found.object?.first(where: { $0.key.lowercased() == name.lowercased() }) else {
                return nil
            }
            found = member.value
        }
        return found
    }

    private static func isTrue(_ value: Value, _ name: String, _ literal: Value) -> Bool {
        switch name {
        case "eq": normal(value) == normal(literal)
        case "ne": normal(value) != normal(literal)
        default:
            // Dates in the same format compare like texts.
            switch (normal(value), normal(literal)) {
            case (.string(let left), .string(let right)): isOrdered(left, name, right)
            case (.integer(let left), .integer(let right)): isOrdered(left, name, right)
            default: false
            }
        }
    }

    private static func isOrdered<Operand: Comparable>(_ left: Operand, _ name: String, _ right: Operand) -> Bool {
        switch name {
        case "gt": left > right
        case "ge": left >= right
        case "lt": left < right
        default: left <= right
        }
    }

    private static func isTrue(_ value: String, _ name: String, _ text: String) -> Bool {
        switch name {
        case "startswith": value.hasPrefix(text)
        case "endswith": value.hasSuffix(text)
        default: value.contains(text)
        }
    }

    private static func normal(_ value: Value) -> Value {
        value.string.map { .string($0.lowercased()) } ?? value
    }
}
