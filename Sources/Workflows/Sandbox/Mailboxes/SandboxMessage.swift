import Essentials

/// A message in a mailbox: a draft or a sent message.
struct SandboxMessage {
    /// An attached file.
    struct Attachment {
        var id: String
        var file: Sandbox.Mail.Attachment
        var modified: Date
    }

    /// The transit of an accepted message: a draft for a while, then nowhere, then in Sent Items.
    struct Transit {
        var leaves: Date
        var arrives: Date
    }

    /// The message's number in the sandbox, which never changes.
    let key: Int
    /// The user principal name of the mailbox's owner.
    let owner: String
    /// The id that stays the same when the message moves.
    let immutableID: String
    /// The id that changes when the message moves.
    var id: String
    var folder: Folder
    var created: Date
    var modified: Date
    var sent: Date?
    var internetMessageID: String
    var changeKey: String
    /// The client's content, in the spelling of Graph's description, without attachments.
    var content: Object
    var attachments: [Attachment] = []
    /// The properties that only their writers know.
    var extendedProperties: [SandboxExtendedProperty] = []
    var transit: Transit?
    /// Whether it was never sent, wherever it was moved.
    var isDraft: Bool

    /// Whether it is visible, which it is not between leaving one folder and arriving in the next.
    func isVisible(at date: Date) -> Bool { transit.map { date < $0.leaves } ?? true }

    func id(isImmutable: Bool) -> String { isImmutable ? immutableID : id }
}
