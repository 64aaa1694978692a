import Essentials
import Promises

/// The program that runs containers: podman or docker.
struct ContainerEngine: Sendable {
    /// The variable with the program's name or path.
    static let variable = "GRAPHFLOW_CONTAINER"
    /// The programs in the order in which they are searched for: podman works where no service runs.
    static let names = ["podman", "docker"]
    /// The variables that say which service, storage and registries the programs use.
    private static let variables: Set<String> = [
        "CONTAINERS_CONF", "CONTAINERS_REGISTRIES_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINER_CONNECTION",
        "CONTAINER_HOST", "CONTAINER_SSHKEY", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_CERT_PATH", "DOCKER_CONFIG",
        "DOCKER_CONTEXT", "DOCKER_HOST", "DOCKER_TLS_VERIFY", "REGISTRY_AUTH_FILE", "STORAGE_DRIVER", "STORAGE_OPTS",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    ]
    /// The beginnings of the names of variables that change what the programs do.
    private static let reserved = [
        "_", "BUILDAH", "CNI", "CONTAINER", "DBUS", "DOCKER", "GO", "LD_", "LISTEN_", "NETAVARK", "NOTIFY_", "OCI",
        "PODMAN", "REGISTRY", "SSL_", "STORAGE", "TMP", "XDG_",
    ]

    /// The program's path.
    let path: String
    /// The environment of the program itself.
    let environment: [String: String]

    /// Finds the program; nil if there is none.
    init?(_ environment: [String: String]) {
        let own = ProcessEnvironment(environment).variables
        let folders = (own["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let paths = Self.wanted(environment).flatMap { name in
            name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
        }
        guard let path = paths.first(where: { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        self.path = path
        self.environment = own.merging(environment.filter { Self.variables.contains($0.key) }) { $1 }
    }

    /// The name of the program as plans show it, also where there is none.
    static func shown(_ environment: [String: String]) -> String {
        Self(environment)?.name ?? wanted(environment)[0]
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The names or paths that are searched for.
    private static func wanted(_ environment: [String: String]) -> [String] {
        environment[variable].flatMap { $0.isEmpty ? nil : [$0] } ?? names
    }

    /// What is said where there is no program.
    static func missing(_ environment: [String: String]) -> (message: String, hint: String) {
        guard let given = environment[variable], !given.isEmpty else {
            return (
                "containers need 'podman' or 'docker', and neither is in PATH",
                "install one of them, or say where one is: \(variable)=/path/to/podman"
            )
        }
        return (
            "containers need '\(PlainText.line(given, limit: 200))', which \(variable) names and which is not there",
            "give a name that is in PATH, or an absolute path"
        )
    }

    /// Whether the program itself uses a variable, so that it cannot have another value in its own environment.
    static func uses(_ variable: String) -> Bool {
        variables.contains(variable) || ProcessEnvironment.isPassed(variable)
            || reserved.contains { variable.uppercased().hasPrefix($0) }
            || variable.uppercased().hasSuffix("_PROXY")
    }

    /// The program with arguments, and with what it prints.
    private func program(_ arguments: [String]) -> ChildProgram {
        ChildProgram(
            path: path, arguments: [name] + arguments, environment: environment, folder: nil, standardInput: nil,
            shown: [], givenVariables: [],
            kept: ChildProgram.Kept(output: .all(upTo: 16_000_000), error: .last(0)))
    }

    /// Finds the containers with a label, and ends or removes those that are chosen.
    ///
    /// - Parameter fate: What is done with a container.
    func tidy(
        _ label: String, by processes: ChildProcesses, _ clock: any PromiseClock,
        _ fate: @escaping @Sendable (LeftContainer) -> LeftContainer.Fate
    ) -> Promise<Void> {
        let run = { @Sendable (command: [String], ids: [String]) -> Promise<Data> in
            guard !ids.isEmpty else { return .value(Data()) }
            return processes.run(program(command + ids), clock: clock).map(\.output)
        }
        return run(["ps", "--all", "--quiet", "--no-trunc"], ["--filter", "label=\(label)"]).then { output in
            let ids = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
            return run(["container", "inspect"], ids)
        }.then { output -> Promise<Data> in
            let all = LeftContainer.list(output)
            let removed = all.filter { fate($0) == .removed }
            let ended = all.filter { fate($0) == .ended } + removed
            // They are killed first, because podman would wait for ten seconds before it removes a running one.
            return run(["kill"], ended.filter(\.isRunning).map(\.id)).then { _ in
                run(["rm", "--force", "--volumes"], removed.map(\.id))
            }
        }.asVoid()
    }
}

/// A container that was found by its label.
struct LeftContainer: Sendable, Hashable {
    /// What is done with a container.
    enum Fate {
        case kept, ended, removed
    }

    let id: String
    let labels: [String: String]
    let isRunning: Bool
    /// When it ended, or was created if it never began; nil if that is not known.
    let endedAt: Date?

    /// The containers that `container inspect` describes.
    static func list(_ output: Data) -> [LeftContainer] {
        let value = try? Value(json: output)
        return (value?.array ?? []).compactMap { container in
            guard let id = container["Id"]?.string else { return nil }
            let labels = container["Config"]?["Labels"]?.object?.compactMap { name, value in
                value.string.map { (name, $0) }
            }
            let state = container["State"]
            // A container that never began has the first day of all.
            let end = [state?["FinishedAt"], container["Created"]].lazy.compactMap { $0?.string }
                .first { !$0.hasPrefix("0001-") }
            return LeftContainer(
                id: id, labels: Dictionary(labels ?? []) { $1 },
                isRunning: [state?["Running"], state?["Paused"]].contains(.bool(true)),
                endedAt: end.flatMap(date))
        }
    }

    /// What becomes of it at a start: those of a resumed run that must not be left are removed, and those whose time
    /// has come.
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

    /// Reads RFC 3339; both programs write more digits of a second than is read, and docker writes its own zone.
    private static func date(_ text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let zone = text[point...].dropFirst().drop { $0.isNumber }
        return try? Date(text[..<point] + zone, strategy: .iso8601)
    }
}

/// What is done with a container when the program that runs it has ended.
struct ContainerCare: Sendable {
    let engine: ContainerEngine
    /// The value of its label ``ContainerArguments/Label/container``.
    let id: String
    let cleanup: Workflow.Process.Container.Cleanup
    /// How long after its end it is removed eventually.
    let after: Duration?

    private var label: String { "\(ContainerArguments.Label.container)=\(id)" }

    /// The exit code of both programs for their own failures.
    private static let ownFailure = 125

    /// Ends the container if its program ended without it, and removes it when that is due.
    ///
    /// The container is no child of this process: a signal for the program may not reach it.
    func take(care end: ProcessEnd, by processes: ChildProcesses, _ clock: any PromiseClock) -> Promise<Void> {
        if cleanup == .eventually, let after {
            _ = clock.schedule(after: after) {
                engine.tidy(label, by: processes, clock) { $0.isRunning ? .kept : .removed }.cauterize()
            }
        }
        let isLeft = end.wasEnded || end.signal != nil || end.flooded != nil
        guard isLeft || (end.code == Self.ownFailure && cleanup == .always) else { return .value(()) }
        return engine.tidy(label, by: processes, clock) { _ in cleanup == .always ? .removed : .ended }
    }
}

extension Runner {
    /// Removes the containers that earlier runs left: those whose time has come, and those of resumed runs.
    /// - Parameter runs: The ids of the resumed run and its inner runs; none for a run that begins.
    func removeLeftContainers(resuming runs: Set<String> = []) -> Promise<Void> {
        guard let engine = ContainerEngine(environment) else { return .value(()) }
        let now = now()
        // Nothing that is left keeps a run from its work.
        return engine.tidy(ContainerArguments.Label.cleanup, by: processes, clock) {
            $0.fate(at: now, resuming: runs)
        }.recover { error -> Promise<Void> in
            guard !error.isCancelled else { throw error }
            return .value(())
        }
    }
}

extension Workflow {
    /// The tasks that run containers, of the workflow and of those that it runs.
    func containers(_ library: WorkflowLibrary) -> [(workflow: Workflow, task: JSONPointer)] {
        ([self] + library.workflows(reachableFrom: self)).flatMap { workflow in
            workflow.allTasks.filter(\.runsContainer).map { (workflow, $0.reference) }
        }
    }

    /// The findings about containers, of those in workflows that it runs as well, where nothing can run them.
    package func containerFindings(_ environment: [String: String]) -> [Diagnostic] {
        containerFindings(environment, WorkflowLibrary(folder: folder))
    }

    func containerFindings(_ environment: [String: String], _ library: WorkflowLibrary) -> [Diagnostic] {
        let found = containers(library)
        guard !found.isEmpty, ContainerEngine(environment) == nil else { return [] }
        let missing = ContainerEngine.missing(environment)
        return found.map { workflow, task in
            workflow.document.diagnostic(
                id: "container", missing.message, hint: missing.hint,
                at: JSONPointer(task.tokens + ["run", "container"]), part: .key)
        }
    }
}

extension Workflow.Task {
    /// Whether it runs a container itself.
    fileprivate var runsContainer: Bool {
        guard case .run(let process) = action, case .container = process.kind else { return false }
        return true
    }
}
