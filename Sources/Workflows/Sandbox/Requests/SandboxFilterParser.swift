struct SandboxFilterParser {
    private enum Token: Equatable {
        case word(String)
        case text(String)
        case open, close, comma
    }

    private static let comparisons: Set<String> = ["eq", "ne", "gt", "ge", "lt", "le"]
    private static let functions: Set<String> = ["startswith", "endswith", "contains"]

    private(set) var operators: Set<String> = []
    private(set) var fields: [String] = []
    /// The first comparison of different types, which Graph refuses.
    private(set) var mismatch: SandboxError?
    private var tokens: ArraySlice<Token>
    private var variables: [String] = []

    init(_ text: String) throws(SandboxError) {
        tokens = try Self.tokens(of: text)[...]
    }

    mutating func whole() throws(SandboxError) -> SandboxFilter.Node {
        let node = try disjunction(depth: 0)
        guard tokens.isEmpty else { throw syntaxError }
        return node
    }

    private mutating func disjunction(depth: Int) throws(SandboxError) -> SandboxFilter.Node {
        var left = try conjunction(depth: depth)
        while takeWord("or") { left = .or(left, try conjunction(depth: depth)) }
        return left
    }

    private mutating func conjunction(depth: Int) throws(SandboxError) -> SandboxFilter.Node {
        var left = try comparison(depth: depth)
        while takeWord("and") { left = .and(left, try comparison(depth: depth)) }
        return left
    }

    private mutating func comparison(depth: Int) throws(SandboxError) -> SandboxFilter.Node {
        // The service refuses deep filters; the limit also protects the stack.
        guard depth < 25 else {
            throw .badRequest("The filter is nested too deeply.", code: "Request_UnsupportedQuery")
        }
        if take(.open) {
            let inner = try disjunction(depth: depth + 1)
            guard take(.close) else { throw syntaxError }
            return inner
        }
        if takeWord("not") {
            operators.insert("not")
            return .not(try comparison(depth: depth + 1))
        }
        guard case .word(let word)? = tokens.popFirst() else { throw syntaxError }
        if take(.open) { return try call(word, depth: depth) }
        guard case .word(let name)? = tokens.popFirst() else { throw syntaxError }
        let lowercased = name.lowercased()
        if lowercased == "in" {
            operators.insert("in")
            return .isAmong(field: field(word), try literals(for: word))
        }
        guard Self.comparisons.contains(lowercased) else { throw unsupported }
        operators.insert(lowercased)
        return .compare(field: field(word), operator: lowercased, try literal(for: word, lowercased))
    }

    private mutating func call(_ word: String, depth: Int) throws(SandboxError) -> SandboxFilter.Node {
        let name = word.lowercased()
        if name.hasSuffix("/any") {
            guard case .word(let begin)? = tokens.popFirst(), let colon = begin.firstIndex(of: ":") else {
                throw syntaxError
            }
            operators.insert("any")
            let collection = field(String(word.dropLast("/any".count)))
            let variable = String(begin[..<colon])
            let rest = begin[begin.index(after: colon)...]
            if !rest.isEmpty { tokens = [.word(String(rest))] + tokens }
            variables.append(variable)
            let inner = try disjunction(depth: depth + 1)
            variables.removeLast()
            guard take(.close) else { throw syntaxError }
            guard collection.lowercased() == "singlevalueextendedproperties" else {
                return .any(field: collection, variable: variable, inner)
            }
            return try property(variable, inner)
        }
        guard Self.functions.contains(name) else { throw unsupported }
        guard case .word(let subject)? = tokens.popFirst(), take(.comma), case .text(let text)? = tokens.popFirst(),
            take(.close)
        else { throw syntaxError }
        operators.insert(name)
        check(.string, for: subject, name)
        return .function(name, field: field(subject), text: text)
    }

    /// An extended property by its id, with an optional condition on its value.
    ///
    /// "Get singleValueLegacyExtendedProperty": `eq` on the id, and `eq`, `ne`, `contains` or `startswith` on a text.
    private func property(_ variable: String, _ inner: SandboxFilter.Node) throws(SandboxError) -> SandboxFilter.Node {
        let (first, second): (SandboxFilter.Node, SandboxFilter.Node?) =
            if case .and(let left, let right) = inner { (left, right) } else { (inner, nil) }
        guard case .compare(let path, "eq", .string(let id)) = first,
            path.lowercased() == "\(variable)/id".lowercased()
        else { throw unsupported }
        switch second {
        case .compare(let path, "eq", _)?, .compare(let path, "ne", _)?,
            .function("contains", let path, _)?, .function("startswith", let path, _)?:
            guard path.lowercased() == "\(variable)/value".lowercased() else { throw unsupported }
        case nil: break
        default: throw unsupported
        }
        return .hasProperty(try SandboxExtendedProperty.ID(id), variable: variable, second)
    }

    private mutating func field(_ path: String) -> String {
        let first = path.split(separator: "/").first.map(String.init) ?? ""
        if !variables.contains(first) { fields.append(path) }
        return path
    }

    private mutating func literals(for field: String) throws(SandboxError) -> [Value] {
        guard take(.open) else { throw syntaxError }
        var values = [try literal(for: field, "in")]
        while take(.comma) { values.append(try literal(for: field, "in")) }
        guard take(.close) else { throw syntaxError }
        return values
    }

    private mutating func literal(for field: String, _ name: String) throws(SandboxError) -> Value {
        switch tokens.popFirst() {
        case .text(let text):
            check(.string, for: field, name)
            return .string(text)
        case .word("null"): return .null
        case .word(let word) where word == "true" || word == "false":
            check(.boolean, for: field, name)
            return .bool(word == "true")
        case .word(let word):
            if let number = Int(word) {
                check(.integer, for: field, name)
                return .integer(number)
            }
            // A date alone is its midnight.
            guard let date = Date(rfc3339: word.contains("T") ? word : word + "T00:00:00Z") else { throw syntaxError }
            check(.date, for: field, name)
            return .string(SandboxClock.timestamp(date))
        default: throw syntaxError
        }
    }

    private enum ValueType: String {
        case string = "Edm.String"
        case boolean = "Edm.Boolean"
        case integer = "Edm.Int32"
        case date = "Edm.DateTimeOffset"

        /// The type of a property, which Graph's names tell.
        init(ofField path: String) {
            let name = path.split(separator: "/").last?.lowercased() ?? ""
            let isBoolean =
                ["is", "has", "hide", "allow", "show", "include", "auto"].contains(where: name.hasPrefix)
                || ["enabled", "requested"].contains(where: name.hasSuffix)
            if name.hasSuffix("datetime") && name != "datetime" || name == "employeehiredate" {
                self = .date
            } else if name.hasSuffix("count") || name == "size" || name.contains("minutes") {
                self = .integer
            } else {
                self = isBoolean ? .boolean : .string
            }
        }
    }

    private mutating func check(_ given: ValueType, for field: String, _ name: String) {
        let type = ValueType(ofField: field)
        let isOrdered = ["gt", "ge", "lt", "le"].contains(name)
        guard mismatch == nil, given != type || isOrdered && type == .boolean else { return }
        mismatch = .badRequest(
            "A binary operator with incompatible types was detected. Found operand types '\(type.rawValue)' and "
                + "'\(given.rawValue)' for operator kind '\(name)'.")
    }

    private mutating func take(_ token: Token) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool {
        guard case .word(let next)? = tokens.first, next.lowercased() == word else { return false }
        tokens.removeFirst()
        return true
    }

    private var syntaxError: SandboxError {
        .badRequest("Invalid filter clause: syntax error\(tokens.isEmpty ? " at its end" : "").")
    }

    private var unsupported: SandboxError {
        .badRequest("Unsupported or invalid query filter clause.", code: "Request_UnsupportedQuery")
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
}
