/// The files that this process reads as a plan or writes; they never count as a workflow's files.
///
/// Otherwise a plan that notes every file of a folder would pin its own file, or the events of the run that follows it.
public struct OwnFiles: Sendable {
    /// Identifies a file regardless of its name.
    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64
    }

    /// The absolute paths of files and folders, with the links of their folders resolved.
    private var paths: Set<String> = []
    private var identities: Set<Identity> = []

    /// Creates the set of these files and folders, which need not exist yet.
    /// - Parameter paths: Their paths, relative to the working folder.
    public init(_ paths: [String] = []) {
        for path in paths where !path.isEmpty && path != "-" {
            let url = URL(fileURLWithPath: path)
            self.paths.insert(Self.settled(url))
            if let identity = Self.identity({ status in unsafe stat(url.path(percentEncoded: false), &status) }) {
                identities.insert(identity)
            }
        }
    }

    /// Adds the files that standard output and standard error are redirected to.
    public mutating func addStandardStreams() {
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            if let identity = Self.identity({ status in unsafe fstat(stream, &status) }) { identities.insert(identity) }
        }
    }

    /// Whether a file is one of them, or in one of the folders.
    package func contain(_ file: URL) -> Bool {
        guard !paths.isEmpty || !identities.isEmpty else { return false }
        let path = Self.settled(file)
        if paths.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { return true }
        return Self.identity { status in unsafe stat(path, &status) }.map(identities.contains) ?? false
    }

    /// The path with the links of its folder resolved: the file itself need not exist.
    private static func settled(_ url: URL) -> String {
        let url = url.standardizedFileURL
        let path = url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent)
            .path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The identity of a file; nil for folders, devices, pipes and missing files.
    private static func identity(_ ask: (inout stat) -> Int32) -> Identity? {
        var status = stat()
        guard ask(&status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }
}
