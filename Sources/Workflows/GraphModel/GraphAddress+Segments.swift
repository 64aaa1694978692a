internal import WorkflowData

extension GraphAddress {
    /// A part of a path as it was given.
    struct Part {
        /// The text without the key or the parameters in parentheses.
        let name: String
        /// What is in the parentheses; nil without any.
        let inside: String?
        let given: String

        /// Whether it looks like a function or a name of a type, which no key does.
        var isCall: Bool {
            inside != nil && name.first?.isLowercase == true && name.allSatisfy { $0.isLetter || $0 == "." }
                || name.lowercased().hasPrefix("microsoft.graph.")
        }

        /// Whether an expression, whose value is not known, stands for it or for a piece of it.
        var isUnknown: Bool { given.contains { "{‹".contains($0) } }
    }

    /// A path's parts: it is split at each slash that is not in parentheses.
    static func parts(of path: some StringProtocol) -> [Part] {
        var (parts, current, isInside, isQuoted) = ([Part](), "", false, false)
        for character in path {
            switch character {
            case "'" where isInside: isQuoted.toggle()
            case "(" where !isQuoted: isInside = true
            case ")" where !isQuoted: isInside = false
            case "/" where !isInside:
                if !current.isEmpty { parts.append(part(current)) }
                current = ""
                continue
            default: break
            }
            current.append(character)
        }
        return current.isEmpty ? parts : parts + [part(current)]
    }

    private static func part(_ given: String) -> Part {
        let decoded = given.percentDecoded ?? given
        guard decoded.hasSuffix(")"), let open = decoded.firstIndex(of: "("), open != decoded.startIndex else {
            return Part(name: decoded, inside: nil, given: given)
        }
        let inside = String(decoded[open...].dropFirst().dropLast())
        return Part(name: String(decoded[..<open]), inside: inside, given: given)
    }
}
