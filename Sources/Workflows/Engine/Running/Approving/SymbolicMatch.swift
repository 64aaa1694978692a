import Foundation

/// Compares real data with a plan's data, which contains unknowns.
///
/// An unknown with known values from responses must have one of them; any other can have any value, but the same one
/// everywhere in a request.
struct SymbolicMatch {
    /// The values of unknowns in responses.
    let answers: [String: Set<String>]
    private var bound: [String: String] = [:]

    init(answers: [String: Set<String>]) { self.answers = answers }

    /// Whether a text matches the plan's text.
    mutating func matches(_ planned: String, _ real: String) -> Bool {
        guard planned.contains("‹") else { return planned == real }
        var rest = Substring(real)
        var pending: String?
        var text = Substring(planned)
        while !text.isEmpty {
            if text.first == "‹", let end = text.firstIndex(of: "›") {
                // It is unknown where the first of two adjacent unknowns ends.
                if pending != nil { return true }
                pending = String(text[...end])
                text = text[text.index(after: end)...]
                continue
            }
            let next = text.dropFirst().firstIndex(of: "‹") ?? text.endIndex
            let literal = text[..<next]
            text = text[next...]
            guard let symbol = pending else {
                guard rest.hasPrefix(literal) else { return false }
                rest = rest.dropFirst(literal.count)
                continue
            }
            // The last literal is searched for from the end, all others from the beginning.
            let found = text.isEmpty ? rest.range(of: literal, options: .backwards) : rest.range(of: literal)
            guard let found, !text.isEmpty || found.upperBound == rest.endIndex,
                bind(symbol, String(rest[..<found.lowerBound]))
            else { return false }
            rest = rest[found.upperBound...]
            pending = nil
        }
        guard let pending else { return rest.isEmpty }
        return bind(pending, String(rest))
    }

    /// Whether data matches the plan's data.
    mutating func matches(_ planned: Value, _ real: Value) -> Bool {
        switch (planned, real) {
        case (.string(let planned), .string(let real)): return matches(planned, real)
        // An unknown can be data of any type.
        case (.string(let planned), _): return planned.isSymbol && bind(planned, real.json())
        case (.array(let mine), .array(let theirs)):
            // An array with one example element in the plan can have any length.
            if planned.isOpenArray, let example = mine.first {
                return theirs.allSatisfy { element in
                    var match = self
                    return match.matches(example, element)
                }
            }
            guard mine.count == theirs.count else { return false }
            for (one, other) in zip(mine, theirs) where !matches(one, other) { return false }
            return true
        case (.object(let mine), .object(let theirs)):
            guard mine.count == theirs.count else { return false }
            for (name, value) in mine {
                guard let other = theirs[name], matches(value, other) else { return false }
            }
            return true
        default: return planned == real
        }
    }

    /// Binds an unknown to a text; false if it has another value already.
    private mutating func bind(_ symbol: String, _ text: String) -> Bool {
        // URLs and HTML escape some characters.
        let spellings = [text, text.removingPercentEncoding ?? text]
        if let known = answers[symbol] {
            return known.contains { value in spellings.contains(value) || value.htmlEscaped == text }
        }
        if let known = bound[symbol] { return spellings.contains(known) || known.htmlEscaped == text }
        bound[symbol] = spellings[1]
        return true
    }
}
