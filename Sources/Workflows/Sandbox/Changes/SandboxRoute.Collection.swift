extension SandboxRoute {
    /// What a delta query reads.
    enum Collection: Equatable {
        case messages(folder: String)
        case folders
        case calendarView(calendar: String?)
        case drive
        case users, groups

        /// The resource whose permissions and limits apply.
        var resource: Resource {
            switch self {
            case .messages(let folder): .messages(folder: folder)
            case .folders: .mailFolders(parent: nil)
            case .calendarView(let calendar): .events(calendar: calendar)
            case .drive: .children(.root)
            case .users: .users
            case .groups: .directory(.groups)
            }
        }

        var isOfDirectory: Bool { self == .users || self == .groups }

        var isOutlook: Bool {
            self != .drive && !isOfDirectory
        }

        /// The answer's context after `$metadata#`.
        var context: String {
            switch self {
            case .messages: "Collection(message)"
            case .folders: "Collection(mailFolder)"
            case .calendarView: "Collection(event)"
            case .drive: "Collection(driveItem)"
            case .users: "users"
            case .groups: "groups"
            }
        }

        /// The supported OData options of a first request, without the dollar sign.
        var options: Set<String> {
            switch self {
            case .messages: ["select", "filter"]
            case .folders, .drive, .users: ["select"]
            case .calendarView: []
            case .groups: ["select", "expand"]
            }
        }

        /// Refuses a first request with options that contradict, or lack what the collection needs.
        func check(_ options: [String: String]) throws(SandboxError) {
            if case .calendarView = self, options["startdatetime"] == nil || options["enddatetime"] == nil {
                throw .badRequest(
                    "This request requires a time window specified by the query string parameters StartDateTime and EndDateTime.",
                    code: "ErrorInvalidParameter")
            }
            if let type = options["changetype"], !["created", "updated", "deleted"].contains(type.lowercased()) {
                throw .badRequest("The changeType '\(type)' is not supported.", code: "ErrorInvalidParameter")
            }
            if let expanded = options["expand"], expanded.lowercased() != "members" {
                throw .notPlayed("$expand of '\(expanded)'")
            }
        }

        /// Whether a path's last segment calls the function: `delta`, `delta()` or `delta(token='…')`.
        static func isDelta(_ segment: some StringProtocol) -> Bool {
            let name = segment.lowercased()
            let word = name.hasPrefix("microsoft.graph.") ? name.dropFirst(16) : name[...]
            return word == "delta" || word == "delta()" || word.hasPrefix("delta(token='") && word.hasSuffix("')")
        }

        static func tokenInPath(_ segment: String) -> String? {
            guard isDelta(segment), segment.hasSuffix("')"), let open = segment.firstIndex(of: "'") else { return nil }
            return String(segment[segment.index(after: open)...].dropLast(2))
        }
    }
}
