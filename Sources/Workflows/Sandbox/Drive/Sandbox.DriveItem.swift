public import Foundation

extension Sandbox {
    /// A file in a drive of the sandbox.
    public struct DriveItem: Sendable, Hashable {
        /// A sharing link of a file.
        public struct Link: Sendable, Hashable {
            /// The id of the permission that the link is.
            public var id: String
            /// What it lets do: `view`, `edit` or `embed`.
            public var type: String
            /// Whom it is for: `anonymous`, `organization` or `users`.
            public var scope: String
            /// The address that opens the file.
            public var webURL: String
            /// Whether it asks for a password.
            public var hasPassword: Bool
            /// When it ends, as the client wrote it.
            public var expirationDateTime: String?
        }

        /// The user principal name of the drive's owner.
        public var owner: String
        /// The item's id.
        public var id: String
        /// The path below the drive's root, without a slash at its beginning.
        public var path: String
        /// The media type that the client gave it, else what its bytes are.
        public var contentType: String
        /// The bytes.
        public var content: Data
        /// The tag of this version.
        public var eTag: String
        /// How often content was put into it.
        public var version: Int
        /// The sharing links that were handed out.
        public var links: [Link]

        /// The last part of the path.
        public var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
        /// How many bytes it has.
        public var size: Int { content.count }
        /// The hash of the bytes in hexadecimal digits.
        public var sha256: String { SHA256.hex(of: content) }
    }
}

extension Sandbox.DriveItem {
    /// The largest content that a list of the files shows.
    private static let shownSize = 16 << 20

    var value: Value {
        [
            "owner": .string(owner), "id": .string(id), "name": .string(name), "path": .string("/" + path),
            "contentType": .string(contentType), "size": .integer(size), "sha256": .string(sha256),
            "eTag": .string(eTag), "version": .integer(version), "links": .array(links.map(\.value)),
            "contentBytes": size <= Self.shownSize ? .string(content.base64EncodedString()) : .null,
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
