/// The errors of a batch's items, grouped by their types.
struct BatchErrors {
    /// What errors of a group have in common.
    struct Kind: Hashable {
        var state: BatchEntry.State
        var type: String
        var status: Int?
        var title: String?
    }

    struct Group {
        let kind: Kind
        var count = 0
        /// The newest items.
        var examples: [BatchEntry] = []
    }

    /// How many items of a group fit on a line.
    static let fewExamples = 3
    /// Further kinds of errors become one group, such as those whose titles differ for each item.
    private static let mostGroups = 200
    private static let others = "other errors"

    private let mostExamples: Int
    private(set) var groups: [Group] = []
    private var indices: [Kind: Int] = [:]

    init(mostExamples: Int = fewExamples) { self.mostExamples = mostExamples }

    var largestFirst: [Group] {
        groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
    }

    /// Adds an item that did not complete.
    /// - Returns: The number of items in its group.
    @discardableResult mutating func add(_ entry: BatchEntry) -> Int {
        let index = index(of: Kind(entry))
        groups[index].count += 1
        groups[index].examples.append(entry)
        if groups[index].examples.count > mostExamples { groups[index].examples.removeFirst() }
        return groups[index].count
    }

    private mutating func index(of kind: Kind) -> Int {
        if let index = indices[kind] { return index }
        let other = Kind(state: kind.state, type: Self.others)
        guard groups.count < Self.mostGroups || kind == other else { return index(of: other) }
        indices[kind] = groups.count
        groups.append(Group(kind: kind))
        return groups.count - 1
    }
}

extension BatchErrors.Kind {
    init(_ entry: BatchEntry) {
        state = entry.state
        type = entry.error?["type"]?.string ?? "unknown"
        status = entry.error?["status"]?.integer
        title = entry.error?["title"]?.string
    }

    /// The kind in words: `403 Forbidden`.
    var text: String {
        let words = [status.map(String.init), title ?? type].compactMap(\.self).joined(separator: " ")
        return PlainText.line(words, limit: 200)
    }
}
