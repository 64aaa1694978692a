/// A client's subscription to notifications of changes.
struct SandboxSubscription {
    enum Watched: Equatable {
        /// In any folder without one.
        case messages(owner: String, folder: SandboxMessage.Folder?)
        case events(owner: String)
        case drive(owner: String)
        /// All, or the one with an id.
        case users(String?)
        case groups(String?)

        private static let outlookLife = 10_080

        /// The longest life, in minutes.
        var longestLife: Int {
            switch self {
            case .messages, .events: Self.outlookLife
            case .drive: 42_300
            case .users, .groups: 41_760
            }
        }

        /// A drive's items are only updated.
        var changeTypes: Set<String> {
            if case .drive = self { ["updated"] } else { ["created", "updated", "deleted"] }
        }

        /// Whether the service tells its lifecycle URL of what it missed.
        var isOutlook: Bool { longestLife == Self.outlookLife }

        func contains(_ id: String, in feed: SandboxFeed) -> Bool {
            switch (self, feed) {
            case (.messages(let owner, let folder), .messages(let other, let place)):
                owner == other && (folder == nil || folder == place)
            case (.events(let owner), .events(let other)), (.drive(let owner), .drive(let other)): owner == other
            case (.users(let one), .users), (.groups(let one), .groups): one == nil || one == id
            default: false
            }
        }
    }

    let id: String
    /// As the client wrote it.
    let resource: String
    let watched: Watched
    let changeType: String
    let notificationURL: String
    let lifecycleURL: String?
    let clientState: String?
    let latestTLSVersion: String
    let isImmutable: Bool
    let application: String
    let creator: String
    var expires: Date

    var changeTypes: Set<String> { Set(changeType.lowercased().split(separator: ",").map { $0.trimmed }) }

    var value: Object {
        [
            "id": .string(id), "resource": .string(resource), "applicationId": .string(application),
            "changeType": .string(changeType), "clientState": clientState.map(Value.string) ?? .null,
            "notificationUrl": .string(notificationURL),
            "lifecycleNotificationUrl": lifecycleURL.map(Value.string) ?? .null, "notificationQueryOptions": .null,
            "expirationDateTime": .string(SandboxClock.timestamp(expires)), "creatorId": .string(creator),
            "includeResourceData": .null, "latestSupportedTlsVersion": .string(latestTLSVersion),
            "encryptionCertificate": .null, "encryptionCertificateId": .null, "notificationUrlAppId": .null,
        ]
    }

    /// What every notification says of it.
    var head: Object {
        [
            "subscriptionId": .string(id), "subscriptionExpirationDateTime": .string(SandboxClock.timestamp(expires)),
            "clientState": clientState.map(Value.string) ?? .null, "tenantId": .string(SandboxTenant.id),
        ]
    }

    func lifecycle(_ event: String) -> SandboxNotice? {
        lifecycleURL.map { url in
            var value = head
            value["lifecycleEvent"] = .string(event)
            return SandboxNotice(url: url, value: .object(value), subscription: id)
        }
    }
}

/// A notification that waits for its delivery.
struct SandboxNotice {
    typealias Batch = (url: String, notices: [SandboxNotice])

    var url: String
    var value: Value
    var subscription: String
    var delay = Duration.zero
}
