/// A function that was read from outside the workflow: a task, as its own workflow.
///
/// It sees only its arguments: no context, no secrets and no authentications of its caller.
package struct ExternalFunction: Sendable {
    package let workflow: Workflow
    package let digest: String

    /// Reads a function.
    /// - Parameters:
    ///   - bytes: The task in YAML or JSON.
    ///   - source: What the call names.
    ///   - address: Where it was read from.
    ///   - folder: The folder of the files that it can name; nil for a function of the network, which can name none.
    ///   - catalog: The functions of the caller.
    package init(
        _ bytes: Data, of source: FunctionSource, at address: ResourceAddress, folder: URL?,
        _ catalog: any FunctionCatalog
    ) throws {
        digest = "sha256:" + SHA256.hex(of: bytes)
        let name = source.name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        let label = name.isEmpty || name.hasPrefix("-") || name.hasSuffix("-") || name.count > 63 ? "function" : name
        var isLocal = false
        if case .file = address { isLocal = true }
        do {
            let task = try Document(data: bytes, name: address.shown).value
            guard task.object != nil else {
                throw WorkflowError(
                    .configuration, detail: "the function at '\(address.shown)' must be an object with a task")
            }
            let file: Value = [
                "document": [
                    "dsl": "1.0.3", "namespace": "functions", "name": .string(label),
                    "version": .string(source.version),
                ],
                "do": [[label: task]],
            ]
            workflow = try Workflow(text: file.json(), name: address.shown, folder: isLocal ? folder : nil)
        } catch let error as ReadingError {
            throw Self.unusable(address, error.diagnostics)
        } catch let error as InvalidWorkflow {
            throw Self.unusable(address, error.diagnostics)
        }
        // A function of the network never acts on this machine, or with the user's account at Microsoft Graph.
        guard isLocal || !workflow.allTasks.contains(where: \.startsProgram) else {
            throw WorkflowError(
                .configuration,
                detail: "the function at '\(address.shown)' cannot be used: it starts programs, which only a function "
                    + "next to the workflow may do")
        }
        let known = isLocal ? catalog : StandardCalls(catalog)
        // The functions that it calls are checked when they are read: they can call each other.
        let library = WorkflowLibrary(of: workflow)
        let errors = WorkflowOutline(workflow).diagnostics(with: known, library, readsFunctions: false)
            .filter { $0.severity == .error }
        guard errors.isEmpty else { throw Self.unusable(address, errors) }
    }

    /// The function, if it is in a file next to the workflow and its address is not computed.
    package static func beside(
        _ files: WorkflowFiles, _ source: FunctionSource, _ catalog: any FunctionCatalog
    ) throws -> ExternalFunction? {
        guard let text = source.literal else { return nil }
        let address = try ResourceAddress(text, files: files, plainHosts: nil)
        guard case .file(let path) = address else { return nil }
        return try ExternalFunction(
            try files.contents(of: path), of: source, at: address, folder: files.folder, catalog)
    }

    private static func unusable(_ address: ResourceAddress, _ findings: [Diagnostic]) -> WorkflowError {
        let what = findings.map(\.message).joined(separator: "; ")
        return WorkflowError(.configuration, detail: "the function at '\(address.shown)' cannot be used: \(what)")
    }
}

extension Workflow.Task {
    fileprivate var startsProgram: Bool {
        switch action {
        // A server of MCP that has no address is a program.
        case .call(let call): return call.function == "mcp" && call.endpoint == nil
        case .run(let process):
            if case .workflow = process.kind { return false }
            return true
        default: return false
        }
    }
}

/// The calls of the standard, without the functions of a catalog.
private struct StandardCalls: FunctionCatalog {
    let catalog: any FunctionCatalog
    let names: [String] = []
    let allVersions: [any FunctionSignature] = []

    init(_ catalog: any FunctionCatalog) { self.catalog = catalog }

    func signature(_ name: String) -> (any FunctionSignature)? {
        Workflow.Call.supportedProtocols.contains(name) ? catalog.signature(name) : nil
    }
}
