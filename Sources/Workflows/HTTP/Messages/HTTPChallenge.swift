/// A challenge in a response with status 401: a scheme and its parameters.
///
/// Specification: RFC 9110, section 11.
struct HTTPChallenge: Sendable, Hashable {
    var scheme: String
    var parameters: [String: String]

    /// The challenges in the values of `WWW-Authenticate` fields, in order; unreadable ones are omitted.
    ///
    /// If a parameter occurs twice, the first value counts. Parameters without a scheme form a challenge with an empty
    /// one.
    static func challenges(in fields: [String]) -> [HTTPChallenge] {
        fields.flatMap { field -> [HTTPChallenge] in
            var reader = Reader(Array(field.unicodeScalars))
            return reader.challenges()
        }
    }

    private struct Reader {
        private let scalars: [Unicode.Scalar]
        private var place = 0

        init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

        mutating func challenges() -> [HTTPChallenge] {
            var found: [HTTPChallenge] = []
            while place < scalars.count {
                skip { $0 == " " || $0 == "\t" || $0 == "," }
                let word = text(until: " \t,=\"")
                guard !word.isEmpty else {
                    place += 1
                    continue
                }
                skip { $0 == " " || $0 == "\t" }
                // A name before an equals sign is a parameter; any other word starts a challenge.
                guard place < scalars.count, scalars[place] == "=" else {
                    found.append(HTTPChallenge(scheme: word.lowercased(), parameters: [:]))
                    continue
                }
                place += 1
                skip { $0 == " " || $0 == "\t" }
                let name = word.lowercased()
                // Unquoted Base64 ends with equals signs, which parameters have in the middle.
                let value = place < scalars.count && scalars[place] == "\"" ? quoted() : text(until: " \t,")
                if found.isEmpty { found.append(HTTPChallenge(scheme: "", parameters: [:])) }
                if found[found.count - 1].parameters[name] == nil { found[found.count - 1].parameters[name] = value }
            }
            return found
        }

        private mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
            while place < scalars.count, isSkipped(scalars[place]) { place += 1 }
        }

        private mutating func text(until ends: String) -> String {
            var text = String.UnicodeScalarView()
            while place < scalars.count, !ends.unicodeScalars.contains(scalars[place]) {
                text.append(scalars[place])
                place += 1
            }
            return String(text)
        }

        private mutating func quoted() -> String {
            var text = String.UnicodeScalarView()
            place += 1
            while place < scalars.count, scalars[place] != "\"" {
                if scalars[place] == "\\", place + 1 < scalars.count { place += 1 }
                text.append(scalars[place])
                place += 1
            }
            place += 1
            return String(text)
        }
    }
}
