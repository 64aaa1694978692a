public import Foundation

/// The folder in which runs are kept, each in a folder of its own by the name of its run.
///
/// The folders are for their owner only.
public struct RunsFolder: Sendable {
    /// Where the folder is.
    public let url: URL

    /// Names a folder, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    /// The folder of this machine's user: `runs` in `GRAPHFLOW_HOME`, else in the folder for state that XDG names.
    /// - Parameter environment: The environment variables.
    public static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> RunsFolder {
        RunsFolder(GraphflowHome.folder(environment).appendingPathComponent("runs", isDirectory: true))
    }

    /// The folder itself.
    var folder: PrivateFolder {
        let path = url.path(percentEncoded: false)
        return PrivateFolder(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    /// The folder of a run.
    /// - Throws: ``JournalError`` for what cannot be a run's name.
    func folder(of run: String) throws(JournalError) -> RunFolder {
        guard Self.isName(run) else { throw Self.noRun(run) }
        return RunFolder(run: run, folder: PrivateFolder(path: folder.path(of: run)))
    }

    /// Whether that can be the name of a run; what is hidden is being made or removed.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100 && name.first != "."
            && name.utf8.allSatisfy { byte in
                switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte {
                case true: true
                case false: UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_.".utf8.contains(byte)
                }
            }
    }

    static func noRun(_ name: String) -> JournalError {
        JournalError(
            .notFound, "there is no run '\(PlainText.line(name, limit: 100))'",
            hint: "'graphflow runs' lists the runs that there are")
    }
}
