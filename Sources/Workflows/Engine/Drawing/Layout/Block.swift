/// A part of the picture that has been laid out by itself, from its own upper left corner.
struct Block {
    var width: Double
    var height: Double
    var frames: [WorkflowGraph.ID: Area] = [:]
    var routes: [Route] = []

    /// Takes over what another block holds, at a place in this one.
    mutating func add(_ other: Block, at place: Point) {
        for (id, frame) in other.frames { frames[id] = frame.moved(by: place) }
        routes += other.routes.map { $0.moved(by: place) }
    }
}
