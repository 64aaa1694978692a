extension Diagnostic {
    /// The candidate that a misspelled word most likely means; nil if none is close.
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().unicodeScalars.prefix(64))
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != word {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
            // Up to a third of the letters may differ, but never all of them.
            let limit = min(max(1, max(letters.count, other.count) / 3), max(letters.count, other.count) - 1)
            guard abs(letters.count - other.count) <= limit else { continue }
            let distance = distance(letters, other)
            guard distance <= limit else { continue }
            if let best, (best.distance, best.name) <= (distance, candidate) { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// The hint `did you mean 'upload'?`; nil if no candidate is close.
    public static func didYouMean(_ word: String, among candidates: some Sequence<String>) -> String? {
        nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
    }

    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
