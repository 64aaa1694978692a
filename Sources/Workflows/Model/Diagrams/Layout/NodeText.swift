/// The text in a node or at the head of a cluster, cut to its width.
struct NodeText: Sendable {
    var title: String
    var lines: [String]
    var effect: Idempotency?
    var width: Double
    var height: Double

    init(_ node: WorkflowDrawing.Node) {
        title = TextWidth.shortened(node.caption.title, to: Metrics.longestLine, size: Metrics.titleSize, isBold: true)
        lines = (node.caption.words + node.caption.marks.map(\.text)).map {
            TextWidth.shortened($0, to: Metrics.longestLine, size: Metrics.textSize)
        }
        effect = node.effect
        let widths =
            [TextWidth.of(title, size: Metrics.titleSize, isBold: true)]
            + lines.map { TextWidth.of($0, size: Metrics.textSize) }
            // The sign is as wide as three letters.
            + (effect.map { [TextWidth.of("mmm" + $0.rawValue, size: Metrics.textSize)] } ?? [])
        width = widths.max() ?? 0
        height = Metrics.titleHeight + Double(lines.count + (effect == nil ? 0 : 1)) * Metrics.lineHeight
    }

    init(_ cluster: WorkflowDrawing.Cluster) {
        let kind = cluster.kind.rawValue
        let name = TextWidth.shortened(
            cluster.caption.title, to: Metrics.longestLine, size: Metrics.titleSize, isBold: true)
        title = name
        lines = (cluster.caption.words + cluster.caption.marks.map(\.text)).map {
            TextWidth.shortened($0, to: Metrics.longestLine, size: Metrics.textSize)
        }
        effect = nil
        let head =
            TextWidth.of(name, size: Metrics.titleSize, isBold: true)
            + TextWidth.of("mm" + kind, size: Metrics.textSize)
        width = ([head] + lines.map { TextWidth.of($0, size: Metrics.textSize) }).max() ?? 0
        height = Metrics.titleHeight + Double(lines.count) * Metrics.lineHeight
    }
}
