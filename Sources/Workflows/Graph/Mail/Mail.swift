/// A message to be sent.
public struct Mail: Sendable, Hashable {
    /// A message's text and its format.
    public enum Body: Sendable, Hashable {
        /// Plain text.
        case text(String)
        /// HTML; inserted text must be escaped, as `\(html: …)` does.
        case html(String)
    }

    /// The importance of a message.
    public enum Importance: String, Sendable, Hashable, CaseIterable {
        /// It is not urgent.
        case low
        /// Like most messages.
        case normal
        /// It is urgent.
        case high
    }

    /// How a message is delivered to the service.
    public enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// As a draft that is then sent; if the outcome is unknown, the message is looked up by its id.
        ///
        /// Needs `Mail.ReadWrite` and `Mail.Send`. The sender always keeps a copy.
        case draft
        /// In one request, which is never repeated if its outcome is unknown.
        ///
        /// Needs `Mail.Send`.
        case direct
    }

    /// A file attached to a message.
    public struct Attachment: Sendable, Hashable {
        /// The name that the reader sees.
        public var name: String
        /// The bytes and their type.
        public var content: Blob
        /// The name by which the message's HTML shows it: `logo` for `<img src="cid:logo">`.
        public var contentID: String?
        /// Whether it is part of the message's text, such as a picture in it.
        public var isInline: Bool {
            get { inline == true }
            set { inline = .bool(newValue) }
        }
        /// ``isInline`` if it is given, or its token if a plan does not know it.
        package var inline: Value?
        /// The token for the attachment, or for the list of all attachments, if a plan does not know them.
        package var unknown: String?
        package var isList = false

        /// Creates an attachment.
        public init(name: String, content: Blob) {
            self.name = name
            self.content = content
        }
    }

    static let largestRequest = 4_000_000
    /// Attachments from this size on need an upload session, and smaller ones one request.
    ///
    /// Microsoft documents 3 MB. One request may have 4 MiB, which is enough for 3 MB in Base64 and a long name.
    static let smallestSession = 3_000_000
    /// The largest attachment in bytes.
    public static let largestAttachment = 150 << 20

    /// The recipients' addresses.
    public var to: [String]
    /// The addresses that get a copy.
    public var cc: [String] = []
    /// The addresses that get a blind copy.
    public var bcc: [String] = []
    /// The addresses that get the replies; empty for the sender.
    public var replyTo: [String] = []
    /// The subject.
    public var subject: String
    /// The text.
    public var body: Body
    /// The attached files.
    public var attachments: [Attachment] = []
    /// The importance.
    public var importance: Importance = .normal
    /// Whether the sender keeps a copy.
    public var saveToSentItems = true
    /// How it is delivered; nil for a draft, or directly if drafts are not permitted or no copy is kept.
    public var delivery: Delivery?
    /// Identifies it in the sender's mailbox, even from another machine; nil if it is never looked up.
    package var key: Key?
    package var unknownLists: Set<String> = []

    package var unknownImportance: String?

    /// Creates a message; set its other properties afterwards.
    public init(to: [String], subject: String, body: Body) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}

/// What is known about a message after the service accepted it.
public struct MailReceipt: Sendable, Hashable {
    /// `accepted`: the service accepted the message and will try to deliver it.
    public let status: String
    /// The message's id, which stays the same in Sent Items; nil for one that was delivered directly.
    public let messageID: String?

    /// The receipt as data.
    public var value: Value {
        messageID.map { ["messageId": .string($0), "status": .string(status)] } ?? ["status": .string(status)]
    }
}
