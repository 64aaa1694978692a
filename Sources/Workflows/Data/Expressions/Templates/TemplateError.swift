/// What is wrong with the expressions inside data, or what went wrong while they were evaluated.
public struct TemplateError: Error, Sendable, Hashable {
    /// One expression that is wrong.
    public struct Finding: Sendable, Hashable {
        /// The place of the string that the expression stands in.
        public let pointer: JSONPointer
        /// What is wrong; its offset counts Unicode scalars inside that string.
        public let error: ExpressionError

        /// Creates a finding.
        public init(pointer: JSONPointer, error: ExpressionError) {
            self.pointer = pointer
            self.error = error
        }
    }

    /// All findings, in the order of the data; never empty.
    public let findings: [Finding]

    init(_ findings: [Finding]) { self.findings = findings }
}

extension TemplateError: CustomStringConvertible {
    /// The findings, one a line.
    public var description: String {
        findings.map { finding in
            finding.pointer.tokens.isEmpty ? finding.error.message : "\(finding.pointer): \(finding.error.message)"
        }.joined(separator: "\n")
    }
}
