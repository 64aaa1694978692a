/// A message in a mailbox, as Graph describes one.
public struct MailMessage: Sendable, Hashable {
    /// The id.
    public let id: String
    /// The subject.
    public let subject: String?
    /// The sender's address.
    public let from: String?
    /// The recipients' addresses.
    public let to: [String]
    /// When it arrived, in RFC 3339 and UTC.
    public let receivedDateTime: String?
    /// Whether it has been read.
    public let isRead: Bool?
    /// The address of the message in a browser.
    public let webLink: String?
    /// All that Graph said.
    public let value: Value

    /// Reads Graph's description of a message, whose properties are those that were requested.
    init(_ answer: Value) throws(GraphError) {
        func address(_ recipient: Value?) -> String? { recipient?["emailAddress"]?["address"]?.string }
        (id, value) = (try answer.id(of: "message"), answer)
        subject = answer["subject"]?.string
        from = address(answer["from"])
        to = (answer["toRecipients"]?.array ?? []).compactMap(address)
        receivedDateTime = answer["receivedDateTime"]?.string
        isRead = answer["isRead"]?.bool
        webLink = answer["webLink"]?.string
    }

    /// A property as Graph returned it; nil if it is not in the answer.
    public subscript(name: String) -> Value? { value[name] }
}
