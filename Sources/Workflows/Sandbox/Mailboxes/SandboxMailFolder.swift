import Essentials

extension SandboxMessage {
    enum Folder: Hashable {
        case inbox, drafts, sentItems, deletedItems, archive, junkEmail, outbox
        case own(Int)

        static let wellKnown: [Folder] = [.archive, .deletedItems, .drafts, .inbox, .junkEmail, .outbox, .sentItems]

        init?(wellKnownName name: String) {
            let name = name.lowercased()
            guard let folder = Self.wellKnown.first(where: { $0.name?.filter { $0 != " " }.lowercased() == name })
            else {
                return nil
            }
            self = folder
        }

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

        func id(of owner: SandboxUser) -> String {
            let place = if case .own(let number) = self { "\(number)" } else { name ?? "" }
            return "AQMkAD" + SHA256.hash(of: Data("\(owner.id)/\(place)".utf8)).prefix(30).hex
        }
    }
}

struct SandboxMailFolder {
    var owner: String
    var name: String
    var isHidden: Bool
    var parent: SandboxMessage.Folder?
}
