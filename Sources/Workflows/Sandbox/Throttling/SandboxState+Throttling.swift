enum SandboxService: Hashable {
    case directory, files
    case mailbox(String)

    var name: String {
        switch self {
        case .directory: "directory"
        case .files: "files"
        case .mailbox(let owner): "mailbox \(owner)"
        }
    }
}

extension SandboxState {
    /// The settings' limits, else the profile's.
    var limits: Sandbox.Limits {
        profile == .metered && settings.limits == Sandbox.Limits() ? .scarce : settings.limits
    }

    func service(of call: SandboxCall) -> SandboxService? {
        guard let route = try? call.route.get() else { return nil }
        switch route.resource {
        case .delta(let collection) where collection.isOfDirectory: return .directory
        case .delta(.drive): return .files
        case .user, .users, .userCount, .directory: return .directory
        case .drive, .item, .content, .createLink, .invite, .permissions, .permission, .createUploadSession, .children,
            .copy,
            .search,
            .thumbnails:
            return .files
        case .upload(let id):
            if case .attachment(let attachment)? = uploads[id]?.target {
                return .mailbox(attachment.owner.userPrincipalName)
            }
            return .files
        case .delta, .photos, .photo, .photoContent, .sendMail, .messages, .message, .send, .attachments, .attachment,
            .createAttachmentSession, .mailFolders, .mailFolder, .reply, .move, .mime, .calendars, .calendar, .events,
            .event, .cancel:
            return (try? user(route.owner, for: call)).map { .mailbox($0.userPrincipalName) }
        case .batch, .subscriptions, .unplayed: return nil
        }
    }

    static func cost(of call: SandboxCall) -> Int {
        guard let resource = (try? call.route.get())?.resource else { return 1 }
        switch resource {
        case .users:
            let isSmall = call.target.option("top").flatMap { Int($0) }.map { $0 < 20 } ?? false
            let isSelected = call.target.option("select") != nil
            return max(1, 2 - (isSelected ? 1 : 0) - (isSmall ? 1 : 0) + (call.target.option("expand") == nil ? 0 : 1))
        case .createLink: return 5
        case .item, .content, .drive, .upload, .children, .search: return call.request.method == "GET" ? 1 : 2
        case .createUploadSession, .copy: return 2
        default: return 1
        }
    }

    /// Counts a request against its service's limit; returns a refusal if it exceeds the limit.
    mutating func throttle(_ call: SandboxCall, _ service: SandboxService) -> SandboxError? {
        if case .mailbox(let owner) = service, let most = limits.mailboxConcurrency, underWay[owner, default: 0] >= most
        {
            concurrencyRefusals[owner, default: 0] += 1
            return SandboxError(
                status: 429, code: "ApplicationThrottled",
                message: "Application is over its MailboxConcurrency limit.", headers: ["Retry-After": "1"])
        }
        let limit =
            switch service {
            case .directory: limits.directory
            case .files: limits.files
            case .mailbox: limits.mailbox
            }
        guard let limit else { return nil }
        var bucket = buckets[service] ?? SandboxBucket(limit, at: call.date)
        // SharePoint also counts refused requests, so clients that do not wait are refused for longer.
        let seconds = bucket.take(Self.cost(of: call), penalty: service == .files ? 1 : 0, at: call.date)
        buckets[service] = bucket
        guard let seconds else { return nil }
        var error = SandboxError.throttling(service)
        error.headers["Retry-After"] = "\(seconds)"
        return error
    }

    func throttleHeaders(_ call: SandboxCall, _ service: SandboxService, isRefused: Bool) -> HTTPHeaders {
        guard let bucket = buckets[service] else { return [:] }
        var headers = HTTPHeaders()
        switch service {
        case .directory:
            headers["x-ms-resource-unit"] = "\(Self.cost(of: call))"
            guard isRefused || bucket.usage >= 0.8 else { break }
            let share = max(bucket.usage, isRefused ? 1 : 0) * 100
            headers["x-ms-throttle-limit-percentage"] = "\(share.rounded() / 100)"
            guard isRefused else { break }
            headers["x-ms-throttle-scope"] =
                "Tenant_Application/ReadWrite/00000000-0000-0000-0000-000000000000/contoso.com"
            headers["x-ms-throttle-information"] = "ResourceUnitLimitExceeded"
        case .files:
            guard isRefused || bucket.usage >= 0.8 else { break }
            headers["RateLimit-Limit"] = "\(Int(bucket.capacity))"
            headers["RateLimit-Remaining"] = "\(max(0, Int(bucket.level)))"
            headers["RateLimit-Reset"] = "\(bucket.reset)"
        case .mailbox: break
        }
        return headers
    }

    var throttles: [Sandbox.Throttle] {
        var result: [String: Sandbox.Throttle] = [:]
        for (service, bucket) in buckets {
            result[service.name] = Sandbox.Throttle(
                service: service.name, refused: bucket.refused, early: bucket.early)
        }
        for (owner, count) in concurrencyRefusals {
            let name = SandboxService.mailbox(owner).name
            result[name, default: Sandbox.Throttle(service: name, refused: 0, early: 0)].refused += count
        }
        return result.values.sorted { $0.service < $1.service }
    }
}

extension SandboxError {
    fileprivate static func throttling(_ service: SandboxService) -> SandboxError {
        switch service {
        case .directory:
            SandboxError(
                status: 429, code: "TooManyRequests",
                message: "Too many requests. Please retry after the time that is given.")
        case .files:
            SandboxError(
                status: 429, code: "activityLimitReached", message: "The app or user has been throttled.",
                innerCode: "throttledRequest")
        case .mailbox:
            SandboxError(
                status: 429, code: "ApplicationThrottled", message: "Application is over its RequestRate limit.")
        }
    }
}
