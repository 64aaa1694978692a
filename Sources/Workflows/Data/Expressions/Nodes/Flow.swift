/// What passes from node to node: a value or, in a path expression, a value with its place.
protocol Flow {
    var value: Value { get }
    /// Whether its contents may be accessed; a path expression allows that only for values with a known place.
    var isPlace: Bool { get }

    /// Whether it has a place in addition to its value.
    static var hasPlace: Bool { get }

    init(computed value: Value)

    func member(_ name: String, _ evaluation: Evaluation) throws(Signal) -> Self
    func element(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Self
    func slice(from: Value, to: Value, _ evaluation: Evaluation) throws(Signal) -> Self
    func descendant(at path: [Value], _ evaluation: Evaluation) throws(Signal) -> Self
    /// Emits all elements or members' values; inlined, because the generic closure would be wrapped once more.
    func eachElement(_ evaluation: Evaluation, _ emit: Emit<Self>) throws(Signal)

    func one(of node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) -> Self
    /// Replaces the input of a single node with its output.
    mutating func transform(by node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal)
    /// Emits all outputs of a node, except those of the tail that it returns.
    func tail(
        of node: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Self>
    ) throws(Signal) -> Tail<Self>?
}

extension Flow {
    func all(of node: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Self>) throws(Signal) {
        if node.isSingle { return try emit(try one(of: node, evaluation, frame)) }
        try untilNoTail(of: node, evaluation, frame, emit)
    }

    /// Like ``all(of:_:_:_:)``, for single nodes too.
    func untilNoTail(
        of node: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Self>
    ) throws(Signal) {
        try evaluation.deeper { () throws(Signal) in
            var tail = try tail(of: node, evaluation, frame, emit)
            while let next = tail {
                try evaluation.step()
                tail = try next.input.tail(of: next.body, evaluation, next.frame, emit)
            }
        }
    }
}

extension Value: Flow {
    var value: Value { self }
    var isPlace: Bool { true }
    static var hasPlace: Bool { false }
    init(computed value: Value) { self = value }

    @inline(__always)
    func eachElement(_ evaluation: Evaluation, _ emit: Emit<Value>) throws(Signal) {
        switch self {
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
        case .marked(let marked): try marked.eachElement(evaluation, emit)
        default: throw .failure("Cannot iterate over \(named)")
        }
    }

    func one(of node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) -> Value {
        try node.one(evaluation, self, frame)
    }

    mutating func transform(by node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) {
        try node.transform(evaluation, &self, frame)
    }

    func tail(
        of node: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) -> Tail<Value>? { try node.values(evaluation, self, frame, emit) }
}

struct Located: Flow {
    /// Nil for the root.
    var trail: Trail?
    /// Whether the value has a place, which computed values lack.
    var isPlace = true
    static var hasPlace: Bool { true }
    var value: Value

    func member(_ name: String, _ evaluation: Evaluation) throws(Signal) -> Located {
        try element(.string(name), evaluation)
    }

    func element(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Located {
        guard isPlace else {
            throw .failure(
                "Invalid path expression near attempt to access element \(key.excerpt) of \(value.excerpt)")
        }
        return Located(trail: try longer(key, evaluation), value: try value.element(key, evaluation))
    }

    func slice(from: Value, to: Value, _ evaluation: Evaluation) throws(Signal) -> Located {
        try element(.object(["start": from, "end": to]), evaluation)
    }

    func descendant(at path: [Value], _ evaluation: Evaluation) throws(Signal) -> Located {
        var place = self
        for key in path {
            if place.value.isNull, place.isPlace {
                place.trail = Trail(place.trail, key)
                try evaluation.require(levels: place.trail?.length ?? 0)
            } else {
                place = try place.element(key, evaluation)
            }
        }
        return place
    }

    @inline(__always)
    func eachElement(_ evaluation: Evaluation, _ emit: Emit<Located>) throws(Signal) {
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
        case .marked where value.mayBeContainer: throw .undecided
        default: throw .failure("Cannot iterate over \(value.named)")
        }
    }

    func one(of node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) -> Located {
        var result = Located(computed: .null)
        try untilNoTail(of: node, evaluation, frame) { (place: Located) throws(Signal) in result = place }
        return result
    }

    mutating func transform(by node: any Node, _ evaluation: Evaluation, _ frame: Frame?) throws(Signal) {
        self = try one(of: node, evaluation, frame)
    }

    func tail(
        of node: any Node, _ evaluation: Evaluation, _ frame: Frame?, _ emit: Emit<Located>
    ) throws(Signal) -> Tail<Located>? { try node.places(evaluation, self, frame, emit) }

    private func longer(_ key: Value, _ evaluation: Evaluation) throws(Signal) -> Trail {
        let longer = Trail(trail, key)
        try evaluation.require(levels: longer.length)
        if longer.length > evaluation.budget.depth {
            throw evaluation.exhausted("a path has more than \(evaluation.budget.depth) keys")
        }
        return longer
    }
}

extension Located {
    init(computed value: Value) { self.init(trail: nil, isPlace: false, value: value) }
}
