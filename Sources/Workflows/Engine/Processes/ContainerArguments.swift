import Essentials

/// The arguments of `podman run` or `docker run` for one container.
///
/// No shell reads them, and nothing that comes from data can be taken for an option.
struct ContainerArguments: Sendable {
    /// The labels that graphflow finds its containers by.
    enum Label {
        /// An id that no other container has.
        static let container = "io.graphflow.container"
        static let run = "io.graphflow.run"
        static let task = "io.graphflow.task"
        static let cleanup = "io.graphflow.cleanup"
        /// How many seconds after its end a container is removed eventually.
        static let after = "io.graphflow.after"
        /// Set where no task waits for the container.
        static let unawaited = "io.graphflow.unawaited"
    }

    /// An environment variable of the container.
    struct Variable: Sendable {
        var name: String
        /// The value; nil if the program takes it from its own environment, which is where secrets are passed.
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
    /// Ports of this machine and of the container.
    var ports: [(host: String, container: String)] = []
    /// Folders of this machine or names, and places in the container.
    var volumes: [(source: String, target: String)] = []
    /// The command and its arguments.
    var words: [String] = []

    /// The arguments after the program's name.
    var list: [String] {
        var list = ["run", "--name", name]
        for label in labels { list += ["--label", "\(label.name)=\(label.value)"] }
        // Messages about a pull would be among the container's standard error.
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
