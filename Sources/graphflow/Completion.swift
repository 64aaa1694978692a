import Essentials
import Workflows

/// What a shell offers for the word at the cursor.
struct Completion {
    /// A word to choose, and what it means.
    struct Candidate: Hashable {
        var word: String
        var note = ""
    }

    /// What is offered.
    enum Answer {
        case words([Candidate])
        /// Files, which the shell finds itself.
        case files
        /// Folders, which the shell finds itself.
        case folders
    }

    private let environment: [String: String]
    /// The words between the command's name and the cursor.
    private var before: [String] = []
    /// The word at the cursor, as far as it is written.
    private let current: String

    /// - Parameter words: The words after `graphflow` up to the cursor, the last of which may be empty.
    init(_ words: [String], _ environment: [String: String]) {
        self.environment = environment
        current = words.last == "=" ? "" : words.last ?? ""
        before = Self.joined(words.last == "=" ? words : Array(words.dropLast()))
    }

    /// The lines that the scripts of ``CompletionsCommand`` read.
    var lines: [String] {
        switch answer {
        case .files: return [":files"]
        case .folders: return [":folders"]
        case .words(let candidates):
            return candidates.filter { $0.word.hasPrefix(current) && !$0.word.isEmpty }.map { candidate in
                "\(PlainText.line(candidate.word))\t\(PlainText.line(candidate.note, limit: 80))"
            }
        }
    }

    /// The words, where bash divides `--name=value` into three.
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

    private var answer: Answer {
        guard let name = before.first else {
            return .words(
                CommandLineTool.commands.map { Candidate(word: $0.name, note: $0.summary) } + [
                    Candidate(word: "help", note: "Explain a command and its options."),
                    Candidate(word: "--help", note: "Show this help."),
                    Candidate(word: "--version", note: "Show the version."),
                ])
        }
        guard let command = CommandLineTool.commands.first(where: { $0.name == name }) else {
            return .words(
                name == "help" ? CommandLineTool.commands.map { Candidate(word: $0.name, note: $0.summary) } : [])
        }
        return answer(for: command)
    }

    private func answer(for command: any Command.Type) -> Answer {
        let options = command.options.filter { $0.refusal == nil }
        var (given, operands): (Set<String>, [String]) = ([], [])
        var rest = before.dropFirst()
        while let word = rest.popFirst() {
            guard let option = Self.option(word, of: options) else {
                if word == "--" || !word.hasPrefix("-") || word == "-" { operands.append(word) }
                continue
            }
            given.insert(option.name)
            if word.hasSuffix("="), rest.isEmpty { return values(of: option, operands) }
            guard !word.contains("="), case .required = option.argument else { continue }
            guard let value = rest.popFirst() else { return values(of: option, operands) }
            // `-p name=` in bash: the value is the word at the cursor.
            if rest.isEmpty, value.hasSuffix("=") { return values(ofProperty: String(value.dropLast()), operands) }
        }
        if current.hasPrefix("--"), let sign = current.firstIndex(of: "="),
            let option = Self.option(String(current[..<sign]), of: options),
            case .words(let candidates) = values(of: option, operands)
        {
            let name = current[...sign]
            return .words(candidates.map { Candidate(word: name + $0.word, note: $0.note) })
        }
        if current.hasPrefix("-") {
            let open = options.filter { !given.contains($0.name) || $0.isRepeatable }
            return .words(
                (open + [Option(name: "help", help: "Show this help.")]).map { option in
                    Candidate(word: "--\(option.name)", note: option.help)
                })
        }
        return self.operands(of: command, after: operands.count)
    }

    private static func option(_ word: String, of options: [Option]) -> Option? {
        let name = word.prefix { $0 != "=" }
        return options.first { name == "--\($0.name)" || $0.letter.map { name == "-\($0)" } == true }
    }

    /// What can stand in the place of an operand.
    private func operands(of command: any Command.Type, after count: Int) -> Answer {
        switch command.operands {
        case "RUN", "[RUN…]": return .words(runs)
        case "[NAME]":
            return .words(Catalog.default.functions.map { Candidate(word: $0.name, note: $0.summary) })
        case CompletionsCommand.operands:
            return .words(CompletionsCommand.Shell.allCases.map { Candidate(word: $0.rawValue) })
        case "EXPRESSION [FILE]" where count == 0: return .words([])
        case let words where words.contains("FILE"): return .files
        default: return .words([])
        }
    }

    private func values(of option: Option, _ operands: [String]) -> Answer {
        if !option.values.isEmpty { return .words(option.values.map { Candidate(word: $0) }) }
        guard let placeholder = option.argument.placeholder else { return .words([]) }
        switch placeholder {
        case "PROFILE":
            return .words(Sandbox.Profile.allCases.map { Candidate(word: $0.rawValue, note: $0.summary) })
        case "FOLDER": return .folders
        case "NAME=VALUE" where option.name == "property": return .words(properties(of: operands))
        case "SOURCE",
            _ where placeholder.contains("FILE"):
            return .files
        case _ where placeholder.allSatisfy { $0.isLowercase || $0 == "|" || $0 == "-" }:
            return .words(placeholder.split(separator: "|").map { Candidate(word: String($0)) })
        default: return .words([])
        }
    }

    /// The properties of the workflow's input.
    private func properties(of operands: [String]) -> [Candidate] {
        if let sign = current.firstIndex(of: "="),
            case .words(let values) = values(ofProperty: String(current[..<sign]), operands)
        {
            return values.map { Candidate(word: current[...sign] + $0.word) }
        }
        return schema(operands).map { Candidate(word: "\($0.key)=", note: $0.value["description"]?.string ?? "") }
    }

    private func values(ofProperty name: String, _ operands: [String]) -> Answer {
        let schema = schema(operands)[name]
        let values = schema?["type"] == "boolean" ? [true, false] : schema?["enum"]?.array ?? []
        return .words(values.map { Candidate(word: $0.string ?? $0.json()) })
    }

    private func schema(_ operands: [String]) -> Object {
        guard let file = operands.first else { return [:] }
        let workflow = Workflow.check(contentsOf: URL(fileURLWithPath: file)).workflow
        return workflow?.input.schema?.document?["properties"]?.object ?? [:]
    }

    /// The newest runs and batches.
    private var runs: [Candidate] {
        let folder = RunsFolder.standard(environment: environment)
        return ((try? folder.summaries(limit: 50) { _ in true }) ?? []).map { run in
            Candidate(word: run.run, note: "\(run.workflow?.name ?? ""), \(run.state.rawValue)")
        }
    }
}

extension Option.Argument {
    /// The word that stands for a value; nil for an option without one, or with two.
    fileprivate var placeholder: String? {
        switch self {
        case .none, .pair: nil
        case .required(let word), .optional(let word): word
        }
    }
}
