extension RegularExpressionParser {
    /// The maximum of sets in brackets, each of which costs time at every character.
    private static let mostSets = 100
    /// What these escapes mean differs between languages of regular expressions; jq reads most of them as the letter.
    private static let ambiguous: [Unicode.Scalar: String] = [
        "h": "'[0-9a-fA-F]' for a hexadecimal digit, or 'h' for the letter",
        "H": "'[^0-9a-fA-F]' for anything but a hexadecimal digit, or 'H' for the letter",
        "o": "'\\x{…}' for a character by its hexadecimal number, or 'o' for the letter",
        "u": "'\\x{…}' for a character by its hexadecimal number, or 'u' for the letter",
        "v": "'\\x0B' for the vertical tab, or 'v' for the letter",
        "V": "'V' for the letter", "X": "'X' for the letter", "y": "'y' for the letter", "Y": "'Y' for the letter",
    ]
    static let controls: [Unicode.Scalar: UInt32] = ["t": 9, "n": 10, "v": 11, "f": 12, "r": 13]

    mutating func escape() throws(Signal) -> Tree {
        guard let scalar = peek() else { throw failure("end pattern at escape") }
        if let set = try setEscape() { return .set(foldedSet(set)) }
        position += 1
        switch scalar {
        case "b": return .position(.wordBoundary)
        case "B": return .position(.noWordBoundary)
        case "A": return .position(.textStart)
        case "Z": return .position(.textEndBeforeNewline)
        case "z": return .position(.textEnd)
        case "G":
            hasSearchStart = true
            return .position(.searchStart)
        case "K": return .keep
        case "R":
            return .alternatives([
                .sequence([.scalar(13, ignoresCase: false), .scalar(10, ignoresCase: false)]),
                .set(.ranges([10...13, 0x85...0x85, 0x2028...0x2029])),
            ])
        case "k":
            guard accept("<") else { throw failure("invalid backref number/name") }
            if let digit = peek(), ("0"..."9").contains(digit) {
                let number = backreferenceNumber()
                guard accept(">") else { throw failure("invalid backref number/name") }
                return try backreference(number)
            }
            return backreference(try groupName(until: ">"))
        case "g": throw failure("subexpression calls are not supported")
        case "N": return .any(includingNewline: false)
        case "O": return .any(includingNewline: true)
        case "1"..."9":
            position -= 1
            return try backreference(backreferenceNumber())
        default:
            position -= 1
            return letter(try scalarEscape())
        }
    }

    mutating func backreferenceNumber() -> Int {
        var number = 0
        while let scalar = peek(), let digit = Character(scalar).wholeNumberValue, scalar.isASCII, number < 1_000 {
            number = number * 10 + digit
            position += 1
        }
        return number
    }

    /// An escape for a class of code points, such as `\d` or `\p{Lu}`; nil for any other escape.
    private mutating func setEscape() throws(Signal) -> ScalarSet? {
        guard let scalar = peek() else { return nil }
        let set: ScalarSet
        switch scalar {
        case "d", "D": set = .property(.digit)
        case "w", "W": set = .property(.word)
        case "s", "S": set = .property(.space)
        case "p", "P":
            guard peek(1) == "{" else { return nil }
            position += 2
            let isInverted = accept("^") != (scalar == "P")
            let name = propertyName()
            guard accept("}"), let property = ScalarSet.Property(name: name) else {
                throw failure("invalid character property name {\(name)}")
            }
            return isInverted ? .inverted(.property(property)) : .property(property)
        default: return nil
        }
        position += 1
        return scalar.properties.isUppercase ? .inverted(set) : set
    }

    mutating func propertyName() -> String {
        let start = position
        while let next = peek(), next != "}" { position += 1 }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }

    private mutating func scalarEscape() throws(Signal) -> UInt32 {
        guard let scalar = peek() else { throw failure("end pattern at escape") }
        position += 1
        if let advice = Self.ambiguous[scalar] { throw failure("\\\(scalar) is ambiguous: write \(advice)") }
        if let code = Self.controls[scalar] { return code }
        switch scalar {
        case "a": return 7
        case "e": return 27
        case "c":
            // The control character of the keyboard; `\c?` is the last of ASCII.
            guard let key = peek(), key.isASCII, key != "\\" else { throw failure("too short control sequence") }
            position += 1
            return key == "?" ? 127 : key.value & 0x1F
        case "x":
            let isLong = accept("{")
            guard let code = digits(upTo: isLong ? 8 : 2, radix: 16), !isLong || accept("}"),
                Unicode.Scalar(code) != nil
            else { throw failure("invalid code point value") }
            return code
        case "0"..."7":
            position -= 1
            return digits(upTo: 3, radix: 8) ?? 0
        default: return scalar.value
        }
    }

    mutating func digits(upTo count: Int, radix: UInt32) -> UInt32? {
        var code: UInt32?
        var taken = 0
        while taken < count, let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue,
            digit < radix
        {
            code = (code ?? 0) &* radix &+ UInt32(digit)
            position += 1
            taken += 1
        }
        return code
    }

    mutating func bracket() throws(Signal) -> ScalarSet {
        let isInverted = accept("^")
        var sets: [ScalarSet] = []
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while let scalar = peek() {
            if scalar == "]", !isFirst {
                position += 1
                let whole = try set(of: sets, ranges)
                return isInverted ? .inverted(whole) : whole
            }
            isFirst = false
            if scalar == "[", let set = try posixClass() {
                sets.append(set)
            } else if let set = try escapedSet() {
                sets.append(set)
            } else {
                ranges.append(try range())
            }
        }
        throw failure("premature end of char-class")
    }

    func set(of sets: [ScalarSet], _ ranges: [ClosedRange<UInt32>]) throws(Signal) -> ScalarSet {
        if sets.count > Self.mostSets { throw failure("too many sets in a char-class") }
        let all = sets + (ranges.isEmpty ? [] : [ScalarSet(ranges)])
        return all.count == 1 ? all[0] : .union(all)
    }

    private mutating func escapedSet() throws(Signal) -> ScalarSet? {
        guard peek() == "\\" else { return nil }
        position += 1
        if let set = try setEscape() { return set }
        position -= 1
        return nil
    }

    private mutating func range() throws(Signal) -> ClosedRange<UInt32> {
        let start = try rangeEnd()
        guard peek() == "-", let next = peek(1), next != "]" else { return start...start }
        position += 1
        if try escapedSet() != nil { throw failure("char-class value at end of range") }
        let end = try rangeEnd()
        guard start <= end else { throw failure("empty range in char class") }
        return start...end
    }

    private mutating func rangeEnd() throws(Signal) -> UInt32 {
        guard let scalar = peek() else { throw failure("premature end of char-class") }
        position += 1
        guard scalar == "\\" else { return scalar.value }
        if accept("b") { return 8 }
        return try scalarEscape()
    }

    /// `[:alpha:]`; nil if it is not a character class.
    private mutating func posixClass() throws(Signal) -> ScalarSet? {
        let before = position
        guard accept("[:") else { return nil }
        let isInverted = accept("^")
        var name = ""
        while let scalar = peek(), scalar.properties.isAlphabetic {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard accept(":]") else {
            position = before
            return nil
        }
        guard let property = ScalarSet.Property(rawValue: name) else { throw failure("invalid POSIX bracket type") }
        return isInverted ? .inverted(.property(property)) : .property(property)
    }
}
