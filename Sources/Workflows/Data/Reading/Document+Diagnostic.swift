extension Document {
    /// A diagnostic about the value at this pointer, or about its name.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ message: String, hint: String? = nil,
        at pointer: JSONPointer, part: Part = .value
    ) -> Diagnostic {
        diagnostic(severity, id: id, message, hint: hint, range: range(of: pointer, part: part))
    }

    /// A diagnostic about some characters of the string at this pointer.
    ///
    /// - Parameters:
    ///   - severity: How serious it is.
    ///   - id: The kind of diagnostic.
    ///   - message: What is wrong, in one sentence without a full stop.
    ///   - hint: Advice, if there is any.
    ///   - pointer: The string's path.
    ///   - offset: The number of Unicode scalars before the characters.
    ///   - length: The number of Unicode scalars in them.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ message: String, hint: String? = nil,
        at pointer: JSONPointer, offset: Int, length: Int = 1
    ) -> Diagnostic {
        diagnostic(severity, id: id, message, hint: hint, range: range(of: pointer, offset: offset, length: length))
    }

    private func diagnostic(
        _ severity: Diagnostic.Severity, id: String, _ message: String, hint: String?, range: SourceRange?
    ) -> Diagnostic {
        Diagnostic(
            severity, id: id, message, hint: hint, file: name, range: range,
            sourceLine: range.flatMap { shownLine($0.start.line) })
    }
}
