extension Sandbox {
    /// A sandbox's initial contents, as a test's `sandbox` describes them.
    package struct Contents: Sendable {
        package struct Mistake: Sendable, Hashable {
            package let place: JSONPointer
            package let message: String
            package let hint: String?
        }

        struct File: Sendable {
            let owner: SandboxUser
            let path: String
            let content: Data
        }

        struct Mail: Sendable {
            let owner: SandboxUser
            let folder: SandboxMessage.Folder
            let content: Object
            let attachments: [Sandbox.Mail.Attachment]
            /// Nil for the sandbox's start.
            let received: Date?
        }

        /// The first one is signed in; nil for the default users.
        var users: [SandboxUser]?
        var groups: [SandboxGroup]?
        var files: [File] = []
        var mails: [Mail] = []
        var events: [(owner: SandboxUser, content: Object)] = []
        var licences: [String: Set<String>] = [:]
        /// What lists of the store have at first, and relations, by their paths.
        var entities: [(path: String, elements: [Value])] = []

        package init() {}

        /// Reads a description that matches the schema.
        /// - Parameter mistakes: Receives its mistakes.
        package init(_ description: Value, _ mistakes: inout [Mistake]) {
            var reader = ContentsReader(description)
            self = reader.contents()
            mistakes += reader.mistakes
        }
    }
}
