import Foundation

/// The part of OData's `$filter` that finding people takes: `startswith`, `eq`, `and`, `or` and parentheses.
struct SandboxFilter {
    private indirect enum Node {
        case startsWith(field: String, prefix: String)
        case equals(field: String, text: String?)
        case and(Node, Node)
        case or(Node, Node)
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case open, close, comma
    }

    private let node: Node

    init(parsing text: String) throws(SandboxError) {
        var tokens = try Self.tokens(of: text)[...]
        node = try Self.disjunction(&tokens, depth: 0)
        guard tokens.isEmpty else { throw Self.syntaxError(at: tokens) }
    }

    func matches(_ user: SandboxUser) -> Bool { Self.matches(node, user) }

    private static func matches(_ node: Node, _ user: SandboxUser) -> Bool {
        switch node {
        case .startsWith(let field, let prefix):
            user.text(of: field)?.lowercased().hasPrefix(prefix.lowercased()) ?? false
        case .equals(let field, let text): user.text(of: field)?.lowercased() == text?.lowercased()
        case .and(let left, let right): matches(left, user) && matches(right, user)
        case .or(let left, let right): matches(left, user) || matches(right, user)
        }
    }

    private static func disjunction(_ tokens: inout ArraySlice<Token>, depth: Int) throws(SandboxError) -> Node {
        var left = try conjunction(&tokens, depth: depth)
        while tokens.first == .word("or") {
            tokens.removeFirst()
            left = .or(left, try conjunction(&tokens, depth: depth))
        }
        return left
    }

    private static func conjunction(_ tokens: inout ArraySlice<Token>, depth: Int) throws(SandboxError) -> Node {
        var left = try comparison(&tokens, depth: depth)
        while tokens.first == .word("and") {
            tokens.removeFirst()
            left = .and(left, try comparison(&tokens, depth: depth))
        }
        return left
    }

    private static func comparison(_ tokens: inout ArraySlice<Token>, depth: Int) throws(SandboxError) -> Node {
        if tokens.first == .open {
            // A service refuses deep filters; here it also keeps the stack.
            guard depth < 25 else {
                throw .badRequest("The filter is nested too deeply.", code: "Request_UnsupportedQuery")
            }
            tokens.removeFirst()
            let inner = try disjunction(&tokens, depth: depth + 1)
            guard tokens.popFirst() == .close else { throw syntaxError(at: tokens) }
            return inner
        }
        guard case .word(let word)? = tokens.popFirst() else { throw syntaxError(at: tokens) }
        if word.lowercased() == "startswith", tokens.first == .open {
            tokens.removeFirst()
            guard case .word(let field)? = tokens.popFirst(), tokens.popFirst() == .comma,
                case .text(let prefix)? = tokens.popFirst(), tokens.popFirst() == .close
            else { throw syntaxError(at: tokens) }
            return .startsWith(field: try known(field), prefix: prefix)
        }
        guard tokens.first != .open, tokens.popFirst() == .word("eq") else {
            throw .badRequest("Unsupported or invalid query filter clause.", code: "Request_UnsupportedQuery")
        }
        switch tokens.popFirst() {
        case .text(let text): return .equals(field: try known(word), text: text)
        case .word("null"): return .equals(field: try known(word), text: nil)
        default: throw syntaxError(at: tokens)
        }
    }

    private static func known(_ field: String) throws(SandboxError) -> String {
        guard SandboxUser.hasField(field) else {
            throw .badRequest("Could not find a property named '\(field)' on type 'microsoft.graph.user'.")
        }
        return field
    }

    private static func tokens(of text: String) throws(SandboxError) -> [Token] {
        var tokens: [Token] = []
        var rest = text[...]
        while let character = rest.first {
            switch character {
            case _ where character.isWhitespace: rest.removeFirst()
            case "(", ")", ",":
                rest.removeFirst()
                tokens.append(character == "(" ? .open : character == ")" ? .close : .comma)
            case "'":
                rest.removeFirst()
                var literal = ""
                while true {
                    guard let next = rest.popFirst() else {
                        throw .badRequest("There is an unterminated string literal in '\(text)'.", code: "BadRequest")
                    }
                    if next == "'" {
                        guard rest.first == "'" else { break }
                        rest.removeFirst()
                    }
                    literal.append(next)
                }
                tokens.append(.text(literal))
            default:
                let word = rest.prefix { !$0.isWhitespace && !"(),'".contains($0) }
                tokens.append(.word(String(word)))
                rest.removeFirst(word.count)
            }
        }
        return tokens
    }

    private static func syntaxError(at rest: ArraySlice<Token>) -> SandboxError {
        .badRequest("Invalid filter clause: syntax error\(rest.isEmpty ? " at its end" : "").")
    }
}
