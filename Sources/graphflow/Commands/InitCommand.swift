/// `graphflow init`: writes a sample with its test and an example of an `.env` file.
struct InitCommand: Command {
    static let name = "init"
    static let summary = "Create a workflow from a sample, with its test and an environment template."
    static let examples = ["init", "init monday --from mail-on-monday"]
    static let discussion = """
        Asks which job the workflow should do, unless '--from' names a sample, and writes into the current folder:
        NAME.yaml, a commented workflow; NAME.test.yaml, its test, if the sample has one; .env.example, the variables
        that a run may need; and the files that these name. Without NAME, the name of the sample is used. Existing files
        are not overwritten. '--list' shows every sample: the jobs, then a course of the language.
        """

    @Operand("[NAME]", "a name", hint: "graphflow init greet --from welcome") private var givenName: String?
    @Option("from", "SAMPLE", "The sample to begin with; '--list' shows all.", as: .sample) private var sample: String?
    @Flag("list", "List the samples, and write nothing.") private var isList
    @Flag("force", "Overwrite existing files.") private var mayOverwrite

    private var name: String? { givenName.map { $0.hasSuffix(".yaml") ? String($0.dropLast(5)) : $0 } }

    func validate() throws(UsageError) {
        let isAllowed = { (character: Character) in
            character.isASCII && (character.isLowercase || character.isNumber || character == "-")
        }
        if let name, name.isEmpty || name.hasPrefix("-") || name.hasSuffix("-") || !name.allSatisfy(isAllowed) {
            throw UsageError(
                "'\(PlainText.exact(name, limit: 100))' cannot be the name of a workflow",
                hint: "use small letters, digits and hyphens: graphflow init greet-everybody")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        if isList {
            console.print(Self.list.joined(separator: "\n"))
            return .success
        }
        let sample = try sample ?? ask(on: console)
        let files = Samples.files(of: sample, as: name ?? sample)
        let present = files.map(\.path).filter { FileManager.default.fileExists(atPath: $0) }
        // Several workflows in a folder share one file of variables.
        let taken = present.filter { $0 != Samples.environment }
        guard taken.isEmpty || mayOverwrite else {
            throw UsageError(
                "there is \(taken.sorted().joined(separator: ", "))",
                hint: "give another name: graphflow init NAME --from \(sample), or overwrite with '--force'")
        }
        for file in files where mayOverwrite || !present.contains(file.path) {
            let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try OutputFile.write(
                Data(file.text.utf8), to: file.path, sparing: console.files, isPublic: true,
                or: "'\(file.path)' cannot be written")
            console.print(file.path)
        }
        if !mayOverwrite, !present.isEmpty {
            console.complain("\(Samples.environment) already exists, and was not changed")
        }
        let file = files[0].path
        let input = Samples.required(by: sample).map { " -p \($0)=…" }.joined()
        if files.contains(where: { $0.path.hasSuffix(".test.yaml") }) {
            console.complain("test it: graphflow test \(file)")
        }
        console.complain("try it:  graphflow run \(file)\(input) --sandbox")
        return .success
    }

    /// The samples with their titles: first the jobs, then those that teach the language.
    private static var list: [String] {
        (Samples.jobs + Samples.names.filter { !Samples.jobs.contains($0) }).map(line)
    }

    private static func line(_ sample: String) -> String { "\(sample.padding(to: 26))\(Samples.title(of: sample))" }

    private func ask(on console: Console) throws -> String {
        guard console.inputIsTerminal, console.errorIsTerminal else {
            throw UsageError(
                "no sample is named",
                hint: "begin with 'graphflow init --from \(Samples.jobs[0])'; 'graphflow init --list' shows the others")
        }
        for (index, job) in Samples.jobs.enumerated() { console.complain("\(index + 1)  \(Self.line(job))") }
        console.complain("'graphflow init --list' shows more samples, which you can name here too.")
        console.ask("What should the workflow do? Number or name: ")
        let answer = (readLine() ?? "").trimming { $0 == " " }
        if let number = Int(answer), Samples.jobs.indices.contains(number - 1) { return Samples.jobs[number - 1] }
        return try Conversion.sample.value(PlainText.line(answer, limit: 100), "")
    }
}

extension Conversion<String> {
    fileprivate static var sample: Conversion {
        .named("sample", among: Samples.names, list: "run 'graphflow init --list' to see them") {
            Samples.names.contains($0) ? $0 : nil
        }
    }
}

/// The samples, which `scripts/make-samples.py` copies from the folder `workflows`.
enum Samples {
    struct File {
        let path: String
        let text: String
    }

    static let environment = ".env.example"

    private static let all = (try? Value(json: Data(PackageResources.samples_json)))?.object ?? [:]

    static let names = all.keys.sorted()
    /// The samples that do a whole job, in the order in which they are offered.
    static let jobs = [
        "mail-on-monday", "new-colleagues", "offboard", "guests-by-sponsor", "share-file", "nightly-report", "empty",
    ]

    /// What a sample does, in a line.
    static func title(of sample: String) -> String {
        document(of: sample)["document"]?.object?["title"]?.string ?? ""
    }

    static func required(by sample: String) -> [String] {
        let schema = document(of: sample)["input"]?.object?["schema"]?.object?["document"]?.object
        return schema?["required"]?.array?.compactMap(\.string) ?? []
    }

    private static func document(of sample: String) -> Object {
        (try? Document(data: Data(text(of: sample).utf8), name: sample))?.value.object ?? [:]
    }

    private static func text(of sample: String) -> String {
        all[sample]?.object?["\(sample).yaml"]?.string ?? ""
    }

    /// The files of a renamed sample: the workflow, the others, and the example of an `.env` file.
    static func files(of sample: String, as name: String) -> [File] {
        var files = (all[sample]?.object ?? [:]).map { path, text in
            File(
                path: ["yaml", "test.yaml", "csv"].contains { path == "\(sample).\($0)" }
                    ? name + path.dropFirst(sample.count) : path,
                text: renamed(text.string ?? "", sample, to: name))
        }
        files.sort { first, second in
            first.path == "\(name).yaml" || second.path != "\(name).yaml" && first.path < second.path
        }
        return files + [File(path: environment, text: environment(of: sample))]
    }

    /// The text with the workflow's name instead of the sample's, also in commands in comments.
    private static func renamed(_ text: String, _ sample: String, to name: String) -> String {
        // The new folder does not have the schemas for editors.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.drop { $0.hasPrefix("# yaml-language-server") || $0 == "#" }
        let text = kept.joined(separator: "\n").replacing("workflows/", with: "")
        guard name != sample else { return text }
        return text.replacing("name: \(sample),", with: "name: \(name),").replacing(
            "name: \(sample)\n", with: "name: \(name)\n"
        )
        .replacing("\(sample).yaml", with: "\(name).yaml").replacing("\(sample).csv", with: "\(name).csv")
    }

    private static func environment(of sample: String) -> String {
        let secrets = document(of: sample)["use"]?.object?["secrets"]?.array ?? []
        let lines = secrets.compactMap(\.string).map {
            "# A secret of the workflow.\n\(SecretStore.variable(for: $0))=\n"
        }
        return """
            # Copy this file to .env, so that only you may read it, and fill in what you need:
            #   install -m 600 .env.example .env
            #   graphflow run FILE --env-file .env
            # With '--sandbox' you need none of it, and after 'graphflow login' you need no token.

            # An application that acts by itself, registered with Microsoft Entra.
            #AZURE_TENANT_ID=
            #AZURE_CLIENT_ID=
            #AZURE_CLIENT_SECRET=

            # Where runs are kept.
            #GRAPHFLOW_HOME=
            \(lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))")
            """
    }
}
