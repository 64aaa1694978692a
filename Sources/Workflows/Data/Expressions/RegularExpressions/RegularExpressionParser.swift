struct RegularExpressionParser {
    indirect enum Tree: Sendable {
        case empty
        case scalar(UInt32, ignoresCase: Bool)
        case set(ScalarSet)
        case any(includingNewline: Bool)
        case position(RegularExpression.Position)
        case sequence([Tree])
        case alternatives([Tree])
        case group(Int, Tree)
        case look(ahead: Bool, isNegative: Bool, Tree)
        case atomic(Tree)
        /// With the numbers of the groups in it.
        case loop(Tree, minimum: Int, maximum: Int?, kind: LoopKind, groups: Range<Int>)
        case backreference([Int], ignoresCase: Bool)
        case namedBackreference(String, ignoresCase: Bool)
        case keep
    }

    enum LoopKind: Sendable { case greedy, lazy, possessive }

    struct Options {
        var ignoresCase = false
        var isExtended = false
        var dotMatchesNewline = false
        var isMultiline = false
    }

    private static let largestRepetition = 100_000
    /// jq evaluations move to a larger stack for deep expressions; validations do not.
    private var deepestNesting: Int { dialect == .oniguruma ? 100 : 60 }

    let dialect: RegularExpression.Dialect
    var scalars: [Unicode.Scalar]
    var position = 0
    var options: Options
    private(set) var groupNames: [String?] = []
    private(set) var hasBackreferences = false
    var hasSearchStart = false
    private var highestReference = 0
    private var referencedNames: Set<String> = []
    private var depth = 0

    init(_ source: String, _ dialect: RegularExpression.Dialect, _ options: Options) {
        scalars = Array(source.unicodeScalars)
        self.dialect = dialect
        self.options = options
    }

    /// Whether the position is between `\Q` and `\E`, where every character is itself.
    private var isQuoting = false

    mutating func parse() throws(Signal) -> Tree {
        let tree = try alternatives()
        if position < scalars.count { throw failure("unmatched close parenthesis") }
        guard highestReference <= groupNames.count else {
            throw .failure("the regular expression refers to a group that it does not have")
        }
        if let name = referencedNames.subtracting(groupNames.compactMap(\.self)).min() {
            throw .failure("the regular expression refers to an undefined name <\(name)>")
        }
        return tree
    }

    mutating func backreference(_ number: Int) throws(Signal) -> Tree {
        hasBackreferences = true
        guard number > 0 else { throw failure("invalid backref number/name") }
        highestReference = max(highestReference, number)
        return .backreference([number], ignoresCase: options.ignoresCase)
    }

    mutating func backreference(_ name: String) -> Tree {
        hasBackreferences = true
        referencedNames.insert(name)
        return .namedBackreference(name, ignoresCase: options.ignoresCase)
    }

    func failure(_ reason: String) -> Signal {
        if dialect == .ecmaScript { return .failure(reason) }
        var source = String.UnicodeScalarView()
        source.append(contentsOf: scalars)
        return .failure("\(String(source)) (at offset 0) is not a valid regex: \(reason)")
    }

    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    mutating func accept(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    private mutating func alternatives() throws(Signal) -> Tree {
        depth += 1
        defer { depth -= 1 }
        if depth > deepestNesting { throw failure("too deep nest level") }
        let before = options
        defer { options = before }
        var parts = [try sequence()]
        while accept("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws(Signal) -> Tree {
        var parts: [Tree] = []
        while let scalar = peek() {
            if isQuoting ? accept("\\E") : dialect == .oniguruma && accept("\\Q") {
                isQuoting.toggle()
                continue
            }
            if isQuoting {
                position += 1
                isQuoting = !accept("\\E")
                let letter = letter(scalar.value)
                parts.append(isQuoting ? letter : try quantified(letter, 0..<0))
                continue
            }
            if scalar == "|" || scalar == ")" { break }
            if options.isExtended {
                if scalar.properties.isWhitespace {
                    position += 1
                    continue
                }
                if scalar == "#" {
                    while let next = peek(), next != "\n" { position += 1 }
                    continue
                }
            }
            let groups = groupNames.count + 1
            guard let atom = try dialect == .ecmaScript ? ecmaScriptAtom() : atom() else { continue }
            parts.append(try quantified(atom, groups..<(groupNames.count + 1)))
        }
        let joined = joined(parts)
        return joined.count == 1 ? joined[0] : joined.isEmpty ? .empty : .sequence(joined)
    }

    private mutating func quantified(_ atom: Tree, _ groups: Range<Int>) throws(Signal) -> Tree {
        var tree = atom
        var count = 0
        while let (minimum, maximum) = try quantifier() {
            if dialect == .oniguruma, atom.isAnchor { throw failure("target of repeat operator is invalid") }
            var kind = LoopKind.greedy
            if accept("?") { kind = .lazy } else if dialect == .oniguruma, accept("+") { kind = .possessive }
            tree = .loop(tree, minimum: minimum, maximum: maximum, kind: kind, groups: groups)
            count += 1
            if dialect == .ecmaScript { break }
            if count > 8 { throw failure("too many quantifiers in a row") }
        }
        return tree
    }

    mutating func quantifier() throws(Signal) -> (Int, Int?)? {
        if options.isExtended { while let scalar = peek(), scalar.properties.isWhitespace { position += 1 } }
        if accept("*") { return (0, nil) }
        if accept("+") { return (1, nil) }
        if accept("?") { return (0, 1) }
        let before = position
        guard accept("{") else { return nil }
        let minimum = try number()
        var maximum = minimum
        if accept(",") { maximum = try number() }
        let hasComma = scalars[before..<position].contains(",")
        guard accept("}"), minimum != nil else {
            // Braces that are not a quantifier are literals.
            position = before
            return nil
        }
        let least = minimum ?? 0
        let most = hasComma ? maximum : least
        if let most, most < least { throw failure("upper is smaller than lower in a repeat range") }
        return (least, most)
    }

    private mutating func number() throws(Signal) -> Int? {
        var number: Int?
        while let scalar = peek(), let digit = Character(scalar).wholeNumberValue, scalar.isASCII {
            number = (number ?? 0) * 10 + digit
            if let number, number > Self.largestRepetition { throw failure("too big number in a repeat range") }
            position += 1
        }
        return number
    }

    /// Nil if it was a comment or only changed options.
    mutating func atom() throws(Signal) -> Tree? {
        guard let scalar = peek() else { return .empty }
        position += 1
        switch scalar {
        case ".": return .any(includingNewline: options.dotMatchesNewline)
        case "^": return .position(options.isMultiline ? .lineStart : .textStart)
        case "$": return .position(options.isMultiline ? .lineEnd : .textEndBeforeNewline)
        case "[": return letters(try bracket())
        case "(": return try group()
        case "\\": return try escape()
        case "*", "+", "?": throw failure("target of repeat operator is not specified")
        case "{":
            position -= 1
            if try quantifier() != nil { throw failure("target of repeat operator is not specified") }
            position += 1
            return letter(scalar.value)
        default: return letter(scalar.value)
        }
    }

    func foldedSet(_ set: ScalarSet) -> ScalarSet { options.ignoresCase ? set.withoutCase : set }

    mutating func group() throws(Signal) -> Tree? {
        guard accept("?") else {
            groupNames.append(nil)
            return .group(groupNames.count, try closed())
        }
        if accept(":") { return .sequence([try closed()]) }
        if accept("=") { return .look(ahead: true, isNegative: false, try closed()) }
        if accept("!") { return .look(ahead: true, isNegative: true, try closed()) }
        if accept("<=") { return .look(ahead: false, isNegative: false, try closed()) }
        if accept("<!") { return .look(ahead: false, isNegative: true, try closed()) }
        if dialect == .ecmaScript { return try ecmaScriptGroup() }
        if accept(">") { return .atomic(try closed()) }
        if accept("#") {
            while let scalar = peek(), scalar != ")" { position += 1 }
            guard accept(")") else { throw failure("end pattern in group") }
            return nil
        }
        if accept("P<") || accept("<") { return try namedGroup(until: ">") }
        if accept("'") { return try namedGroup(until: "'") }
        return try optionGroup()
    }

    mutating func namedGroup(until end: Unicode.Scalar) throws(Signal) -> Tree {
        groupNames.append(try groupName(until: end))
        return .group(groupNames.count, try closed())
    }

    mutating func closed() throws(Signal) -> Tree {
        let tree = try alternatives()
        guard accept(")") else { throw failure("end pattern with unmatched parenthesis") }
        return tree
    }

    mutating func groupName(until end: Unicode.Scalar) throws(Signal) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek(), scalar != end, scalar != ")" {
            name.append(scalar)
            position += 1
        }
        guard peek() == end else { throw failure("invalid group name <\(String(name))>") }
        position += 1
        let text = String(name)
        guard let first = name.first, !("0"..."9").contains(first), first.properties.isAlphabetic || first == "_" else {
            throw failure(text.isEmpty ? "group name is empty" : "invalid group name <\(text)>")
        }
        return text
    }

    /// `(?i)`, `(?i-x)` up to the end of the enclosing group, or `(?i:…)`.
    mutating func optionGroup() throws(Signal) -> Tree? {
        var changed = options
        var isOn = true
        while let scalar = peek() {
            position += 1
            switch scalar {
            case "-": isOn = false
            case "i": changed.ignoresCase = isOn
            case "x": changed.isExtended = isOn
            case "s": changed.dotMatchesNewline = isOn
            case "m": changed.isMultiline = isOn
            case ":":
                let before = options
                options = changed
                let tree = try closed()
                options = before
                return .sequence([tree])
            case ")":
                options = changed
                return nil
            default: throw failure("undefined group option")
            }
        }
        throw failure("end pattern in group")
    }
}

extension RegularExpressionParser.Tree {
    fileprivate var isAnchor: Bool {
        switch self {
        case .position, .look: true
        default: false
        }
    }
}
