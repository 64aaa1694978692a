import Foundation
import TestSupport
import Testing

@testable import WorkflowModel
import Workflows

/// Drawings are legible: nothing overlaps, whatever the workflow.
@Suite(.serialized) struct DrawingLayoutTests {
    @Test(arguments: Array(SampleWorkflow.files))
    func `the samples lie in order`(_ name: String) throws {
        let workflow = try Workflow(contentsOf: SampleWorkflow.folder.appending(path: name))
        #expect(faults(of: WorkflowDrawing(workflow)) == [])
    }

    @Test(arguments: [30, 200], UInt64(1)...5)
    func `large workflows lie in order`(_ count: Int, _ seed: UInt64) throws {
        let graph = WorkflowDrawing(try RandomWorkflow.tasks(count, seed: seed))
        #expect(graph.nodes.count >= count / 3)
        #expect(faults(of: graph) == [])
    }

    @Test func `small workflows of any shape lie in order`() throws {
        for seed in UInt64(1)...150 {
            let faults = faults(of: WorkflowDrawing(try RandomWorkflow.tasks(8, seed: seed)))
            #expect(faults == [], "seed \(seed)")
        }
    }

    @Test func `ways cross seldom`() throws {
        let crossings = try (UInt64(1)...150).map { seed in
            self.crossings(in: DrawingLayout(WorkflowDrawing(try RandomWorkflow.tasks(8, seed: seed))))
        }
        #expect(crossings.reduce(0, +) <= 80)
    }

    @Test func `a chain goes straight down`() throws {
        let tasks = (1...30).map { #"{"task\#($0)": {"set": {"a": \#($0)}}}"# }.joined(separator: ", ")
        let graph = WorkflowDrawing(
            try Workflow(
                text: """
                    document: { dsl: 1.0.3, namespace: samples, name: chain, version: 1.0.0 }
                    do: [\(tasks)]
                    """))
        let layout = DrawingLayout(graph)
        #expect(layout.routes.allSatisfy { $0.points.count == 2 && $0.points[0].x == $0.points[1].x })
        #expect(layout.width < 300)
    }

    /// How often a horizontal piece of an edge crosses a vertical piece of another one.
    private func crossings(in layout: DrawingLayout) -> Int {
        let pieces = layout.routes.enumerated().flatMap { way, route in
            zip(route.points, route.points.dropFirst()).map { (way: way, start: $0, end: $1) }
        }
        func isWithin(_ place: Double, _ start: Double, _ end: Double) -> Bool {
            min(start, end) + 0.5 < place && place < max(start, end) - 0.5
        }
        return pieces.filter { $0.start.y == $0.end.y }.reduce(0) { count, level in
            count
                + pieces.count { upright in
                    upright.way != level.way && upright.start.x == upright.end.x
                        && isWithin(upright.start.x, level.start.x, level.end.x)
                        && isWithin(level.start.y, upright.start.y, upright.end.y)
                }
        }
    }

    /// All faults of the layout.
    private func faults(of graph: WorkflowDrawing) -> [String] {
        let layout = DrawingLayout(graph)
        let page = Area(x: 0, y: 0, width: layout.width, height: layout.height)
        let parents = Dictionary(
            uniqueKeysWithValues: graph.nodes.map { ($0.id, $0.cluster) } + graph.clusters.map { ($0.id, $0.cluster) })
        var faults: [String] = []
        for (id, area) in layout.frames {
            if !page.contains(area) { faults.append("\(id) is outside of the page") }
            if let parent = parents[id] ?? nil, layout.frames[parent]?.contains(area) != true {
                faults.append("\(id) is outside of \(parent)")
            }
        }
        for siblings in Dictionary(grouping: parents.keys, by: { parents[$0] ?? nil }).values {
            for (place, first) in siblings.enumerated() {
                for second in siblings.dropFirst(place + 1) {
                    guard let one = layout.frames[first], let other = layout.frames[second] else { continue }
                    if one.overlaps(other) { faults.append("\(first) and \(second) lie on each other") }
                }
            }
        }
        if layout.routes.count != graph.edges.count { faults.append("there are other ways than edges") }
        for route in layout.routes { faults += self.faults(of: route, graph, layout, page) }
        return faults.sorted()
    }

    private func faults(
        of route: Route, _ graph: WorkflowDrawing, _ layout: DrawingLayout, _ page: Area
    ) -> [String] {
        let name = "the way from \(route.edge.from) to \(route.edge.to)"
        var faults: [String] = []
        for (start, end) in zip(route.points, route.points.dropFirst()) {
            if start.x != end.x, abs(start.x - end.x) > 0.5, abs(start.y - end.y) > 0.5 {
                faults.append("\(name) is slanted")
            }
            let piece = Area(
                x: min(start.x, end.x), y: min(start.y, end.y), width: abs(start.x - end.x),
                height: abs(start.y - end.y))
            if !page.contains(piece) { faults.append("\(name) is outside of the page") }
            for node in graph.nodes {
                // An edge may touch the border of its ends.
                guard let area = layout.frames[node.id] else { continue }
                let inside = Area(x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2)
                if inside.overlaps(piece.widened) { faults.append("\(name) crosses \(node.id)") }
            }
        }
        if let place = route.label {
            let size = Metrics.size(ofLabel: Metrics.label(route.edge))
            let label = Area(x: place.x - size.width / 2, y: place.y, width: size.width, height: size.height)
            if !page.contains(label) { faults.append("the label of \(name) is outside of the page") }
            for node in graph.nodes {
                if layout.frames[node.id]?.overlaps(label) == true {
                    faults.append("the label of \(name) is on \(node.id)")
                }
            }
        } else if !route.edge.label.isEmpty {
            faults.append("\(name) lost its label")
        }
        return faults
    }
}

extension Area {
    /// Whether the other is inside this one.
    fileprivate func contains(_ other: Area) -> Bool {
        x <= other.x && y <= other.y && maxX >= other.maxX && maxY >= other.maxY
    }

    /// A line as a rectangle with an area.
    fileprivate var widened: Area { Area(x: x - 0.1, y: y - 0.1, width: width + 0.2, height: height + 0.2) }
}
