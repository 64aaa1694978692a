extension Sandbox {
    /// A mail that the sandbox accepted.
    public struct Mail: Sendable, Hashable {
        /// An attached file.
        public struct Attachment: Sendable, Hashable {
            /// The file's name.
            public var name: String
            /// The media type that the sender stated.
            public var contentType: String
            /// The bytes.
            public var content: Data
            /// Whether the body shows it, by its ``contentID``.
            public var isInline: Bool
            /// The id by which an HTML body shows it: `cid:ID`.
            public var contentID: String?

            /// The number of bytes.
            public var size: Int { content.count }
            /// The hash of the bytes in hexadecimal digits.
            public var sha256: String { SHA256.hex(of: content) }
        }

        /// The id; the immutable id of its message if a copy was kept.
        public var id: String
        /// The Message-ID that the recipients see.
        public var internetMessageID: String
        /// When it was accepted.
        public var sentAt: Date
        /// The sender's address.
        public var sender: String
        /// The addresses of the recipients.
        public var to: [String]
        /// The addresses that get a copy.
        public var cc: [String]
        /// The addresses that get a blind copy.
        public var bcc: [String]
        /// The addresses that get the replies.
        public var replyTo: [String]
        /// The subject.
        public var subject: String
        /// The body's type: `text` or `html`.
        public var bodyType: String
        /// The body.
        public var body: String
        /// The importance: `low`, `normal` or `high`.
        public var importance: String
        /// Whether a copy was kept.
        public var isSavedToSentItems: Bool
        /// The attached files.
        public var attachments: [Attachment]
        /// How many mails with exactly this content were accepted; more than 1 if it was sent again.
        public var deliveries: Int

        func hasContent(of other: Mail) -> Bool {
            sender == other.sender && to == other.to && cc == other.cc && bcc == other.bcc && subject == other.subject
                && bodyType == other.bodyType && body == other.body && attachments == other.attachments
        }
    }
}

extension Sandbox.Mail {
    var value: Value {
        guard case .object(var members) = envelope else { return .null }
        members["body"] = ["contentType": .string(bodyType), "content": .string(body)]
        members["attachments"] = .array(attachments.map(\.value))
        return .object(members)
    }

    var envelope: Value {
        [
            "id": .string(id), "internetMessageId": .string(internetMessageID),
            "sentDateTime": .string(SandboxClock.timestamp(sentAt)),
            "deliveries": .integer(deliveries),
            "from": .string(sender), "to": .array(to.map(Value.string)), "cc": .array(cc.map(Value.string)),
            "bcc": .array(bcc.map(Value.string)), "replyTo": .array(replyTo.map(Value.string)),
            "subject": .string(subject),
            "importance": .string(importance), "saveToSentItems": .bool(isSavedToSentItems),
        ]
    }
}

extension Sandbox.Mail.Attachment {
    private static let shownSize = 16 << 20

    fileprivate var value: Value {
        [
            "name": .string(name), "contentType": .string(contentType), "size": .integer(size),
            "sha256": .string(sha256), "isInline": .bool(isInline),
            "contentId": contentID.map(Value.string) ?? .null,
            "contentBytes": size <= Self.shownSize ? .string(content.base64EncodedString()) : .null,
        ]
    }
}
