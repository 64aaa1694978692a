/// The folder of all runs, each in its own folder that only its owner can access.
public struct RunsFolder: Sendable {
    /// The folder's URL.
    public let url: URL
    /// Makes the names of runs safe from a power failure, for all runs that begin at the same time together.
    let flush = SharedFlush()

    /// The file with the key that seals the secrets of its runs.
    package let keyFile: KeyFile

    /// Creates a value for a folder, which need not exist yet.
    ///
    /// The key that seals the secrets of its runs is in the folder, in the file `.key`.
    public init(_ url: URL) {
        self.init(url, keyFile: KeyFile(path: url.appendingPathComponent(".key").path(percentEncoded: false)))
    }

    private init(_ url: URL, keyFile: KeyFile) {
        self.url = url
        self.keyFile = keyFile
    }

    /// A folder in `GRAPHFLOW_HOME`, whose folders share one key: the file `key` there.
    package init(_ name: String, inHomeOf environment: [String: String]) {
        let home = GraphflowHome.folder(environment)
        self.init(
            home.appendingPathComponent(name, isDirectory: true),
            keyFile: KeyFile(path: home.appendingPathComponent("key").path(percentEncoded: false)))
    }

    /// The user's folder: `runs` in `GRAPHFLOW_HOME`, or else in the XDG state folder.
    /// - Parameter environment: The environment variables.
    public static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> RunsFolder {
        RunsFolder("runs", inHomeOf: environment)
    }

    package var folder: PrivateFolder {
        let path = url.path(percentEncoded: false)
        return PrivateFolder(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    /// The folder of a run.
    /// - Throws: ``JournalError`` if the name is not valid.
    func folder(of run: String) throws(JournalError) -> RunFolder {
        guard Self.isName(run) else { throw Self.noRun(run) }
        return RunFolder(run: run, folder: PrivateFolder(path: folder.path(of: run)))
    }

    /// Whether a name can be a run's name; hidden folders are being created or removed.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100 && name.first != "."
            && name.utf8.allSatisfy { byte in
                switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte {
                case true: true
                case false: UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_.".utf8.contains(byte)
                }
            }
    }

    /// Whether there is a folder of that name, even one that cannot be read.
    package func exists(_ run: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.path(of: run))
    }

    package static func noRun(_ name: String) -> JournalError {
        JournalError(
            .notFound, "there is no run '\(PlainText.exact(name, limit: 100))'",
            hint: "'graphflow runs' lists all runs")
    }
}
