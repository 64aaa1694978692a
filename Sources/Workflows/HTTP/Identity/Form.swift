/// A request body for the sign-in service, which protects its values from accidental exposure.
package struct Form: Sendable {
    private var fields: [(name: String, value: Secret)] = []

    func with(_ name: String, _ value: String?) -> Form { with(name, value.map { Secret($0) }) }

    func with(_ name: String, _ value: Secret?) -> Form {
        guard let value else { return self }
        var form = self
        form.fields.append((name, value))
        return form
    }

    var data: Data { Data(encoded.utf8) }

    var encoded: String {
        fields.map { "\($0.name.percentEncoded())=\($0.value.revealed.percentEncoded())" }.joined(separator: "&")
    }

    /// Equal for equal requests only.
    var digest: String { SHA256.hex(of: data) }

    /// The fields of a query or a body in this form; if a name occurs twice, the first value counts.
    package static func parse(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let words = parts.map { String($0).replacing("+", with: " ").percentDecoded }
            guard let first = words.first, let name = first, fields[name] == nil else { continue }
            fields[name] = words.count == 2 ? words[1] ?? "" : ""
        }
        return fields
    }
}
