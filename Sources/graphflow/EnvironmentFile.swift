/// `--env-file`: files with variables that the environment does not set.
struct EnvironmentFile: OptionGroup {
    @Option(
        each: "env-file", "FILE",
        "Read variables that the environment does not set from a file with lines\nNAME=VALUE, which only you may read.")
    private var paths: [String]

    /// The console with the variables of the files; the last file that sets a variable wins.
    func adding(to console: Console) throws(UsageError) -> Console {
        var variables: [String: String] = [:]
        for path in paths { variables.merge(try Self.variables(ofFile: path)) { $1 } }
        return console.adding(variables)
    }

    /// The variables in a file, which only its owner may read.
    static func variables(ofFile path: String) throws(UsageError) -> [String: String] {
        let name = PlainText.exact(path, limit: 200)
        let data: Data
        do throws(SecretStoreError) {
            data = try SecretStore.contents(of: URL(fileURLWithPath: path), name, what: "file of variables")
        } catch {
            throw UsageError(error.message, hint: error.hint)
        }
        return try variables(in: String(decoding: data, as: UTF8.self), name)
    }

    /// The variables in a text: lines `NAME=VALUE`, with or without `export`, with comments after `#`.
    ///
    /// A value in single quotes is literal. One in double quotes has the escapes `\n`, `\t`, `\"`, `\\` and `\$`. Both
    /// can have several lines. `$NAME` is not expanded.
    /// - Throws: ``UsageError`` with the number of the line, but not its content.
    static func variables(in text: String, _ file: String) throws(UsageError) -> [String: String] {
        var variables: [String: String] = [:]
        var (rest, line) = (text[...], 1)
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        func fail(_ what: String, _ hint: String) -> UsageError { UsageError("\(file):\(line): \(what)", hint: hint) }
        while !rest.isEmpty {
            var content = rest.prefix { !$0.isNewline }
            let blank = content.prefix { $0 == " " || $0 == "\t" }
            content = content[blank.endIndex...]
            guard let first = content.first, first != "#" else {
                rest = rest[content.endIndex...].dropFirst()
                line += 1
                continue
            }
            if content.hasPrefix("export ") { content = content.dropFirst(7) }
            guard let sign = content.firstIndex(of: "="), isName(content[..<sign]) else {
                throw fail("a line must be NAME=VALUE", "begin a comment with #")
            }
            let name = String(content[..<sign])
            rest = rest[content.index(after: sign)...]
            let value: String
            if let quote = rest.first, quote == "\"" || quote == "'" {
                guard let (text, end) = quoted(rest, by: quote) else {
                    throw fail("the value of \(name) has no closing quote", "close it with \(quote)")
                }
                let after = rest[end...].prefix { !$0.isNewline }
                guard after.drop(while: { $0 == " " || $0 == "\t" }).first.map({ $0 == "#" }) ?? true else {
                    throw fail("there is text after the value of \(name)", "end the line after the closing \(quote)")
                }
                line += rest[..<end].count(where: \.isNewline)
                (value, rest) = (text, rest[after.endIndex...].dropFirst())
            } else {
                let written = rest.prefix { !$0.isNewline }
                let end = written.firstRange(of: " #")?.lowerBound ?? written.endIndex
                (value, rest) = (String(written[..<end]).trimmed, rest[written.endIndex...].dropFirst())
            }
            line += 1
            variables[name] = value
        }
        return variables
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, !("0"..."9").contains(first) else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The quoted text at the beginning, and where it ends; nil if the quotes are not closed.
    private static func quoted(_ text: Substring, by quote: Character) -> (text: String, end: Substring.Index)? {
        var (value, position) = ("", text.index(after: text.startIndex))
        while position < text.endIndex {
            let character = text[position]
            position = text.index(after: position)
            if character == quote { return (value, position) }
            guard character == "\\", quote == "\"", position < text.endIndex else {
                value.append(character)
                continue
            }
            let escaped = text[position]
            let known: [Character: String] = ["n": "\n", "r": "\r", "t": "\t", "\"": "\"", "\\": "\\", "$": "$"]
            value += known[escaped] ?? "\\\(escaped)"
            position = text.index(after: position)
        }
        return nil
    }
}
