/// `[body]`.
final class ArrayNode: ComputingNode {
    private let body: (any Node)?
    init(_ body: (any Node)?) { self.body = body }
    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        try Self.collected(body, evaluation, input, frame)
    }

    /// An array of all outputs; in a plan it may have any length.
    static func collected(
        _ body: (any Node)?, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value {
        guard let planning = evaluation.planning else {
            return .array(try collect(body, evaluation, input, frame))
        }
        let before = planning.collector
        let own = Planning.Collector()
        planning.collector = own
        defer { planning.collector = before }
        do throws(Signal) {
            let elements = try collect(body, evaluation, input, frame)
            return own.isOpen ? planning.array(of: elements) : .array(elements)
        } catch .undecided {
            return planning.pending(.array(planning.pending()))
        } catch {
            throw error
        }
    }

    private static func collect(
        _ body: (any Node)?, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> [Value] {
        var elements: [Value] = []
        try body?.all(evaluation, input, frame) { (value: Value) throws(Signal) in
            try evaluation.allocate(24)
            elements.append(value)
        }
        try evaluation.built(.array(elements), count: 0)
        return elements
    }
}

/// `{key: value, …}`; with several outputs, all combinations, in which the last member varies fastest.
final class ObjectNode: ComputingNode {
    /// A member without a value has the input's member of the same name.
    private let members: [(key: any Node, value: (any Node)?)]
    let isSingle: Bool

    init(_ members: [(key: any Node, value: (any Node)?)]) {
        self.members = members
        isSingle = members.allSatisfy { $0.key.isSingle && $0.value?.isSingle ?? true }
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var object = Object()
        object.reserveCapacity(members.count)
        for member in members {
            let key = try Self.name(try member.key.one(evaluation, input, frame))
            object[key] = try single(member.value, of: key, evaluation, input, frame)
        }
        let value = Value.object(object)
        if evaluation.planning == nil { try evaluation.built(value, count: members.count * 2) }
        return value
    }

    private func single(
        _ value: (any Node)?, of key: String, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?
    ) throws(Signal) -> Value {
        guard let value else { return try input.member(key, evaluation) }
        guard evaluation.planning == nil else { return try evaluation.single(value, input, frame) }
        return try value.one(evaluation, input, frame)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        try extend(Object(), with: members[...], evaluation, input, frame, emit)
    }

    private func extend(
        _ object: Object, with rest: ArraySlice<(key: any Node, value: (any Node)?)>, _ evaluation: Evaluation,
        _ input: Value, _ frame: Frame?, _ emit: Emit<Value>
    ) throws(Signal) {
        guard let member = rest.first else {
            let value = Value.object(object)
            try evaluation.built(value, count: members.count * 2)
            return try emit(value)
        }
        try evaluation.deeper { () throws(Signal) in
            try member.key.all(evaluation, input, frame) { (key: Value) throws(Signal) in
                let name = try Self.name(key)
                guard let values = member.value, evaluation.planning == nil || !values.isSingle else {
                    var longer = object
                    longer[name] = try single(member.value, of: name, evaluation, input, frame)
                    return try extend(longer, with: rest.dropFirst(), evaluation, input, frame, emit)
                }
                try values.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                    var longer = object
                    longer[name] = value
                    try extend(longer, with: rest.dropFirst(), evaluation, input, frame, emit)
                }
            }
        }
    }

    private static func name(_ key: Value) throws(Signal) -> String {
        guard case .string(let name) = key else { throw refusal(of: key) }
        return name
    }

    private static func refusal(of key: Value) -> Signal {
        if key.holdsUnknown { return .undecided }
        return key.textParts == nil ? .failure("Cannot use \(key.named) as object key") : .secretName
    }
}

/// An interpolated string; with several outputs, all combinations, in which the first one varies fastest.
final class StringNode: ComputingNode {
    enum Piece: Sendable {
        case text(String)
        case interpolation(any Node)
    }

    private let pieces: [Piece]
    private let format: Format
    let isSingle: Bool

    init(_ pieces: [Piece], format: Format) {
        self.pieces = pieces
        self.format = format
        isSingle = pieces.allSatisfy { piece in
            switch piece {
            case .text: true
            case .interpolation(let node): node.isSingle
            }
        }
    }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        if evaluation.marks { return try marked(evaluation, input, frame) }
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let piece): text += piece
            case .interpolation(let node):
                text += try format.apply(try node.one(evaluation, input, frame), evaluation)
            }
        }
        try evaluation.allocate(text.utf8.count + 16)
        return .string(text)
    }

    func each(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?, _ emit: Emit<Value>) throws(Signal) {
        if evaluation.marks { return try extendMarked([], with: pieces[...], evaluation, input, frame, emit) }
        try extend("", with: pieces[...], evaluation, input, frame, emit)
    }

    @inline(never)
    private func marked(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        var parts: [TextPart] = []
        for piece in pieces {
            switch piece {
            case .text(let piece): parts.append(.plain(piece))
            case .interpolation(let node):
                parts += try format.parts(of: try node.one(evaluation, input, frame), evaluation)
            }
        }
        return try evaluation.text(parts)
    }

    private func extendMarked(
        _ parts: [TextPart], with rest: ArraySlice<Piece>, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: Emit<Value>
    ) throws(Signal) {
        guard let piece = rest.last else { return try emit(try evaluation.text(parts)) }
        try evaluation.deeper { () throws(Signal) in
            switch piece {
            case .text(let piece):
                try extendMarked([.plain(piece)] + parts, with: rest.dropLast(), evaluation, input, frame, emit)
            case .interpolation(let node):
                try node.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                    let longer = try format.parts(of: value, evaluation) + parts
                    try extendMarked(longer, with: rest.dropLast(), evaluation, input, frame, emit)
                }
            }
        }
    }

    /// Prepends pieces from last to first, so the first one's outputs vary fastest.
    private func extend(
        _ text: String, with rest: ArraySlice<Piece>, _ evaluation: Evaluation, _ input: Value, _ frame: Frame?,
        _ emit: Emit<Value>
    ) throws(Signal) {
        guard let piece = rest.last else {
            try evaluation.allocate(text.utf8.count + 16)
            return try emit(.string(text))
        }
        try evaluation.deeper { () throws(Signal) in
            switch piece {
            case .text(let piece):
                try extend(piece + text, with: rest.dropLast(), evaluation, input, frame, emit)
            case .interpolation(let node):
                try node.all(evaluation, input, frame) { (value: Value) throws(Signal) in
                    let longer = try format.apply(value, evaluation) + text
                    try extend(longer, with: rest.dropLast(), evaluation, input, frame, emit)
                }
            }
        }
    }
}

/// `@name` without a string after it.
final class FormatNode: ComputingNode {
    private let format: Format
    init(_ format: Format) { self.format = format }
    var isSingle: Bool { true }

    func one(_ evaluation: Evaluation, _ input: Value, _ frame: Frame?) throws(Signal) -> Value {
        evaluation.marks ? try format.marked(input, evaluation) : .string(try format.apply(input, evaluation))
    }
}
