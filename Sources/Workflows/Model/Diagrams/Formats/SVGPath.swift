enum SVGPath {
    static func rounded(_ points: [Point]) -> String {
        guard let first = points.first, let last = points.last else { return "" }
        var path = "M\(first.svg)"
        for (index, corner) in points.enumerated().dropFirst().dropLast() {
            let (before, after) = (points[index - 1], points[index + 1])
            let radius = min(8, length(before, corner) / 2, length(corner, after) / 2)
            path += "L\(towards(before, from: corner, by: radius).svg)"
            path += "Q\(corner.svg) \(towards(after, from: corner, by: radius).svg)"
        }
        return path + "L\(last.svg)"
    }

    static func arrow(_ points: [Point]) -> String {
        guard points.count >= 2, let tip = points.last else { return "" }
        let base = towards(points[points.count - 2], from: tip, by: 8)
        let (x, y) = ((tip.y - base.y) / 2, (base.x - tip.x) / 2)
        return "M\(tip.svg)L\(Point(x: base.x + x, y: base.y + y).svg)L\(Point(x: base.x - x, y: base.y - y).svg)Z"
    }

    static func rectangle(_ frame: Area, radius: Double) -> String {
        "<rect x=\"\(frame.x.svg)\" y=\"\(frame.y.svg)\" width=\"\(frame.width.svg)\" height=\"\(frame.height.svg)\" "
            + "rx=\"\(radius.svg)\"/>"
    }

    /// A hexagon with points at its sides, or an octagon.
    static func outline(_ frame: Area, cut: Double, isPointed: Bool) -> String {
        let (left, right, top, bottom) = (frame.x, frame.maxX, frame.y, frame.maxY)
        let side = isPointed ? frame.height / 2 : cut
        let points = [
            (left + cut, top), (right - cut, top), (right, top + side), (right, bottom - side), (right - cut, bottom),
            (left + cut, bottom), (left, bottom - side), (left, top + side),
        ]
        return polygon(points)
    }

    static func slanted(_ frame: Area, by slant: Double) -> String {
        polygon([
            (frame.x + slant, frame.y), (frame.maxX, frame.y), (frame.maxX - slant, frame.maxY), (frame.x, frame.maxY),
        ])
    }

    private static func polygon(_ points: [(Double, Double)]) -> String {
        "<polygon points=\"\(points.map { "\($0.svg),\($1.svg)" }.joined(separator: " "))\"/>"
    }

    private static func length(_ from: Point, _ to: Point) -> Double { abs(from.x - to.x) + abs(from.y - to.y) }

    /// The point at that distance on the way from one to the other.
    private static func towards(_ to: Point, from: Point, by distance: Double) -> Point {
        let length = length(from, to)
        guard length > 0 else { return from }
        return Point(
            x: from.x + (to.x - from.x) / length * distance, y: from.y + (to.y - from.y) / length * distance)
    }
}

extension Point {
    fileprivate var svg: String { "\(x.svg) \(y.svg)" }
}

extension Double {
    /// The number with at most one decimal, the same on every machine.
    var svg: String {
        let tenths = Int((self * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }
}

extension String {
    /// The text in one line as XML content or as a quoted attribute.
    var xml: String { PlainText.line(self, limit: 10_000).htmlEscaped }
}

extension [String] {
    var xml: String { map(\.xml).joined(separator: "\n") }
}
