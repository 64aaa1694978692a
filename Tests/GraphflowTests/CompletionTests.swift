import Testing

/// What shells offer; `Tests/Conformance/completions.py` types it in real ones.
@Suite struct CompletionTests {
    private func words(_ words: String...) async -> [String] {
        let console = TestConsole()
        #expect(await console.run(["__complete"] + words) == 0)
        return console.standardOutput.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    @Test func `commands, options and their values are offered by their beginnings`() async {
        #expect(await words("re") == ["resume", "reject"])
        #expect(await words("help", "val") == ["validate"])
        #expect(await words("run", "--dry") == ["--dry-run"])
        #expect(await words("run", "--format", "") == ["text", "json", "html", "markdown", "curl", "har"])
        #expect(await words("run", "--format=j") == ["--format=json"])
        #expect(await words("run", "--sandbox=no") == ["--sandbox=no-photo"])
        #expect(await words("serve", "--catch-up", "") == ["none", "one", "all"])
        #expect(await words("runs", "--state", "su") == ["suspended"])
        #expect(await words("functions", "sendM") == ["sendMail"])
        #expect(await words("nothing", "") == [])
        #expect(await words("get", "--cloud", "us") == ["usgov", "usgov-dod"])
    }

    @Test func `bash divides a word at its equals sign`() async {
        #expect(await words("run", "--format", "=", "j") == ["json"])
        #expect(await words("run", "--format", "=") == ["text", "json", "html", "markdown", "curl", "har"])
    }

    @Test func `an option that was given is not offered again, unless it may be`() async {
        #expect(await words("run", "--input", "{}", "--inp") == [])
        #expect(await words("run", "--property", "a=b", "--prop") == ["--property"])
    }

    @Test func `files and folders are found by the shell`() async {
        #expect(await words("run", "") == [":files"])
        #expect(await words("run", "a.yaml", "--plan-out", "") == [":files"])
        #expect(await words("test", "--coverage", "") == [":folders"])
        #expect(await words("eval", "") == [])
        #expect(await words("eval", ".a", "") == [":files"])
        #expect(await words("eval", ".a", "b.json", "") == [])
        #expect(await words("validate", "a.yaml", "") == [":files"])
        #expect(await words("init", "") == [])
    }

    @Test func `the properties of the workflow's input are offered`() async {
        let file = Repository.path("workflows/share-profile-photo.yaml")
        #expect(await words("run", file, "-p", "") == ["to=", "subject="])
        #expect(await words("run", "none.yaml", "-p", "") == [])
    }
}
