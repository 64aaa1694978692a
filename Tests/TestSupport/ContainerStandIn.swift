public import Foundation

/// A program in place of podman and docker, with a folder in which it notes what it is asked.
public final class ContainerStandIn: Sendable {
    /// The path of a stand-in that keeps nothing.
    public static let program = URL(fileURLWithPath: #filePath)
        .appending(path: "../../Conformance/stand-ins/podman").standardizedFileURL.path

    /// The folder of the program; in it is the folder `state`.
    public let folder: URL

    /// - Parameter name: The program's name.
    public init(named name: String = "podman") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "containers-\(UUID().uuidString)")
        let state = folder.appending(path: "state/containers")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        // No copy: a file that was just written may still be open in a process that is being started.
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: name).path, withDestinationPath: Self.program)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The search path with its folder first.
    public var searchPath: String { "\(folder.path):/usr/local/bin:/usr/bin:/bin" }

    /// The calls, each with its arguments in brackets.
    public var calls: [String] {
        let text = try? String(contentsOf: folder.appending(path: "state/calls"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// The names of the containers that are there.
    public var containers: [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "state/containers").path)
        return (names ?? []).sorted()
    }

    /// Whether a container is running.
    public func isRunning(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "state/containers/\(name)/running").path)
    }

    /// Lays a container there that an earlier run has left.
    public func leave(_ name: String, labels: [String: String], finishedAt: String) throws {
        let own = folder.appending(path: "state/containers/\(name)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let lines = labels.map { "io.graphflow.\($0)=\($1)\n" }.sorted().joined()
        try Data(lines.utf8).write(to: own.appending(path: "labels"))
        for file in ["created", "finished"] { try Data(finishedAt.utf8).write(to: own.appending(path: file)) }
    }
}
