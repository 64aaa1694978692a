/// The place of every part of a workflow's picture.
///
/// Clusters are laid out from the inside out, each alone: its parts in layers, and its ways between the layers, where
/// they cross no part.
struct DrawingLayout: Sendable {
    let frames: [WorkflowDrawing.ID: Area]
    let routes: [Route]
    let width: Double
    let height: Double

    init(_ graph: WorkflowDrawing) {
        let parts = Parts(graph)
        let all = parts.children(of: nil)
        let definitions = all.filter { parts.isDefinition($0) }
        let flow = parts.block(of: all.filter { !parts.isDefinition($0) }, isRow: false)
        var whole = Block(width: flow.width, height: flow.height)
        whole.add(flow, at: Point(x: 0, y: 0))
        var y = 0.0
        // Definitions are placed next to the tasks.
        for id in definitions {
            let block = parts.block(of: id)
            let x = flow.width + 2 * Metrics.gap
            whole.add(block, at: Point(x: x, y: y))
            whole.width = max(whole.width, x + block.width)
            y += block.height + Metrics.gap
        }
        whole.height = max(whole.height, y - Metrics.gap)
        var page = Block(width: whole.width + 2 * Metrics.margin, height: whole.height + 2 * Metrics.margin)
        page.add(whole, at: Point(x: Metrics.margin, y: Metrics.margin))
        (frames, routes, width, height) = (page.frames, page.routes, page.width, page.height)
    }
}

/// The parts of a picture, by their containers.
private struct Parts {
    private let nodes: [WorkflowDrawing.ID: WorkflowDrawing.Node]
    private let clusters: [WorkflowDrawing.ID: WorkflowDrawing.Cluster]
    private let children: [WorkflowDrawing.ID?: [WorkflowDrawing.ID]]
    private let edges: [WorkflowDrawing.ID?: [WorkflowDrawing.Edge]]

    init(_ graph: WorkflowDrawing) {
        nodes = Dictionary(graph.nodes.map { ($0.id, $0) }) { first, _ in first }
        clusters = Dictionary(graph.clusters.map { ($0.id, $0) }) { first, _ in first }
        let places = graph.nodes.map { ($0.id, $0.cluster) } + graph.clusters.map { ($0.id, $0.cluster) }
        children = Dictionary(grouping: places.sorted { $0.0 < $1.0 }) { $0.1 }.mapValues { $0.map(\.0) }
        let parents = Dictionary(places) { first, _ in first }
        edges = Dictionary(grouping: graph.edges) { parents[$0.from] ?? nil }
    }

    func children(of id: WorkflowDrawing.ID?) -> [WorkflowDrawing.ID] { children[id] ?? [] }

    func isDefinition(_ id: WorkflowDrawing.ID) -> Bool {
        clusters[id].map { $0.kind == .function || $0.kind == .extension } ?? false
    }

    /// A list of parts, or parts side by side, with the ways between them.
    func block(of list: [WorkflowDrawing.ID], isRow: Bool) -> Block {
        guard let first = list.first else { return Block(width: 0, height: 0) }
        let parent = nodes[first].map(\.cluster) ?? clusters[first]?.cluster
        let blocks = Dictionary(uniqueKeysWithValues: list.map { ($0, block(of: $0)) })
        return LayeredLayout(list, blocks, edges[parent] ?? [], isRow: isRow).block
    }

    func block(of id: WorkflowDrawing.ID) -> Block {
        if let node = nodes[id] {
            let size = node.size
            var block = Block(width: size.width, height: size.height)
            block.frames[id] = Area(x: 0, y: 0, width: size.width, height: size.height)
            return block
        }
        guard let cluster = clusters[id] else { return Block(width: 0, height: 0) }
        let content = block(of: children(of: id), isRow: cluster.kind == .fork)
        let text = NodeText(cluster)
        let width = max(content.width + 2 * Metrics.clusterPadding, text.width + 2 * Metrics.padding)
        let head = Metrics.padding + text.height
        let height = head + Metrics.padding / 2 + content.height + Metrics.clusterPadding
        var block = Block(width: width, height: height)
        block.frames[id] = Area(x: 0, y: 0, width: width, height: height)
        block.add(content, at: Point(x: (width - content.width) / 2, y: head + Metrics.padding / 2))
        return block
    }
}

extension WorkflowDrawing.Node {
    fileprivate var size: (width: Double, height: Double) {
        switch kind {
        case .exit: return (14, 14)
        case .end: return (22, 22)
        default: break
        }
        let text = NodeText(self)
        // Pointed shapes need room for their points.
        let points = kind == .switch || kind == .emit || kind == .listen || kind == .raise ? 20.0 : 0
        return (max(text.width + 2 * Metrics.padding + points, 72), text.height + 2 * Metrics.padding - 6)
    }
}
