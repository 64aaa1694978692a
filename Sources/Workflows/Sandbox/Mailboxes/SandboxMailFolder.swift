import Essentials

extension SandboxMessage {
    /// A folder of a mailbox.
    enum Folder: Hashable {
        case inbox, drafts, sentItems, deletedItems, archive, junkEmail, outbox
        /// One that a client has created, by its number.
        case own(Int)

        /// Those that every mailbox has, in the order of their display names.
        static let wellKnown: [Folder] = [.archive, .deletedItems, .drafts, .inbox, .junkEmail, .outbox, .sentItems]

        /// Finds a folder by its well-known name, such as `sentitems`.
        init?(wellKnownName name: String) {
            let name = name.lowercased()
            guard let folder = Self.wellKnown.first(where: { $0.name?.filter { $0 != " " }.lowercased() == name })
            else {
                return nil
            }
            self = folder
        }

        /// The display name; nil for one that a client has named.
        var name: String? {
            switch self {
            case .inbox: "Inbox"
            case .drafts: "Drafts"
            case .sentItems: "Sent Items"
            case .deletedItems: "Deleted Items"
            case .archive: "Archive"
            case .junkEmail: "Junk Email"
            case .outbox: "Outbox"
            case .own: nil
            }
        }

        /// The id, derived from the mailbox's owner.
        func id(of owner: SandboxUser) -> String {
            let place = if case .own(let number) = self { "\(number)" } else { name ?? "" }
            return "AQMkAD" + SHA256.hash(of: Data("\(owner.id)/\(place)".utf8)).prefix(30).hex
        }
    }
}

/// A folder that a client has created.
struct SandboxMailFolder {
    var owner: String
    var name: String
    var isHidden: Bool
    /// The folder that it is in; nil for the top of the mailbox.
    var parent: SandboxMessage.Folder?
}
