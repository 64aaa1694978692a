/// `--sandbox`: an in-memory Microsoft Graph instead of the real one.
struct SandboxOption: OptionGroup {
    @Option(
        "sandbox", optional: "PROFILE|FILE",
        "Run against a sandbox, an in-memory Microsoft Graph. PROFILE is\n"
            + Sandbox.Profile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            + ";\nFILE describes its contents, as 'sandbox' does in tests.", as: .sandbox)
    private var given: Given?

    struct Given: Sendable {
        let text: String
        let description: SandboxDescription
    }

    var isGiven: Bool { given != nil }
    /// A new sandbox; nil for the real service.
    var sandbox: Sandbox? { given?.description.sandbox() }
    /// A new sandbox that may notify programs on this machine; nil for the real service.
    var served: Sandbox? { given?.description.sandbox(notifier: LoopbackTransport()) }
    /// What a sandbox contains, also without the option.
    var description: SandboxDescription { given?.description ?? SandboxDescription(.default) }
    /// The option as an argument; without it, the usual sandbox.
    var argument: String { given.map { $0.text.isEmpty ? "--sandbox" : "--sandbox=\($0.text)" } ?? "--sandbox" }
    /// The option as it was given, with a leading space; empty without it.
    var words: String {
        given.map { $0.text.isEmpty ? " --sandbox" : " --sandbox=\($0.text.shellWord)" } ?? ""
    }

    /// What answers for services that are not Microsoft's.
    enum Others: Sendable {
        /// The services themselves.
        case network
        case nobody
        case mocks(MockedServices)

        /// Sends the requests; nil to refuse them.
        var transport: (any HTTPTransport)? {
            switch self {
            case .network: NetworkTransport()
            case .nobody: nil
            case .mocks(let mocks): mocks
            }
        }

        /// The exit status: a request without an answer in the file is an error, even if the workflow caught it.
        func status(after status: ExitStatus) -> ExitStatus {
            guard case .mocks(let mocks) = self, !mocks.refused.isEmpty, status == .success else { return status }
            return .faulted
        }

        /// Reports the requests without an answer in the file, and the answers that were not used.
        func report(on console: Console) {
            guard case .mocks(let mocks) = self else { return }
            for request in mocks.refused { console.complain("'--mock' has no answer for \(request)") }
            for name in mocks.unused {
                console.complain("no request matched '\(PlainText.exact(name, limit: 200))' of '--mock'")
            }
        }
    }
}

/// `--sandbox` of workflows, which may call other services too.
struct WorkflowSandboxOptions: OptionGroup {
    private let option = SandboxOption()
    @Flag("sandbox-only", "With '--sandbox': refuse every request to other services.") private var isAlone
    @Option(
        "mock", "FILE",
        "With '--sandbox': answer requests from a file, those to Graph before the\nsandbox does, and refuse others to other services."
    )
    private var mocks: String?

    var isGiven: Bool { option.isGiven }
    /// Whether requests to other services are refused.
    var isClosed: Bool { isAlone || mocks != nil }
    var words: String { option.words }
    var sandbox: Sandbox? { option.sandbox }

    func validate() throws(UsageError) {
        for option in [$isAlone, $mocks] as [any DeclaredOption] where option.isGiven && !isGiven {
            throw UsageError("'\(option.syntax.dashed)' is for the sandbox", hint: "add '--sandbox'")
        }
        guard !isAlone || mocks == nil else {
            throw UsageError(
                "'--sandbox-only' and '--mock' cannot be used together",
                hint: "leave '--sandbox-only' out: requests that the file does not answer are refused anyway")
        }
    }

    func others() throws -> SandboxOption.Others {
        guard let mocks else { return isAlone ? .nobody : .network }
        return .mocks(try MockedServices(contentsOf: URL(fileURLWithPath: mocks)))
    }
}

extension Conversion<Sandbox.Profile> {
    static var sandboxProfile: Conversion {
        let words = Value.allCases.map { Completion.Candidate(word: $0.rawValue, note: $0.summary) }
        return Conversion(offering: .words(words), choice("sandbox profile").value)
    }
}

extension Conversion<SandboxOption.Given> {
    /// The profile of that name, the default profile without a name, or the contents of a file.
    fileprivate static var sandbox: Conversion {
        let profiles = Conversion<Sandbox.Profile>.sandboxProfile
        return Conversion(offering: profiles.offer) { text, name in
            let isFile = text.contains("/") || [".yaml", ".yml", ".json"].contains { text.hasSuffix($0) }
            let description =
                isFile
                ? try SandboxDescription(contentsOf: text)
                : SandboxDescription(text.isEmpty ? .default : try profiles.value(text, name))
            return SandboxOption.Given(text: text, description: description)
        }
    }
}
