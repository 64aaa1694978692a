extension Template {
    struct Scope {
        let input: Value
        let variables: [String: Value]
        let budget: Expression.Budget
        let environment: Expression.Environment
        var marks = false
        /// Evaluates expressions instead; nil for normal evaluation.
        var evaluate: ((Expression, JSONPointer) throws(ExpressionError) -> Value)?

        func first(
            _ expression: Expression, at pointer: JSONPointer,
            made: (Expression) throws(ExpressionError) -> Expression = { $0 }
        ) throws(TemplateError) -> Value {
            do throws(ExpressionError) {
                let expression = try made(expression)
                if let evaluate { return try evaluate(expression, pointer) }
                return try expression.first(
                    input, variables: variables, budget: budget, environment: environment, marks: marks)
            } catch {
                throw TemplateError(error, of: expression, at: pointer)
            }
        }
    }

    indirect enum Part: Sendable {
        case constant(Value)
        case expression(Expression, JSONPointer)
        case text([Piece], JSONPointer)
        case array([Part])
        case object([(name: String, part: Part)])

        enum Piece: Sendable {
            case text(String)
            case expression(Expression, in: Context)

            /// What the value is put into.
            enum Context: Sendable {
                case text, address, encodedAddress
            }
        }

        func evaluate(_ scope: Scope) throws(TemplateError) -> Value {
            switch self {
            case .constant(let value): return value
            case .expression(let expression, let pointer): return try scope.first(expression, at: pointer)
            case .text(let pieces, let pointer): return try Self.join(pieces, scope, at: pointer)
            case .array(let parts):
                var elements: [Value] = []
                elements.reserveCapacity(parts.count)
                for part in parts { elements.append(try part.evaluate(scope)) }
                return .array(elements)
            case .object(let members):
                var object = Object()
                object.reserveCapacity(members.count)
                for (name, part) in members { object.append(name, try part.evaluate(scope)) }
                return .object(object)
            }
        }

        private static func join(
            _ pieces: [Piece], _ scope: Scope, at pointer: JSONPointer
        ) throws(TemplateError) -> Value {
            var text = ""
            var parts: [TextPart] = []
            var marked: Expression?
            for (index, piece) in pieces.enumerated() {
                guard case .expression(let expression, let context) = piece else {
                    if case .text(let piece) = piece { text += piece }
                    continue
                }
                let value = try scope.first(expression, at: pointer)
                try Self.demand(value, of: expression, at: pointer)
                guard value.holdsMark else {
                    let plain = value.string ?? value.json()
                    if plain.isEmpty, context != .text,
                        Self.isSegment(between: parts + [.plain(text)], pieces.dropFirst(index + 1).first)
                    {
                        throw TemplateError(.emptySegment(expression.shown), of: expression, at: pointer)
                    }
                    text += context == .encodedAddress ? plain.percentEncoded() : plain
                    continue
                }
                parts.append(.plain(text))
                parts +=
                    context == .encodedAddress
                    ? try Self.encodedParts(of: value, expression, scope, at: pointer)
                    : try Self.parts(of: value, expression, scope, at: pointer)
                text = ""
                marked = expression
            }
            guard let marked else { return .string(text) }
            let whole = Value.text(parts + [.plain(text)])
            if whole.textParts != nil { return whole }
            // A single unknown that may not be a text.
            return try scope.first(marked, at: pointer) { expression throws(ExpressionError) in try expression.asText }
        }

        /// Whether what is between these is a whole segment of an address's path.
        private static func isSegment(between before: [TextPart], _ next: Piece?) -> Bool {
            let texts = before.map { if case .plain(let text) = $0 { text } else { "‹›" } }
            let following: String? = if case .text(let text)? = next { text } else { next == nil ? "" : nil }
            return following.map { String.isSegment(between: texts.joined(), $0) } ?? false
        }

        private static func demand(
            _ value: Value, of expression: Expression, at pointer: JSONPointer
        ) throws(TemplateError) {
            guard value.isNull, expression.refusesNull else { return }
            throw TemplateError(
                ExpressionError(
                    "'\(expression.shown)' is null, which would put the word 'null' into this text: write "
                        + "'\(expression.shown) // \"\"' if it can be missing"), of: expression, at: pointer)
        }

        /// Percent-encoded except for unknowns, whose values the request encodes.
        private static func encodedParts(
            of value: Value, _ expression: Expression, _ scope: Scope, at pointer: JSONPointer
        ) throws(TemplateError) -> [TextPart] {
            var encoded: [TextPart] = []
            for part in try parts(of: value, expression, scope, at: pointer) {
                switch part {
                case .plain(let text): encoded.append(.plain(text.percentEncoded()))
                case .unknown: encoded.append(part)
                case .secret:
                    let text = try scope.first(expression, at: pointer) { expression throws(ExpressionError) in
                        try Expression("(\(expression.source)\n) | @uri")
                    }
                    return try parts(of: text, expression, scope, at: pointer)
                }
            }
            return encoded
        }

        /// The text of an interpolated value that holds marks, as `tostring` makes it.
        private static func parts(
            of value: Value, _ expression: Expression, _ scope: Scope, at pointer: JSONPointer
        ) throws(TemplateError) -> [TextPart] {
            if let parts = value.textParts { return parts }
            if let unknown = value.unknown { return [.unknown(unknown)] }
            let text = try scope.first(expression, at: pointer) { expression throws(ExpressionError) in
                try expression.asText
            }
            guard let parts = text.textParts else {
                throw TemplateError(
                    ExpressionError("The text of '\(expression.source)' cannot be made of marked data"), of: expression,
                    at: pointer)
            }
            return parts
        }
    }

    struct Builder {
        let mode: Mode
        private(set) var findings: [TemplateError.Finding] = []
        private(set) var variableReads: [VariableRead] = []
        private(set) var reads: [Read] = []

        init(mode: Mode) { self.mode = mode }

        mutating func part(_ value: Value, at pointer: JSONPointer) -> Part {
            switch value {
            case .string(let text): return self.text(text, at: pointer)
            case .array(let elements):
                var parts: [Part] = []
                for (position, element) in elements.enumerated() {
                    parts.append(part(element, at: pointer.appending(position)))
                }
                return parts.allSatisfy(\.isConstant) ? .constant(value) : .array(parts)
            case .object(let members):
                var parts: [(name: String, part: Part)] = []
                for (name, member) in members { parts.append((name, part(member, at: pointer.appending(name)))) }
                return parts.allSatisfy(\.part.isConstant) ? .constant(value) : .object(parts)
            default: return .constant(value)
            }
        }

        private mutating func text(_ text: String, at pointer: JSONPointer) -> Part {
            do throws(ExpressionError) {
                if let inside = try Interpolation.whole(text) {
                    return .expression(try compile(inside, at: pointer), pointer)
                }
                let pieces = try Interpolation.pieces(of: text)
                if pieces.contains(where: \.isExpression) { return try interpolation(pieces, at: pointer) }
                if mode == .loose, let expression = looseExpression(text, at: pointer) {
                    return .expression(expression, pointer)
                }
                return .constant(.string(text))
            } catch {
                findings.append(TemplateError.Finding(pointer: pointer, error: error))
                return .constant(.string(text))
            }
        }

        private mutating func interpolation(
            _ pieces: [Interpolation.Piece], at pointer: JSONPointer
        ) throws(ExpressionError) -> Part {
            var parts: [Part.Piece] = []
            for piece in pieces {
                switch piece {
                case .text(let text): parts.append(.text(text))
                case .expression(let inside):
                    do throws(ExpressionError) {
                        parts.append(.expression(try compile(inside, at: pointer), in: .text))
                    } catch {
                        findings.append(TemplateError.Finding(pointer: pointer, error: error))
                    }
                }
            }
            return .text(parts, pointer)
        }

        /// In loose mode, a text that is not an expression remains a text.
        private mutating func looseExpression(_ text: String, at pointer: JSONPointer) -> Expression? {
            guard text.contains(where: { !$0.isWhitespace }) else { return nil }
            return try? compile(Interpolation.Inside(source: text, offset: 0), at: pointer)
        }

        private mutating func compile(
            _ inside: Interpolation.Inside, at pointer: JSONPointer
        ) throws(ExpressionError) -> Expression {
            let expression = try Expression(inside.source, offset: inside.offset)
            variableReads += expression.variableReads.map { VariableRead(pointer: pointer, read: $0) }
            reads += expression.reads.map { Read(pointer: pointer, path: $0) }
            return expression
        }
    }
}

extension Expression {
    fileprivate var asText: Expression {
        get throws(ExpressionError) { try Expression("(\(source)\n) | tostring") }
    }
}

extension Template.Part {
    fileprivate var isConstant: Bool {
        if case .constant = self { true } else { false }
    }
}

extension Interpolation.Piece {
    fileprivate var isExpression: Bool {
        if case .expression = self { true } else { false }
    }
}
