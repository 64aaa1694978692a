/// The first findings about a source and the number of all, so that a million mistakes need no more memory than some.
struct FirstFindings {
    /// How many are shown.
    static let most = 100

    private var shown: [Diagnostic] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a finding, which is made only if it is shown.
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
