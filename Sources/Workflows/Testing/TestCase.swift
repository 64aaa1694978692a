/// A case in a file of tests.
package struct TestCase: Sendable {
    /// Its place in the file.
    package let place: JSONPointer
    package let name: String
    package let input: Value
    package let secrets: SecretStore
    /// The time at which its run begins.
    package let start: Date
    package let sandbox: SandboxDescription
    /// The mocked answers of other services.
    package let mocks: Value
    /// The answers to `call: approval`.
    package let approvals: [Approval]
    package let expected: Value

    package struct Approval: Sendable {
        /// The name of the task that asks.
        package var task: String
        package var by: String
        package var isApproved: Bool
        package var note: String
    }

    /// The time at which runs begin by default, on a Monday.
    private static let usualStart = Date(timeIntervalSince1970: 1_767_603_600)

    /// Reads a case that the schema of tests accepts.
    /// - Parameter findings: Receives the findings that the schema cannot express.
    package init(_ value: Value, at place: JSONPointer, of file: Document, _ findings: inout [Diagnostic]) {
        self.place = place
        name = value["name"]?.string ?? ""
        input = value["input"] ?? [:]
        expected = value["expect"] ?? [:]
        mocks = value["mock"] ?? []
        approvals = (value["approvals"]?.array ?? []).map { approval in
            Approval(
                task: approval["task"]?.string ?? "", by: approval["by"]?.string ?? "",
                isApproved: approval["approved"]?.bool ?? true, note: approval["note"]?.string ?? "")
        }
        secrets = .values((value["secrets"]?.object ?? [:]).reduce(into: [:]) { $0[$1.key] = SecretValue($1.value) })
        let now = value["now"]?.string.flatMap { Date(rfc3339: $0) }
        if now == nil, value["now"] != nil {
            findings.append(
                file.diagnostic(
                    id: "now", "this date is not understood", hint: "write it as 2026-01-05T09:00:00Z",
                    at: place.appending("now")))
        }
        start = now ?? Self.usualStart
        sandbox = SandboxDescription(
            value["sandbox"] ?? [:], at: place.appending("sandbox"), of: file, &findings)
        Self.check(expected, at: place.appending("expect"), of: file, &findings)
    }

    private static func check(
        _ expected: Value, at place: JSONPointer, of file: Document, _ findings: inout [Diagnostic]
    ) {
        switch expected {
        case .object(let members):
            for (name, value) in members { check(value, at: place.appending(name), of: file, &findings) }
        case .array(let elements):
            for (index, value) in elements.enumerated() {
                check(value, at: place.appending("\(index)"), of: file, &findings)
            }
        case .string(let text):
            do throws(ExpressionError) {
                if Template.isExpression(text) { _ = try Expression(bare: text) }
            } catch {
                findings.append(
                    file.diagnostic(
                        id: "expression", error.message, hint: error.hint, at: place, offset: error.offset ?? 0))
            }
        case .null, .bool, .integer, .double, .marked: break
        }
    }
}
