/// The program that runs containers: podman or docker.
struct ContainerEngine: Sendable {
    /// The variable with the program's name or path.
    static let variable = "GRAPHFLOW_CONTAINER"
    /// The programs in search order: podman works where no service runs.
    static let names = ["podman", "docker"]
    /// The variables that say which service, storage and registries the programs use.
    private static let variables: Set<String> = [
        "CONTAINERS_CONF", "CONTAINERS_REGISTRIES_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINER_CONNECTION",
        "CONTAINER_HOST", "CONTAINER_SSHKEY", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_CERT_PATH", "DOCKER_CONFIG",
        "DOCKER_CONTEXT", "DOCKER_HOST", "DOCKER_TLS_VERIFY", "REGISTRY_AUTH_FILE", "STORAGE_DRIVER", "STORAGE_OPTS",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    ]
    /// Further variables that change what the programs do; they are not passed on.
    private static let others: Set<String> = [
        "GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
        "NOTIFY_SOCKET", "SSL_CERT_DIR", "SSL_CERT_FILE",
    ]
    /// The prefixes of such variables.
    private static let prefixes = [
        "BUILDAH_", "CNI_", "CONTAINER", "DBUS_", "DOCKER_", "LD_", "NETAVARK_", "PODMAN_", "XDG_", "_CONTAINERS_",
    ]

    let path: String
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

    /// The name of the program as plans show it, even if none is installed.
    static func shown(_ environment: [String: String]) -> String {
        Self(environment)?.name ?? wanted(environment)[0]
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The names or paths that are searched for.
    private static func wanted(_ environment: [String: String]) -> [String] {
        environment[variable].flatMap { $0.isEmpty ? nil : [$0] } ?? names
    }

    /// The error if there is no program.
    static func missing(_ environment: [String: String]) -> (message: String, hint: String) {
        guard let given = environment[variable], !given.isEmpty else {
            return (
                "containers need 'podman' or 'docker', and neither is in PATH",
                "install one of them, or say where one is: \(variable)=/path/to/podman"
            )
        }
        return (
            "containers need '\(PlainText.exact(given, limit: 200))', which \(variable) names, but it does not exist",
            "give a name that is in PATH, or an absolute path"
        )
    }

    /// Whether the program itself uses a variable, whose value the workflow cannot set there.
    static func uses(_ variable: String) -> Bool {
        variables.contains(variable) || others.contains(variable) || ProcessEnvironment.isPassed(variable)
            || prefixes.contains { variable.hasPrefix($0) }
            || variable.uppercased().hasSuffix("_PROXY")
    }

    /// The program with arguments, whose output is kept.
    private func program(_ arguments: [String]) -> ChildProgram {
        ChildProgram(
            path: path, arguments: [name] + arguments, environment: environment, folder: nil, standardInput: nil,
            shown: [], givenVariables: [],
            kept: ChildProgram.Kept(output: .all(upTo: 16_000_000), error: .last(0)))
    }

    /// Finds the containers with a label, and ends or removes those that `fate` chooses.
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
            // Killed first, because podman waits ten seconds before it removes a running container.
            return run(["kill"], ended.filter(\.isRunning).map(\.id)).then { _ in
                run(["rm", "--force", "--volumes"], removed.map(\.id))
            }
        }.asVoid()
    }
}
