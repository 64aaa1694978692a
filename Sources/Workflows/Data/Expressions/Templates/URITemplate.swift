/// A URI template such as `https://example.com/users/{id}`: RFC 6570, level 1.
package struct URITemplate: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case text(String)
        case variable(String)
    }

    package let source: String
    private let pieces: [Piece]

    /// - Throws: If a brace is unmatched, a name is empty or has characters that RFC 6570 does not allow, or an
    ///   operator of a higher level is used.
    package init(_ source: String) throws(ExpressionError) {
        self.source = source
        var pieces: [Piece] = []
        var text = String.UnicodeScalarView()
        var name: (start: Int, scalars: String.UnicodeScalarView)?
        for (offset, scalar) in source.unicodeScalars.enumerated() {
            switch scalar {
            case "{":
                guard name == nil else { throw ExpressionError("'{' inside a variable's name", offset: offset) }
                if !text.isEmpty { pieces.append(.text(String(text))) }
                text = String.UnicodeScalarView()
                name = (offset, String.UnicodeScalarView())
            case "}":
                guard let complete = name else { throw ExpressionError("'}' has no '{'", offset: offset) }
                try Self.check(String(complete.scalars), at: complete.start + 1)
                pieces.append(.variable(String(complete.scalars)))
                name = nil
            default:
                if name == nil { text.append(scalar) } else { name?.scalars.append(scalar) }
            }
        }
        if let open = name { throw ExpressionError("'{' has no '}'", offset: open.start) }
        if !text.isEmpty { pieces.append(.text(String(text))) }
        self.pieces = pieces
    }

    package var variables: [String] {
        pieces.compactMap { piece in
            if case .variable(let name) = piece { name } else { nil }
        }
    }

    /// The expanded URI, with values percent-encoded; a missing or null value expands to nothing.
    package func expand(_ values: Object) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .variable(let name): Self.encoded(values[name] ?? .null)
            }
        }.joined()
    }

    /// The URI expanded with a task's input, as the standard defines it.
    ///
    /// Specification: dsl-reference.md, "URI Template". Only the input's own properties count.
    /// - Throws: If a value is not a string, a number, a Boolean or null.
    package func expand(input: Value) throws(ExpressionError) -> String {
        let values = input.object ?? [:]
        for name in variables {
            let value = values[name] ?? .null
            guard value.array == nil, value.object == nil else {
                throw ExpressionError(
                    "'{\(name)}' in '\(source)' must be a string, a number or a boolean, but the input has \(value.typeName == "array" ? "an array" : "an object")"
                )
            }
        }
        return expand(values)
    }

    /// The URI expanded with values that may be marked, as a text with parts.
    ///
    /// - Parameter name: The unknown for a value's percent-encoded form.
    package func expand(
        _ values: Object, name: (_ path: [Value], _ shape: Unknown.Shape, _ derivation: Derivation) -> Unknown
    ) throws(ExpressionError) -> Value {
        var parts: [TextPart] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.plain(text))
            case .variable(let variable):
                let value = values[variable] ?? .null
                guard value.holdsMark else {
                    parts.append(.plain(Self.encoded(value)))
                    continue
                }
                let encoded = try Expression("if . == null then \"\" else @uri end").evaluatePlanned(value, name: name)
                parts += encoded.textParts ?? [.plain(Self.encoded(encoded))]
            }
        }
        return .text(parts)
    }

    private static func encoded(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .string(let text): text.percentEncoded()
        default: value.json().percentEncoded()
        }
    }

    private static func check(_ name: String, at offset: Int) throws(ExpressionError) {
        guard let first = name.unicodeScalars.first else {
            throw ExpressionError("a variable's name is missing", offset: offset)
        }
        if "+#./;?&=,!@|".unicodeScalars.contains(first) {
            throw ExpressionError(
                "only simple expansion is supported, not '{\(first)'", offset: offset)
        }
        for (position, scalar) in name.unicodeScalars.enumerated() {
            let isAllowed =
                scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                || scalar == "_" || scalar == "." || scalar == "%"
            if !isAllowed { throw ExpressionError("'\(scalar)' in a variable's name", offset: offset + position) }
        }
    }
}
