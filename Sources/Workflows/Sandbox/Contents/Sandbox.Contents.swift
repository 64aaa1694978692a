import Essentials
package import WorkflowData

extension Sandbox {
    /// What a sandbox holds before the first request, as the `sandbox` of a test describes it.
    package struct Contents: Sendable {
        /// Something wrong in a description, at a place in it.
        package struct Mistake: Sendable, Hashable {
            package let place: JSONPointer
            package let message: String
            package let hint: String?
        }

        /// A file in somebody's drive.
        struct File: Sendable {
            let owner: SandboxUser
            let path: String
            let content: Data
        }

        /// A mail in a folder of somebody's mailbox.
        struct Mail: Sendable {
            let owner: SandboxUser
            let folder: SandboxMessage.Folder
            let content: Object
            let attachments: [Sandbox.Mail.Attachment]
            /// When it arrived; nil for when the sandbox began.
            let received: Date?
        }

        /// The people, of whom the first is signed in; nil for the usual ones.
        var users: [SandboxUser]?
        /// The groups; nil for the usual ones.
        var groups: [SandboxGroup]?
        var files: [File] = []
        var mails: [Mail] = []
        /// Events by their calendars' owners, as Graph has them.
        var events: [(owner: SandboxUser, content: Object)] = []
        /// The ids of licences by those of users.
        var licences: [String: Set<String>] = [:]

        /// Contents that a description leaves as they are.
        package init() {}

        /// Reads a description whose shape is right.
        /// - Parameter mistakes: Gets what is wrong in it.
        package init(_ description: Value, _ mistakes: inout [Mistake]) {
            var reader = ContentsReader(description)
            self = reader.contents()
            mistakes += reader.mistakes
        }
    }
}
