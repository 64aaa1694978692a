/// The way of an edge through the picture, in horizontal and vertical pieces.
struct Route: Sendable {
    var edge: WorkflowDrawing.Edge
    var points: [Point]
    /// The middle of the label's upper border; nil without a label.
    var label: Point?

    func moved(by offset: Point) -> Route {
        Route(edge: edge, points: points.map { $0 + offset }, label: label.map { $0 + offset })
    }

    /// The points without those on a straight line.
    static func straightened(_ points: [Point]) -> [Point] {
        var kept: [Point] = []
        for point in points {
            if let last = kept.last, abs(last.x - point.x) < 0.01, abs(last.y - point.y) < 0.01 { continue }
            if kept.count >= 2 {
                let (before, last) = (kept[kept.count - 2], kept[kept.count - 1])
                let isStraight =
                    abs(before.x - last.x) < 0.01 && abs(last.x - point.x) < 0.01
                    || abs(before.y - last.y) < 0.01 && abs(last.y - point.y) < 0.01
                if isStraight { kept.removeLast() }
            }
            kept.append(point)
        }
        return kept
    }
}
