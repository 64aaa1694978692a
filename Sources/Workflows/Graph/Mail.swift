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

    /// How many bytes attachments may have together, since encoding makes them a third larger and a request ends at 4 MB.
    public static let largestAttachments = 3_000_000

    /// The addresses of those to whom it is written.
    public var to: [String]
    /// The addresses of those who get a copy.
    public var cc: [String] = []
    /// The addresses of those who get a copy without the others knowing.
    public var bcc: [String] = []
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

    /// Creates a message; what is not given here can be set on it.
    public init(to: [String], subject: String, body: Body) {
        self.to = to
        self.subject = subject
        self.body = body
    }
}
