import Essentials
import WorkflowHTTP
import Workflows

/// What the services of this machine serve: each of them keeps a file about itself while it is at work.
///
/// The file has a lock, which ends with its holder: what a killed service left is not shown, and removed.
struct ServedSchedules: Sendable {
    /// Keeps a service listed until it is ended.
    struct Entry {
        fileprivate let paths: [String]
        fileprivate let lock: FileLock

        /// Removes the service from the list.
        func end() {
            for path in paths { try? FileManager.default.removeItem(atPath: path) }
            lock.release()
        }
    }

    private let folder: PrivateFolder

    init(environment: [String: String]) {
        let home = GraphflowHome.folder(environment).appendingPathComponent("services")
        folder = PrivateFolder(path: home.path(percentEncoded: false))
    }

    /// Lists a service.
    /// - Parameter schedules: The name of each workflow with its file and its schedule in words.
    func add(_ schedules: [(workflow: String, file: String, schedule: String)], at time: Date) throws -> Entry {
        try folder.makeWithParents()
        let name = "\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let (lock, file) = (folder.path(of: name + ".lock"), folder.path(of: name + ".json"))
        let held = try FileLock(lock, patience: 0)
        let content: Value = [
            "process": .integer(Int(getpid())), "startedAt": .string(time.iso8601),
            "schedules": .array(
                schedules.map {
                    ["workflow": .string($0.workflow), "file": .string($0.file), "schedule": .string($0.schedule)]
                }),
        ]
        try PrivateFile(path: file).write(content.jsonData())
        return Entry(paths: [file, lock], lock: held)
    }

    /// The services at work, the oldest first.
    var all: [Value] {
        let files = ((try? folder.names()) ?? []).filter { $0.hasSuffix(".json") }
        let services = files.compactMap { file -> Value? in
            let (path, lock) = (folder.path(of: file), folder.path(of: file.dropLast(5) + ".lock"))
            guard FileLock.isHeld(lock) else {
                for left in [path, lock] { try? FileManager.default.removeItem(atPath: left) }
                return nil
            }
            return (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap { try? Value(json: $0) }
        }
        return services.sorted { ($0["startedAt"]?.string ?? "") < ($1["startedAt"]?.string ?? "") }
    }
}
