package enum GraphflowHome {
    /// The names of graphflow's entries; a user may keep other files next to them.
    package static let members = [
        "approvals", "batches", "changes", "identity", "inbox", "key", "runs", "schedules", "services",
    ]

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
