/// A message to be sent.
public struct Mail: Sendable, Hashable {
    /// What a message says, and in which form.
    public enum Body: Sendable, Hashable {
        /// Plain text.
        case text(String)
        /// HTML; what goes into it must be escaped, as `\(html: …)` does.
        case html(String)
    }

    /// How important a message says it is.
    public enum Importance: String, Sendable, Hashable, CaseIterable {
        /// It can wait.
        case low
        /// As any other.
        case normal
        /// It should not wait.
        case high
    }

    /// How a message is handed over.
    public enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// As a draft that is then sent: when nobody knows whether it was, it is looked for by its id.
        ///
        /// Needs `Mail.ReadWrite` and `Mail.Send`. The sender always keeps a copy.
        case draft
        /// In one request, which is never repeated when nobody knows whether it was taken. Needs `Mail.Send`.
        case direct
    }

    /// A file that goes with a message.
    public struct Attachment: Sendable, Hashable {
        /// The name under which the reader sees it.
        public var name: String
        /// The bytes and their type.
        public var content: Blob

        /// Creates an attachment.
        public init(name: String, content: Blob) {
            self.name = name
            self.content = content
        }
    }

    /// How many bytes a request may have that writes to a mailbox.
    static let largestRequest = 4_000_000
    /// From how many bytes on an attachment needs an upload session, which takes none that is smaller.
    static let smallestSession = 3 << 20
    /// How many bytes an attachment may have.
    public static let largestAttachment = 150 << 20

    /// The addresses of those to whom it is written.
    public var to: [String]
    /// The addresses of those who get a copy.
    public var cc: [String] = []
    /// The addresses of those who get a copy without the others knowing.
    public var bcc: [String] = []
    /// The addresses of those who get the answers; none for the sender.
    public var replyTo: [String] = []
    /// The subject.
    public var subject: String
    /// What it says.
    public var body: Body
    /// The files that go with it.
    public var attachments: [Attachment] = []
    /// How important it says it is.
    public var importance: Importance = .normal
    /// Whether the sender keeps a copy.
    public var saveToSentItems = true
    /// How it is handed over; nil for a draft, or directly where drafts are not permitted or no copy shall be kept.
    public var delivery: Delivery?

    /// Creates a message; what is not given here can be set on it.
    public init(to: [String], subject: String, body: Body) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}
