extension Builtin {
    static let paths: [String: Builtin] = [
        "path/1": .node { PathNode($0[0]) },
        "setpath/2": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .array(let keys) = arguments[0] else { throw .failure("Path must be specified as an array") }
            try evaluation.nested(input, arguments[1], at: keys.count)
            var result = input
            try result.update(keys[...], evaluation) { (element: inout Value) throws(Signal) in
                element = arguments[1]
            }
            return result
        },
        "delpaths/1": .native { (evaluation: Evaluation, input: Value, arguments: [Value]) throws(Signal) in
            guard case .array(let paths) = arguments[0] else {
                throw .failure("Paths must be specified as an array")
            }
            return try input.removing(paths, evaluation)
        },
    ]
}
