import Foundation

/// A message in a mailbox: a draft, or what was sent.
struct SandboxMessage {
    /// The folders that a mailbox has, by their well-known names.
    enum Folder: String, CaseIterable {
        case inbox, drafts
        case sentItems = "sentitems"
        case deletedItems = "deleteditems"

        var displayName: String {
            switch self {
            case .inbox: "Inbox"
            case .drafts: "Drafts"
            case .sentItems: "Sent Items"
            case .deletedItems: "Deleted Items"
            }
        }
    }

    /// A file in a message.
    struct Attachment {
        var id: String
        var file: Sandbox.Mail.Attachment
        var contentID: String?
        var modified: Date
    }

    /// The way of a message that was accepted: a draft for a while, then nowhere, then in Sent Items.
    struct Transit {
        var leaves: Date
        var arrives: Date
    }

    /// What tells it from every other message of the sandbox, and never changes.
    let key: Int
    /// The user principal name of the mailbox's owner.
    let owner: String
    /// The id that stays when the message moves.
    let immutableID: String
    /// The id that is another one in every folder.
    var id: String
    var folder: Folder
    var created: Date
    var modified: Date
    var sent: Date?
    var internetMessageID: String
    var changeKey: String
    /// What the client wrote, in the spelling of Graph's description, without attachments.
    var content: Object
    var attachments: [Attachment] = []
    var transit: Transit?

    var isDraft: Bool { folder == .drafts }

    /// Whether it can be seen, as it cannot between leaving one folder and arriving in the next.
    func isVisible(at date: Date) -> Bool { transit.map { date < $0.leaves } ?? true }

    func id(isImmutable: Bool) -> String { isImmutable ? immutableID : id }
}
