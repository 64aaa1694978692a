internal import WorkflowData

/// The options of an address's query: which properties of the answer they name.
package struct GraphQuery: Sendable {
    /// The options by their names in lower case with the dollar sign, without which Graph takes them, too.
    private var options: [String: String] = [:]

    /// - Parameter query: Percent-encoded, without the question mark.
    package init(_ query: some StringProtocol) {
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map({ Self.decoded(String($0)) }), parts.count == 2 else { continue }
            self[name] = Self.decoded(String(parts[1]))
        }
    }

    private static func decoded(_ text: String) -> String {
        let text = text.replacing("+", with: " ")
        return text.percentDecoded ?? text
    }

    package subscript(name: String) -> String? {
        get { options[(name.hasPrefix("$") ? name : "$" + name).lowercased()] }
        set { options[(name.hasPrefix("$") ? name : "$" + name).lowercased()] = newValue }
    }

    /// The properties to get, each a path; nil for those that the service chooses.
    package var selected: [[Substring]]? { self["$select"].map(Self.paths) }

    /// The relations to get with the answer, each with its own options.
    package var expanded: [(name: String, query: GraphQuery)] {
        Self.pieces(of: self["$expand"] ?? "", at: ",").map { piece in
            let name = piece.prefix { $0 != "(" && $0 != "/" && !$0.isWhitespace }
            var query = GraphQuery("")
            if let open = piece.firstIndex(of: "("), let close = piece.lastIndex(of: ")"), open < close {
                for option in Self.pieces(of: String(piece[piece.index(after: open)..<close]), at: ";") {
                    let parts = option.split(separator: "=", maxSplits: 1)
                    if parts.count == 2 { query[String(parts[0])] = String(parts[1]) }
                }
            }
            return (String(name), query)
        }
    }

    /// The properties that the answer is ordered by, each a path.
    package var ordered: [[Substring]] { Self.paths(self["$orderby"] ?? "") }

    /// The properties that are compared, each a path; not those of a list's elements.
    package var filtered: [[Substring]] { self["$filter"].map(Self.identifiers(inFilter:)) ?? [] }

    /// The properties that are searched in.
    package var searched: [Substring] {
        (self["$search"] ?? "").split(separator: "\"").compactMap { clause in
            clause.contains(":") ? clause.prefix { $0 != ":" } : nil
        }
    }

    private static func paths(_ list: String) -> [[Substring]] {
        list.split(separator: ",").map { word in
            word.drop(while: \.isWhitespace).prefix { !" (".contains($0) }.split(separator: "/")
        }.filter { !$0.isEmpty }
    }

    /// A text's pieces between separators that are not in parentheses.
    private static func pieces(of text: String, at separator: Character) -> [Substring] {
        var (pieces, depth, start) = ([Substring](), 0, text.startIndex)
        for index in text.indices {
            switch text[index] {
            case "(": depth += 1
            case ")": depth -= 1
            case separator where depth == 0:
                pieces.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        return (pieces + [text[start...]]).map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
    }

    private static func identifiers(inFilter filter: String) -> [[Substring]] {
        // Texts are in single quotes, and a quote inside is doubled.
        let plain = filter.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
        let words = plain.replacing("(", with: "( ").split { $0.isWhitespace || $0 == ")" || $0 == "," }
        var variables: Set<Substring> = []
        return words.compactMap { word -> [Substring]? in
            // Numbers, dates and function names are not properties.
            guard word.first?.isNumber == false, word.first != "-", word != "(" else { return nil }
            guard !word.hasSuffix("(") || word.contains("/"), !operators.contains(word.lowercased()) else { return nil }
            // A lambda's variable is an element of a list: any(x:x/skuId eq …).
            if let colon = word.firstIndex(of: ":") {
                variables.insert(word[..<colon])
                return nil
            }
            let path = word.prefix { !":(".contains($0) }.split(separator: "/")
            guard let first = path.first, !variables.contains(first) else { return nil }
            // What is computed for a list, or its number, is no property.
            return path.last.map { ["any", "all", "$count"].contains($0) } == true ? Array(path.dropLast()) : path
        }.filter { !$0.isEmpty }
    }

    private static let operators: Set<String> = [
        "and", "or", "not", "eq", "ne", "gt", "ge", "lt", "le", "in", "has", "true", "false", "null",
    ]
}
