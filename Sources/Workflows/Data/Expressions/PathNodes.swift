/// `path(body)`.
final class PathNode: Node {
    private let body: any Node
    init(_ body: any Node) { self.body = body }
    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try Self.eachTrail(body, evaluation, input, frame) { (trail: Trail?) throws(Signal) in
            let path = Value.array(trail.keys)
            try evaluation.built(path, count: trail?.length ?? 0)
            try emit(path)
        }
        return nil
    }

    /// The places that a path expression means.
    static func eachTrail(
        _ body: any Node, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: (Trail?) throws(Signal) -> Void
    ) throws(Signal) {
        try body.allPlaces(evaluation, Located(trail: nil, value: input), frame) { (place: Located) throws(Signal) in
            guard place.isPlace else {
                throw .failure("Invalid path expression with result \(place.value.excerpt)")
            }
            try emit(place.trail)
        }
    }

    /// All places that a path expression means.
    static func collect(
        _ body: any Node, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> [Trail?] {
        var trails: [Trail?] = []
        try eachTrail(body, evaluation, input, frame) { (trail: Trail?) throws(Signal) in
            try evaluation.allocate(32)
            trails.append(trail)
        }
        return trails
    }
}

/// `getpath(path)`, which is a path expression itself.
final class GetPathNode: Node {
    private let path: any Node
    init(_ path: any Node) { self.path = path }
    var isSingle: Bool { path.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try input.value(at: try Self.keys(try path.one(evaluation, input, frame))[...], evaluation)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try path.all(evaluation, input, frame) { (path: Value) throws(Signal) in
            try emit(try input.value(at: try Self.keys(path)[...], evaluation))
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try path.all(evaluation, input.value, frame) { (path: Value) throws(Signal) in
            var place = input
            for key in try Self.keys(path) {
                if place.value.isNull, place.isPlace {
                    place.trail = Trail(place.trail, key)
                    try evaluation.require(levels: place.trail?.length ?? 0)
                } else {
                    place = try place.child(key, evaluation)
                }
            }
            try emit(place)
        }
        return nil
    }

    private static func keys(_ path: Value) throws(Signal) -> [Value] {
        guard case .array(let keys) = path else { throw .failure("Path must be specified as an array") }
        return keys
    }
}

/// `..` and `recurse(step)`.
final class RecurseNode: Node {
    private let step: (any Node)?

    /// With a filter, the outputs of applying it again and again; without one, all values inside the input.
    init(_ step: (any Node)?) { self.step = step }

    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        if step == nil { try Self.descend(input, evaluation, emit) } else { try walk(input, evaluation, frame, emit) }
        return nil
    }

    private static func descend(_ value: Value, _ evaluation: Evaluation, _ emit: Emit) throws(Signal) {
        try evaluation.step()
        try emit(value)
        switch value {
        case .array(let elements):
            try evaluation.deeper { () throws(Signal) in
                for element in elements { try descend(element, evaluation, emit) }
            }
        case .object(let members):
            try evaluation.deeper { () throws(Signal) in
                for member in members { try descend(member.value, evaluation, emit) }
            }
        default: break
        }
    }

    private func walk(_ value: Value, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit) throws(Signal) {
        guard let step else { return }
        var next: Value? = value
        while let current = next {
            next = nil
            try evaluation.step()
            try emit(current)
            if step.isSingle {
                next = try step.one(evaluation, current, frame)
            } else {
                try step.all(evaluation, current, frame) { (value: Value) throws(Signal) in
                    try walk(value, evaluation, frame, emit)
                }
            }
        }
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try walkPlaces(input, evaluation, frame, emit)
        return nil
    }

    private func walkPlaces(
        _ place: Located, _ evaluation: Evaluation, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) {
        try evaluation.step()
        try emit(place)
        try evaluation.deeper { () throws(Signal) in
            if let step {
                try step.allPlaces(evaluation, place, frame) { (place: Located) throws(Signal) in
                    try walkPlaces(place, evaluation, frame, emit)
                }
            } else if place.value.isContainer {
                try place.eachChild(evaluation) { (place: Located) throws(Signal) in
                    try walkPlaces(place, evaluation, frame, emit)
                }
            }
        }
    }
}
