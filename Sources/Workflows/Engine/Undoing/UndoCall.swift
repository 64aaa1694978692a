/// One effect that is taken back: compares its object with what the run left, and sends the inverse request.
struct UndoCall: Sendable {
    /// The name of the requests of a run that takes back what it did itself.
    ///
    /// A plan does not know all of them. They are sent all the same: they only take back what the plan has.
    static let ownOperation = "undo"

    enum State: String {
        /// Somebody has changed its object since.
        case changed
        /// It cannot be taken back.
        case impossible
    }

    /// What was found of an object.
    enum Finding {
        case asLeft
        /// As it was before the effect: an undo that was interrupted has set it back.
        case asBefore
        case isGone
        case changed(String, Value)

        var isChanged: Bool { if case .changed = self { true } else { false } }
    }

    /// What became of an effect.
    enum End {
        /// It was taken back, or is gone already; with the version of its object after that, if it has one.
        case undone(version: String?)
        case left(Value)
        /// It goes with the object that another effect made.
        case covered(by: String)
    }

    let effect: Effect
    /// The effect as the input of an undo has it.
    private let given: UndoneEffect
    private let former: FormerObject?
    let isForced: Bool
    /// Whether the run itself had the effect: then what takes it back is no effect, except in a plan.
    private let isOwn: Bool
    let graph: GraphClient
    /// Whether a later effect on the same object was taken back, and this one with it; nil if there is none.
    private let isTogether: Bool?
    /// The versions of the object that the run and its undo left.
    let own: [String]
    /// The version that it has, as far as that is known.
    let version: Locked<String?>

    init(
        _ given: UndoneEffect, to former: FormerObject?, isForced: Bool, isOwn: Bool,
        after progress: UndoProgress, _ graph: GraphClient
    ) {
        effect = given.whole
        self.given = given
        self.former = former
        self.isForced = isForced
        self.isOwn = isOwn
        self.graph = isOwn && graph.plan != nil ? graph.when("if it was done", isExtra: true) : graph
        isTogether = given.with.map(progress.undone.contains)
        let left = given.versions ?? []
        let last = progress.version(of: effect) ?? left.last ?? effect.object?.etag
        own = left + [last, effect.object?.etag].compactMap(\.self)
        version = Locked(last)
    }

    func perform() -> Promise<End> {
        if let maker = given.maker { return .value(.covered(by: maker)) }
        if given.accounted.state == .undone || isTogether == true || effect.changedNothing {
            return .value(.undone(version: nil))
        }
        if given.isOvertaken { return .value(.left(left(.overtaken))) }
        guard isTogether == nil else {
            return .value(.left(changed("what was done to it later was left as it is", .null)))
        }
        let inverse: Inverse
        do throws(Irreversible) {
            inverse = try effect.reversed(after: given.accounted.state, to: former)
        } catch {
            return .value(.left(left(error)))
        }
        return firstly {
            try found(inverse)
        }.then(on: nil) { finding -> Promise<Value?> in
            if case .isGone = finding, inverse.setsBack { return .value(gone) }
            guard case .asLeft = finding else { return .value(left(finding)) }
            return try send(inverse)
        }.then(on: nil) { left -> Promise<Value?> in
            guard left == nil, inverse.method == "DELETE", let folders = former?.missing else { return .value(left) }
            return removeFolders(folders[...])
        }.map(on: nil) { left in
            left.map { .left($0) } ?? .undone(version: inverse.setsBack ? version.withLock(\.self) : nil)
        }
    }

    /// The result for an object that is not there to be set back.
    private var gone: Value { result(.changed, "it is not there any more", "look where it is, or restore it by hand") }

    /// The result for an effect that cannot be taken back.
    func left(_ why: Irreversible) -> Value { result(.impossible, why.reason, why.advice) }

    private func left(_ finding: Finding) -> Value? {
        if case .changed(let reason, let object) = finding { changed(reason, object) } else { nil }
    }

    /// Removes the folders that the effect made on its way, unless there is something in them.
    private func removeFolders(_ paths: ArraySlice<String>) -> Promise<Value?> {
        guard let path = paths.first else { return .value(nil) }
        let name = path.firstRange(of: "root:/").map { String(path[$0.upperBound...]) } ?? path
        return firstly {
            try read(path, Self.driveProperties) { folder in
                version.withLock { $0 = ObjectVersion.etag(of: folder) }
                return folder["folder"]?["childCount"]?.integer == 0 ? nil : "there is something in it"
            }
        }.then(on: nil) { finding -> Promise<Value?> in
            if case .isGone = finding { return removeFolders(paths.dropFirst()) }
            guard case .asLeft = finding else { return .value(nil) }
            var headers: HTTPHeaders = [:]
            headers["If-Match"] = version.withLock(\.self)
            var request = try request(.idempotent, "DELETE", path, headers: headers)
            request.consequences =
                isOwn && graph.plan == nil
                ? []
                : request.consequences.map {
                    $0.described(as: "removes the folder \(name.percentDecoded ?? name)")
                }
            return graph.when(Self.emptyCondition, isExtra: true).answer(to: request).then(on: nil) { _ in
                removeFolders(paths.dropFirst())
            }.recover(on: nil) { error -> Promise<Value?> in
                guard let error = GraphError(error) else { throw error }
                switch error.code {
                case .notFound: return removeFolders(paths.dropFirst())
                // Somebody has put something into it.
                case .preconditionFailed: return .value(nil)
                default: return try .value(refused(error))
                }
            }
        }
    }

    private static let emptyCondition = "if nothing is in it any more"

    func request(
        _ effect: Idempotency, _ method: String, _ path: String, headers: HTTPHeaders = [:], body: ByteSource? = nil,
        example: Value = [:]
    ) throws -> GraphRequest {
        var headers = headers
        headers["Accept"] = "application/json"
        return try graph.request(
            isOwn ? Self.ownOperation : Function.takeBackName, effect, method, at: try graph.address(of: "/\(path)"),
            headers: headers,
            body: body,
            example: HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: example.jsonData()))
    }

    private func send(_ inverse: Inverse) throws -> Promise<Value?> {
        guard inverse.needsID else { return try send(inverse, to: inverse.path) }
        // The member was added by name, and is removed by id.
        let parts = inverse.path.split(separator: "/").map(String.init)
        let place = parts.count - 2
        let example: Value = ["id": .string(graph.plannedAnswer("undo.member")("id", .text))]
        let lookup = try request(.read, "GET", "users/\(parts[place])?$select=id", example: example)
        return graph.answer(to: lookup).then(on: nil) { answer -> Promise<Value?> in
            guard case .data(let user) = answer, let id = user["id"]?.string else {
                return .value(result(.impossible, "the member's id cannot be read", "remove the member by hand"))
            }
            let path = parts[..<place] + [id] + parts[(place + 1)...]
            return try send(inverse, to: path.joined(separator: "/"))
        }.recover(on: nil) { error -> Promise<Value?> in
            guard GraphError(error)?.code == .notFound else { throw error }
            return .value(nil)
        }
    }

    /// - Parameter isLast: Whether it was refused once, because the object has another version that the run left.
    private func send(_ inverse: Inverse, to path: String, isLast: Bool = false) throws -> Promise<Value?> {
        var headers: HTTPHeaders = [:]
        // An action on an object takes no version of it.
        if case .version = inverse.check, !isForced, inverse.method != "POST" {
            headers["If-Match"] = version.withLock(\.self).flatMap { $0.contains("\"") ? $0 : nil }
        }
        let isCompared = headers["If-Match"] != nil
        var body = inverse.body
        if let member = body?.string {
            body = ["@odata.id": .string("\(try graph.baseURL.absoluteString)/directoryObjects/\(member)")]
        }
        var content = inverse.content.map { ByteSource.memory($0) }
        if let body {
            content = .memory(body.jsonData())
            headers["Content-Type"] = "application/json"
        } else if content != nil {
            headers["Content-Type"] =
                former?.object["file"]?["mimeType"]?.string ?? "application/octet-stream"
        }
        let isRead = !isForced && inverse.check != .nothing || inverse.needsID
        let client = isRead ? graph.when(Self.condition, isExtra: true) : graph
        var request = try request(.idempotent, inverse.method, path, headers: headers, body: content)
        // What people call the object is in the account, and not in its address.
        let words = isOwn ? "takes back: \(effect.summary)" : effect.wordsOfUndo
        request.consequences = (isOwn && graph.plan == nil ? [] : request.consequences).map { consequence in
            var consequence = consequence.described(as: words)
            if !isOwn, consequence.kind == .delete, consequence.objectChange?.name.isNull ?? false {
                consequence.objectChange?.name = effect.path.isNull ? effect.subject : effect.path
            }
            return consequence
        }
        let isRestored = inverse.path.hasPrefix("directory/")
        return client.answer(to: request).then(on: nil) { answer -> Promise<Value?> in
            guard graph.plan != nil else {
                if case .data(let object) = answer { version.withLock { $0 = ObjectVersion.etag(of: object) } }
                return .value(nil)
            }
            // What a run asks if the service refuses.
            if isRestored { return try lookForRestored(inverse) }
            return isCompared && inverse.isInDrive ? try conflict(inverse).map(on: nil) { left($0) } : .value(nil)
        }.recover(on: nil) { error -> Promise<Value?> in
            guard let error = GraphError(error) else { throw error }
            switch error.code {
            case .notFound where isRestored: return try lookForRestored(inverse)
            case .notFound: return .value(inverse.setsBack ? .some(gone) : .none)
            case .preconditionFailed:
                return try conflict(inverse).then(on: nil) { finding -> Promise<Value?> in
                    guard case .asLeft = finding else { return .value(left(finding)) }
                    guard !isLast else { return .value(changed("it is being changed", .null)) }
                    return try send(inverse, to: path, isLast: true)
                }
            case .invalidRequest where RetryDecision.findsWork(of: inverse.method, error.status, error.message):
                return .value(nil)
            default: return try .value(refused(error))
            }
        }
    }

    /// The result for what the service does not take back; another error ends the undo, which can be resumed.
    private func refused(_ error: GraphError) throws -> Value {
        guard [.forbidden, .locked, .conflict, .invalidRequest].contains(error.code) else { throw error }
        return result(.impossible, error.message, error.hint ?? "take it back by hand")
    }

    private func changed(_ reason: String, _ object: Value) -> Value {
        var members =
            Self.result(effect, .changed, reason, "look at it; '--force' takes it back all the same").object ?? [:]
        let user = object["lastModifiedBy"]?["user"]
        members["by"] = user?["displayName"] ?? user?["email"]
        members["at"] = object["lastModifiedDateTime"]
        return .object(members)
    }

    /// The result for what goes with an object that stays.
    static func left(_ effect: Effect) -> Value {
        result(effect, .changed, "what the run made is left as it is", "take that back")
    }

    func result(_ state: State, _ reason: String? = nil, _ advice: String? = nil) -> Value {
        Self.result(effect, state, reason, advice)
    }

    private static func result(
        _ effect: Effect, _ state: State, _ reason: String? = nil, _ advice: String? = nil
    ) -> Value {
        var members: Object = ["state": .string(state.rawValue), "effect": .string(effect.summary)]
        members["reason"] = reason.map(Value.string)
        members["advice"] = advice.map(Value.string)
        return .object(members)
    }
}
