/// A place in the picture, in units of the SVG; the vertical axis points down.
struct Point: Sendable, Hashable {
    var x: Double
    var y: Double

    static func + (left: Point, right: Point) -> Point { Point(x: left.x + right.x, y: left.y + right.y) }
}

struct Area: Sendable, Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var maxX: Double { x + width }
    var maxY: Double { y + height }
    var midX: Double { x + width / 2 }
    var midY: Double { y + height / 2 }

    func moved(by offset: Point) -> Area { Area(x: x + offset.x, y: y + offset.y, width: width, height: height) }

    /// Whether both share more than a border.
    func overlaps(_ other: Area) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }
}

/// A part of the picture with its own layout, from its own upper left corner.
struct Block {
    var width: Double
    var height: Double
    var frames: [WorkflowDrawing.ID: Area] = [:]
    var routes: [Route] = []

    /// Adds the content of another block, at a place in this one.
    mutating func add(_ other: Block, at place: Point) {
        for (id, frame) in other.frames { frames[id] = frame.moved(by: place) }
        routes += other.routes.map { $0.moved(by: place) }
    }
}
