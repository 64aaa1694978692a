/// The first findings about a source and the total number: memory stays bounded.
struct FirstFindings {
    static let most = 100

    private var shown: [Diagnostic] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a finding, which is created only if it is shown.
    mutating func add(_ finding: () -> Diagnostic) {
        count += 1
        if shown.count < Self.most { shown.append(finding()) }
    }

    mutating func add(_ findings: [Diagnostic]) {
        for finding in findings { add { finding } }
    }

    /// The findings as an error, whose last one says how many more there are.
    func error(in file: String) -> ReadingError {
        ReadingError(diagnostics: shown.first(in: file, omitted: count - shown.count))
    }
}
