/// How what a symbol stands for follows from other data, once these are known.
package struct PlannedDerivation: Sendable, Hashable {
    /// The expression in jq.
    package var expression: String
    /// What `.` is, with symbols for what is not known yet.
    package var input: Value
    /// The values that the expression reads by name, without `$`.
    package var variables: [String: Value]
    /// Where in the result the symbol's value is, in jq; `.` for the whole result.
    package var path: String
}

extension PlannedDerivation {
    /// The value at a path of data, as a symbol's path is written: `.photo.size`.
    init(_ data: Value, at path: String) {
        self.init(expression: ".", input: data, variables: [:], path: Self.jq(path))
    }

    /// A symbol's path in jq, whatever characters are in its names.
    fileprivate static func jq(_ path: String) -> String {
        "." + path.split(separator: ".").map { "[\(Value.string(String($0)).json())]" }.joined()
    }
}

extension Expression {
    /// How the value at a path in the result follows from data.
    func derivation(of input: Value, _ variables: [String: Value], at path: String) -> PlannedDerivation {
        let used = Set(variableReads.map(\.name))
        return PlannedDerivation(
            expression: source, input: input, variables: variables.filter { used.contains($0.key) },
            path: PlannedDerivation.jq(path))
    }
}
