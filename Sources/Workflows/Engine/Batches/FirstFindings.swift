/// The first errors in a source and their number, and the first warnings: memory stays bounded.
struct FirstFindings {
    static let most = 100

    private var shown: [Diagnostic] = []
    private var count = 0
    private(set) var warnings: [Diagnostic] = []
    /// The names of items that were looked at.
    private var names: Set<String> = []

    /// Whether there are no errors.
    var isEmpty: Bool { count == 0 }

    /// Adds a finding, which is created only if it is shown.
    mutating func add(_ finding: () -> Diagnostic) {
        count += 1
        if shown.count < Self.most { shown.append(finding()) }
    }

    /// Adds errors and warnings.
    mutating func add(_ findings: [Diagnostic]) {
        for finding in findings {
            if finding.severity == .warning { warn { finding } } else { add { finding } }
        }
    }

    mutating func warn(_ finding: () -> Diagnostic) {
        guard warnings.count < Self.most else { return }
        var warning = finding()
        warning.severity = .warning
        // One line says it.
        warning.sourceLine = nil
        warnings.append(warning)
    }

    /// Whether a name is new; only a few are kept.
    mutating func isNew(_ name: String) -> Bool { names.count < 1_000 && names.insert(name).inserted }

    /// The errors as one, whose last one says how many more there are.
    func error(in file: String) -> ReadingError {
        ReadingError(diagnostics: shown.first(in: file, omitted: count - shown.count))
    }
}
