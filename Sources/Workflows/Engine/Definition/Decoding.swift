/// What is known and found while a workflow is decoded: the document, what it defines for reuse, and the findings.
///
/// Decoding goes on after an error, so that all of them are reported at once; a part that could not be decoded is nil.
final class Decoding {
    let document: Document
    /// The files beside the workflow, of which it can name some.
    let files: WorkflowFiles
    private(set) var diagnostics: [Diagnostic] = []
    /// Which texts are expressions, as `evaluate.mode` says.
    var mode = Template.Mode.strict
    /// What `use` defines under a name, by kind and name.
    var retries: [String: RetryPolicy] = [:]
    var timeouts: [String: DurationSource] = [:]
    var errors: [String: ErrorDefinition] = [:]
    /// The names in `use.authentications`, also of those that could not be decoded.
    var authenticationNames: [String] = []

    init(_ document: Document, files: WorkflowFiles) {
        self.document = document
        self.files = files
    }

    /// Notes something that is wrong.
    func report(
        _ id: String, _ message: String, hint: String? = nil, at pointer: JSONPointer, part: Document.Part = .value
    ) {
        diagnostics.append(document.diagnostic(id: id, message, hint: hint, at: pointer, part: part))
    }

    /// Notes something that is wrong with an expression, at a character of the text that holds it.
    func report(_ error: ExpressionError, at pointer: JSONPointer, offset: Int = 0) {
        diagnostics.append(
            document.diagnostic(
                .error, id: "expression", error.message, at: pointer, offset: offset + (error.offset ?? 0)))
    }
}
