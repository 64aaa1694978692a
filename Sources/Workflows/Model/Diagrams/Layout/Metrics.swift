/// The sizes of a picture, in units of the SVG, which are pixels on a screen.
enum Metrics {
    static let titleSize = 14.0
    static let textSize = 12.0
    static let titleHeight = 20.0
    static let lineHeight = 17.0
    /// Between the text of a node and its border.
    static let padding = 12.0
    /// The maximum width of a node's text.
    static let longestLine = 250.0
    /// The maximum width of an edge's label.
    static let longestLabel = 170.0
    /// The maximum number of lines of a label.
    static let mostLines = 5
    /// Between the border of a cluster and its content.
    static let clusterPadding = 18.0
    /// Between neighbours.
    static let gap = 30.0
    /// Between two parallel ways.
    static let track = 10.0
    /// Below a node, before a way can turn.
    static let departure = 14.0
    /// Above a node, after the last turn of a path, with the head of an arrow.
    static let arrival = 20.0
    /// Around the whole picture.
    static let margin = 24.0
    /// The width of a node's border, half of which is outside the node.
    static let stroke = 1.5

    static func label(_ edge: WorkflowDrawing.Edge) -> [String] {
        let lines = edge.label.map { TextWidth.shortened($0, to: longestLabel, size: textSize) }
        return lines.count > mostLines ? lines.prefix(mostLines - 1) + ["…"] : lines
    }

    static func size(ofLabel lines: [String]) -> (width: Double, height: Double) {
        guard !lines.isEmpty else { return (0, 0) }
        let width = lines.map { TextWidth.of($0, size: textSize) }.max() ?? 0
        return (width + 8, Double(lines.count) * lineHeight)
    }
}
