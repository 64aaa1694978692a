extension SandboxState {
    private static let shortestLife = 45
    private static let longestClientState = 128

    mutating func answerSubscriptions(
        _ id: String?, isReauthorization: Bool, _ call: SandboxCall
    ) throws(SandboxError) -> HTTPResponse {
        let date = call.date
        subscriptions.removeAll { $0.expires <= date }
        let application = application(of: call)
        guard let id else {
            guard call.request.method == "GET" else { return try subscribe(call, application) }
            return try SandboxList(
                context: "subscriptions", type: "microsoft.graph.subscription",
                elements: subscriptions.filter { $0.application == application }.map(\.value), options: []
            ).answer(call)
        }
        guard let place = subscriptions.firstIndex(where: { $0.id == id.lowercased() && $0.application == application })
        else { throw SandboxError(status: 404, code: "ResourceNotFound", message: "The object was not found.") }
        switch call.request.method {
        case "DELETE":
            subscriptions.remove(at: place)
            return HTTPResponse(status: 204)
        case "POST" where isReauthorization: return HTTPResponse(status: 204)
        case "PATCH":
            let body = try call.json?.get().object ?? [:]
            if let name = body.keys.first(where: {
                !["expirationDateTime", "notificationUrl"].contains($0) && !$0.hasPrefix("@")
            }) {
                throw .invalidSubscription("The property '\(name)' cannot be changed.")
            }
            guard body["notificationUrl"] == nil else { throw .notPlayed("another notificationUrl of a subscription") }
            subscriptions[place].expires = try expiry(
                body["expirationDateTime"]?.string, subscriptions[place].watched, at: date)
        default: break
        }
        return try subscriptionList.answer(only: subscriptions[place].value, call)
    }

    private var subscriptionList: SandboxList {
        SandboxList(context: "subscriptions", type: "microsoft.graph.subscription", elements: [])
    }

    private func application(of call: SandboxCall) -> String {
        call.token.flatMap { signIn.accessTokens[$0]?.application } ?? "00000000-0000-0000-0000-000000000000"
    }

    /// Checks a new subscription, which is kept when its addresses have answered.
    private mutating func subscribe(_ call: SandboxCall, _ application: String) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        func text(_ name: String) throws(SandboxError) -> String {
            guard let text = body[name]?.string, !text.isEmpty else {
                throw .invalidSubscription("The property '\(name)' is required.")
            }
            return text
        }
        guard body["includeResourceData"]?.bool != true else { throw .notPlayed("notifications with resource data") }
        let (resource, changeType) = (try text("resource"), try text("changeType"))
        let (watched, owner) = try watched(resource, call)
        let clientState = body["clientState"]?.string
        guard clientState?.count ?? 0 <= Self.longestClientState else {
            throw .invalidSubscription("The clientState can have at most 128 characters.")
        }
        let addresses = [try text("notificationUrl")] + [body["lifecycleNotificationUrl"]?.string].compactMap(\.self)
        for address in addresses where (try? HTTPAddress.url(address)) == nil {
            throw .invalidSubscription("The notification URL '\(address)' must start with 'https'.")
        }
        let made = SandboxSubscription(
            id: guid(), resource: resource, watched: watched, changeType: changeType, notificationURL: addresses[0],
            lifecycleURL: addresses.dropFirst().first, clientState: clientState,
            latestTLSVersion: body["latestSupportedTlsVersion"]?.string ?? "v1_2",
            isImmutable: call.wantsImmutableIDs, application: application,
            creator: owner?.id ?? directory.users[0].id,
            expires: try expiry(try text("expirationDateTime"), watched, at: call.date))
        guard !made.changeTypes.isEmpty, made.changeTypes.isSubset(of: watched.changeTypes) else {
            throw .invalidSubscription("The changeType '\(changeType)' is not supported for '\(resource)'.")
        }
        try checkUnique(made)
        guard !isInBatch else { throw .notPlayed("a new subscription in a batch") }
        handshake = made
        return try subscriptionList.answer(only: made.value, call, status: 201)
    }

    func checkUnique(_ made: SandboxSubscription) throws(SandboxError) {
        let same = subscriptions.first {
            $0.application == made.application && $0.watched == made.watched && $0.changeTypes == made.changeTypes
        }
        guard let same else { return }
        throw SandboxError(
            status: 409, code: "Conflict",
            message: "Subscription Id \(same.id) already exists for the requested combination")
    }

    private func expiry(
        _ text: String?, _ watched: SandboxSubscription.Watched, at date: Date
    ) throws(SandboxError) -> Date {
        guard let wanted = text.flatMap({ Date(rfc3339: $0) }), wanted > date else {
            throw .invalidSubscription("The expirationDateTime is not a time in the future.")
        }
        guard wanted <= date.addingTimeInterval(Double(watched.longestLife) * 60) else {
            throw .invalidSubscription(
                "Subscription expiration can only be \(watched.longestLife) minutes in the future.")
        }
        return max(wanted, date.addingTimeInterval(Double(Self.shortestLife) * 60))
    }

    /// What a resource names, for a client that may read it.
    private func watched(
        _ resource: String, _ call: SandboxCall
    ) throws(SandboxError) -> (SandboxSubscription.Watched, SandboxUser?) {
        let plain = resource.replacing("('", with: "/").replacing("')", with: "")
        let segments = plain.split(separator: "/").map(String.init)
        guard !plain.contains("?"), let route = try? SandboxRoute(["v1.0"] + segments) else {
            throw .invalidSubscription("The resource '\(resource)' is not supported.")
        }
        let sufficient = SandboxPermissions.sufficient(for: route, method: "GET")
        if let access = call.token.flatMap({ signIn.accessTokens[$0] }), !sufficient.isEmpty,
            sufficient.isDisjoint(with: access.permissions)
        {
            throw .playing(Sandbox.Fault(method: "*", path: "*", answer: .status(403)), for: call)
        }
        switch route.resource {
        case .users: return (.users(nil), nil)
        case .directory(.groups): return (.groups(nil), nil)
        case .directory(.group(let id)): return (.groups(id.lowercased()), nil)
        default: break
        }
        let owner = try user(route.owner, for: call)
        let name = owner.userPrincipalName
        switch route.resource {
        case .user where route.owner != nil: return (.users(owner.id), owner)
        case .messages(nil): return (.messages(owner: name, folder: nil), owner)
        case .messages(let folder?): return (.messages(owner: name, folder: try self.folder(folder, of: owner)), owner)
        case .events(nil): return (.events(owner: name), owner)
        case .item(.root): return (.drive(owner: name), owner)
        default: throw .invalidSubscription("The resource '\(resource)' is not supported.")
        }
    }
}

extension SandboxError {
    static func invalidSubscription(_ message: String) -> SandboxError { badRequest(message, code: "InvalidRequest") }
}
