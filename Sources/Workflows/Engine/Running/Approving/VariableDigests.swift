/// The values of environment variables as a plan pins them: salted digests, because a value may be a short secret.
struct VariableDigests: Sendable, Hashable {
    private let salt: Data
    private let digests: [String: String]

    init(_ variables: [String: String], salt: Data = .random(32)) {
        self.salt = salt
        digests = variables.mapValues { value in
            SHA256.authenticationCode(for: Data(value.utf8), key: salt).hex
        }
    }

    init?(_ value: Value?) {
        guard let value else {
            (salt, digests) = (Data(), [:])
            return
        }
        guard let salt = value["salt"]?.string.flatMap({ Data(base64Encoded: $0) }), salt.count == 32,
            let members = value["values"]?.object
        else { return nil }
        self.salt = salt
        digests = members.reduce(into: [:]) { $0[$1.key] = $1.value.string }
    }

    var value: Value? {
        guard !digests.isEmpty else { return nil }
        let values = digests.sorted { $0.key < $1.key }.map { ($0.key, Value.string($0.value)) }
        return ["salt": .string(salt.base64EncodedString()), "values": .object(Object(values))]
    }

    /// How variables differ from these, one difference per line, without their values.
    func differences(to variables: [String: String]) -> [String] {
        let present = VariableDigests(variables, salt: salt).digests
        return Set(digests.keys).union(present.keys).sorted().compactMap { name in
            let shown = PlainText.line(name, limit: 100)
            switch (digests[name], present[name]) {
            case (nil, _): return "programs would get the variable '\(shown)', but do not in the plan"
            case (_, nil):
                return "programs would not get the variable '\(shown)', but do in the plan ('--env \(shown)')"
            case (let planned, let given):
                return planned == given ? nil : "the variable '\(shown)' has another value than in the plan"
            }
        }
    }
}
