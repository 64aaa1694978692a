/// What a request was about to replace or change.
package struct FormerObject: Sendable {
    /// Its address after the service's base, percent-encoded, without a query.
    package var path: String
    /// The object as the service returned it, with the properties that the request changes; null if there was none.
    package var object: Value
    /// The content of a file; nil if it is no file, or too large to be kept.
    package var content: Data?
    /// Where there was nothing: the folders above it that were not there either, the innermost first.
    package var missing: [String] = []

    /// The largest content of a file that is kept, in bytes.
    package static let largestContent = 16 << 20

    package init(path: String, object: Value, content: Data? = nil) {
        (self.path, self.object, self.content) = (path, object, content)
    }

    /// As JSON, with the content in base64.
    package var value: Value {
        var members: Object = ["path": .string(path), "object": object]
        members["content"] = content.map { .string($0.base64EncodedString()) }
        if !missing.isEmpty { members["missing"] = .array(missing.map(Value.string)) }
        return .object(members)
    }

    package init?(_ value: Value) {
        guard let path = value["path"]?.string, let object = value["object"] else { return nil }
        self.init(path: path, object: object, content: value["content"]?.string.flatMap { Data(base64Encoded: $0) })
        missing = (value["missing"]?.array ?? []).compactMap(\.string)
    }

    /// What was there before several effects on one object.
    /// - Parameter names: The names of what was there before each, the newest first.
    package init?(_ names: [String]?, among all: [String: FormerObject]) {
        let found = (names ?? []).compactMap { all[$0] }
        guard let newest = found.first, let oldest = found.last, found.count == names?.count else { return nil }
        guard !oldest.isNothing else {
            self = oldest
            return
        }
        var object = newest.object.object ?? [:]
        for former in found.dropFirst() {
            for (name, value) in former.object.object ?? [:] { object[name] = value }
        }
        self.init(path: newest.path, object: .object(object), content: oldest.content)
    }

    /// The path of a person or group by its id, which stays if its name is changed; nil for other objects.
    var pathByID: String? {
        let parts = path.split(separator: "/")
        guard parts.count == 2, ["users", "groups"].contains(parts[0].lowercased()), let id = object["id"]?.string,
            GraphClient.isObjectID(id)
        else { return nil }
        return "\(parts[0])/\(id)"
    }

    /// Whether there was no object.
    var isNothing: Bool { object.isNull }

    /// Whether an effect changed this object, or made it.
    package func isObject(of effect: Effect) -> Bool {
        guard let changed = effect.object else { return false }
        if isNothing, let place = path.firstRange(of: "root:/"), let file = effect.path.string {
            let text = String(path[place.upperBound...].prefix { $0 != ":" })
            return (text.percentDecoded ?? text) == file
        }
        return changed.path == path || changed.id != nil && changed.id == object["id"]?.string
    }
}

extension GraphClient {
    /// Keeps what is at a path before a request replaces or changes it, unless it is kept already; returns what is kept.
    package typealias Keeping =
        @Sendable (_ path: String, _ read: @escaping @Sendable () -> Promise<FormerObject?>) -> Promise<FormerObject?>

    private static let keepingCondition = "if there is such a file, to be able to undo it"
    private static let missingCondition = "if there is no such file, to be able to undo it"

    /// Whether what the request replaces is kept before it is sent.
    func keepsFormer(of request: GraphRequest) -> Bool {
        keep != nil && request.replaced != nil
            && !request.consequences.contains { effect in
                // What is deleted cannot be made again, but people and groups can be restored by their ids.
                effect.kind == .delete && !["user", "group"].contains(effect.objectChange?.what)
            }
    }

    /// Keeps what a request is about to replace or change, or what there is of what it adds; nil if nothing is kept.
    func keepFormer(of request: GraphRequest) -> Promise<FormerObject?>? {
        guard keepsFormer(of: request), let keep, let address = request.replaced else { return look(before: request) }
        let isFile = !request.consequences.contains { $0.kind == .change || $0.kind == .delete }
        // No other permission is asked for.
        let permissions = permissions(of: request)
        let place = String(address.absoluteString.prefix { $0 != "?" })
        let path = (try? baseURL.absoluteString).map { place.trimmingPrefix("\($0)/") }.map(String.init) ?? place
        let query = address.query() ?? ""
        let hasID = query.isEmpty || query.split(separator: ",").contains("id")
        let whole = hasID ? address : URL(string: "\(place)?\(query),id") ?? address
        return keep(path) { former(at: whole, path, isFile: isFile, permissions) }
    }

    private func former(
        at address: URL, _ path: String, isFile: Bool, _ permissions: Permissions
    ) -> Promise<FormerObject?> {
        let answer = plannedAnswer("former")
        return json {
            try request(
                "keep", .read, "GET", at: address, permissions: permissions, headers: ["Accept": "application/json"],
                example: .json(200, ["id": .string(answer("id", .text))]))
        } as: { object throws(GraphError) in
            FormerObject(path: path, object: object)
        }.then(on: nil) { former -> Promise<FormerObject?> in
            let size = former.object["size"]?.integer ?? 0
            guard isFile, plan != nil || former.object["file"] != nil && size <= FormerObject.largestContent else {
                return .value(former)
            }
            return content(at: path, permissions).map(on: nil) { content in
                FormerObject(path: path, object: former.object, content: content)
            }
        }.then(on: nil) { former -> Promise<FormerObject?> in
            // What a run asks if there is no such file.
            plan != nil && isFile
                ? missingFolders(above: path, permissions).map(on: nil) { _ in former } : .value(former)
        }.recover(on: nil) { error -> Promise<FormerObject?> in
            guard GraphError(error)?.code == .notFound else { throw error }
            return (isFile ? missingFolders(above: path, permissions) : .value([])).map(on: nil) { missing in
                var former = FormerObject(path: path, object: .null)
                former.missing = missing
                return former
            }
        }
    }

    /// The folders above a place that are not there, the innermost first: an upload makes them.
    private func missingFolders(above path: String, _ permissions: Permissions) -> Promise<[String]> {
        guard let slash = path.lastIndex(of: "/"), path[..<slash].contains("root:/") else { return .value([]) }
        let folder = String(path[..<slash])
        return when(Self.missingCondition, isExtra: true).send {
            guard let url = URL(string: "\(try baseURL.absoluteString)/\(folder)?$select=id") else {
                throw GraphError(.invalidInput, message: "The request has no valid address.")
            }
            return try request(
                "keep", .read, "GET", at: url, permissions: permissions, headers: ["Accept": "application/json"],
                example: .json(200, [:]))
        }.then(on: nil) { _ in
            plan == nil ? .value([]) : missingFolders(above: folder, permissions)
        }.recover(on: nil) { error -> Promise<[String]> in
            guard GraphError(error)?.code == .notFound else { throw error }
            return missingFolders(above: folder, permissions).map(on: nil) { [folder] + $0 }
        }
    }

    private func content(at path: String, _ permissions: Permissions) -> Promise<Data> {
        when(Self.keepingCondition, isExtra: true).send {
            let address = "\(try baseURL.absoluteString)/\(path)\(path.contains(":") ? ":" : "")/content"
            guard let url = URL(string: address) else {
                throw GraphError(.invalidInput, message: "The request has no valid address.")
            }
            var request = try request(
                "keep", .read, "GET", at: url, permissions: permissions,
                example: HTTPResponse(status: 200, headers: [:], body: Data()))
            request.maximumResponseSize = FormerObject.largestContent
            return request
        }.map(on: nil) { $0.body }
    }
}
