extension Sandbox {
    /// A file in a drive of the sandbox.
    public struct DriveItem: Sendable, Hashable {
        /// A sharing link of a file.
        public struct Link: Sendable, Hashable {
            /// The id of the link's permission.
            public var id: String
            /// What it allows: `view`, `edit` or `embed`.
            public var type: String
            /// Who may use it: `anonymous`, `organization` or `users`.
            public var scope: String
            /// The address that opens the file.
            public var webURL: String
            /// Whether it requires a password.
            public var hasPassword: Bool
            /// When it expires, as the client wrote it.
            public var expirationDateTime: String?
        }

        /// The user principal name of the drive's owner.
        public var owner: String
        /// The item's id.
        public var id: String
        /// The path below the drive's root, without a leading slash.
        public var path: String
        /// The media type that the client stated, else that of the bytes.
        public var contentType: String
        /// The bytes.
        public var content: Data
        /// The tag of this version.
        public var eTag: String
        /// How often its content was written.
        public var version: Int
        /// The file's sharing links.
        public var links: [Link]

        /// The last part of the path.
        public var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
        /// The number of bytes.
        public var size: Int { content.count }
        /// The hash of the bytes in hexadecimal digits.
        public var sha256: String { SHA256.hex(of: content) }
    }
}

extension Sandbox.DriveItem {
    /// The tag of the content, which a new name does not change.
    var cTag: String { "\"c:" + eTag.dropFirst().prefix { $0 != "," } + ",\(version)\"" }

    /// Gives it the next tag.
    mutating func touch() {
        let parts = eTag.split(separator: ",")
        eTag = "\(parts[0]),\((parts.last?.dropLast()).flatMap { Int($0) }.map { $0 + 1 } ?? 1)\""
    }

    private static let shownSize = 16 << 20

    var value: Value {
        guard case .object(var members) = description else { return .null }
        members["contentBytes"] = size <= Self.shownSize ? .string(content.base64EncodedString()) : .null
        return .object(members)
    }

    var description: Value {
        [
            "owner": .string(owner), "id": .string(id), "name": .string(name), "path": .string("/" + path),
            "contentType": .string(contentType), "size": .integer(size), "sha256": .string(sha256),
            "eTag": .string(eTag), "version": .integer(version), "links": .array(links.map(\.value)),
        ]
    }
}

extension Sandbox.DriveItem.Link {
    fileprivate var value: Value {
        [
            "id": .string(id), "type": .string(type), "scope": .string(scope), "webUrl": .string(webURL),
            "hasPassword": .bool(hasPassword), "expirationDateTime": expirationDateTime.map(Value.string) ?? .null,
        ]
    }
}
