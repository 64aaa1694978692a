/// The state of a delta query, which its links carry.
struct SandboxDeltaToken {
    /// Names the feed, so no other one accepts the token.
    var feed: String
    /// The last change of the previous round; 0 in a first round.
    var base = 0
    /// The last change that was read.
    var position = 0
    /// How many items this round has had.
    var count = 0
    var date: Date
    var isImmutable = false
    /// The options of the first request: `select`, `filter`, `expand`, `changetype` and the window of time.
    var options: [String: String] = [:]

    private static let signatureSize = 16

    func text(key: String) -> String {
        let value: Value = [
            "f": .string(feed), "b": .integer(base), "p": .integer(position), "n": .integer(count),
            "d": .integer(Int(date.timeIntervalSince1970)), "i": .bool(isImmutable),
            "o": .object(Object(options.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        ]
        let payload = value.jsonData()
        return Base64URL.encode(Self.signature(of: payload, key) + payload)
    }

    init(feed: String, date: Date) {
        self.feed = feed
        self.date = date
    }

    /// Nil for a text that this key did not sign.
    init?(_ text: String, key: String) {
        guard let data = Base64URL.decode(text), data.count > Self.signatureSize else { return nil }
        let payload = Data(data.dropFirst(Self.signatureSize))
        guard Array(data.prefix(Self.signatureSize)) == Self.signature(of: payload, key),
            let value = try? Value(json: payload)
        else { return nil }
        feed = value["f"]?.string ?? ""
        date = Date(timeIntervalSince1970: Double(value["d"]?.integer ?? 0))
        base = value["b"]?.integer ?? 0
        position = value["p"]?.integer ?? 0
        count = value["n"]?.integer ?? 0
        isImmutable = value["i"] == true
        for (name, option) in value["o"]?.object ?? [:] { options[name] = option.string }
    }

    private static func signature(of payload: Data, _ key: String) -> [UInt8] {
        Array(SHA256.hash(of: Data(key.utf8) + payload + Data(key.utf8)).prefix(signatureSize))
    }
}
