/// Lays out the parts of one list: in layers from the top to the bottom, in the order of the file.
///
/// Forward ways that pass a layer, and ways back, get their own lane in it: no way crosses a part. Lanes to the same
/// part are shared.
struct LayeredLayout {
    /// The content of a layer: a part with its error handler next to it, or the lane of a way.
    struct Slot {
        /// The part; nil for a lane.
        var part: Int?
        var layer: Int
        /// The room to the left and to the right of the point where ways arrive.
        var left: Double
        var right: Double
        var height: Double
        /// Where a lane leads; nil for a part.
        var target: Int?
        /// Whether it is the lane of a way back, which stays at the right.
        var isReturn = false
        /// Where ways arrive, from the left of the list.
        var x = 0.0
    }

    struct Part {
        var id: WorkflowDrawing.ID
        var block: Block
        /// The error handler, and the way there.
        var handler: (id: WorkflowDrawing.ID, block: Block, edge: WorkflowDrawing.Edge)?
        var layer = 0

        /// The distance of the handler from the part, with the label between them.
        var distance: Double {
            guard let handler else { return 0 }
            return max(Metrics.size(ofLabel: Metrics.label(handler.edge)).width + 26, 56)
        }

        /// Where the ways arrive, from the part's left border.
        var port: Double { block.width / 2 }

        /// Where the ways leave from the part or its handler, from the part's port.
        func departure(of id: WorkflowDrawing.ID) -> Double {
            guard let handler, handler.id == id else { return 0 }
            return block.width - port + distance + handler.block.width / 2
        }

        /// The way to the handler, below the part's upper border, with room for its label above.
        var fallbackHeight: Double {
            guard let handler else { return 0 }
            return max(Metrics.size(ofLabel: Metrics.label(handler.edge)).height + 6, 24)
        }

        /// The top of the handler, below the part's upper border.
        var handlerTop: Double {
            guard let handler, handler.block.height < fallbackHeight + 8 else { return 0 }
            return fallbackHeight - handler.block.height / 2
        }

        var height: Double { max(block.height, handlerTop + (handler?.block.height ?? 0)) }
    }

    /// An edge of the list, by the positions of its parts.
    struct Way {
        var edge: WorkflowDrawing.Edge
        var from: Int
        var to: Int
        /// The slots on its path, from the part that it leaves to the one that it reaches.
        var slots: [Int] = []

        /// Whether it leads to a part in the same layer, or in one above.
        var isReturn = false
    }

    private(set) var parts: [Part]
    private(set) var ways: [Way]
    private(set) var slots: [Slot] = []
    /// The slots of each layer, from left to right.
    private(set) var layers: [[Int]] = []

    init(
        _ list: [WorkflowDrawing.ID], _ blocks: [WorkflowDrawing.ID: Block], _ edges: [WorkflowDrawing.Edge],
        isRow: Bool
    ) {
        let own = Set(list)
        let edges = edges.filter { own.contains($0.from) && own.contains($0.to) }
        let fallbacks = edges.filter { $0.kind == .fallback }
        let handlers = Set(fallbacks.map(\.to))
        let empty = Block(width: 0, height: 0)
        parts = list.filter { !handlers.contains($0) }.map { id in
            let fallback = fallbacks.first { $0.from == id }
            return Part(
                id: id, block: blocks[id] ?? empty, handler: fallback.map { ($0.to, blocks[$0.to] ?? empty, $0) })
        }
        var places: [WorkflowDrawing.ID: Int] = [:]
        for (place, part) in parts.enumerated() {
            places[part.id] = place
            if let handler = part.handler { places[handler.id] = place }
        }
        ways = edges.filter { $0.kind == .flow }.compactMap { edge in
            guard let from = places[edge.from], let to = places[edge.to] else { return nil }
            return Way(edge: edge, from: from, to: to)
        }
        assignLayers(isRow: isRow)
        makeSlots()
        order()
        var placement = HorizontalPlacement(slots, layers, links)
        placement.run()
        for index in slots.indices { slots[index].x = placement.positions[index] }
    }

    var block: Block { RoutedLayers(self).block }

    private mutating func assignLayers(isRow: Bool) {
        var incoming: [Int: [Int]] = [:]
        for way in ways where way.to > way.from { incoming[way.to, default: []].append(way.from) }
        for place in parts.indices {
            if let nearest = incoming[place]?.map({ parts[$0].layer }).max() {
                parts[place].layer = nearest + 1
            } else if place > 0, !isRow {
                // Without an incoming way, it is placed as if it had one.
                parts[place].layer = parts[place - 1].layer + 1
            }
        }
        for index in ways.indices {
            ways[index].isReturn = parts[ways[index].to].layer <= parts[ways[index].from].layer
        }
    }

    private mutating func makeSlots() {
        let last = parts.map(\.layer).max() ?? 0
        layers = Array(repeating: [], count: last + 1)
        for (place, part) in parts.enumerated() {
            let right = part.block.width - part.port + (part.handler.map { part.distance + $0.block.width } ?? 0)
            add(Slot(part: place, layer: part.layer, left: part.port, right: right, height: part.height))
        }
        var lanes: [[Int]: Int] = [:]
        for index in ways.indices {
            let way = ways[index]
            let (from, to) = (parts[way.from].layer, parts[way.to].layer)
            let passed = way.isReturn ? Array((to...from).reversed()) : Array((from + 1)..<to)
            var slots = [way.from]
            for layer in passed {
                let key = [way.to, layer, way.isReturn ? 1 : 0]
                if lanes[key] == nil {
                    lanes[key] = self.slots.count
                    add(Slot(layer: layer, left: 5, right: 5, height: 0, target: way.to, isReturn: way.isReturn))
                }
                if let lane = lanes[key] { slots.append(lane) }
            }
            ways[index].slots = slots + [way.to]
            // A label is placed where the way first arrives.
            let label = Metrics.size(ofLabel: Metrics.label(way.edge)).width / 2
            if label > 0 {
                let first = ways[index].slots[1]
                self.slots[first].left = max(self.slots[first].left, label)
                self.slots[first].right = max(self.slots[first].right, label)
            }
        }
    }

    private mutating func add(_ slot: Slot) {
        layers[slot.layer].append(slots.count)
        slots.append(slot)
    }

    private var links: [HorizontalPlacement.Link] {
        ways.flatMap { way -> [HorizontalPlacement.Link] in
            zip(way.slots, way.slots.dropFirst()).enumerated().compactMap { place, pair in
                var (upper, lower) = pair
                guard slots[upper].layer != slots[lower].layer else { return nil }
                if slots[upper].layer > slots[lower].layer { swap(&upper, &lower) }
                let lanes = [upper, lower].count { slots[$0].part == nil }
                // Ways that join from the side do not pull: errors, ways back, and those that passed other layers.
                let isAside =
                    parts[way.from].handler?.id == way.edge.from || slots[lower].isReturn || slots[upper].isReturn
                let offset = place == 0 && !way.isReturn ? parts[way.from].departure(of: way.edge.from) : 0
                return HorizontalPlacement.Link(
                    upper: upper, lower: lower, offset: offset,
                    weight: lanes == 2 ? 8 : isAside ? 0.0001 : lanes == 1 ? 0.01 : 1)
            }
        }
    }

    /// Orders each layer by where its ways come from, and then by where they go; ways back stay at the right.
    private mutating func order() {
        let links = links
        let above = Dictionary(grouping: links, by: \.lower)
        let below = Dictionary(grouping: links, by: \.upper)
        var places = Array(repeating: 0.0, count: slots.count)
        func note(_ layer: [Int]) { for (place, slot) in layer.enumerated() { places[slot] = Double(place) } }
        layers.forEach(note)
        for isDownward in [true, false] {
            for layer in isDownward ? Array(layers.indices) : layers.indices.reversed() {
                let keys = layers[layer].map { slot -> (isReturn: Bool, place: Double) in
                    let near = isDownward ? above[slot]?.map(\.upper) : below[slot]?.map(\.lower)
                    guard let near, !near.isEmpty else { return (slots[slot].isReturn, places[slot]) }
                    return (slots[slot].isReturn, near.reduce(0) { $0 + places[$1] } / Double(near.count))
                }
                layers[layer] = layers[layer].indices.sorted { left, right in
                    if keys[left].isReturn != keys[right].isReturn { return keys[right].isReturn }
                    return (keys[left].place, left) < (keys[right].place, right)
                }.map { layers[layer][$0] }
                note(layers[layer])
            }
        }
    }
}
