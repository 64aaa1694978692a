import Foundation

extension Expression {
    /// What an expression's result depends on besides the paths in ``reads``, as its syntax alone shows.
    struct Dependencies: Sendable {
        /// Whether it reads its input other than by names in its source.
        private(set) var readsWholeInput = false
        private(set) var readsClock = false
        /// The literals in it, with which data may be compared.
        private(set) var constants: [Value] = []
        /// The names of the members that it looks up.
        private(set) var names: Set<String> = []

        init(_ syntax: Syntax) { walk(syntax, readsInput: true) }

        /// - Parameter readsInput: Whether `.` is the expression's input here.
        private mutating func walk(_ syntax: Syntax, readsInput: Bool) {
            switch syntax {
            case .identity, .descend, .format:
                if readsInput { readsWholeInput = true }
            case .constant(let value):
                if case .string = value, constants.count < 8 { constants.append(value) }
                if case .integer = value, constants.count < 8 { constants.append(value) }
                if case .double = value, constants.count < 8 { constants.append(value) }
            case .index(let target, .constant(.string(let name)), _):
                names.insert(name)
                if case .identity = target { return }
                walk(target, readsInput: readsInput)
            case .pipe(let parts):
                for (position, part) in parts.enumerated() { walk(part, readsInput: readsInput && position == 0) }
            case .reduce(let source, let patterns, let start, let update):
                walk(source, readsInput: readsInput)
                walk(start, readsInput: readsInput)
                walk(update, readsInput: false)
                for key in patterns.flatMap(\.keys) { walk(key, readsInput: readsInput) }
            case .foreach(let source, let patterns, let start, let update, let extract):
                walk(source, readsInput: readsInput)
                walk(start, readsInput: readsInput)
                walk(update, readsInput: false)
                if let extract { walk(extract, readsInput: false) }
                for key in patterns.flatMap(\.keys) { walk(key, readsInput: readsInput) }
            case .attempt(let body, let handler):
                walk(body, readsInput: readsInput)
                if let handler { walk(handler, readsInput: false) }
            case .assign(_, let target, let value):
                // The result is the whole input with one part replaced.
                if readsInput { readsWholeInput = true }
                walk(target, readsInput: readsInput)
                walk(value, readsInput: readsInput)
            case .call(let name, let arguments, _):
                if readsInput, !Self.sources.contains(name) { readsWholeInput = true }
                if Self.clocks.contains(name) { readsClock = true }
                for argument in arguments { walk(argument, readsInput: readsInput) }
            default:
                for part in syntax.parts { walk(part, readsInput: readsInput) }
            }
        }

        /// Functions that ignore their input.
        private static let sources: Set<String> = ["empty", "now", "true", "false", "null", "nan", "infinite", "range"]
        private static let clocks: Set<String> = ["now", "localtime", "strflocaltime", "mktime"]
    }
}

extension Expression {
    /// Whether the result can depend on unknowns.
    package func dependsOnSymbols(_ input: Value, _ variables: [String: Value]) -> Bool {
        let input = input.withUnknownMembers(dependencies.names)
        if dependencies.readsWholeInput, input.holdsSymbol { return true }
        return reads.contains { path in
            var value =
                path.variable.map { (variables[$0] ?? .null).withUnknownMembers(dependencies.names) } ?? input
            for key in path.keys {
                if case .string(let text) = value, text.contains("‹") { return true }
                guard let member = value[key] else { return false }
                value = member
            }
            return value.holdsSymbol
        }
    }

    /// Evaluates the expression on data that contains unknowns.
    ///
    /// The parts of the result that do not depend on unknowns are known; the others become unknowns themselves. To find
    /// out, the expression is evaluated on the data and on copies with other values in place of the unknowns: other
    /// unknowns, null, numbers, and the values that the expression compares with.
    /// - Parameters:
    ///   - input: The value of `.`.
    ///   - variables: Values by name, without `$`.
    ///   - symbol: A new unknown for the given path in the result.
    package func evaluatePartially(
        _ input: Value, variables: [String: Value], symbol: (String) -> String
    ) throws(ExpressionError) -> Value {
        guard dependsOnSymbols(input, variables) || dependencies.readsClock else {
            return try first(input, variables: variables)
        }
        let input = input.withUnknownMembers(dependencies.names)
        let variables = variables.mapValues { $0.withUnknownMembers(dependencies.names) }
        guard var result = try? first(input, variables: variables) else {
            return SymbolSubstitution.named(agreement(input, variables), symbol)
        }
        guard !isPlainPath else { return result }
        for substitution in SymbolSubstitution.all(comparedWith: dependencies.constants) {
            let environment = Environment(now: { Date(timeIntervalSince1970: substitution.moment) })
            let other = try? first(
                substitution.apply(input), variables: variables.mapValues { substitution.apply($0) },
                environment: environment)
            guard let other else { continue }
            result = substitution.compare(result, other)
        }
        return SymbolSubstitution.named(result, symbol)
    }

    /// What the results with values in place of the unknowns have in common, if evaluation with the unknowns fails.
    private func agreement(_ input: Value, _ variables: [String: Value]) -> Value {
        let substitutions = SymbolSubstitution.values(comparedWith: dependencies.constants)
        let results = substitutions.compactMap { substitution in
            try? first(substitution.apply(input), variables: variables.mapValues { substitution.apply($0) })
        }
        guard let first = results.first, let other = substitutions.first, results.count > 1 else {
            return SymbolSubstitution.unknown
        }
        return results.dropFirst().reduce(first) { other.compare($0, $1) }
    }

    /// The expression on one line, for display.
    package var shown: String { source.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// Whether it only looks up a path, so that its result is part of the data.
    private var isPlainPath: Bool {
        let source = source.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace)
        return source.allSatisfy { $0.isLetter || $0.isNumber || "._$".contains($0) }
            && reads.count == 1 && !dependencies.readsWholeInput
    }
}
