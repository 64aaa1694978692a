extension Mail {
    /// Identifies a message in the sender's mailbox, even from a machine that did not send it.
    ///
    /// It is an extended property, by which Graph can filter, and which the message keeps when it is sent ("Outlook
    /// extended properties overview", "Get singleValueLegacyExtendedProperty").
    package struct Key: Sendable, Hashable {
        /// The property's name in Graph, in graphflow's namespace.
        static let id = "String {3c5a1f0e-93f4-4a4b-8f0b-6a1f8d6f7e52} Name graphflowMailKey"
        package static let property = "singleValueExtendedProperties"

        /// 64 lower-case hexadecimal digits; in a plan that does not know them, a token.
        package let digest: String
        package let isLookedUp: Bool
        /// When this attempt of the whole work began: no earlier one, on any machine, has sent anything since.
        package let begunAt: Date
        /// How long after that a message that is not found as sent counts as not sent.
        package var patience = usualPatience

        /// Longer than messages are known to take from acceptance to Sent Items.
        package static let usualPatience = Duration.seconds(60)

        /// - Parameters:
        ///   - identity: Identifies the message among all in the mailbox, the same on every machine.
        ///   - isLookedUp: Whether the message is looked up before it is written.
        ///   - begunAt: When this attempt of the whole work began.
        package init(of identity: Value, isLookedUp: Bool, begunAt: Date) {
            self.init(SHA256.hex(of: Data(identity.canonicalJSON)), isLookedUp, begunAt)
        }

        package init(token: String, isLookedUp: Bool, begunAt: Date) {
            self.init(token, isLookedUp, begunAt)
        }

        private init(_ digest: String, _ isLookedUp: Bool, _ begunAt: Date) {
            self.digest = digest
            self.isLookedUp = isLookedUp
            self.begunAt = begunAt
        }

        var value: Value { Self.value(digest) }

        /// It contains no outside text, so nothing can change the lookup.
        var filter: String {
            "\(Self.property)/any(ep: ep/id eq '\(Self.id)' and ep/value eq '\(digest)')"
        }

        package static let example = value(String(repeating: "0", count: 64))

        package static func isKey(_ member: Value) -> Bool {
            guard let digest = member[0]?["value"]?.string else { return false }
            return member == value(digest) && digest.utf8.count == 64
                && digest.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        }

        private static func value(_ digest: String) -> Value { [["id": .string(id), "value": .string(digest)]] }
    }
}
