package import Essentials

extension Mail {
    /// What finds a message again in the sender's mailbox, also from a machine that knows nothing of its sending.
    ///
    /// It is an extended property of the message, by which Graph filters, and which the message keeps when it is sent
    /// ("Outlook extended properties overview", "Get singleValueLegacyExtendedProperty").
    package struct Key: Sendable, Hashable {
        /// The property's name in Graph, in a namespace of graphflow's own.
        static let id = "String {3c5a1f0e-93f4-4a4b-8f0b-6a1f8d6f7e52} Name graphflowMailKey"
        /// The member of a message that holds it.
        package static let property = "singleValueExtendedProperties"

        /// 64 lower-case hexadecimal digits; in a plan that does not know them, a token.
        package let digest: String
        /// Whether the message is looked for before it is written.
        package let isLookedUp: Bool
        /// When this attempt of the whole work began: no earlier one, on whatever machine, has sent anything since.
        package let begunAt: Date
        /// How long after that a message which is not found as sent counts as not sent.
        package var patience = usualPatience

        /// Longer than a message is known to take from its acceptance to Sent Items.
        package static let usualPatience = Duration.seconds(60)

        /// - Parameters:
        ///   - identity: What identifies the message among all of the mailbox, the same on every machine.
        ///   - isLookedUp: Whether the message is looked for before it is written.
        ///   - begunAt: When this attempt of the whole work began.
        package init(of identity: Value, isLookedUp: Bool, begunAt: Date) {
            self.init(SHA256.hex(of: Data(identity.canonicalJSON)), isLookedUp, begunAt)
        }

        /// The key of a message of which a plan knows only that a run makes one.
        package init(token: String, isLookedUp: Bool, begunAt: Date) {
            self.init(token, isLookedUp, begunAt)
        }

        private init(_ digest: String, _ isLookedUp: Bool, _ begunAt: Date) {
            self.digest = digest
            self.isLookedUp = isLookedUp
            self.begunAt = begunAt
        }

        var value: Value { Self.value(digest) }

        /// Nothing in it is from outside, so that no text can change what is looked for.
        var filter: String {
            "\(Self.property)/any(ep: ep/id eq '\(Self.id)' and ep/value eq '\(digest)')"
        }

        /// The property with a value that has the length of any key, in whose place a run's own is.
        package static let example = value(String(repeating: "0", count: 64))

        /// Whether a message's member is a key, and nothing else.
        package static func isKey(_ member: Value) -> Bool {
            guard let digest = member[0]?["value"]?.string else { return false }
            return member == value(digest) && digest.utf8.count == 64
                && digest.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        }

        private static func value(_ digest: String) -> Value { [["id": .string(id), "value": .string(digest)]] }
    }
}
