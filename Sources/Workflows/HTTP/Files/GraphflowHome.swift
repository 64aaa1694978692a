package import Foundation

/// Where graphflow keeps what outlives a run: runs and the token cache.
package enum GraphflowHome {
    /// `GRAPHFLOW_HOME`, else `graphflow` in the folder for state that XDG names.
    package static func folder(_ environment: [String: String]) -> URL {
        func folder(_ name: String) -> URL? {
            environment[name].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
        }
        return folder("GRAPHFLOW_HOME")
            ?? (folder("XDG_STATE_HOME")
            ?? (folder("HOME") ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true))
            .appendingPathComponent(".local/state")).appendingPathComponent("graphflow")
    }
}
