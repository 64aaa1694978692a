/// The state of decoding a workflow: the document, its reusable definitions, and the findings.
///
/// Decoding continues after an error, and reports all errors at once; a part that could not be decoded is nil.
final class Decoding {
    let document: Document
    let files: WorkflowFiles
    private var diagnostics: [Diagnostic] = []
    /// The number of errors that are only counted.
    private(set) var omitted = 0
    /// Which texts are expressions, from `evaluate.mode`.
    var mode = Template.Mode.strict
    /// Whether what is missing or cannot be read is completed, because somebody is still writing it.
    var completes = false
    /// The definitions of `use`, by kind and name.
    var retries: [String: RetryPolicy] = [:]
    var timeouts: [String: DurationSource] = [:]
    var errors: [String: ErrorDefinition] = [:]
    /// The endpoints of `use.catalogs`, each nil if it could not be decoded.
    var catalogs: [String: Endpoint?] = [:]
    /// The names in `use.authentications`, including those that could not be decoded.
    var authenticationNames: [String] = []

    init(_ document: Document, files: WorkflowFiles) {
        self.document = document
        self.files = files
    }

    /// The first findings in file order, with the number of further ones.
    var findings: [Diagnostic] { diagnostics.inFileOrder.first(of: document, omitted: omitted) }

    func report(
        _ id: String, _ message: @autoclosure () -> String, hint: @autoclosure () -> String? = nil,
        at pointer: @autoclosure () -> JSONPointer, part: Document.Part = .value
    ) {
        record { document.diagnostic(id: id, message(), hint: hint(), at: pointer(), part: part) }
    }

    /// Records an error in an expression at a character of its text.
    func report(_ error: ExpressionError, at pointer: JSONPointer, offset: Int = 0) {
        record {
            document.diagnostic(
                .error, id: "expression", error.message,
                hint: document.value[pointer]?.string.flatMap { Habits.hint(insteadOf: $0) } ?? error.hint, at: pointer,
                offset: offset + (error.offset ?? 0))
        }
    }

    private func record(_ diagnostic: () -> Diagnostic) {
        if diagnostics.count < [Diagnostic].mostShown { diagnostics.append(diagnostic()) } else { omitted += 1 }
    }
}
