/// `source as $name | body`.
final class BindNode: PassingNode {
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

    func tail<Item: Flow>(
        _ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>
    ) throws(Signal) -> Tail<Item>? {
        if source.isSingle, binder.isSingle {
            let bound = try source.one(evaluation, input.value, frame)
            return try input.tail(of: body, evaluation, binder.plainFrame(bound, frame), emit)
        }
        try source.all(evaluation, input.value, frame) { (bound: Value) throws(Signal) in
            try binder.bind(bound, evaluation, frame) { (inner: Frame?) throws(Signal) in
                try body.all(evaluation, input, inner, emit)
            }
        }
        return nil
    }
}

/// `reduce source as $name (start; update)`.
final class ReduceNode: SelectingNode {
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

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try start.all(evaluation, input, frame) { (first: Item) throws(Signal) in
            try emit(try fold(first, evaluation, input.value, frame))
        }
    }

    private func fold<Item: Flow>(
        _ start: consuming Item, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Item {
        var state = start
        try evaluation.counted { () throws(Signal) in
            try source.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                    if update.isSingle { return try state.transform(by: update, evaluation, inner) }
                    let before = state
                    state = Item(computed: .null)
                    var last = state
                    try update.all(evaluation, before, inner) { (item: Item) throws(Signal) in last = item }
                    state = last
                }
            }
        }
        return state
    }
}

/// `foreach source as $name (start; update; extract)`.
final class ForeachNode: SelectingNode {
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

    func each<Item: Flow>(_ evaluation: Evaluation, _ input: Item, _ frame: Frame?, _ emit: Emit<Item>) throws(Signal) {
        try start.all(evaluation, input, frame) { (first: Item) throws(Signal) in
            var state = first
            try evaluation.counted { () throws(Signal) in
                try source.all(evaluation, input.value, frame) { (value: Value) throws(Signal) in
                    try binder.bind(value, evaluation, frame) { (inner: Frame?) throws(Signal) in
                        let before = state
                        state = Item(computed: .null)
                        try update.all(evaluation, before, inner) { (item: Item) throws(Signal) in
                            state = item
                            guard let extract else { return try emit(item) }
                            try extract.all(evaluation, item, inner, emit)
                        }
                    }
                }
            }
        }
    }
}
