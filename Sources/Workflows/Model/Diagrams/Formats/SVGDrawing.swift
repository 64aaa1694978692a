struct SVGDrawing {
    private let graph: WorkflowDrawing
    private let layout: DrawingLayout
    private let legend: SVGLegend
    /// Whether it is a part of a page that has the style and finds tasks by `data-task`.
    private let isPart: Bool

    init(_ graph: WorkflowDrawing, isPart: Bool = false) {
        self.graph = graph
        self.isPart = isPart
        layout = DrawingLayout(graph)
        legend = SVGLegend(graph)
    }

    var text: String {
        let width = max(layout.width, legend.width + 2 * Metrics.margin)
        let height = layout.height + legend.height
        let size = "\(width.svg) \(height.svg)"
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\" width=\"\(width.svg)\" "
                + "height=\"\(height.svg)\" role=\"img\">",
            "<title>\(graph.title.xml)</title>",
        ]
        if !isPart { lines.append("<style>\(SVGStyle.text)</style>") }
        lines += [
            "<rect class=\"page\" width=\"\(width.svg)\" height=\"\(height.svg)\"/>"
        ]
        lines += graph.clusters.compactMap { cluster in layout.frames[cluster.id].map { draw(cluster, in: $0) } }
        lines += layout.routes.map(draw)
        lines += graph.nodes.compactMap { node in layout.frames[node.id].map { draw(node, in: $0) } }
        // Labels come last: no way may hide them.
        lines += layout.routes.compactMap(label)
        lines += legend.elements(at: Point(x: Metrics.margin, y: layout.height))
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private func draw(_ cluster: WorkflowDrawing.Cluster, in frame: Area) -> String {
        let text = NodeText(cluster)
        let x = frame.x + Metrics.padding
        var y = frame.y + Metrics.padding + 11
        let place = cluster.kind == .catch ? cluster.task.map { JSONPointer($0.tokens + ["catch"]) } : cluster.task
        var element =
            "<g class=\"cluster \(cluster.kind.rawValue)\"\(attribute(place))><title>\(cluster.caption.lines.xml)</title>"
        element +=
            "<rect x=\"\(frame.x.svg)\" y=\"\(frame.y.svg)\" width=\"\(frame.width.svg)\" "
            + "height=\"\(frame.height.svg)\" rx=\"10\"/>"
        element +=
            "<text x=\"\(x.svg)\" y=\"\(y.svg)\"><tspan class=\"name\">\(text.title.xml)</tspan>"
            + "<tspan class=\"kind\" dx=\"8\">\(cluster.kind.rawValue)</tspan></text>"
        for line in text.lines {
            y += Metrics.lineHeight
            element += "<text class=\"line\" x=\"\(x.svg)\" y=\"\(y.svg)\">\(line.xml)</text>"
        }
        return element + "</g>"
    }

    private func draw(_ node: WorkflowDrawing.Node, in frame: Area) -> String {
        let effect = node.effect.map { " \($0.rawValue)" } ?? ""
        let title = (node.caption.lines + (node.effect.map { ["effect: \($0.rawValue)"] } ?? [])).xml
        let head =
            "<g class=\"node \(node.kind.rawValue)\(effect)\"\(attribute(node.task))><title>\(title)</title>"
            + node.shape(in: frame)
        guard node.kind != .exit, node.kind != .end else { return head + "</g>" }
        let text = NodeText(node)
        let x = frame.midX.svg
        var y = frame.y + Metrics.padding + 10
        var element = head + "<text class=\"name\" x=\"\(x)\" y=\"\(y.svg)\">\(text.title.xml)</text>"
        for line in text.lines {
            y += Metrics.lineHeight
            element += "<text class=\"line\" x=\"\(x)\" y=\"\(y.svg)\">\(line.xml)</text>"
        }
        if let effect = text.effect {
            y += Metrics.lineHeight
            let half = TextWidth.of(effect.rawValue, size: Metrics.textSize) * 0.45
            element += effect.sign(at: Point(x: frame.midX - half - 6, y: y - 4))
            element += "<text class=\"effect\" x=\"\((frame.midX + 6).svg)\" y=\"\(y.svg)\">\(effect.rawValue)</text>"
        }
        return element + "</g>"
    }

    /// The attribute by which the page around the picture finds a task.
    private func attribute(_ task: JSONPointer?) -> String {
        guard isPart, let task else { return "" }
        return " data-task=\"\(task.description.htmlEscaped)\""
    }

    private func draw(_ route: Route) -> String {
        let kind = route.edge.kind == .fallback ? "way fallback" : "way"
        return "<g class=\"\(kind)\"><path d=\"\(SVGPath.rounded(route.points))\"/>"
            + "<path class=\"arrow\" d=\"\(SVGPath.arrow(route.points))\"/></g>"
    }

    private func label(_ route: Route) -> String? {
        guard let place = route.label else { return nil }
        let lines = Metrics.label(route.edge).enumerated().map { number, line in
            "<text x=\"\(place.x.svg)\" y=\"\((place.y + 13 + Double(number) * Metrics.lineHeight).svg)\">\(line.xml)</text>"
        }
        let kind = route.edge.kind == .fallback ? "label fallback" : "label"
        return "<g class=\"\(kind)\"><title>\(route.edge.label.xml)</title>\(lines.joined())</g>"
    }
}

extension WorkflowDrawing.Node {
    fileprivate func shape(in frame: Area) -> String {
        switch kind {
        case .end:
            return "<circle cx=\"\(frame.midX.svg)\" cy=\"\(frame.midY.svg)\" r=\"10\"/>"
                + "<circle class=\"dot\" cx=\"\(frame.midX.svg)\" cy=\"\(frame.midY.svg)\" r=\"5.5\"/>"
        case .exit: return "<circle class=\"dot\" cx=\"\(frame.midX.svg)\" cy=\"\(frame.midY.svg)\" r=\"6\"/>"
        case .switch: return SVGPath.outline(frame, cut: 16, isPointed: true)
        case .raise: return SVGPath.outline(frame, cut: 10, isPointed: false)
        case .emit, .listen: return SVGPath.slanted(frame, by: 14)
        case .start, .wait: return SVGPath.rectangle(frame, radius: min(frame.height / 2, 20))
        case .call, .empty, .ignored, .run, .set: return SVGPath.rectangle(frame, radius: 6)
        }
    }
}

extension Idempotency {
    /// The sign of the effect, readable without colour: a ring, a square, or a triangle.
    func sign(at middle: Point) -> String {
        switch self {
        case .read: "<circle class=\"sign ring\" cx=\"\(middle.x.svg)\" cy=\"\(middle.y.svg)\" r=\"4\"/>"
        case .idempotent:
            "<rect class=\"sign\" x=\"\((middle.x - 4).svg)\" y=\"\((middle.y - 4).svg)\" width=\"8\" height=\"8\"/>"
        case .once:
            "<path class=\"sign\" d=\"M\(middle.x.svg) \((middle.y - 5).svg)L\((middle.x + 5.5).svg) "
                + "\((middle.y + 4).svg)L\((middle.x - 5.5).svg) \((middle.y + 4).svg)Z\"/>"
        }
    }
}

extension WorkflowDrawing {
    /// The picture as SVG, light or dark as the viewer prefers.
    ///
    /// It has no scripts and loads nothing; fonts are the viewer's. Tooltips show shortened text in full.
    public var svg: String { SVGDrawing(self).text }

    /// The picture as an element of a page, which names its tasks in `data-task` and needs ``svgStyle`` around it.
    package var svgElement: String { SVGDrawing(self, isPart: true).text }

    /// The style sheet of ``svgElement``.
    package static var svgStyle: String { SVGStyle.text }
}
