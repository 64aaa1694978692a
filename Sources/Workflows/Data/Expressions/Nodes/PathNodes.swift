/// `path(body)`.
final class PathNode: ComputingNode {
    private let body: any Node
    init(_ body: any Node) { self.body = body }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try Self.eachTrail(body, evaluation, input, frame) { (trail: Trail?) throws(Signal) in
            let path = Value.array(trail.keys)
            try evaluation.built(path, count: trail?.length ?? 0)
            try emit(path)
        }
    }

    static func eachTrail(
        _ body: any Node, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: (Trail?) throws(Signal) -> Void
    ) throws(Signal) {
        try body.all(evaluation, Located(trail: nil, value: input), frame) { (place: Located) throws(Signal) in
            guard place.isPlace else {
                throw .failure("Invalid path expression with result \(place.value.excerpt)")
            }
            try emit(place.trail)
        }
    }

    static func collect(
        _ body: any Node, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> [Trail?] {
        var trails: [Trail?] = []
        try evaluation.counted { () throws(Signal) in
            try eachTrail(body, evaluation, input, frame) { (trail: Trail?) throws(Signal) in
                try evaluation.allocate(32)
                trails.append(trail)
            }
        }
        return trails
    }
}

/// `getpath(path)`, which is itself a path expression.
final class GetPathNode: SelectingNode {
    private let path: any Node
    init(_ path: any Node) { self.path = path }
    var isSingle: Bool { path.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try input.descendant(at: try Self.keys(try path.one(evaluation, input, frame), evaluation), evaluation)
    }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try path.all(evaluation, input.value, frame) { (path: Value) throws(Signal) in
            try emit(try input.descendant(at: try Self.keys(path, evaluation), evaluation))
        }
    }

    static func keys(_ path: Value, _ evaluation: Evaluation) throws(Signal) -> [Value] {
        guard case .array(let keys) = path else {
            if path.unknown != nil { throw .undecided }
            throw .failure("Path must be specified as an array")
        }
        guard keys.count <= evaluation.budget.depth else { throw .failure("Path too deep") }
        return keys
    }
}

/// `..` and `recurse(step)`.
final class RecurseNode: SelectingNode {
    private let step: (any Node)?

    /// With a filter, the outputs of applying it repeatedly; without one, all values inside the input.
    init(_ step: (any Node)?) { self.step = step }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        if let step { return try walk(input, step, evaluation, frame, emit) }
        try evaluation.step()
        try descend(input, evaluation, emit)
    }

    private func descend<Item: Flow>(_ item: Item, _ evaluation: Evaluation, _ emit: Emit<Item>) throws(Signal) {
        try emit(item)
        guard item.value.isContainer else {
            guard case .marked(let marked) = item.value, item.value.mayBeContainer else { return }
            guard !Item.hasPlace else { throw .undecided }
            return try marked.eachElement(evaluation, isOptional: true) { (_: Value) throws(Signal) in
                guard let planning = evaluation.planning else { return }
                try emit(Item(computed: planning.pending(fails: false)))
            }
        }
        try evaluation.deeper { () throws(Signal) in
            try item.eachElement(evaluation) { (element: Item) throws(Signal) in
                try descend(element, evaluation, emit)
            }
        }
    }

    private func walk<Item: Flow>(
        _ item: Item, _ step: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) {
        var next: Item? = item
        while let current = next {
            next = nil
            try evaluation.step()
            try emit(current)
            if step.isSingle {
                next = try current.one(of: step, evaluation, frame)
            } else {
                try evaluation.counted { () throws(Signal) in
                    try step.all(evaluation, current, frame) { (item: Item) throws(Signal) in
                        try walk(item, step, evaluation, frame, emit)
                    }
                }
            }
        }
    }
}
