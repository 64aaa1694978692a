/// `source as $name | body`.
final class BindNode: Node {
    private let source: any Node
    private let binder: Binder
    private let body: any Node
    let isSingle: Bool

    init(_ source: any Node, _ binder: Binder, body: any Node) {
        self.source = source
        self.binder = binder
        self.body = body
        isSingle = source.isSingle && binder.isSingle && body.isSingle
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        let bound = try source.one(evaluation, input, frame)
        return try body.one(evaluation, input, binder.plainFrame(bound, frame))
    }

    func transform(_ evaluation: Evaluation, _ value: inout Value, _ frame: Frame?) throws(Signal) {
        let bound = try source.one(evaluation, value, frame)
        try body.transform(evaluation, &value, binder.plainFrame(bound, frame))
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        if source.isSingle, binder.isSingle {
            let bound = try source.one(evaluation, input, frame)
            return try body.each(evaluation, input, binder.plainFrame(bound, frame), emit)
        }
        try source.all(evaluation, input, frame) { (bound: Value) throws(Signal) in
            try binder.bind(bound, evaluation, frame) { (inner: Frame?) throws(Signal) in
                try body.all(evaluation, input, inner, emit)
            }
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        if source.isSingle, binder.isSingle {
            let bound = try source.one(evaluation, input.value, frame)
            return try body.places(evaluation, input, binder.plainFrame(bound, frame), emit)
        }
        try source.all(evaluation, input.value, frame) { (bound: Value) throws(Signal) in
            try binder.bind(bound, evaluation, frame) { (inner: Frame?) throws(Signal) in
                try body.allPlaces(evaluation, input, inner, emit)
            }
        }
        return nil
    }
}

/// `reduce source as $name (start; update)`.
final class ReduceNode: Node {
    private let source: any Node
    private let binder: Binder
    private let start: any Node
    private let update: any Node

    init(_ source: any Node, _ binder: Binder, start: any Node, update: any Node) {
        self.source = source
        self.binder = binder
        self.start = start
        self.update = update
    }

    var isSingle: Bool { start.isSingle }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try fold(try start.one(evaluation, input, frame), evaluation, input, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try start.all(evaluation, input, frame) { (first: Value) throws(Signal) in
            try emit(try fold(first, evaluation, input, frame))
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try start.allPlaces(evaluation, input, frame) { (first: Located) throws(Signal) in
            var state: Located? = first
            try source.all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
                try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                    let before = state ?? Located(trail: nil, isPlace: false, value: .null)
                    state = nil
                    try update.allPlaces(evaluation, before, inner) { (place: Located) throws(Signal) in
                        state = place
                    }
                }
            }
            try emit(state ?? Located(trail: nil, isPlace: false, value: .null))
        }
        return nil
    }

    private func fold(
        _ start: consuming Value, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value {
        var state = start
        try source.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                if update.isSingle { return try update.transform(evaluation, &state, inner) }
                let before = state
                state = .null
                var last = Value.null
                try update.all(evaluation, before, inner) { (value: Value) throws(Signal) in last = value }
                state = last
            }
        }
        return state
    }
}

/// `foreach source as $name (start; update; extract)`.
final class ForeachNode: Node {
    private let source: any Node
    private let binder: Binder
    private let start: any Node
    private let update: any Node
    private let extract: (any Node)?

    init(_ source: any Node, _ binder: Binder, start: any Node, update: any Node, extract: (any Node)?) {
        self.source = source
        self.binder = binder
        self.start = start
        self.update = update
        self.extract = extract
    }

    var isSingle: Bool { false }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit) throws(Signal) -> Tail? {
        try start.all(evaluation, input, frame) { (first: Value) throws(Signal) in
            var state = first
            try source.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                    let before = state
                    state = .null
                    try update.all(evaluation, before, inner) { (value: Value) throws(Signal) in
                        state = value
                        guard let extract else { return try emit(value) }
                        try extract.all(evaluation, value, inner, emit)
                    }
                }
            }
        }
        return nil
    }

    func places(
        _ evaluation: Evaluation, _ input: Located, _ frame: Frame?, _ emit: EmitPlace
    ) throws(Signal) -> PlaceTail? {
        try start.allPlaces(evaluation, input, frame) { (first: Located) throws(Signal) in
            var state = first
            try source.all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
                try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                    try update.allPlaces(evaluation, state, inner) { (place: Located) throws(Signal) in
                        state = place
                        guard let extract else { return try emit(place) }
                        try extract.allPlaces(evaluation, place, inner, emit)
                    }
                }
            }
        }
        return nil
    }
}
