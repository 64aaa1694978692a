/// What is known about a message after the service took it: not more than that.
public struct MailReceipt: Sendable, Hashable {
    /// `accepted`: the service took the message and will try to deliver it.
    public let status: String

    /// The receipt as data.
    public var value: Value { ["status": .string(status)] }
}
