/// The arguments of `podman run` or `docker run`; no shell reads them, and no data can be mistaken for an option.
struct ContainerArguments: Sendable {
    /// The labels by which graphflow finds its containers.
    enum Label {
        static let container = "io.graphflow.container"
        static let run = "io.graphflow.run"
        static let task = "io.graphflow.task"
        static let cleanup = "io.graphflow.cleanup"
        /// The seconds between its end and its eventual removal.
        static let after = "io.graphflow.after"
        /// Set if no task waits for the container.
        static let unawaited = "io.graphflow.unawaited"
    }

    struct Variable: Sendable {
        var name: String
        /// The value; nil if the program takes it from its own environment, as for secrets.
        var value: String?
    }

    var image: String
    var name: String
    var labels: [(name: String, value: String)]
    var pullPolicy: Workflow.Process.Container.PullPolicy
    /// Whether the program itself removes the container when it ends.
    var removesItself: Bool
    var readsInput: Bool
    var variables: [Variable] = []
    var ports: [(host: String, container: String)] = []
    /// Folders or volume names of this machine, and paths in the container.
    var volumes: [(source: String, target: String)] = []
    /// The command and its arguments.
    var words: [String] = []

    /// The arguments after the program's name.
    var list: [String] {
        var list = ["run", "--name", name]
        for label in labels { list += ["--label", "\(label.name)=\(label.value)"] }
        // Messages about a pull would appear in the container's standard error.
        list += ["--quiet", "--pull", pullPolicy.option]
        if removesItself { list.append("--rm") }
        if readsInput { list.append("--interactive") }
        for variable in variables {
            list += ["--env", variable.value.map { "\(variable.name)=\($0)" } ?? variable.name]
        }
        for port in ports { list += ["--publish", "\(port.host):\(port.container)"] }
        for volume in volumes { list += ["--volume", "\(volume.source):\(volume.target)"] }
        return list + [image] + words
    }
}

extension Workflow.Process.Container.PullPolicy {
    fileprivate var option: String {
        switch self {
        case .ifNotPresent: "missing"
        case .always: "always"
        case .never: "never"
        }
    }
}
