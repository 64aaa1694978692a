/// The meaning of the signs in a picture.
struct SVGLegend {
    private enum Entry {
        case effect(Idempotency)
        case fallback
        case retry

        var text: String {
            switch self {
            case .effect(.read): "read: changes nothing"
            case .effect(.idempotent): "idempotent: may be repeated"
            case .effect(.once): "once: must not happen twice"
            case .fallback: "when an error is caught"
            case .retry: "↻ tried again"
            }
        }

        var width: Double { TextWidth.of(text, size: Metrics.textSize) + 22 }
    }

    private let entries: [Entry]

    init(_ graph: WorkflowDrawing) {
        let effects = Idempotency.allCases.filter { effect in graph.nodes.contains { $0.effect == effect } }
        var entries = effects.map { Entry.effect($0) }
        if graph.edges.contains(where: { $0.kind == .fallback }) { entries.append(.fallback) }
        let marks = graph.nodes.flatMap(\.caption.marks) + graph.clusters.flatMap(\.caption.marks)
        let hasRetries = marks.contains { mark in if case .retry = mark { true } else { false } }
        if hasRetries { entries.append(.retry) }
        self.entries = entries
    }

    var width: Double { entries.map(\.width).max() ?? 0 }

    /// The height of the legend below the picture, with its margin.
    var height: Double { entries.isEmpty ? 0 : Double(entries.count) * Metrics.lineHeight + Metrics.margin }

    func elements(at corner: Point) -> [String] {
        entries.enumerated().map { number, entry in
            let y = corner.y + Double(number) * Metrics.lineHeight + 8
            let middle = Point(x: corner.x + 8, y: y)
            let text = "<text x=\"\((corner.x + 22).svg)\" y=\"\((y + 4).svg)\">\(entry.text.xml)</text>"
            switch entry {
            case .effect(let effect):
                return "<g class=\"legend \(effect.rawValue)\">\(effect.sign(at: middle))\(text)</g>"
            case .fallback:
                return "<g class=\"legend way fallback\"><path d=\"M\(corner.x.svg) \(y.svg)h16\"/>\(text)</g>"
            case .retry: return "<g class=\"legend\">\(text)</g>"
            }
        }
    }
}
