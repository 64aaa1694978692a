/// The errors in the expressions inside data, or in their evaluation.
public struct TemplateError: Error, Sendable, Hashable {
    /// An error in one expression.
    public struct Finding: Sendable, Hashable {
        /// The path of the string that contains the expression.
        public let pointer: JSONPointer
        /// The error; its offset counts Unicode scalars inside that string.
        public let error: ExpressionError
        package var expression: String?

        /// Creates a finding.
        public init(pointer: JSONPointer, error: ExpressionError) {
            self.pointer = pointer
            self.error = error
        }
    }

    /// All findings, in the order of the data; never empty.
    public let findings: [Finding]

    init(_ findings: [Finding]) { self.findings = findings }

    init(_ error: ExpressionError, of expression: Expression, at pointer: JSONPointer) {
        var finding = Finding(pointer: pointer, error: error)
        finding.expression = expression.source
        findings = [finding]
    }
}

extension TemplateError: CustomStringConvertible {
    /// The findings, one per line.
    public var description: String {
        findings.map { finding in
            finding.pointer.tokens.isEmpty ? finding.error.message : "\(finding.pointer): \(finding.error.message)"
        }.joined(separator: "\n")
    }
}
