/// A container that was found by its label.
struct LeftContainer: Sendable, Hashable {
    enum Fate {
        case kept, ended, removed
    }

    let id: String
    let labels: [String: String]
    let isRunning: Bool
    /// When it ended, or was created if it never started; nil if unknown.
    let endedAt: Date?

    static func list(_ output: Data) -> [LeftContainer] {
        let value = try? Value(json: output)
        return (value?.array ?? []).compactMap { container in
            guard let id = container["Id"]?.string else { return nil }
            let labels = container["Config"]?["Labels"]?.object?.compactMap { name, value in
                value.string.map { (name, $0) }
            }
            let state = container["State"]
            // A container that never started has ended in the year 1.
            let end = [state?["FinishedAt"], container["Created"]].lazy.compactMap { $0?.string }
                .first { !$0.hasPrefix("0001-") }
            return LeftContainer(
                id: id, labels: Dictionary(labels ?? []) { $1 },
                isRunning: [state?["Running"], state?["Paused"]].contains(.bool(true)),
                endedAt: end.flatMap { Date(rfc3339: $0) })
        }
    }

    /// What to do with it at a start: remove it if its time has come, or if its resumed run must not leave it.
    func fate(at now: Date, resuming runs: Set<String>) -> Fate {
        switch labels[ContainerArguments.Label.cleanup] {
        case "always":
            let isAwaited = labels[ContainerArguments.Label.unawaited] == nil
            return isAwaited && labels[ContainerArguments.Label.run].map(runs.contains) == true ? .removed : .kept
        case "eventually":
            guard !isRunning, let endedAt,
                let seconds = labels[ContainerArguments.Label.after].flatMap(Double.init)
            else { return .kept }
            return now.timeIntervalSince(endedAt) >= seconds ? .removed : .kept
        default: return .kept
        }
    }
}

extension Runner {
    /// Removes the containers of earlier runs whose time has come, and those of resumed `runs`.
    func removeLeftContainers(resuming runs: Set<String> = []) -> Promise<Void> {
        guard let engine = ContainerEngine(environment) else { return .value(()) }
        let now = now()
        // No leftover container stops a run.
        return engine.tidy(ContainerArguments.Label.cleanup, by: processes, clock) {
            $0.fate(at: now, resuming: runs)
        }.recover { error -> Promise<Void> in
            guard !error.isCancelled else { throw error }
            return .value(())
        }
    }
}
