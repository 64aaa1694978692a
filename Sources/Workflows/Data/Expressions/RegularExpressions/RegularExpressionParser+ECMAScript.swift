/// The syntax in which ECMA-262 differs from Oniguruma.
///
/// Code points are the unit, as with its flag `u`. What only this flag forbids, such as a brace that is no quantifier
/// or `\-` outside brackets, has its meaning without the flag.
extension RegularExpressionParser {
    private static let lineTerminators = ScalarSet.ranges([10...10, 13...13, 0x2028...0x2029])
    private static let digits = ScalarSet.ranges([48...57])
    private static let wordCharacters = ScalarSet.ranges([48...57, 65...90, 95...95, 97...122])
    private static let whiteSpace = ScalarSet.ranges([
        9...13, 32...32, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])

    mutating func ecmaScriptAtom() throws(Signal) -> Tree? {
        if accept(".") {
            return options.dotMatchesNewline ? .any(includingNewline: true) : .set(.inverted(Self.lineTerminators))
        }
        if accept("^") { return .position(.textStart) }
        if accept("$") { return .position(.textEnd) }
        if accept("[") { return .set(foldedSet(try ecmaScriptClass())) }
        if accept("\\") { return try ecmaScriptEscape() }
        return try atom()
    }

    /// The rest of a named group or an option group, after `(?`.
    mutating func ecmaScriptGroup() throws(Signal) -> Tree? {
        if accept("<") {
            let known = groupNames
            let group = try namedGroup(until: ">")
            if let name = groupNames[known.count], known.contains(name) {
                throw failure("the group name <\(name)> is given twice")
            }
            return group
        }
        let flags = scalars[position...].prefix { $0 != ":" }
        guard !flags.isEmpty, flags.endIndex < scalars.count,
            flags.allSatisfy({ "is-".unicodeScalars.contains($0) })
        else { throw failure("undefined group option") }
        return try optionGroup()
    }

    private mutating func ecmaScriptEscape() throws(Signal) -> Tree {
        if let set = try ecmaScriptSetEscape() { return .set(foldedSet(set)) }
        if accept("b") { return .position(.wordBoundary) }
        if accept("B") { return .position(.noWordBoundary) }
        if accept("k") {
            guard accept("<") else { throw failure("invalid backref number/name") }
            return backreference(try groupName(until: ">"))
        }
        if let digit = peek(), ("1"..."9").contains(digit) { return try backreference(backreferenceNumber()) }
        return .scalar(try ecmaScriptCharacter(), ignoresCase: options.ignoresCase)
    }

    private mutating func ecmaScriptSetEscape() throws(Signal) -> ScalarSet? {
        guard let scalar = peek() else { return nil }
        let set: ScalarSet
        switch scalar {
        case "d", "D": set = Self.digits
        case "w", "W": set = Self.wordCharacters
        case "s", "S": set = Self.whiteSpace
        case "p", "P":
            position += 1
            set = .property(try ecmaScriptProperty())
            return scalar == "P" ? .inverted(set) : set
        default: return nil
        }
        position += 1
        return scalar.value < 97 ? .inverted(set) : set
    }

    private mutating func ecmaScriptProperty() throws(Signal) -> ScalarSet.Property {
        guard accept("{") else { throw failure("invalid character property") }
        let name = propertyName()
        var value = Substring(name)
        for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) { value = name.dropFirst(prefix.count) }
        guard accept("}"), let property = ScalarSet.Property(name: String(value)) else {
            throw failure("the character property {\(name)} is not known")
        }
        switch property {
        case .alnum, .blank, .graph, .print, .word, .xdigit:
            throw failure("the character property {\(name)} is not known")
        default: return property
        }
    }

    private mutating func ecmaScriptCharacter() throws(Signal) -> UInt32 {
        guard let scalar = peek() else { throw failure("end pattern at escape") }
        position += 1
        if let code = Self.controls[scalar] { return code }
        switch scalar {
        case "0":
            if let next = peek(), ("0"..."9").contains(next) { break }
            return 0
        case "c":
            guard let letter = peek(), letter.isASCII, letter.properties.isAlphabetic else { break }
            position += 1
            return letter.value % 32
        case "x": return try hexadecimal(2)
        case "u": return try unicodeEscape()
        default:
            if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) { break }
            return scalar.value
        }
        throw failure("invalid escape \\\(Character(scalar))")
    }

    private mutating func unicodeEscape() throws(Signal) -> UInt32 {
        if accept("{") {
            guard let code = digits(upTo: 8, radix: 16), code <= 0x10FFFF, accept("}") else {
                throw failure("invalid code point value")
            }
            return code
        }
        let high = try hexadecimal(4)
        let before = position
        guard (0xD800..<0xDC00).contains(high), accept("\\u") else { return high }
        if let low = digits(upTo: 4, radix: 16), position == before + 6, (0xDC00..<0xE000).contains(low) {
            return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
        }
        position = before
        return high
    }

    private mutating func hexadecimal(_ count: Int) throws(Signal) -> UInt32 {
        let start = position
        guard let code = digits(upTo: count, radix: 16), position == start + count else {
            throw failure("too short escape sequence")
        }
        return code
    }

    private mutating func ecmaScriptClass() throws(Signal) -> ScalarSet {
        let isInverted = accept("^")
        var sets: [ScalarSet] = []
        var ranges: [ClosedRange<UInt32>] = []
        func add(_ member: ScalarSet) {
            if case .range(let range) = member { ranges.append(range) } else { sets.append(member) }
        }
        while let scalar = peek(), scalar != "]" {
            let first = try classMember()
            guard peek() == "-", let next = peek(1), next != "]" else {
                add(first)
                continue
            }
            position += 1
            let last = try classMember()
            if case .range(let low) = first, case .range(let high) = last {
                guard low.lowerBound <= high.upperBound else { throw failure("empty range in char class") }
                add(.range(low.lowerBound...high.upperBound))
            } else {
                add(first)
                add(.range(45...45))
                add(last)
            }
        }
        guard accept("]") else { throw failure("premature end of char-class") }
        let set = try set(of: sets, ranges)
        return isInverted ? .inverted(set) : set
    }

    /// A code point as a range of one, or an escape's set.
    private mutating func classMember() throws(Signal) -> ScalarSet {
        guard let scalar = peek() else { throw failure("premature end of char-class") }
        position += 1
        var code = scalar.value
        if scalar == "\\" {
            if let set = try ecmaScriptSetEscape() { return set }
            code = accept("b") ? 8 : try ecmaScriptCharacter()
        }
        return .range(code...code)
    }
}
