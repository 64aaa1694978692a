extension SandboxRoute {
    /// The methods that the resource has.
    var methods: Set<String> {
        switch resource {
        case .user: ["GET", "PATCH", "DELETE"]
        case .photoContent(nil): ["GET", "PUT", "PATCH", "DELETE"]
        case .delta, .userCount, .photos, .photo, .photoContent, .drive, .calendars, .calendar, .search, .thumbnails,
            .mime, .attachment(_, _, isContent: true):
            ["GET"]
        case .item, .message, .mailFolder, .event: ["GET", "PATCH", "DELETE"]
        case .users, .children, .messages, .attachments, .mailFolders, .events: ["GET", "POST"]
        case .content: ["GET", "PUT"]
        case .createLink, .invite, .createUploadSession, .copy, .sendMail, .send, .createAttachmentSession, .reply,
            .move,
            .batch, .cancel:
            ["POST"]
        case .permissions: ["GET", "POST"]
        case .permission: ["GET", "DELETE"]
        case .upload: ["GET", "PUT", "POST", "DELETE"]
        case .attachment: ["GET", "DELETE"]
        case .subscriptions(_, isReauthorization: true): ["POST"]
        case .subscriptions(nil, _): ["GET", "POST"]
        case .subscriptions: ["GET", "PATCH", "DELETE"]
        case .directory(let part):
            switch part {
            case .groups: ["GET", "POST"]
            case .group: ["GET", "PATCH", "DELETE"]
            case .memberReferences, .assignLicence, .deletedItem: ["POST"]
            case .memberReference: ["DELETE"]
            case .members, .memberOf, .manager, .reports, .organization, .skus, .licenceDetails: ["GET"]
            }
        case .unplayed: []
        }
    }

    func bodySchema(of method: String) -> SandboxBodySchema? {
        switch (method, resource) {
        case ("POST", .sendMail): .sendMail
        case ("POST", .createLink): .createLink
        case ("POST", .createUploadSession): .createUploadSession
        case ("POST", .children), ("PATCH", .item): .driveItem
        case ("POST", .copy): .copy
        case ("POST", .messages), ("PATCH", .message): .message
        case ("POST", .attachments): .attachment
        case ("POST", .createAttachmentSession): .createAttachmentSession
        case ("POST", .reply): .reply
        case ("POST", .move): .move
        case ("POST", .mailFolders), ("PATCH", .mailFolder): .mailFolder
        case ("POST", .directory(.groups)), ("PATCH", .directory(.group)): .group
        case ("POST", .users), ("PATCH", .user): .user
        case ("POST", .events), ("PATCH", .event): .event
        case ("POST", .directory(.memberReferences)): .reference
        case ("POST", .directory(.assignLicence)): .assignLicense
        case ("POST", .subscriptions(nil, _)), ("PATCH", .subscriptions): .subscription
        case ("POST", .batch): .batch
        default: nil
        }
    }
}
