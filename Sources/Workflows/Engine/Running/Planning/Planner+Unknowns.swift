extension Planner {
    /// The element of a collection of unknown length in one of its rounds.
    func element(of collection: Value, named name: String) -> Value {
        guard case .array(let element)? = collection.unknown?.shape else {
            return .unknown(unknown("\(name)[]", from: .element(of: collection, path: [])))
        }
        return part(element, of: collection, at: [])
    }

    /// A part of the element, with unknowns for the same parts of the element in a round.
    private func part(_ value: Value, of collection: Value, at path: [Value]) -> Value {
        switch value {
        case .null, .bool, .integer, .double, .string: return value
        case .array(let elements):
            return .array(elements.enumerated().map { part($1, of: collection, at: path + [.integer($0)]) })
        case .object(let members): return .object(part(members, of: collection, at: path))
        case .marked(let marked):
            guard let unknown = value.unknown else {
                let name = Drawing.name(marked.drawn.string ?? "")
                return .unknown(Unknown(name, .text, from: .element(of: collection, path: path)))
            }
            var shape = unknown.shape
            if case .object(let members) = shape { shape = .object(part(members, of: collection, at: path)) }
            return .unknown(Unknown(unknown.name, shape, from: .element(of: collection, path: path)))
        }
    }

    private func part(_ members: Object, of collection: Value, at path: [Value]) -> Object {
        Object(members.map { ($0.key, part($0.value, of: collection, at: path + [.string($0.key)])) })
    }
}

extension Unknown {
    var mayBeArray: Bool {
        switch shape {
        case .any, .array: true
        case .text, .number, .boolean, .object: false
        }
    }
}

extension UnknownTokens {
    func drawn(_ text: String) -> String {
        Self.isIn(text) ? Value.drawn(parts(Data(text.utf8))) : text
    }

    func drawn(_ error: WorkflowError) -> WorkflowError {
        let members = Value.object(error.members)
        guard Self.isIn(members.json()) else { return error }
        return WorkflowError(marked(members).drawn().object ?? error.members, cause: error.cause)
    }
}

extension PlannedTask {
    /// Replaces tokens by drawings in functions' messages about their arguments.
    mutating func draw(_ unknowns: UnknownTokens) {
        switch outcome {
        case .unknown(let why): outcome = .unknown(unknowns.drawn(why))
        case .faulted(let error): outcome = .faulted(unknowns.drawn(error))
        case .performed, .skipped: break
        }
        for branch in branches.indices {
            if case .fault(let error)? = branches[branch].end {
                branches[branch].end = .fault(unknowns.drawn(error))
            }
            for task in branches[branch].tasks.indices { branches[branch].tasks[task].draw(unknowns) }
        }
    }
}
