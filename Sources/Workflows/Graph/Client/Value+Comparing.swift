extension Value {
    /// Whether a file of a drive has this content; nil if the service does not say.
    package func hasContent(_ content: Data) -> Bool? {
        guard self["size"]?.integer == content.count else { return false }
        let hashes = self["file"]?["hashes"]
        if let hash = hashes?["quickXorHash"]?.string { return hash == QuickXorHash.base64(of: content) }
        return hashes?["sha256Hash"]?.string.map { $0.lowercased() == SHA256.hex(of: content) }
    }

    /// Whether it has what was set, whatever else its objects have.
    package func covers(_ wanted: Value) -> Bool {
        if let elements = array, let others = wanted.array {
            return elements.count == others.count && zip(elements, others).allSatisfy { $0.covers($1) }
        }
        guard let members = wanted.object else { return self == wanted }
        return members.allSatisfy { (self[$0.key] ?? .null).covers($0.value) }
    }
}
