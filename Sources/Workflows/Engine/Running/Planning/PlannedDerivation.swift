/// How an unknown is computed from other data, once that data is known.
package struct PlannedDerivation: Sendable, Hashable {
    /// The expression in jq.
    package var expression: String
    /// The value of `.`, which can contain unknowns.
    package var input: Value
    /// The variables that the expression reads, without `$`.
    package var variables: [String: Value]
    /// The path of the unknown's value in the result, in jq; `.` for the whole result.
    package var path: String
}

extension PlannedDerivation {
    /// The value at a path of data, in the form `.photo.size`.
    init(_ data: Value, at path: String) {
        self.init(expression: ".", input: data, variables: [:], path: Self.jq(path))
    }

    /// An unknown's path in jq, with its names quoted.
    fileprivate static func jq(_ path: String) -> String {
        "." + path.split(separator: ".").map { "[\(Value.string(String($0)).json())]" }.joined()
    }
}

extension Expression {
    /// How the value at a path in the result is computed from data.
    func derivation(of input: Value, _ variables: [String: Value], at path: String) -> PlannedDerivation {
        let used = Set(variableReads.map(\.name))
        return PlannedDerivation(
            expression: source, input: input, variables: variables.filter { used.contains($0.key) },
            path: PlannedDerivation.jq(path))
    }
}
