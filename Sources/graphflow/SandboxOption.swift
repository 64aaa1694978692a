import Essentials
import Promises
import Workflows

/// `--sandbox`: an in-memory Microsoft Graph instead of the real one.
enum SandboxOption {
    static let option = Option(
        name: "sandbox", argument: .optional("PROFILE"),
        help: "Run against a sandbox, an in-memory Microsoft Graph. PROFILE is\n"
            + Sandbox.Profile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") + ".")

    /// For workflows, which may also call other services.
    static let only = Option(name: "sandbox-only", help: "With '--sandbox': refuse every request to other services.")
    static let mock = Option(
        name: "mock", argument: .required("FILE"),
        help: "With '--sandbox': answer requests to other services from a file, and refuse\n"
            + "those that it has no answer for.")

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

    /// What answers for services that are not Microsoft's, as the arguments say.
    static func others(_ arguments: ParsedArguments) throws -> Others {
        let (isAlone, file) = (arguments.has("sandbox-only"), arguments.value("mock"))
        guard arguments.has(option.name) || !isAlone && file == nil else {
            throw UsageError("'--\(isAlone ? "sandbox-only" : "mock")' is for the sandbox", hint: "add '--sandbox'")
        }
        guard !isAlone || file == nil else {
            throw UsageError(
                "'--sandbox-only' and '--mock' cannot be used together",
                hint: "leave '--sandbox-only' out: what the file does not answer is refused anyway")
        }
        guard let file else { return isAlone ? .nobody : .network }
        return .mocks(try MockedServices(contentsOf: URL(fileURLWithPath: file)))
    }

    /// The given profile; nil for the real service.
    static func profile(_ arguments: ParsedArguments) throws(UsageError) -> Sandbox.Profile? {
        guard let name = arguments.value(option.name) else { return nil }
        return try profile(named: name)
    }

    /// The profile of that name; without a name, the default one.
    static func profile(named name: String) throws(UsageError) -> Sandbox.Profile {
        try Sandbox.Profile(option: name.isEmpty ? "default" : name, "sandbox profile")
    }
}
