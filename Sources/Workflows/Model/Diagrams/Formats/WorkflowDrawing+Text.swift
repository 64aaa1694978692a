extension WorkflowDrawing {
    /// Where a text gets too long for a picture, in characters.
    static let longestText = 44

    /// The parts that lie directly in a cluster, in order; nil for those that lie in none.
    func parts(of cluster: ID?) -> [ID] {
        (nodes.filter { $0.cluster == cluster }.map(\.id) + clusters.filter { $0.cluster == cluster }.map(\.id))
            .sorted()
    }
}

extension WorkflowDrawing.Node {
    /// What stands in the node, each line as long as a picture can show it.
    var shortLines: [String] {
        caption.lines.map { $0.shortened(to: WorkflowDrawing.longestText) }
            + (effect.map { ["\($0.sign) \($0.rawValue)"] } ?? [])
    }
}

extension WorkflowDrawing.Cluster {
    /// The cluster's name, what kind of task it is, and what holds for it.
    var shortLines: [String] {
        let words = (caption.words + caption.marks.map(\.text)).map { $0.shortened(to: WorkflowDrawing.longestText) }
        return ["\(caption.title.shortened(to: WorkflowDrawing.longestText)) · \(kind.rawValue)"] + words
    }
}

extension Idempotency {
    /// A sign that tells the effect without a colour.
    var sign: String {
        switch self {
        case .read: "○"
        case .idempotent: "■"
        case .once: "▲"
        }
    }
}

extension String {
    /// The text in one line that shows nothing which would disturb what is around it, cut where it gets long.
    func shortened(to length: Int) -> String {
        PlainText.fitted(PlainText.line(self, limit: 10_000), to: length)
    }
}
