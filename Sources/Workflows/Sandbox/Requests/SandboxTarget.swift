struct SandboxTarget {
    let segments: [String]
    let query: [(name: String, value: String)]

    init(_ url: URL) throws(SandboxError) {
        let form = url.requestTarget
        let mark = form.firstIndex(of: "?")
        var segments: [String] = []
        for segment in form[..<(mark ?? form.endIndex)].split(separator: "/") {
            segments.append(try Self.decoded(segment))
        }
        self.segments = segments
        query = try mark.map { mark throws(SandboxError) in try Self.pairs(form[form.index(after: mark)...]) } ?? []
    }

    static func pairs(_ text: Substring) throws(SandboxError) -> [(name: String, value: String)] {
        var pairs: [(String, String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].replacing("+", with: "%20") : ""
            pairs.append((try decoded(parts[0]), try decoded(value[...])))
        }
        return pairs
    }

    /// The decoded path without the version, which faults match.
    var path: String {
        "/" + (segments.first == "v1.0" ? segments.dropFirst() : segments[...]).joined(separator: "/")
    }

    /// The first option with this name; OData allows it with or without `$`.
    func option(_ name: String) -> String? {
        query.first { $0.name.lowercased() == name.lowercased() || $0.name.lowercased() == "$\(name)".lowercased() }?
            .value
    }

    private static func decoded(_ text: Substring) throws(SandboxError) -> String {
        guard let decoded = text.percentDecoded, !decoded.contains("\0") else {
            throw .badRequest("The URL is not valid: '\(text)' is not percent-encoded UTF-8.")
        }
        return decoded
    }
}
