import Workflows

/// `--sandbox`: an in-memory Microsoft Graph instead of the real one.
enum SandboxOption {
    static let option = Option(
        name: "sandbox", argument: .optional("PROFILE"),
        help: "Run against a sandbox, an in-memory Microsoft Graph. PROFILE is\n"
            + Sandbox.Profile.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") + ".")

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
