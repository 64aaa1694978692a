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

extension ContainerArguments {
    /// What is wrong with the name of an image; nil if nothing is.
    static func problem(ofImage image: String) -> String? {
        let parts = image.split(separator: "/", omittingEmptySubsequences: false)
        let isWellFormed =
            image.utf8.count <= 500 && image.utf8.first.map(isAlphanumeric) == true
            && image.utf8.allSatisfy { isAlphanumeric($0) || "._-:/@".utf8.contains($0) }
            && parts.allSatisfy {
                $0.utf8.first.map(isAlphanumeric) == true && $0.utf8.last.map(isAlphanumeric) == true
            }
        guard !isWellFormed else { return nil }
        return
            "'\(PlainText.line(image, limit: 100))' is not the name of an image, such as 'docker.io/library/alpine:3'"
    }

    /// What is wrong with the name of a container; nil if nothing is.
    static func problem(ofName name: String) -> String? {
        let isWellFormed =
            name.utf8.count <= 200 && name.utf8.first.map(isAlphanumeric) == true
            && name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
        guard !isWellFormed else { return nil }
        return "'\(PlainText.line(name, limit: 100))' is not the name of a container: "
            + "it can have letters, digits and '_.-', and begins with a letter or digit"
    }

    /// What is wrong with the name of a variable; nil if nothing is.
    ///
    /// To podman, a name that ends with `*` means all variables of its own whose names begin like that.
    static func problem(ofVariable name: String) -> String? {
        let isWellFormed = name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) } && name.first != "-"
        guard !isWellFormed else { return nil }
        return "'\(PlainText.line(name, limit: 100))' cannot be the name of a container's variable"
    }

    /// What is wrong with two ports; nil if nothing is.
    static func problem(ofPort host: String, to container: String) -> String? {
        let parts = container.split(separator: "/", omittingEmptySubsequences: false)
        let protocols: [Substring] = ["tcp", "udp", "sctp"]
        let isWellFormed =
            isPort(host) && parts.count <= 2 && isPort(parts[0].description)
            && (parts.count == 1 || protocols.contains(parts[1]))
        guard !isWellFormed else { return nil }
        return "'\(PlainText.line("\(host): \(container)", limit: 100))' does not map ports: "
            + "write this machine's port and the container's, such as { 8080: 80 } or { 5353: 53/udp }"
    }

    /// What is wrong with a volume; nil if nothing is.
    static func problem(ofVolume source: String, to target: String) -> String? {
        let parts = target.split(separator: ":", omittingEmptySubsequences: false)
        let isWellFormed =
            (source.hasPrefix("/") || isRelative(source) || problem(ofName: source) == nil) && !source.contains(":")
            && !(source + target).utf8.contains { $0 < 32 } && parts.count <= 2 && target.hasPrefix("/")
            && (parts.count == 1 || ["ro", "rw"].contains(parts[1]))
        guard !isWellFormed else { return nil }
        return "'\(PlainText.line("\(source): \(target)", limit: 200))' does not map a volume: write a folder or a "
            + "volume's name, and a place in the container, such as { ./data: /data } or { ./data: '/data:ro' }"
    }

    /// Whether a volume is a folder that is named as seen from the workflow's.
    static func isRelative(_ source: String) -> Bool {
        source == "." || source == ".." || source.hasPrefix("./") || source.hasPrefix("../")
    }

    private static func isPort(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else { return false }
        return (1...65_535).contains(number)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// The words of a command with the quotation marks and backslashes of a shell; nil if a quotation is not closed.
    ///
    /// Nothing in it is expanded.
    static func words(of command: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = command[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.popFirst() else { return nil }
                let isPlain = quote != nil && next != "\"" && next != "\\"
                word = (word ?? "") + (isPlain ? "\\\(next)" : "\(next)")
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (let character, let open?) where character == open: quote = nil
            case (let character, nil) where character.isWhitespace:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + "\(character)"
            }
        }
        guard quote == nil else { return nil }
        return words + [word].compactMap(\.self)
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
