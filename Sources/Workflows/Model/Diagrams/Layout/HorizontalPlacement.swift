/// Places the slots of all layers; the ways between them become as straight as their order allows.
struct HorizontalPlacement {
    /// A piece of a way from a slot to one in the next layer.
    struct Link {
        var upper: Int
        var lower: Int
        /// The start of the piece, relative to where ways arrive at the upper slot.
        var offset: Double
        /// How much the straightness of the piece counts.
        var weight: Double
    }

    private let slots: [LayeredLayout.Slot]
    private let layers: [[Int]]
    private let above: [Int: [Link]]
    private let below: [Int: [Link]]
    private(set) var positions: [Double]

    init(_ slots: [LayeredLayout.Slot], _ layers: [[Int]], _ links: [Link]) {
        self.slots = slots
        self.layers = layers
        above = Dictionary(grouping: links, by: \.lower)
        below = Dictionary(grouping: links, by: \.upper)
        positions = Array(repeating: 0, count: slots.count)
        for layer in layers {
            for (left, right) in zip(layer, layer.dropFirst()) {
                positions[right] = positions[left] + distance(left, right)
            }
        }
    }

    /// Pulls the slots to their neighbours above and below in turns; the neighbours above come last.
    mutating func run() {
        for _ in 0..<4 {
            sweepDown()
            for layer in layers.reversed() { place(layer, isDownward: false) }
        }
        sweepDown()
        for layer in layers.dropFirst() { straighten(layer) }
        pullReturns()
        var left = slots.isEmpty ? 0 : Double.infinity
        for (position, slot) in zip(positions, slots) { left = min(left, position - slot.left) }
        for index in positions.indices { positions[index] -= left }
    }

    private mutating func sweepDown() {
        for layer in layers { place(layer, isDownward: true) }
    }

    private func distance(_ left: Int, _ right: Int) -> Double {
        slots[left].right + slots[right].left + (areLanes(left, right) ? Metrics.track : Metrics.gap)
    }

    /// How much closer neighbours may be for a straight way.
    private func slack(_ left: Int, _ right: Int) -> Double {
        (areLanes(left, right) ? Metrics.track : Metrics.gap) / 2
    }

    private func areLanes(_ left: Int, _ right: Int) -> Bool { slots[left].part == nil && slots[right].part == nil }

    /// Places a layer as near as possible to its ways: least squares that keep order and distances.
    private mutating func place(_ layer: [Int], isDownward: Bool) {
        var offset = 0.0
        var groups: [(sum: Double, weight: Double, members: [(slot: Int, offset: Double)])] = []
        for (place, slot) in layer.enumerated() {
            if place > 0 { offset += distance(layer[place - 1], slot) }
            let (wish, weight) = wish(of: slot, isDownward: isDownward)
            groups.append(((wish - offset) * weight, weight, [(slot, offset)]))
            // Neighbours with conflicting wishes share the mean of them.
            while groups.count > 1 {
                let (last, before) = (groups[groups.count - 1], groups[groups.count - 2])
                guard before.sum / before.weight > last.sum / last.weight else { break }
                groups.removeLast(2)
                groups.append((before.sum + last.sum, before.weight + last.weight, before.members + last.members))
            }
        }
        for group in groups {
            for member in group.members { positions[member.slot] = group.sum / group.weight + member.offset }
        }
    }

    /// Moves slots to remove small kinks of ways, where there is room.
    private mutating func straighten(_ layer: [Int]) {
        for (place, slot) in layer.enumerated() {
            let links = (above[slot] ?? []).filter { $0.weight >= 1 }
            let kinks = links.map { positions[$0.upper] + $0.offset - positions[slot] }
            guard let kink = kinks.min(by: { abs($0) < abs($1) }), abs(kink) > 0, abs(kink) < 18 else { continue }
            let wish = positions[slot] + kink
            let isFree = zip(layer, layer.dropFirst()).enumerated().allSatisfy { number, pair in
                switch number {
                case place - 1: wish >= positions[pair.0] + distance(pair.0, slot) - slack(pair.0, slot)
                case place: wish <= positions[pair.1] - distance(slot, pair.1) + slack(slot, pair.1)
                default: true
                }
            }
            guard isFree else { continue }
            positions[slot] = wish
        }
    }

    /// Moves the lanes of ways back, on the right side, as near to the rest as possible.
    private mutating func pullReturns() {
        var left: [Int: Int] = [:]
        for layer in layers {
            for (neighbour, slot) in zip(layer, layer.dropFirst()) { left[slot] = neighbour }
        }
        let lanes = Dictionary(grouping: slots.indices.filter { slots[$0].isReturn }) { slots[$0].target ?? 0 }
        let nearest = lanes.keys.sorted { first, second in
            let places = [first, second].map { lanes[$0]?.map { positions[$0] }.min() ?? 0 }
            return (places[0], first) < (places[1], second)
        }
        for target in nearest {
            let lane = lanes[target] ?? []
            let place = lane.map { slot in left[slot].map { positions[$0] + distance($0, slot) } ?? slots[slot].left }
                .max()
            for slot in lane { positions[slot] = place ?? positions[slot] }
        }
    }

    private func wish(of slot: Int, isDownward: Bool) -> (place: Double, weight: Double) {
        var sum = 0.0
        var weight = 0.0
        for link in (isDownward ? above[slot] : below[slot]) ?? [] {
            sum +=
                link.weight * (isDownward ? positions[link.upper] + link.offset : positions[link.lower] - link.offset)
            weight += link.weight
        }
        return weight > 0 ? (sum / weight, weight) : (positions[slot], 0.01)
    }
}
