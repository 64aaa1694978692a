extension WorkflowDrawing {
    /// The maximum length of a text in a picture, in characters.
    static let longestText = 44

    /// The parts directly in a cluster, in order; nil for those in none.
    func parts(of cluster: ID?) -> [ID] {
        (nodes.filter { $0.cluster == cluster }.map(\.id) + clusters.filter { $0.cluster == cluster }.map(\.id))
            .sorted()
    }
}

extension WorkflowDrawing.Node {
    var shortLines: [String] {
        caption.lines.map { $0.shortened(to: WorkflowDrawing.longestText) }
            + (effect.map { ["\($0.sign) \($0.rawValue)"] } ?? [])
    }
}

extension WorkflowDrawing.Cluster {
    /// The cluster's name, its kind of task, and its marks.
    var shortLines: [String] {
        let words = (caption.words + caption.marks.map(\.text)).map { $0.shortened(to: WorkflowDrawing.longestText) }
        return ["\(caption.title.shortened(to: WorkflowDrawing.longestText)) · \(kind.rawValue)"] + words
    }
}

extension Idempotency {
    /// A sign that shows the effect without colour.
    var sign: String {
        switch self {
        case .read: "○"
        case .idempotent: "■"
        case .once: "▲"
        }
    }
}

extension String {
    /// The text in one line, harmless to its surroundings and shortened if it is long.
    func shortened(to length: Int) -> String {
        PlainText.fitted(PlainText.line(self, limit: 10_000), to: length)
    }
}
