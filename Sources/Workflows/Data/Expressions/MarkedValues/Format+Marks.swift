extension Format {
    /// An interpolated value's text, in which marked texts remain parts.
    ///
    /// An unknown of any type is a separate part, which represents its `tostring`.
    func parts(of value: Value, _ evaluation: Evaluation) throws(Signal) -> [TextPart] {
        if self == .text, let unknown = value.unknown { return [.unknown(unknown)] }
        let text = try marked(value, evaluation)
        return text.textParts ?? text.unknown.map { [.unknown($0)] } ?? []
    }

    func marked(_ value: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        guard value.holdsMark else { return .string(try apply(value, evaluation)) }
        if self == .text, value.textParts != nil { return value }
        if let unknown = value.unknowns.first, value.holdsUnknown {
            return try evaluation.plan(for: unknown).pending(.text, fails: mayFail)
        }
        if isOfSingleCharacters, let parts = value.textParts {
            var formatted: [TextPart] = []
            for part in parts {
                switch part {
                case .plain(let text): formatted.append(.plain(try apply(.string(text), evaluation)))
                case .secret(let secret):
                    let text = try apply(secret.value, evaluation)
                    formatted.append(.secret(Confidential(.string(text), of: secret.names)))
                case .unknown: formatted.append(part)
                }
            }
            return .text(formatted)
        }
        return try value.concealed(with: .null, "cannot be formatted with @\(rawValue)") {
            (value: Value, _: Value) throws(Signal) in
            .string(try apply(value, evaluation))
        }
    }

    private var mayFail: Bool {
        switch self {
        case .text, .json, .html, .uri, .base64, .base32: false
        case .csv, .tsv, .sh, .base64d, .base32d, .urid: true
        }
    }

    /// Whether each character is escaped separately.
    private var isOfSingleCharacters: Bool { self == .html || self == .uri }
}

extension Evaluation {
    func text(_ parts: [TextPart]) throws(Signal) -> Value {
        var bytes = 16
        for part in parts {
            switch part {
            case .plain(let text): bytes += text.utf8.count
            case .secret(let secret): bytes += secret.value.string?.utf8.count ?? 0
            case .unknown(let unknown): _ = try plan(for: unknown)
            }
        }
        try allocate(bytes)
        return planning?.text(parts) ?? .text(parts)
    }
}
