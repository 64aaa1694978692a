struct PatternSubject {
    let scalars: [UInt32]
    private let text: String
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        let bytes = text.utf8
        isASCII = bytes.allSatisfy { $0 < 128 }
        scalars = isASCII ? bytes.map(UInt32.init) : text.unicodeScalars.map(\.value)
    }

    func text(_ start: Int, _ end: Int) -> String {
        if isASCII {
            let bytes = text.utf8
            let first = bytes.index(bytes.startIndex, offsetBy: start)
            return String(text[first..<bytes.index(first, offsetBy: end - start)])
        }
        var view = String.UnicodeScalarView()
        for scalar in scalars[start..<end] { view.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
        return String(view)
    }

    /// As `match` outputs it.
    func value(of match: RegularExpression.Match, _ expression: RegularExpression) -> Value {
        var captures: [Value] = []
        for (group, name) in expression.groupNames.enumerated() {
            let start = match[group * 2 + 2]
            let end = match[group * 2 + 3]
            let isSet = start >= 0 && end >= start
            captures.append([
                "offset": .integer(isSet ? start : -1), "length": .integer(isSet ? end - start : 0),
                "string": isSet ? .string(text(start, end)) : .null, "name": name.map { .string($0) } ?? .null,
            ])
        }
        return [
            "offset": .integer(match[0]), "length": .integer(max(match[1] - match[0], 0)),
            "string": .string(text(match[0], max(match[0], match[1]))), "captures": .array(captures),
        ]
    }

    func captures(of match: RegularExpression.Match, _ expression: RegularExpression) -> Value {
        var object = Object()
        for (group, name) in expression.groupNames.enumerated() {
            guard let name else { continue }
            let start = match[group * 2 + 2]
            let end = match[group * 2 + 3]
            object[name] = start >= 0 && end >= start ? .string(text(start, end)) : .null
        }
        return .object(object)
    }
}
