/// A semantic version, in the order of precedence.
///
/// Specification: Semantic Versioning 2.0.0, section 11.
struct SemanticVersion: Comparable {
    private let numbers: [Int]
    private let prerelease: [Substring]

    init?(_ text: String) {
        guard text.isSemanticVersion else { return nil }
        let precise = text.prefix { $0 != "+" }
        let parts = precise.split(separator: "-", maxSplits: 1)
        numbers = (parts.first ?? "").split(separator: ".").map { Int($0) ?? .max }
        prerelease = parts.count > 1 ? parts[1].split(separator: ".") : []
    }

    static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        guard left.numbers == right.numbers else { return left.numbers.lexicographicallyPrecedes(right.numbers) }
        // A prerelease comes before its release.
        guard !left.prerelease.isEmpty, !right.prerelease.isEmpty else {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease) { left, right in
            switch (Int(left), Int(right)) {
            case (let left?, let right?): left < right
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): left < right
            }
        }
    }
}
