/// `.name`, the most frequent access by far.
final class FieldNode: Node {
    private let target: any Node
    private let name: String
    let isSingle: Bool

    init(_ target: any Node, name: String) {
        self.target = target
        self.name = name
        isSingle = target.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try target.one(evaluation, input, frame).member(name)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try target.all(evaluation, input, frame) { (value: Value) throws(Signal) in try emit(try value.member(name)) }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try target.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
            try emit(try place.child(.string(name), evaluation))
        }
        return nil
    }
}

/// `.[key]`; of several keys and several targets, every key is taken in turn for all targets.
final class IndexNode: Node {
    private let target: any Node
    private let key: any Node
    private let isOptional: Bool
    let isSingle: Bool

    init(_ target: any Node, key: any Node, isOptional: Bool) {
        self.target = target
        self.key = key
        self.isOptional = isOptional
        isSingle = target.isSingle && key.isSingle && !isOptional
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let found = try key.one(evaluation, input, frame)
        return try target.one(evaluation, input, frame).element(found, evaluation)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try key.all(evaluation, input, frame) { (found: Value) throws(Signal) in
            try target.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                let element = try leavingOut(isOptional) { () throws(Signal) in try value.element(found, evaluation) }
                if let element { try emit(element) }
            }
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try key.all(evaluation, input.value, frame) { (found: Value) throws(Signal) in
            try target.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
                try place.checkAccess(found)
                let child = try leavingOut(isOptional) { () throws(Signal) in try place.child(found, evaluation) }
                if let child { try emit(child) }
            }
        }
        return nil
    }
}

/// `.[from:to]`; the key that a slice has in a path is an object with `start` and `end`.
final class SliceNode: Node {
    private let target: any Node
    private let from: any Node
    private let to: any Node
    private let isOptional: Bool
    let isSingle: Bool

    init(_ target: any Node, from: any Node, to: any Node, isOptional: Bool) {
        self.target = target
        self.from = from
        self.to = to
        self.isOptional = isOptional
        isSingle = target.isSingle && from.isSingle && to.isSingle && !isOptional
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let start = try from.one(evaluation, input, frame)
        let end = try to.one(evaluation, input, frame)
        return try target.one(evaluation, input, frame).slice(from: start, to: end, evaluation)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try from.all(evaluation, input, frame) { (start: Value) throws(Signal) in
            try to.all(evaluation, input, frame) { (end: Value) throws(Signal) in
                try target.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                    let part = try leavingOut(isOptional) { () throws(Signal) in
                        try value.slice(from: start, to: end, evaluation)
                    }
                    if let part { try emit(part) }
                }
            }
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try from.all(evaluation, input.value, frame) { (start: Value) throws(Signal) in
            try to.all(evaluation, input.value, frame) { (end: Value) throws(Signal) in
                let key = Value.object(["start": start, "end": end])
                try target.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
                    try place.checkAccess(key)
                    let child = try leavingOut(isOptional) { () throws(Signal) in try place.child(key, evaluation) }
                    if let child { try emit(child) }
                }
            }
        }
        return nil
    }
}

/// `.[]`.
final class IterateNode: Node {
    private let target: any Node
    private let isOptional: Bool

    init(_ target: any Node, isOptional: Bool = false) {
        self.target = target
        self.isOptional = isOptional
    }

    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        if target.isSingle {
            try iterate(try target.one(evaluation, input, frame), evaluation, emit)
        } else {
            try target.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                try iterate(value, evaluation, emit)
            }
        }
        return nil
    }

    private func iterate(_ value: Value, _ evaluation: Evaluation, _ emit: Emit) throws(Signal) {
        switch value {
        case .array(let elements):
            for element in elements {
                try evaluation.step()
                try emit(element)
            }
        case .object(let members):
            for member in members {
                try evaluation.step()
                try emit(member.value)
            }
        default: if !isOptional { throw .failure("Cannot iterate over \(value.named)") }
        }
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try target.allPlaces(evaluation, input, frame) { (place: Located) throws(Signal) in
            if isOptional, place.isPlace, !place.value.isContainer { return }
            try place.eachChild(evaluation, emit)
        }
        return nil
    }
}

/// What the access yields; nil where it fails and is optional.
private func leavingOut<Result>(
    _ isOptional: Bool, _ access: () throws(Signal) -> Result
) throws(Signal) -> Result? {
    do throws(Signal) {
        return try access()
    } catch {
        guard isOptional, case .error = error else { throw error }
        return nil
    }
}

extension Located {
    /// The place that a key leads to from here.
    func child(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Located {
        try checkAccess(key)
        return Located(trail: try longer(key, evaluation), value: try value.element(key, evaluation))
    }

    /// Refuses to go on from something that is at no place.
    func checkAccess(_ key: Value) throws(Signal) {
        if isPlace { return }
        throw .failure("Invalid path expression near attempt to access element \(key.excerpt) of \(value.excerpt)")
    }

    /// The places of all elements or members.
    func eachChild(_ evaluation: Evaluation, _ emit: (Located) throws(Signal) -> Void) throws(Signal) {
        guard isPlace else {
            throw .failure("Invalid path expression near attempt to iterate through \(value.excerpt)")
        }
        switch value {
        case .array(let elements):
            for (position, element) in elements.enumerated() {
                try evaluation.step()
                try emit(Located(trail: try longer(.integer(position), evaluation), value: element))
            }
        case .object(let members):
            for member in members {
                try evaluation.step()
                try emit(Located(trail: try longer(.string(member.key), evaluation), value: member.value))
            }
        default: throw .failure("Cannot iterate over \(value.named)")
        }
    }

    private func longer(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Trail {
        let longer = Trail(trail, key)
        try evaluation.require(levels: longer.length)
        if longer.length > evaluation.budget.depth {
            throw evaluation.exhausted("a path has more than \(evaluation.budget.depth) keys")
        }
        return longer
    }
}
