/// A server of the Language Server Protocol for workflow files and their tests.
///
/// The open texts count, not the disk. No answer runs a workflow, reads a secret, or uses the network: the server has
/// neither an environment nor a console, and a test compares what its files name.
///
/// Specification: microsoft.github.io/language-server-protocol, version 3.17.
final class LanguageServer: Sendable {
    private enum Phase { case new, ready, shutDown }

    private struct State {
        var phase = Phase.new
        var client = Value.null
        var open: [String: Analysis] = [:]
        /// The findings in files that are not open, by the open text that has them and by file.
        var elsewhere: [String: [String: [Value]]] = [:]
    }

    /// The time after a change in which another one makes its findings superfluous, in seconds.
    private static let settling = 0.02

    /// The runs on this machine, whose values are shown.
    private let runs: RunsFolder
    private let state = Locked(State())
    /// Computes findings, one text after the other.
    private let queue = DispatchQueue(label: "findings")

    init(runs: RunsFolder) { self.runs = runs }

    /// Answers on these streams until the client ends; returns whether it did so as the protocol has it.
    func serve(input: Int32, output: Int32) -> Bool {
        let connection = RPCConnection(
            input: input, output: output, .contentLength,
            answer: { [self] method, params, connection in
                // Elsewhere, so that a long computation does not delay the next message.
                Promise.value(()).then { [self] in try answer(method, params, connection) }
            },
            notified: { [self] method, params, connection in take(method, params, connection) })
        connection.run()
        connection.drain(for: .seconds(1))
        return state.withLock { $0.phase != .ready }
    }

    private func answer(_ method: String, _ params: Value, _ connection: RPCConnection) throws -> Promise<Value> {
        switch (state.withLock { $0.phase }, method) {
        case (.new, "initialize"):
            state.withLock { ($0.phase, $0.client) = (.ready, params["capabilities"] ?? [:]) }
            return .value([
                "capabilities": Self.capabilities,
                "serverInfo": ["name": "graphflow", "version": .string(Graphflow.version)],
            ])
        case (.new, _): throw RPCError(.notInitialized, "'initialize' comes first")
        case (.shutDown, _): throw RPCError(.request, "the server is shut down")
        case (.ready, "initialize"): throw RPCError(.request, "'initialize' came before")
        case (.ready, "shutdown"):
            state.withLock { $0.phase = .shutDown }
            return .value(.null)
        case (.ready, "workspace/executeCommand"):
            try Lenses.say(params, connection)
            return .value(.null)
        case (.ready, _):
            guard let feature = Self.features[method] else {
                throw RPCError(.method, "there is no method '\(PlainText.exact(method, limit: 100))'")
            }
            guard let uri = params["textDocument"]?["uri"]?.string else {
                throw RPCError(.params, "'\(method)' needs 'textDocument'")
            }
            guard let analysis = analysis(of: uri) else { return .value(.null) }
            return .value(try feature(self, analysis, params))
        }
    }

    /// What is known of an open text.
    func analysis(of uri: String) -> Analysis? { state.withLock { $0.open[uri] } }

    /// Whether the client has a capability, by its path in what `initialize` says.
    func client(can path: String...) -> Bool {
        state.withLock { $0.client[JSONPointer(path)] == true }
    }

    /// Whether the client can rename files.
    fileprivate var renamesFiles: Bool {
        state.withLock { state in
            let edit = state.client["workspace"]?["workspaceEdit"]
            return edit?["documentChanges"] == true && edit?["resourceOperations"]?.array?.contains("rename") == true
        }
    }

    private func take(_ method: String, _ params: Value, _ connection: RPCConnection) {
        switch method {
        case "exit":
            // Without 'shutdown', this is an error, whatever came before.
            state.withLock { if $0.phase == .new { $0.phase = .ready } }
            return connection.close()
        case "$/cancelRequest":
            return connection.cancel(params["id"] ?? .null, answering: RPCError(.cancelled, "the request is cancelled"))
        default: break
        }
        guard state.withLock({ $0.phase }) == .ready, let uri = params["textDocument"]?["uri"]?.string else { return }
        let version = params["textDocument"]?["version"]?.integer ?? 0
        switch method {
        case "textDocument/didOpen":
            let document = params["textDocument"]
            let text = EditedText(
                uri, version: version, document?["text"]?.string ?? "", language: document?["languageId"]?.string)
            set(text, uri, connection)
        case "textDocument/didChange":
            guard let text = analysis(of: uri)?.text else { return }
            set(text.changed(by: params["contentChanges"]?.array ?? [], version: version), uri, connection)
        case "textDocument/didClose": set(nil, uri, connection)
        // What is on disk has changed.
        case "textDocument/didSave": set(analysis(of: uri)?.text, uri, connection)
        default: break
        }
    }

    /// Replaces an open text; nil closes it.
    private func set(_ text: EditedText?, _ uri: String, _ connection: RPCConnection) {
        let affected = state.withLock { state -> [String] in
            let path = text?.path ?? state.open[uri]?.text.path ?? ""
            state.open[uri] = nil
            var texts = state.open.values.reduce(into: [:]) { $0[$1.text.path] = Data($1.text.bytes) }
            text.map { texts[$0.path] = Data($0.bytes) }
            let open = OpenTexts(texts)
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
            // Workflows name files in their own folder and below.
            let others = state.open.filter { folder.hasPrefix($0.value.folder) }.map(\.key)
            for other in others { state.open[other] = state.open[other]?.renewed(open) }
            state.open[uri] = text.map { Analysis($0, open) }
            return [uri] + others
        }
        queue.asyncAfter(deadline: .now() + Self.settling) { [self] in
            // A later change has its own turn.
            guard analysis(of: uri)?.text.version == text?.version else { return }
            for affected in affected { publish(affected, connection) }
        }
    }

    /// Sends the findings in a text, and those in the files that it names.
    private func publish(_ uri: String, _ connection: RPCConnection) {
        let analysis = analysis(of: uri)
        var found: [String: [Value]] = [:]
        for finding in analysis?.findings ?? [] {
            guard let analysis else { break }
            let file = finding.file ?? analysis.text.path
            guard file != analysis.text.path else {
                found[uri, default: []].append(finding.lsp(in: analysis.text))
                continue
            }
            guard let other = Analysis.file(URL(fileURLWithPath: file), analysis.open) else { continue }
            found[other.text.uri, default: []].append(finding.lsp(in: other.text))
        }
        let own = found.removeValue(forKey: uri) ?? []
        let elsewhere = found
        let messages = state.withLock { state -> [Value] in
            guard state.open[uri]?.text.version == analysis?.text.version else { return [] }
            let touched = Set((state.elsewhere[uri] ?? [:]).keys).union(elsewhere.keys)
            state.elsewhere[uri] = analysis == nil ? nil : elsewhere
            // What other open texts find in a file that is not open itself.
            func others(_ file: String) -> [Value] { state.elsewhere.values.flatMap { $0[file] ?? [] }.unique }
            var messages = [Self.message(uri, analysis?.text.version, analysis == nil ? others(uri) : own)]
            for file in touched.sorted() where state.open[file] == nil && file != uri {
                messages.append(Self.message(file, nil, others(file)))
            }
            return messages
        }
        for message in messages { connection.notify("textDocument/publishDiagnostics", message) }
    }
}

extension LanguageServer {
    private static func message(_ uri: String, _ version: Int?, _ findings: [Value]) -> Value {
        .members([
            ("uri", .string(uri)), ("version", version.map(Value.integer)), ("diagnostics", .array(findings)),
        ])
    }

    typealias Feature = @Sendable (LanguageServer, Analysis, Value) throws -> Value

    private static let features: [String: Feature] = [
        "textDocument/completion": { _, analysis, params in
            .array(Completions(analysis).items(at: analysis.text.offset(params["position"])))
        },
        "textDocument/hover": { server, analysis, params in
            Hover(analysis, LastRuns(server.runs)).answer(at: analysis.text.offset(params["position"]))
        },
        "textDocument/definition": { _, analysis, params in
            Names(analysis).definition(at: analysis.text.offset(params["position"]))
        },
        "textDocument/references": { _, analysis, params in
            let all = params["context"]?["includeDeclaration"] != false
            return Names(analysis).references(at: analysis.text.offset(params["position"]), withDeclaration: all)
        },
        "textDocument/documentHighlight": { _, analysis, params in
            Names(analysis).highlights(at: analysis.text.offset(params["position"]))
        },
        "textDocument/prepareRename": { server, analysis, params in
            Names(analysis).renamed(
                at: analysis.text.offset(params["position"]), renamesFiles: server.renamesFiles)
        },
        "textDocument/rename": { server, analysis, params in
            try Names(analysis).rename(
                at: analysis.text.offset(params["position"]), to: params["newName"]?.string ?? "",
                renamesFiles: server.renamesFiles)
        },
        "textDocument/codeAction": { _, analysis, params in QuickFixes(analysis).actions(params) },
        "textDocument/codeLens": { server, analysis, _ in
            Lenses(analysis, LastRuns(server.runs)).all
        },
        "textDocument/inlayHint": { _, analysis, params in InlayHints(analysis).hints(in: params["range"]) },
        "textDocument/documentSymbol": { server, analysis, _ in
            let path = "hierarchicalDocumentSymbolSupport"
            return Outline(analysis).symbols(
                isTree: server.client(can: "textDocument", "documentSymbol", path))
        },
        "textDocument/foldingRange": { _, analysis, _ in Outline(analysis).folds },
        "textDocument/documentLink": { _, analysis, _ in Outline(analysis).links },
        "textDocument/semanticTokens/full": { _, analysis, _ in ExpressionColours(analysis).tokens },
    ]

    fileprivate static let capabilities: Value = [
        "positionEncoding": "utf-16", "textDocumentSync": ["openClose": true, "change": 2, "save": true],
        "completionProvider": ["triggerCharacters": [".", "$", "@", ":", " ", "/"]],
        "hoverProvider": true, "definitionProvider": true, "referencesProvider": true,
        "documentHighlightProvider": true, "renameProvider": ["prepareProvider": true],
        "codeActionProvider": ["codeActionKinds": ["quickfix"]], "codeLensProvider": [:], "inlayHintProvider": true,
        "documentSymbolProvider": true, "foldingRangeProvider": true, "documentLinkProvider": [:],
        "semanticTokensProvider": ["legend": ExpressionColours.legend, "full": true],
        "executeCommandProvider": ["commands": [.string(Lenses.command)]],
    ]
}

extension RPCError.Code {
    /// A request came before `initialize`.
    static let notInitialized = Self(rawValue: -32_002)
    static let cancelled = Self(rawValue: -32_800)
    /// A request that is valid, but that cannot be done.
    static let requestFailed = Self(rawValue: -32_803)
}

extension Diagnostic {
    func lsp(in text: EditedText) -> Value {
        let range = range.map { text.bytes(of: $0) } ?? 0..<0
        return .members([
            ("range", text.range(range)), ("severity", severity == .error ? 1 : 2), ("code", .string(id)),
            ("source", "graphflow"), ("message", .string(hint.map { "\(message)\nhint: \($0)" } ?? message)),
            ("tags", id == "unused" || id == "unreachable" ? [1] : nil),
        ])
    }
}

extension [Value] {
    /// Each value once.
    fileprivate var unique: [Value] {
        var seen: Set<Value> = []
        return filter { seen.insert($0).inserted }
    }
}
