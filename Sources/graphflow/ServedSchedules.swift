/// The schedules that services of this machine serve; each service keeps a file about itself while it runs.
///
/// The file is locked while its service runs: a file that a killed service left is removed.
struct ServedSchedules: Sendable {
    struct Entry {
        fileprivate let paths: [String]
        fileprivate let lock: FileLock

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
    /// - Parameter schedules: The name of each workflow with its file, and what its schedule is.
    func add(
        _ schedules: [(workflow: String, file: String, schedule: Schedule?, timeZone: SystemTimeZone)], at time: Date
    ) throws -> Entry {
        try folder.makeWithParents()
        let name = "\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let (lock, file) = (folder.path(of: name + ".lock"), folder.path(of: name + ".json"))
        let held = try FileLock(lock, patience: 0)
        let content: Value = [
            "process": .integer(Int(getpid())), "startedAt": .string(time.iso8601),
            "schedules": .array(
                schedules.map { workflow, file, schedule, zone in
                    var entry: Object = [
                        "workflow": .string(workflow), "file": .string(file),
                        "schedule": .string(schedule.map { $0.words(in: zone) } ?? "has no schedule"),
                    ]
                    switch schedule {
                    case .every(let interval): entry["every"] = .double(interval.seconds)
                    case .cron(let expression):
                        entry["cron"] = .string(expression.source)
                        entry["timeZone"] = .string(zone.identifier)
                    case .after, .on, nil: break
                    }
                    return .object(entry)
                }),
        ]
        try PrivateFile(path: file).write(content.jsonData())
        return Entry(paths: [file, lock], lock: held)
    }

    /// How many times of a schedule are listed.
    private static let nextCount = 3

    /// The services in progress, the oldest first, with the next times of their schedules as `next`.
    func all(at now: Date) -> [Value] {
        let files = ((try? folder.names()) ?? []).filter { $0.hasSuffix(".json") }
        let services = files.compactMap { file -> Value? in
            let (path, lock) = (folder.path(of: file), folder.path(of: file.dropLast(5) + ".lock"))
            guard FileLock.isHeld(lock) else {
                for left in [path, lock] { try? FileManager.default.removeItem(atPath: left) }
                return nil
            }
            let entry = (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap { try? Value(json: $0) }
            return entry.map { Self.forecast($0, after: now) }
        }
        return services.sorted { ($0["startedAt"]?.string ?? "") < ($1["startedAt"]?.string ?? "") }
    }

    private static func forecast(_ service: Value, after now: Date) -> Value {
        guard case .object(var members) = service else { return service }
        let start = members["startedAt"]?.string.flatMap { Date(iso8601: $0) }
        members["schedules"] = .array(
            (members["schedules"]?.array ?? []).map { entry in
                guard case .object(var schedule) = entry else { return entry }
                let next = times(of: entry, since: start ?? now, after: now)
                schedule["next"] = .array(next.map { .string($0.iso8601) })
                return .object(schedule)
            })
        return .object(members)
    }

    private static func times(of schedule: Value, since start: Date, after now: Date) -> [Date] {
        if let interval = schedule["every"]?.double, interval > 0 {
            let first = (now.timeIntervalSince(start) / interval).rounded(.down) + 1
            return (0..<nextCount).map { start.addingTimeInterval((first + Double($0)) * interval) }
        }
        guard let expression = schedule["cron"]?.string.flatMap({ try? CronExpression($0) }),
            let zone = schedule["timeZone"]?.string.flatMap({ try? SystemTimeZone(identifier: $0) })
        else { return [] }
        return expression.times(after: now, count: nextCount, in: zone)
    }
}
