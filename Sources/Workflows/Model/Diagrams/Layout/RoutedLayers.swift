/// Sets the heights of a list's layers, and routes its ways through the channels between them.
struct RoutedLayers {
    /// A turn of a way: from one vertical piece to the next, in the channel below a layer.
    private struct Turn {
        var way: Int
        /// The piece of the way that begins there.
        var piece: Int
        var from: Double
        var to: Double
        var track = 0
        var label: [String] = []
        /// Whether the way goes up after the turn.
        var isUpward = false

        var isBend: Bool { abs(from - to) > 0.5 }
    }

    private let layout: LayeredLayout
    /// The turns below each layer; the first channel is above all of them.
    private var channels: [[Turn]]
    private var tops: [Double] = []
    private var channelTops: [Double] = []
    private var labelHeights: [Double] = []
    private var height = 0.0

    init(_ layout: LayeredLayout) {
        self.layout = layout
        channels = Array(repeating: [], count: layout.layers.count + 1)
        collectTurns()
        for index in channels.indices { Self.assignTracks(&channels[index]) }
        stack()
    }

    var block: Block {
        var width = layout.slots.map { $0.x + $0.right }.max() ?? 0
        let turns = Dictionary(
            grouping: channels.enumerated().flatMap { channel, turns in turns.map { (channel: channel, turn: $0) } },
            by: \.turn.way)
        let routes = layout.ways.indices.map { route($0, turns[$0] ?? []) }
        width = max(width, routes.flatMap(\.points).map(\.x).max() ?? 0)
        var block = Block(width: width, height: height)
        for (place, part) in layout.parts.enumerated() {
            let slot = layout.slots[place]
            let corner = Point(x: slot.x - part.port, y: tops[part.layer])
            block.add(part.block, at: corner)
            guard let handler = part.handler else { continue }
            let x = corner.x + part.block.width
            block.add(handler.block, at: Point(x: x + part.distance, y: corner.y + part.handlerTop))
            let y = corner.y + part.fallbackHeight
            block.routes.append(
                Route(
                    edge: handler.edge, points: [Point(x: x, y: y), Point(x: x + part.distance, y: y)],
                    label: Point(x: x + part.distance / 2 - 3, y: corner.y)))
        }
        block.routes += routes
        return block
    }

    private mutating func collectTurns() {
        for (index, way) in layout.ways.enumerated() {
            var from = layout.slots[way.from].x + layout.parts[way.from].departure(of: way.edge.from)
            for (piece, pair) in zip(way.slots, way.slots.dropFirst()).enumerated() {
                let to = layout.slots[pair.1].x
                // A way back first goes below the layer that it leaves, and finally above the one that it reaches.
                let channel =
                    way.isReturn
                    ? (piece == 0 ? layout.slots[pair.0].layer + 1 : layout.slots[pair.0].layer)
                    : layout.slots[pair.0].layer + 1
                let isUpward = way.isReturn && piece < way.slots.count - 2
                channels[channel].append(
                    Turn(
                        way: index, piece: piece, from: from, to: to,
                        label: piece == 0 ? Metrics.label(way.edge) : [], isUpward: isUpward))
                from = to
            }
        }
    }

    /// Gives overlapping turns their own tracks; turns that begin at one place share theirs.
    private static func assignTracks(_ turns: inout [Turn]) {
        var tracks: [[(range: ClosedRange<Double>, from: Double)]] = []
        var open = turns.indices.filter { turns[$0].isBend }.sorted { left, right in
            (abs(turns[left].from - turns[left].to), left) < (abs(turns[right].from - turns[right].to), right)
        }
        var lowest: [Int: Int] = [:]
        while !open.isEmpty {
            // If one way arrives where another leaves, the one that leaves turns first.
            let next =
                open.firstIndex { index in
                    !open.contains { $0 != index && abs(turns[$0].from - turns[index].to) < 4 }
                } ?? 0
            let index = open.remove(at: next)
            let turn = turns[index]
            let range = (min(turn.from, turn.to) - 4)...(max(turn.from, turn.to) + 4)
            let first = min(lowest[index] ?? 0, tracks.count)
            let free = tracks.indices.dropFirst(first).first { track in
                tracks[track].allSatisfy { !$0.range.overlaps(range) || abs($0.from - turn.from) < 0.5 }
            }
            let track = free ?? tracks.count
            if track == tracks.count { tracks.append([]) }
            tracks[track].append((range, turn.from))
            turns[index].track = track
            for other in open where abs(turns[other].to - turn.from) < 4 {
                lowest[other] = max(lowest[other] ?? 0, track + 1)
            }
        }
    }

    private mutating func stack() {
        var y = 0.0
        for channel in channels.indices {
            let turns = channels[channel]
            let tracks = (turns.filter(\.isBend).map(\.track).max() ?? -1) + 1
            // Labels that arrive at the same place are stacked.
            let labels = Dictionary(grouping: turns.filter { !$0.isUpward }) { $0.to }.values.map { turns in
                turns.reduce(0) { $0 + Metrics.size(ofLabel: $1.label).height }
            }
            let upward = turns.filter(\.isUpward).map { Metrics.size(ofLabel: $0.label).height }.max() ?? 0
            channelTops.append(y + upward)
            labelHeights.append(labels.max() ?? 0)
            let isOutside = channel == 0 || channel == channels.count - 1
            if !isOutside || !turns.isEmpty {
                y += upward + Metrics.departure + Double(max(0, tracks - 1)) * Metrics.track
                y += (labels.max() ?? 0) + Metrics.arrival
            }
            guard channel < layout.layers.count else { continue }
            tops.append(y)
            y += layout.layers[channel].map { layout.slots[$0].height }.max() ?? 0
        }
        height = y
    }

    private func route(_ index: Int, _ turns: [(channel: Int, turn: Turn)]) -> Route {
        let way = layout.ways[index]
        let part = layout.parts[way.from]
        let isHandler = part.handler?.id == way.edge.from
        let bottom =
            tops[part.layer]
            + (isHandler ? part.handlerTop + (part.handler?.block.height ?? 0) : part.block.height)
        let turns = turns.sorted { $0.turn.piece < $1.turn.piece }
        guard let first = turns.first else { return Route(edge: way.edge, points: [], label: nil) }
        var points = [Point(x: first.turn.from, y: bottom)]
        for (channel, turn) in turns where turn.isBend {
            let y = channelTops[channel] + Metrics.departure + Double(turn.track) * Metrics.track
            points.append(Point(x: turn.from, y: y))
            points.append(Point(x: turn.to, y: y))
        }
        points.append(Point(x: layout.slots[way.to].x, y: tops[layout.parts[way.to].layer]))
        return Route(
            edge: way.edge, points: Route.straightened(points),
            label: first.turn.label.isEmpty ? nil : labelPlace(of: first.turn, in: first.channel))
    }

    private func labelPlace(of turn: Turn, in channel: Int) -> Point {
        let tracks = channels[channel].filter(\.isBend).map(\.track).max() ?? 0
        let below = channelTops[channel] + Metrics.departure + Double(tracks) * Metrics.track
        guard !turn.isUpward else {
            return Point(x: turn.to, y: channelTops[channel] - Metrics.size(ofLabel: turn.label).height)
        }
        let before = channels[channel].filter {
            $0.to == turn.to && !$0.isUpward && ($0.way, $0.piece) < (turn.way, turn.piece)
        }
        let offset = before.reduce(0) { $0 + Metrics.size(ofLabel: $1.label).height }
        return Point(x: turn.to, y: below + offset + 4)
    }
}
