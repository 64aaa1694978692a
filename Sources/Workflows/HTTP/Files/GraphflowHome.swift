package enum GraphflowHome {
    /// The names of graphflow's entries; a user may keep other files next to them.
    private static let members = [
        "approvals", "batches", "changes", "identity", "inbox", "key", "runs", "schedules", "services",
    ]

    /// The paths of graphflow's entries.
    package static func paths(_ environment: [String: String]) -> [String] {
        members.map { folder(environment).appending(path: $0).path(percentEncoded: false) }
    }

    /// `GRAPHFLOW_HOME`, else `graphflow` in XDG's state folder.
    package static func folder(_ environment: [String: String]) -> URL {
        func folder(_ name: String) -> URL? {
            environment[name].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
        }
        return folder("GRAPHFLOW_HOME")
            ?? (folder("XDG_STATE_HOME")
            ?? (folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser)
            .appendingPathComponent(".local/state")).appendingPathComponent("graphflow")
    }
}
