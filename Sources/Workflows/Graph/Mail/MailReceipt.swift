/// What is known about a message after the service took it: not more than that.
public struct MailReceipt: Sendable, Hashable {
    /// `accepted`: the service took the message and will try to deliver it.
    public let status: String
    /// The id of the message, which it keeps in Sent Items; nil for one that was delivered directly.
    public let messageID: String?

    /// The receipt as data.
    public var value: Value {
        messageID.map { ["messageId": .string($0), "status": .string(status)] } ?? ["status": .string(status)]
    }
}
