extension Workflow.Process.Container {
    /// The problem with the name of an image; nil if there is none.
    package static func problem(ofImage image: String) -> String? {
        let parts = image.split(separator: "/", omittingEmptySubsequences: false)
        let isWellFormed =
            image.utf8.count <= 500 && image.utf8.first.map(isAlphanumeric) == true
            && image.utf8.allSatisfy { isAlphanumeric($0) || "._-:/@".utf8.contains($0) }
            && parts.allSatisfy {
                $0.utf8.first.map(isAlphanumeric) == true && $0.utf8.last.map(isAlphanumeric) == true
            }
        guard !isWellFormed else { return nil }
        return
            "'\(PlainText.exact(image, limit: 100))' is not the name of an image, such as 'docker.io/library/alpine:3'"
    }

    package static func problem(ofName name: String) -> String? {
        let isWellFormed =
            name.utf8.count <= 200 && name.utf8.first.map(isAlphanumeric) == true
            && name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
        guard !isWellFormed else { return nil }
        return "'\(PlainText.exact(name, limit: 100))' is not the name of a container: "
            + "it can have letters, digits and '_.-', and begins with a letter or digit"
    }

    /// The problem with the name of a variable; nil if there is none.
    ///
    /// To podman, `NAME*` means all variables of podman with that prefix.
    package static func problem(ofVariable name: String) -> String? {
        let isWellFormed = name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) } && name.first != "-"
        guard !isWellFormed else { return nil }
        return "'\(PlainText.exact(name, limit: 100))' cannot be the name of a container's variable"
    }

    package static func problem(ofPort host: String, to container: String) -> String? {
        let parts = container.split(separator: "/", omittingEmptySubsequences: false)
        let protocols: [Substring] = ["tcp", "udp", "sctp"]
        let isWellFormed =
            isPort(host) && parts.count <= 2 && isPort(parts[0].description)
            && (parts.count == 1 || protocols.contains(parts[1]))
        guard !isWellFormed else { return nil }
        return "'\(PlainText.exact("\(host): \(container)", limit: 100))' does not map ports: "
            + "write this machine's port and the container's, such as { 8080: 80 } or { 5353: 53/udp }"
    }

    package static func problem(ofVolume source: String, to target: String) -> String? {
        let parts = target.split(separator: ":", omittingEmptySubsequences: false)
        let isWellFormed =
            (source.hasPrefix("/") || isRelative(source) || problem(ofName: source) == nil) && !source.contains(":")
            && !(source + target).utf8.contains { $0 < 32 } && parts.count <= 2 && target.hasPrefix("/")
            && (parts.count == 1 || ["ro", "rw"].contains(parts[1]))
        guard !isWellFormed else { return nil }
        return "'\(PlainText.exact("\(source): \(target)", limit: 200))' does not map a volume: write a folder or a "
            + "volume's name, and a place in the container, such as { ./data: /data } or { ./data: '/data:ro' }"
    }

    /// Whether a volume is a folder relative to the workflow's.
    package static func isRelative(_ source: String) -> Bool {
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
    /// Nothing is expanded.
    package static func words(of command: String) -> [String]? {
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
