/// `.name`, by far the most frequent access.
final class FieldNode: SelectingNode {
    private let target: any Node
    private let name: String
    let isSingle: Bool

    init(_ target: any Node, name: String) {
        self.target = target
        self.name = name
        isSingle = target.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try target.one(evaluation, input, frame).member(name, evaluation)
    }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try target.all(evaluation, input, frame) { (item: Item) throws(Signal) in
            try emit(try item.member(name, evaluation))
        }
    }
}

/// `.[key]`; with several keys and targets, each key is applied to all targets in turn.
final class IndexNode: SelectingNode {
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

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try key.all(evaluation, input.value, frame) { (found: Value) throws(Signal) in
            try target.all(evaluation, input, frame) { (item: Item) throws(Signal) in
                let element = try item.leavingOut(isOptional, evaluation) { () throws(Signal) in
                    try item.element(found, evaluation)
                }
                if let element { try emit(element) }
            }
        }
    }
}

/// `.[from:to]`; in a path, a slice's key is an object with `start` and `end`.
final class SliceNode: SelectingNode {
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

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try from.all(evaluation, input.value, frame) { (start: Value) throws(Signal) in
            try to.all(evaluation, input.value, frame) { (end: Value) throws(Signal) in
                try target.all(evaluation, input, frame) { (item: Item) throws(Signal) in
                    let part = try item.leavingOut(isOptional, evaluation) { () throws(Signal) in
                        try item.slice(from: start, to: end, evaluation)
                    }
                    if let part { try emit(part) }
                }
            }
        }
    }
}

/// `.[]`.
final class IterateNode: SelectingNode {
    private let target: any Node
    private let isOptional: Bool

    init(_ target: any Node, isOptional: Bool = false) {
        self.target = target
        self.isOptional = isOptional
    }

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try target.all(evaluation, input, frame) { (item: Item) throws(Signal) in
            if isOptional, item.isPlace, !item.value.isContainer {
                guard case .marked(let marked) = item.value, item.value.mayBeContainer else { return }
                guard !Item.hasPlace else { throw .undecided }
                return try marked.eachElement(evaluation, isOptional: true) { (value: Value) throws(Signal) in
                    try emit(Item(computed: value))
                }
            }
            try item.eachElement(evaluation, emit)
        }
    }
}

extension Flow {
    /// The accessed value; nil if the access fails and is optional.
    fileprivate func leavingOut(
        _ isOptional: Bool, _ evaluation: Evaluation, _ access: () throws(Signal) -> Self
    ) throws(Signal) -> Self? {
        do throws(Signal) {
            guard isOptional, let planning = evaluation.planning else { return try access() }
            return try planning.attempted(access)
        } catch {
            guard isOptional, isPlace, case .error = error else { throw error }
            return nil
        }
    }
}
