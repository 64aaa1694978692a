import Workflows

extension CaseIterable where Self: RawRepresentable<String> {
    /// The case that an option names.
    /// - Parameters:
    ///   - name: The name that was given.
    ///   - kind: What the cases are, in the singular: `format`.
    ///   - purpose: What they are for, after the name: ` for a plan`.
    init(option name: String, _ kind: String, purpose: String = "") throws(UsageError) {
        guard let value = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            throw UsageError(
                "there is no \(kind) '\(name)'\(purpose)",
                hint: Diagnostic.didYouMean(name, among: names) ?? "choose one of \(names.joined(separator: ", "))")
        }
        self = value
    }
}
