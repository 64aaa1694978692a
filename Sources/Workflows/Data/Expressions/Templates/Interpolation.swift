enum Interpolation {
    /// A segment of a string, with its offset in Unicode scalars.
    struct Inside: Sendable {
        let source: String
        let offset: Int
    }

    enum Piece: Sendable {
        case text(String)
        case expression(Inside)
    }

    /// Nil unless the whole string is one `${ … }`, apart from surrounding white space.
    static func whole(_ text: String) throws(ExpressionError) -> Inside? {
        let scalars = Array(text.unicodeScalars)
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }), opens(scalars, at: start) else {
            return nil
        }
        let end = try self.end(scalars, openedAt: start)
        guard scalars[(end + 1)...].allSatisfy(\.properties.isWhitespace) else { return nil }
        return inside(scalars, from: start, to: end)
    }

    /// The expression around a character of a text; one that is not closed yet ends with the text.
    static func inside(_ text: String, at offset: Int) -> Inside? {
        let scalars = Array(text.unicodeScalars)
        var (position, found) = (0, Inside?.none)
        while position < min(offset, scalars.count), found == nil {
            guard opens(scalars, at: position) else {
                position += 1
                continue
            }
            let end = (try? self.end(scalars, openedAt: position)) ?? unclosedEnd(scalars)
            if position + 2...max(end, position + 2) ~= offset {
                found = inside(scalars, from: position, to: max(end, position + 2))
            }
            position = max(end, position + 1)
        }
        return found
    }

    private static func unclosedEnd(_ scalars: [Unicode.Scalar]) -> Int {
        var end = scalars.count
        while end > 0, scalars[end - 1].properties.isWhitespace { end -= 1 }
        return end > 0 && scalars[end - 1] == "}" ? end - 1 : scalars.count
    }

    static func pieces(of text: String) throws(ExpressionError) -> [Piece] {
        let scalars = Array(text.unicodeScalars)
        var pieces: [Piece] = []
        var plain = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count {
            guard opens(scalars, at: position) else {
                plain.append(scalars[position])
                position += 1
                continue
            }
            if !plain.isEmpty {
                pieces.append(.text(String(plain)))
                plain = String.UnicodeScalarView()
            }
            let end = try self.end(scalars, openedAt: position)
            pieces.append(.expression(inside(scalars, from: position, to: end)))
            position = end + 1
        }
        if !plain.isEmpty { pieces.append(.text(String(plain))) }
        return pieces
    }

    private static func opens(_ scalars: [Unicode.Scalar], at position: Int) -> Bool {
        position + 1 < scalars.count && scalars[position] == "$" && scalars[position + 1] == "{"
    }

    private static func inside(_ scalars: [Unicode.Scalar], from start: Int, to end: Int) -> Inside {
        var source = String.UnicodeScalarView()
        source.append(contentsOf: scalars[(start + 2)..<end])
        return Inside(source: String(source), offset: start + 2)
    }

    /// The offset of the matching closing brace, skipping jq's strings, interpolations and comments.
    private static func end(_ scalars: [Unicode.Scalar], openedAt start: Int) throws(ExpressionError) -> Int {
        enum Context { case braces, parentheses, string }
        var contexts: [Context] = [.braces]
        var position = start + 2
        while position < scalars.count {
            let scalar = scalars[position]
            if contexts.last == .string {
                if scalar == "\\" {
                    position += 1
                    if position < scalars.count, scalars[position] == "(" { contexts.append(.parentheses) }
                } else if scalar == "\"" {
                    contexts.removeLast()
                }
                position += 1
                continue
            }
            switch scalar {
            case "\"": contexts.append(.string)
            case "{": contexts.append(.braces)
            case "(": contexts.append(.parentheses)
            case ")":
                if contexts.last == .parentheses { contexts.removeLast() }
            case "}":
                if contexts.last == .braces { contexts.removeLast() }
                if contexts.isEmpty { return position }
            case "#":
                while position + 1 < scalars.count, scalars[position + 1] != "\n" { position += 1 }
            default: break
            }
            position += 1
        }
        // An unclosed bracket or quote hides the '}'.
        let rest = String(String.UnicodeScalarView(scalars[(start + 2)...]))
        do throws(ExpressionError) {
            _ = try Expression(rest, offset: start + 2)
        } catch {
            if let offset = error.offset, offset < scalars.count, scalars[offset] == "}" || scalars[offset] == "\"" {
                throw error
            }
        }
        throw ExpressionError("'${' has no closing '}'", offset: start)
    }
}
