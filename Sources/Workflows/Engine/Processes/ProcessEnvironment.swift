/// Which of this process' own variables a child process gets.
///
/// A list of those that programs need to work as they do for whoever started this one; anything else may be a secret.
struct ProcessEnvironment: Sendable {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    ]

    /// The variables that a child gets where a workflow says nothing.
    let variables: [String: String]

    /// Chooses from the variables of this process.
    init(_ environment: [String: String]) {
        var variables = environment.filter { Self.names.contains($0.key) || $0.key.hasPrefix("LC_") }
        if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        self.variables = variables
    }
}
