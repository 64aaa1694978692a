extension [Diagnostic] {
    static var mostShown: Int { 100 }

    func first(of document: Document, omitted: Int = 0) -> [Diagnostic] {
        first(in: document.name, omitted: omitted)
    }

    /// The first findings about a file, and one that says how many more there are.
    package func first(in file: String, omitted: Int) -> [Diagnostic] {
        let rest = dropFirst(Self.mostShown)
        let count = rest.count + omitted
        if count == 0 { return self }
        let isError = omitted > 0 || rest.contains { $0.severity == .error }
        let last = Diagnostic(
            isError ? .error : .warning, id: "more-findings",
            count == 1 ? "there is 1 more finding" : "there are \(count) more findings", file: file)
        return prefix(Self.mostShown) + [last]
    }

    var inFileOrder: [Diagnostic] {
        enumerated().sorted { left, right in
            let (first, second) = (left.element.range?.start, right.element.range?.start)
            return (first?.line ?? 0, first?.column ?? 0, left.offset)
                < (second?.line ?? 0, second?.column ?? 0, right.offset)
        }.map(\.element)
    }
}
