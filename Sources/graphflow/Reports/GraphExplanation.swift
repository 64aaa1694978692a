internal import GraphModel

/// What is known of a request.
struct GraphExplanation {
    private let operation: GraphOperation
    private let effects: [Effect]
    private let needs: (delegated: GraphPermissions.Need, application: GraphPermissions.Need)
    private let isPlayed: Bool

    /// - Parameter path: The path after the version, with its query.
    init(of operation: GraphOperation, at path: String, sending body: Value?) {
        self.operation = operation
        effects = GraphClient.effects(of: operation.method, at: path, host: "graph.microsoft.com", body)
        let published = GraphPermissions(operation.method, operation.address)
        let refined = GraphClient.permissions(of: operation.method, path: path, body)
        func need(_ published: GraphPermissions.Need?, _ names: [String]?) -> GraphPermissions.Need {
            guard let published else { return names.map { .names($0) } ?? .unknown }
            if case .names = published, let names { return .names(names) }
            return published
        }
        needs = (
            need(published?.delegated, refined?.delegated), need(published?.application, refined?.application)
        )
        isPlayed = Sandbox.plays(operation.method, operation.address.path)
    }

    var value: Value {
        [
            "method": .string(operation.method), "path": .string(operation.address.path),
            "operation": .string(operation.kind.rawValue), "request": request,
            "response": operation.response.map { .string("\($0)") } ?? .null,
            "permissions": ["delegated": needs.delegated.value, "application": needs.application.value],
            "effects": .array(effects.map(\.value)), "sandbox": isPlayed ? "played" : "mock",
            "undo": effects.first.map { .string($0.undo.rawValue) } ?? .null,
        ]
    }

    private var request: Value {
        guard operation.kind == .action, !operation.parameters.isEmpty else {
            return operation.request.map { .string("\($0)") } ?? .null
        }
        return .object(Object(operation.parameters.map { ($0.name, .string("\($0.type)")) }))
    }

    var text: String {
        var lines = ["\(operation.method) \(PlainText.escaped(operation.address.path))"]
        func add(_ name: String, _ text: String) { lines.append("  \(name.padding(to: 14))\(text)") }
        add("operation", operation.kind.words)
        switch request {
        case .string(let type): add("sends", type)
        case .object(let parameters):
            add("sends", parameters.map { "\($0.key): \($0.value.string ?? "")" }.joined(separator: ", "))
        default: break
        }
        add(
            "answers",
            operation.response.map { "\($0)" }
                ?? (operation.address.path == "/$batch" ? "an answer to each" : "nothing"))
        add("permissions", "delegated \(needs.delegated.words), application \(needs.application.words)")
        for effect in effects { add("effect", PlainText.escaped(effect.summary)) }
        if let undo = effects.first?.undo { add("undo", undo.rawValue) }
        add("sandbox", isPlayed ? "plays it" : "needs a mock")
        operation.page.map { add("page", $0) }
        return lines.joined(separator: "\n")
    }

    /// The same for an editor.
    var markdown: String {
        let path = PlainText.line(operation.address.path, limit: 200)
        var parts = ["**\(operation.method) \(path)**: \(operation.kind.rawValue)"]
        operation.response.map { parts.append("answers `\($0)`") }
        parts.append("permissions: delegated \(needs.delegated.words); application \(needs.application.words)")
        operation.page.map { parts.append("[Microsoft's page](\($0))") }
        return parts.joined(separator: "\n\n")
    }
}

extension GraphOperation {
    /// Microsoft's page of the resource, with all its requests; nil for what has none.
    var page: String? {
        let type = address.segments.last { $0.type?.definition?.kind == .entity }?.type?.name
        return type.map {
            "https://learn.microsoft.com/graph/api/resources/\($0.lowercased().replacing(".", with: "-"))"
        }
    }
}

extension GraphOperation.Kind {
    fileprivate var words: String {
        switch self {
        case .link: "link (adds what is there already)"
        case .unlink: "unlink (removes it here, and deletes nothing)"
        default: rawValue
        }
    }
}

extension GraphPermissions.Need {
    fileprivate var value: Value {
        switch self {
        case .names(let names): .array(names.map { .string($0) })
        case .impossible: false
        case .unknown: .null
        }
    }

    fileprivate var words: String {
        switch self {
        case .names(let names): names.isEmpty ? "none" : names.joined(separator: " and ")
        case .impossible: "not possible"
        case .unknown: "not known"
        }
    }
}
