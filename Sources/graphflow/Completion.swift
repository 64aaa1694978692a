/// The completions of the word at the cursor.
struct Completion {
    /// A completion and what it means.
    struct Candidate: Hashable, Sendable {
        var word: String
        var note = ""
    }

    /// The kind of completions of an operand or of an option's value.
    enum Offer: Sendable {
        case nothing
        case words([Candidate])
        /// Files, which the shell lists itself.
        case files
        /// Folders, which the shell lists itself.
        case folders
        case runs
        /// The input properties of the workflow that the first operand names.
        case inputProperties
        case functions
        /// Paths of Microsoft Graph.
        case graphPaths

        static func names(_ names: [String]) -> Offer { .words(names.map { Candidate(word: $0) }) }

        /// The completions of a placeholder, unless its declaration says otherwise.
        static func usual(for argument: OptionSyntax.Argument) -> Offer {
            switch argument {
            case .none, .pair: .nothing
            case .required(let placeholder), .optional(let placeholder):
                placeholder == "FOLDER" ? .folders : placeholder.contains("FILE") ? .files : .nothing
            }
        }
    }

    private let environment: [String: String]
    private var before: [String] = []
    /// The part of the word before the cursor.
    private let current: String

    /// - Parameter words: The words after `graphflow` up to the cursor; the last one may be empty.
    init(_ words: [String], _ environment: [String: String]) {
        self.environment = environment
        current = words.last == "=" ? "" : words.last ?? ""
        before = Self.joined(words.last == "=" ? words : Array(words.dropLast()))
    }

    /// The lines that the scripts of ``CompletionsCommand`` read.
    var lines: [String] {
        switch offer {
        case .files: return [":files"]
        case .folders: return [":folders"]
        case .nothing, .runs, .inputProperties, .functions, .graphPaths: return []
        case .words(let candidates):
            return candidates.filter { $0.word.hasPrefix(current) && !$0.word.isEmpty }.map { candidate in
                "\(PlainText.line(candidate.word))\t\(PlainText.line(candidate.note, limit: 80))"
            }
        }
    }

    /// The words with `--name=value` rejoined, which bash divides into three.
    private static func joined(_ words: [String]) -> [String] {
        var joined: [String] = []
        for word in words {
            if word == "=" || joined.last?.hasSuffix("=") == true, let last = joined.popLast() {
                joined.append(last + word)
            } else {
                joined.append(word)
            }
        }
        return joined
    }

    private var offer: Offer {
        guard let name = before.first else {
            return .words(
                CommandLineTool.commands.map { Candidate(word: $0.name, note: $0.summary) } + [
                    Candidate(word: "help", note: "Explain a command, show a page of the documentation, or find one."),
                    Candidate(word: "--help", note: "Show this help."),
                    Candidate(word: "--version", note: "Show the version."),
                ])
        }
        guard let command = CommandLineTool.commands.first(where: { $0.name == name }) else {
            return .words(
                name == "help" ? CommandLineTool.commands.map { Candidate(word: $0.name, note: $0.summary) } : [])
        }
        return offer(for: command)
    }

    private func offer(for command: any Command.Type) -> Offer {
        let options = command.options
        var (given, operands): (Set<String>, [String]) = ([], [])
        var rest = before.dropFirst()
        while let word = rest.popFirst() {
            guard let option = Self.option(word, of: options) else {
                if word == "--" || !word.hasPrefix("-") || word == "-" { operands.append(word) }
                continue
            }
            given.insert(option.name)
            if word.hasSuffix("="), rest.isEmpty { return known(option.offer, operands) }
            guard !word.contains("="), case .required = option.argument else { continue }
            guard let value = rest.popFirst() else { return known(option.offer, operands) }
            // `-p name=` in bash: the cursor is at the value.
            if rest.isEmpty, value.hasSuffix("=") { return values(ofProperty: String(value.dropLast()), operands) }
        }
        if current.hasPrefix("--"), let sign = current.firstIndex(of: "="),
            let option = Self.option(String(current[..<sign]), of: options),
            case .words(let candidates) = known(option.offer, operands)
        {
            let name = current[...sign]
            return .words(candidates.map { Candidate(word: name + $0.word, note: $0.note) })
        }
        if current.hasPrefix("-") {
            let open = options.filter { !given.contains($0.name) || $0.isRepeatable }
            return .words((open + [Help.option]).map { Candidate(word: $0.dashed, note: $0.help) })
        }
        let declared = Declarations(of: command.init()).operands
        let next = declared.dropFirst(operands.count).first ?? declared.last { $0.syntax.isRepeatable }
        return known(next?.syntax.offer ?? .nothing, operands)
    }

    private static func option(_ word: String, of options: [OptionSyntax]) -> OptionSyntax? {
        let name = word.prefix { $0 != "=" }
        return options.first { name == $0.dashed || $0.letter.map { name == "-\($0)" } == true }
    }

    /// The completions, with the words that depend on this machine's files.
    private func known(_ offer: Offer, _ operands: [String]) -> Offer {
        switch offer {
        case .runs: .words(runs)
        case .functions: .words(Catalog.default.functions.map { Candidate(word: $0.name, note: $0.summary) })
        case .inputProperties: .words(properties(of: operands))
        case .graphPaths:
            .words(GraphWords.paths(continuing: current).map { Candidate(word: $0.name, note: $0.detail) })
        case .nothing, .words, .files, .folders: offer
        }
    }

    private func properties(of operands: [String]) -> [Candidate] {
        if let sign = current.firstIndex(of: "="),
            case .words(let values) = values(ofProperty: String(current[..<sign]), operands)
        {
            return values.map { Candidate(word: current[...sign] + $0.word) }
        }
        return schema(operands).map { Candidate(word: "\($0.key)=", note: $0.value["description"]?.string ?? "") }
    }

    private func values(ofProperty name: String, _ operands: [String]) -> Offer {
        let schema = schema(operands)[name]
        let values = schema?["type"] == "boolean" ? [true, false] : schema?["enum"]?.array ?? []
        return .words(values.map { Candidate(word: $0.string ?? $0.json()) })
    }

    private func schema(_ operands: [String]) -> Object {
        guard let file = operands.first else { return [:] }
        let workflow = Workflow.check(contentsOf: URL(fileURLWithPath: file)).workflow
        return workflow?.input.schema?.document?["properties"]?.object ?? [:]
    }

    private var runs: [Candidate] {
        let folder = RunsFolder.standard(environment: environment)
        return ((try? folder.summaries(limit: 50) { _ in true }) ?? []).map { run in
            Candidate(word: run.run, note: "\(run.workflow?.name ?? ""), \(run.state.rawValue)")
        }
    }
}
