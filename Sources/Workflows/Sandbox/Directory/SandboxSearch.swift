import Essentials

/// The part of `$search` that users support: clauses such as `"displayName:wa"`, joined by AND or OR.
struct SandboxSearch {
    private var groups: [[(field: String, text: String)]] = [[]]

    init(parsing text: String) throws(SandboxError) {
        var rest = text[...]
        var isClauseNext = true
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard !rest.isEmpty else { break }
            if isClauseNext {
                let clause = try Self.clause(&rest)
                groups[groups.count - 1].append(clause)
            } else if rest.hasPrefix("AND") {
                rest.removeFirst(3)
            } else if rest.hasPrefix("OR") {
                rest.removeFirst(2)
                groups.append([])
            } else {
                throw Self.syntaxError
            }
            isClauseNext.toggle()
        }
        guard !isClauseNext else { throw Self.syntaxError }
    }

    func matches(_ user: SandboxUser) -> Bool {
        groups.contains { group in group.allSatisfy { Self.matches($0, user) } }
    }

    /// A display name matches at the beginning of any word, other fields only at their beginning.
    private static func matches(_ clause: (field: String, text: String), _ user: SandboxUser) -> Bool {
        guard let value = user.text(of: clause.field)?.lowercased() else { return false }
        guard clause.field.lowercased() == "displayname" else { return value.hasPrefix(clause.text) }
        let words = value.split { !$0.isLetter && !$0.isNumber }
        return clause.text.split { !$0.isLetter && !$0.isNumber }
            .allSatisfy { wanted in words.contains { $0.hasPrefix(wanted) } }
    }

    private static func clause(_ rest: inout Substring) throws(SandboxError) -> (field: String, text: String) {
        guard rest.popFirst() == "\"" else { throw syntaxError }
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else {
                text.append(character)
            }
        }
        guard let colon = text.firstIndex(of: ":"), SandboxUser.hasField(String(text[..<colon])) else {
            throw syntaxError
        }
        return (String(text[..<colon]), text[text.index(after: colon)...].lowercased())
    }

    private static let syntaxError = SandboxError.badRequest(
        "Syntax error: the search has to be clauses such as \"displayName:wa\" in double quotes.", code: "BadRequest")
}
