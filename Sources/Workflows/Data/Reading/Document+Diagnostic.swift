extension Document {
    /// A finding about the value at this place, or about its name.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ message: String, hint: String? = nil,
        at pointer: JSONPointer, part: Part = .value
    ) -> Diagnostic {
        diagnostic(severity, id: id, message, hint: hint, range: range(of: pointer, part: part))
    }

    /// A finding about some characters of the string at this place.
    ///
    /// - Parameters:
    ///   - severity: How bad it is.
    ///   - id: The kind of finding.
    ///   - message: What is wrong, in one sentence without a full stop.
    ///   - hint: What to do about it.
    ///   - pointer: The place of the string.
    ///   - offset: The number of Unicode scalars before them.
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
