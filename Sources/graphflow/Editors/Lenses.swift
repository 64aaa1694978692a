/// What a lens does, which is never a real run.
enum LensCommand: String, CaseIterable {
    case dryRun = "graphflow.dryRun"
    case test = "graphflow.test"
    case lastRun = "graphflow.lastRun"
}

/// The lines above a workflow and the cases of tests: what can be opened about them.
struct Lenses {
    private let analysis: Analysis
    private let runs: LastRuns

    init(_ analysis: Analysis, _ runs: LastRuns) { (self.analysis, self.runs) = (analysis, runs) }

    var all: Value {
        switch analysis.kind {
        case .workflow:
            guard let document = analysis.document.keyBytes(of: JSONPointer(["document"])) else { return [] }
            var lenses = [lens(document, "Dry run", .dryRun)]
            if let tests = analysis.tests {
                let count = tests.document.value["cases"]?.array?.count ?? 0
                lenses.append(lens(document, "\(count) test\(count == 1 ? "" : "s")", .test, tests.text.path))
            }
            if let run = runs.last(of: analysis.text.path) {
                let when = run.startedAt.formatted(.iso8601)
                lenses.append(lens(document, "last run: \(run.state.rawValue), \(when)", .lastRun, run.run))
            }
            return .array(lenses)
        case .tests:
            return .array(
                (analysis.document.value["cases"]?.array ?? []).enumerated().compactMap { index, test -> Value? in
                    let place = JSONPointer(["cases", "\(index)", "name"])
                    guard let name = test["name"]?.string, let bytes = analysis.document.keyBytes(of: place) else {
                        return nil
                    }
                    return lens(bytes, "Test in the sandbox", .test, analysis.text.path, name)
                })
        case .other: return []
        }
    }

    private func lens(_ bytes: Range<Int>, _ title: String, _ command: LensCommand, _ more: String...) -> Value {
        [
            "range": analysis.text.range(bytes),
            "command": [
                "title": .string(title), "command": .string(command.rawValue),
                "arguments": .array(([analysis.text.uri] + more).map(Value.string)),
            ],
        ]
    }
}

extension LanguageServer {
    /// Performs what a lens says, and opens the result as a document or a page.
    func perform(_ params: Value, _ connection: RPCConnection) throws -> Promise<Value> {
        let arguments = (params["arguments"]?.array ?? []).compactMap(\.string)
        guard let command = params["command"]?.string.flatMap(LensCommand.init), let uri = arguments.first else {
            throw RPCError(.params, "there is no such command")
        }
        let path = EditedText.path(of: uri)
        if command != .lastRun, let text = analysis(of: uri)?.text,
            (try? Data(contentsOf: URL(fileURLWithPath: path))) != Data(text.bytes)
        {
            show("Save the file first: plans and tests are made of the files on disk.", connection)
            return .value(.null)
        }
        let words: [String]
        switch command {
        case .dryRun: words = ["run", path, "--dry-run", "--format", "html"] + example(for: uri)
        case .test:
            guard arguments.count > 1 else { throw RPCError(.params, "the file of tests is missing") }
            words = ["test", arguments[1]] + (arguments.count > 2 ? ["--filter", arguments[2]] : [])
        case .lastRun:
            guard arguments.count > 1 else { throw RPCError(.params, "the run is missing") }
            words = ["show", arguments[1]]
        }
        return Promise<Value>(operation: { [self] in
            let (output, error) = (Locked(Data()), Locked(Data()))
            let console = Console(
                environment: environment, inputIsTerminal: false, outputIsTerminal: false, errorIsTerminal: false,
                ownsProcess: false, output: { data in output.withLock { $0 += data } },
                error: { data in error.withLock { $0 += data } })
            let status = await CommandLineTool.run(words, on: console)
            let (result, messages) = (output.withLock { $0 }, error.withLock { $0 })
            guard !result.isEmpty, status == .success || command == .test else {
                show(String(decoding: messages, as: UTF8.self), connection)
                return .null
            }
            let isPage = command == .dryRun
            try open(isPage ? result : result + messages, isPage: isPage, connection)
            return .null
        })
    }

    /// The input of the first case of the tests, without which many workflows cannot be planned.
    private func example(for uri: String) -> [String] {
        guard let analysis = analysis(of: uri),
            let input = analysis.tests?.document.value["cases"]?.array?.first?["input"]
        else { return [] }
        return ["--input", input.json()]
    }

    /// Writes a file that only its owner can read, and asks the client to show it.
    private func open(_ content: Data, isPage: Bool, _ connection: RPCConnection) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "graphflow-\(String(UInt64.random(in: 0 ... .max), radix: 16))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = folder.appending(path: isPage ? "plan.html" : "result.txt").path(percentEncoded: false)
        try OutputFile.write(content, to: path, or: "'\(path)' cannot be written")
        guard client(can: "window", "showDocument", "support") else { return show("It is in \(path)", connection) }
        _ = connection.request(
            "window/showDocument", ["uri": .string(EditedText.uri(of: path)), "external": .bool(isPage)])
    }

    private func show(_ text: String, _ connection: RPCConnection) {
        connection.notify("window/showMessage", ["type": 3, "message": .string(text.trimmed)])
    }
}
