import Essentials
import Promises
import Workflows

/// `--sandbox`: an in-memory Microsoft Graph instead of the real one.
struct SandboxOption: OptionGroup {
    /// The given profile; nil for the real service.
    @Option(
        "sandbox", optional: "PROFILE",
        "Run against a sandbox, an in-memory Microsoft Graph. PROFILE is\n"
            + Sandbox.Profile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") + ".", as: .sandboxProfile)
    var profile: Sandbox.Profile?

    /// A new sandbox; nil for the real service.
    var sandbox: Sandbox? { profile.map { Sandbox(profile: $0) } }

    /// What answers for services that are not Microsoft's.
    enum Others: Sendable {
        /// They themselves.
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

        /// How the program ends: a request that the file has no answer for is an error, also if the workflow caught it.
        func status(after status: ExitStatus) -> ExitStatus {
            guard case .mocks(let mocks) = self, !mocks.refused.isEmpty, status == .success else { return status }
            return .faulted
        }

        /// Says which requests had no answer in the file, and which answers were not asked for.
        func report(on console: Console) {
            guard case .mocks(let mocks) = self else { return }
            for request in mocks.refused { console.complain("'--mock' has no answer for \(request)") }
            for name in mocks.unused {
                console.complain("no request was like '\(PlainText.line(name, limit: 200))' of '--mock'")
            }
        }
    }
}

/// `--sandbox` of workflows, which may also call other services.
struct WorkflowSandboxOptions: OptionGroup {
    private let option = SandboxOption()
    @Flag("sandbox-only", "With '--sandbox': refuse every request to other services.") private var isAlone
    @Option(
        "mock", "FILE",
        "With '--sandbox': answer requests to other services from a file, and refuse\nthose that it has no answer for.")
    private var mocks: String?

    var profile: Sandbox.Profile? { option.profile }
    /// A new sandbox; nil for the real service.
    var sandbox: Sandbox? { option.sandbox }

    func validate() throws(UsageError) {
        for option in [$isAlone, $mocks] as [any DeclaredOption] where option.isGiven && profile == nil {
            throw UsageError("'\(option.syntax.dashed)' is for the sandbox", hint: "add '--sandbox'")
        }
        guard !isAlone || mocks == nil else {
            throw UsageError(
                "'--sandbox-only' and '--mock' cannot be used together",
                hint: "leave '--sandbox-only' out: what the file does not answer is refused anyway")
        }
    }

    /// What answers for services that are not Microsoft's.
    func others() throws -> SandboxOption.Others {
        guard let mocks else { return isAlone ? .nobody : .network }
        return .mocks(try MockedServices(contentsOf: URL(fileURLWithPath: mocks)))
    }
}

extension Conversion<Sandbox.Profile> {
    /// The profile of that name; without a name, the default one.
    static var sandboxProfile: Conversion {
        let words = Value.allCases.map { Completion.Candidate(word: $0.rawValue, note: $0.summary) }
        return Conversion(offering: .words(words)) { text, name in
            text.isEmpty ? .default : try choice("sandbox profile").value(text, name)
        }
    }
}
