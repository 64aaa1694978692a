/// The contents and behaviour of a sandbox: the `sandbox` of a test, or the file of `--sandbox=FILE`.
package struct SandboxDescription: Sendable {
    package let profile: Sandbox.Profile
    private let settings: Sandbox.Settings
    private let contents: Sandbox.Contents
    private let faults: [Sandbox.Fault]

    /// Creates a description with the contents of a profile.
    package init(_ profile: Sandbox.Profile) {
        (self.profile, settings, contents, faults) = (profile, Sandbox.Settings(), Sandbox.Contents(), [])
    }

    /// Reads a description that the schema of tests accepts.
    /// - Parameters:
    ///   - place: Its place in the file.
    ///   - findings: Receives the findings that the schema cannot express.
    package init(_ value: Value, at place: JSONPointer, of file: Document, _ findings: inout [Diagnostic]) {
        profile = value["profile"]?.string.flatMap { Sandbox.Profile(rawValue: $0) } ?? .default
        var settings = Sandbox.Settings()
        if let count = value["users"]?.integer { settings.userCount = count }
        if let allowed = value["anonymousLinks"]?.bool { settings.allowsAnonymousLinks = allowed }
        self.settings = settings
        var mistakes: [Sandbox.Contents.Mistake] = []
        contents = Sandbox.Contents(value, &mistakes)
        findings += mistakes.map { mistake in
            file.diagnostic(
                id: "sandbox", mistake.message, hint: mistake.hint,
                at: JSONPointer(place.tokens + mistake.place.tokens))
        }
        var faults: [Sandbox.Fault] = []
        for (index, text) in (value["faults"]?.array ?? []).enumerated() {
            do throws(Sandbox.Fault.SyntaxError) {
                faults.append(try Sandbox.Fault(parsing: text.string ?? ""))
            } catch {
                let pointer = JSONPointer(place.tokens + ["faults", "\(index)"])
                findings.append(file.diagnostic(id: "fault", error.description, at: pointer))
            }
        }
        self.faults = faults
    }

    /// Reads a file with a description.
    /// - Throws: ``ReadingError`` with all findings.
    package init(contentsOf path: String) throws(ReadingError) {
        let document = try Document(contentsOf: URL(fileURLWithPath: path))
        var findings = TestFile.findings(in: document, by: TestFile.sandboxSchema, id: "sandbox")
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        self.init(document.value, at: .root, of: document, &findings)
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
    }

    /// Creates a sandbox from this description.
    package func sandbox(
        now: @escaping @Sendable () -> Date = { Date() }, clock: any PromiseClock = .continuous,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        notifier: (any HTTPTransport)? = nil
    ) -> Sandbox {
        Sandbox(
            profile: profile, settings: settings, contents: contents, faults: faults, now: now, clock: clock,
            random: random, notifier: notifier)
    }
}
