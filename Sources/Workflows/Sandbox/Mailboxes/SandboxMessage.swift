struct SandboxMessage {
    struct Attachment {
        var id: String
        var file: Sandbox.Mail.Attachment
        var modified: Date
    }

    /// An accepted message in transit: a draft for a while, then nowhere, then in Sent Items.
    struct Transit {
        var leaves: Date
        var arrives: Date
    }

    let key: Int
    let owner: String
    let immutableID: String
    var id: String
    var folder: Folder
    var created: Date
    var modified: Date
    var sent: Date?
    var internetMessageID: String
    var changeKey: String
    /// The client's content, in Graph's spelling, without attachments.
    var content: Object
    var attachments: [Attachment] = []
    var extendedProperties: [SandboxExtendedProperty] = []
    var transit: Transit?
    /// Whether it was never sent, in any folder.
    var isDraft: Bool
    /// Whether its folder has it: one that is sent at once is in none before Sent Items.
    var isListed = true

    /// False between leaving one folder and arriving in the next.
    func isVisible(at date: Date) -> Bool { transit.map { date < $0.leaves } ?? true }

    /// Adds the header of a message that was transported.
    mutating func receive() {
        let header: Value = ["name": "Received", "value": "from mail.contoso.com by mailbox.contoso.com"]
        content["internetMessageHeaders"] = .array((content["internetMessageHeaders"]?.array ?? []) + [header])
    }

    func id(isImmutable: Bool) -> String { isImmutable ? immutableID : id }
}
