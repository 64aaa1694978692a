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
        pieces.map { Self.expanded($0, values) }.joined()
    }

    /// The URI expanded with a task's input, as the standard defines it.
    ///
    /// Specification: dsl-reference.md, "URI Template". Only the input's own properties count.
    /// - Throws: If a value is not a string, a number, a Boolean or null, or if a segment of the path is empty.
    package func expand(input: Value) throws(ExpressionError) -> String {
        if let name = variables.first, input.unknown != nil {
            throw ExpressionError("'{\(name)}' is of an input that is only known at run time")
        }
        let values = input.object ?? [:]
        for name in variables {
            let value = values[name] ?? .null
            guard value.array == nil, value.object == nil else {
                throw ExpressionError(
                    "'{\(name)}' in '\(source)' must be a string, a number or a boolean, but the input has \(value.typeName == "array" ? "an array" : "an object")"
                )
            }
        }
        let parts = pieces.map { Self.expanded($0, values) }
        for (position, piece) in pieces.enumerated() where parts[position].isEmpty {
            guard case .variable(let name) = piece else { continue }
            let isSegment = String.isSegment(
                between: parts[..<position].joined(), parts[(position + 1)...].joined())
            if isSegment { throw .emptySegment("{\(name)}") }
        }
        return parts.joined()
    }

    private static func expanded(_ piece: Piece, _ values: Object) -> String {
        switch piece {
        case .text(let text): text
        case .variable(let name): encoded(values[name] ?? .null)
        }
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

extension String {
    /// Whether what is between two texts is a whole segment, or a key, of an address's path.
    static func isSegment(between before: String, _ next: String) -> Bool {
        guard let last = before.utf8.last, "/('".utf8.contains(last), !before.utf8.contains(UInt8(ascii: "?")) else {
            return false
        }
        return next.utf8.first.map { "/?:)'".utf8.contains($0) } ?? true
    }
}

extension ExpressionError {
    /// Without a segment, an address is that of something else, such as the whole list.
    static func emptySegment(_ shown: String) -> ExpressionError {
        ExpressionError("'\(shown)' is empty, which would leave out a part of the address: give it a value")
    }
}
