internal import GraphModel

/// What an editor and a shell say of a request to Microsoft Graph: its parts, and what can follow.
struct GraphWords {
    struct Suggestion {
        let name: String
        let detail: String
    }

    private let call: KnownGraphCall
    /// The place inside the `with`.
    private let place: [String]

    /// Nil if the place is not in the arguments of a call of Graph.
    init?(_ analysis: Analysis, at pointer: JSONPointer) {
        guard let task = analysis.task(around: pointer), case .call(let call) = task.action else { return nil }
        let own = pointer.tokens.dropFirst(task.reference.tokens.count)
        guard own.first == "with" else { return nil }
        let known = call.function == "graph" ? KnownGraphCall(graph: call.literal) : KnownGraphCall(http: call.literal)
        guard ["graph", "http"].contains(call.function), let known else { return nil }
        (self.call, place) = (known, Array(own.dropFirst()))
    }

    /// What the request is, at its path; the type of a member, in its body.
    var hover: String? {
        switch place.first {
        case "path"?, "endpoint"?:
            return call.operation.map { GraphExplanation(of: $0, at: call.address, sending: nil).markdown }
        case "body"? where place.count > 1:
            let owner = call.members(inBody: Array(place.dropFirst().dropLast()))
            return owner.first { $0.name.lowercased() == place.last?.lowercased() }.map { "`\($0.name)`: `\($0.type)`" }
        default: return nil
        }
    }

    /// What can be written here.
    /// - Parameter typed: What is there up to the cursor.
    func suggestions(typed: String) -> [Suggestion] {
        switch place.first {
        case "path"?:
            guard let mark = typed.firstIndex(of: "?") else { return Self.paths(continuing: typed) }
            return options(continuing: typed[..<mark], typed[mark...].dropFirst())
        case "select"?: return call.selectable.map { Suggestion(name: $0.name, detail: "\($0.type)") }
        case "query"? where place.count == 2 && call.isRead && place[1].lowercased().contains("$expand"):
            return call.expandable.map { Suggestion(name: $0.name, detail: "\($0.type)") }
        case "query"? where place.count < 2 && call.isRead:
            return Self.options.map { Suggestion(name: $0.key, detail: $0.value) }
        case "body"?:
            return call.members(inBody: Array(place.dropFirst())).map {
                Suggestion(name: $0.name, detail: "\($0.type)")
            }
        default: return []
        }
    }

    /// The values that a member of the body can have.
    var values: [String] { place.first == "body" ? call.values(inBody: Array(place.dropFirst())) : [] }

    private static let options: KeyValuePairs = [
        "$select": "the properties to get", "$filter": "a condition", "$expand": "relations to get as well",
        "$orderby": "the order", "$top": "the size of a page", "$search": "words to search for",
        "$count": "whether to count",
    ]

    private func options(continuing path: Substring, _ query: Substring) -> [Suggestion] {
        let all = query.split(separator: "&", omittingEmptySubsequences: false)
        let last = all.last ?? ""
        let before = "\(path)?" + all.dropLast().map { "\($0)&" }.joined()
        guard let sign = last.firstIndex(of: "=") else {
            return Self.options.map { Suggestion(name: "\(before)\($0.key)=", detail: $0.value) }
        }
        let (option, value) = (last[..<sign], last[sign...].dropFirst())
        let given = value.lastIndex(of: ",").map { value[...$0] } ?? ""
        let names: [GraphDefinition.Member] =
            switch option {
            case "$select", "$orderby": call.selectable
            case "$expand": call.expandable
            default: []
            }
        return names.map { Suggestion(name: "\(before)\(option)=\(given)\($0.name)", detail: "\($0.type)") }
    }

    /// Paths that begin with what is typed, one segment longer at most.
    static func paths(continuing typed: String) -> [Suggestion] {
        let plain = Template.text(typed, replacingExpressionsBy: GraphFindings.unknown)
        guard plain.hasPrefix("/") || plain.isEmpty else { return [] }
        let before = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? "/"
        let address = try? GraphAddress(plain.prefix(upTo: plain.lastIndex(of: "/") ?? plain.startIndex))
        guard let address,
            let type = address.segments.isEmpty
                ? GraphType(.defined(GraphModel.root.index)) : address.segments.last?.type,
            let definition = type.definition
        else { return [] }
        let operations = GraphModel.lineage(of: definition.index).flatMap(\.operations)
            .filter { $0.isOfList == type.isList }
            .map { Suggestion(name: before + $0.name, detail: $0.isAction ? "action" : "function") }
        guard !type.isList else {
            return [
                Suggestion(name: before + "{id}", detail: "\(type.element)"),
                Suggestion(name: before + "$count", detail: "int"),
            ]
                + operations
        }
        // Texts and numbers of an object come with it.
        let members = definition.allMembers.filter { member in
            member.kind != .property || member.type.definition?.kind == .complex
                || member.type.kind == .primitive(.stream)
        }
        var seen: Set<String> = []
        return (members.map { Suggestion(name: before + $0.name, detail: "\($0.type)") } + operations)
            .filter { seen.insert($0.name).inserted }
    }
}

extension KnownGraphCall {
    /// The properties that the answer's objects have.
    fileprivate var selectable: [GraphDefinition.Member] {
        operation?.response?.definition?.allMembers.filter { $0.kind == .property } ?? []
    }

    fileprivate var expandable: [GraphDefinition.Member] {
        operation?.response?.definition?.allMembers.filter { $0.kind != .property } ?? []
    }

    fileprivate var isRead: Bool { operation.map { $0.method == "GET" } ?? false }
}
