/// `graphflow test`: runs the tests of workflows in sandboxes.
struct TestCommand: Command {
    static let name = "test"
    static let summary = "Run the tests of workflow files."
    static let examples = ["test workflows/share-profile-photo.yaml", "test --format junit > results.xml"]
    static let discussion = """
        The tests of NAME.yaml are in NAME.test.yaml next to it. Each case runs in its own sandbox, where waits take no
        time and only the sandbox can be reached. FILE is a file of tests, a workflow that has one, or a folder; without
        FILE, all tests in the current folder and below run.

        Status 1 means that a case failed. Status 2 means that a file is invalid; then no case ran.
        """

    @Operand("[FILE…]") private var operands: [String]
    @Option("filter", "TEXT", "Run only cases whose name contains TEXT.") private var filter: String?
    @Option(
        "format", "FORMAT",
        "The format of results: \(TestFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
        as: .choice("format"))
    private var format = TestFormat.text
    @Flag(
        "update", "Replace what the files expect with the actual results,\nexcept for conditions.")
    private var isUpdating
    @Option(
        "coverage", "FOLDER", "Write a picture of each workflow, NAME.svg, that shows the parts that no case reaches.",
        isOutput: true)
    private var pictures: String?

    func run(on console: Console) async throws -> ExitStatus {
        let files = try files()
        var reports: [TestReport] = []
        for file in files {
            let report = await report(on: file, console)
            guard !report.results.isEmpty else { continue }
            reports.append(report)
            if format == .text { show(report, on: console) }
        }
        guard !reports.isEmpty else {
            throw UsageError("no case has '\(filter ?? "")' in its name", hint: "leave '--filter' out to run all")
        }
        switch format {
        case .text: console.complain(summary(of: reports))
        case .junit: console.print(reports.junit)
        case .tap: console.print(reports.tap)
        case .json: console.print(reports.value)
        }
        if let pictures { try draw(reports, in: pictures, console) }
        let isUpdated = isUpdating ? try update(reports, console) : false
        return isUpdated || reports.allSatisfy(\.failures.isEmpty) ? .success : .faulted
    }

    private func report(on file: TestFile, _ console: Console) async -> TestReport {
        let cases = file.cases.filter { filter.map($0.name.contains) ?? true }
        var outcomes: [Int: TestOutcome] = [:]
        await withTaskGroup(of: (Int, TestOutcome).self) { group in
            for (index, test) in cases.enumerated() {
                group.addTask {
                    (index, await TestRun(test, of: file.workflow).outcome(console.environment))
                }
            }
            for await (index, outcome) in group { outcomes[index] = outcome }
        }
        let results = cases.enumerated().compactMap { index, test in
            outcomes[index].map { outcome in
                let expectation = TestExpectation(test.expected, outcome, at: test.place.appending("expect"))
                return TestReport.Result(
                    test: test, differences: expectation.differences, duration: outcome.duration)
            }
        }
        let reached = outcomes.values.reduce(into: Set()) { $0.formUnion($1.reached) }
        return TestReport(file: file, results: results, coverage: TestCoverage(of: file.workflow, reached))
    }

    private func show(_ report: TestReport, on console: Console) {
        console.print(painted: report.text(colour: console.outputHasColour))
        if filter == nil { console.print(report.coverageText) }
    }

    private func summary(of reports: [TestReport]) -> String {
        let count = reports.reduce(0) { $0 + $1.results.count }
        let failed = reports.reduce(0) { $0 + $1.failures.count }
        let cases = "\(count) case\(count == 1 ? "" : "s")"
        return failed == 0 ? "\(cases) passed" : "\(failed) of \(cases) failed"
    }

    /// Writes the actual results into the files; returns whether they were the only differences.
    private func update(_ reports: [TestReport], _ console: Console) throws -> Bool {
        var isWhole = true
        for report in reports {
            let differences = report.failures.flatMap(\.differences)
            isWhole = isWhole && differences.allSatisfy { $0.actual != nil }
            let update = try TestUpdate(report.file.document, differences)
            guard let text = update.text else { continue }
            let path = report.file.document.name
            try OutputFile.write(text, to: path, sparing: nil, isPublic: true, or: "'\(path)' cannot be written")
            console.complain("\(path): \(update.count) expectation\(update.count == 1 ? "" : "s") changed")
        }
        return isWhole
    }

    private func draw(_ reports: [TestReport], in folder: String, _ console: Console) throws {
        for report in reports {
            let name = report.file.workflow.metadata.name + ".svg"
            let path = URL(fileURLWithPath: folder).appending(path: name).path
            let drawing = Data(report.coverage.drawing(of: report.file.workflow).svg.utf8)
            try OutputFile.write(
                drawing, to: path, sparing: console.files, isPublic: true, or: "'\(path)' cannot be written",
                hint: "name an existing folder")
        }
    }

    /// The files of tests that the operands name, read and checked.
    private func files() throws -> [TestFile] {
        let paths = try operands.isEmpty ? try Self.found(in: ".") : operands.flatMap { try Self.files($0) }
        guard !paths.isEmpty else {
            throw UsageError("there are no tests here", hint: "the tests of NAME.yaml are in NAME.test.yaml next to it")
        }
        var findings: [Diagnostic] = []
        let files = paths.compactMap { path in
            do throws(ReadingError) {
                return try TestFile(path)
            } catch {
                findings += error.diagnostics
                return nil
            }
        }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        return files
    }

    private static func files(_ operand: String) throws -> [String] {
        if WorkflowOperands.isFolder(operand) {
            let found = try found(in: operand)
            guard !found.isEmpty else { throw UsageError("there are no tests in '\(operand)'") }
            return found
        }
        guard !TestFile.isNamed(operand), FileManager.default.fileExists(atPath: operand),
            let ending = [".yaml", ".yml", ".json"].first(where: operand.hasSuffix)
        else { return [operand] }
        let stem = String(operand.dropLast(ending.count))
        let tests = TestFile.endings.map { stem + $0 }.first { FileManager.default.fileExists(atPath: $0) }
        guard let tests else {
            throw UsageError("'\(operand)' has no tests", hint: "write them into '\(stem).test.yaml'")
        }
        return [tests]
    }

    /// All files of tests in a folder and its subfolders, except hidden ones.
    /// - Throws: ``UsageError`` if one is a link that leads out of its folder, because findings quote its lines.
    private static func found(in folder: String) throws(UsageError) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        let files = WorkflowFiles(folder: URL(fileURLWithPath: folder, isDirectory: true))
        var all: [String] = []
        for name in names where !name.hasPrefix(".") {
            let path = WorkflowOperands.path(of: name, in: folder)
            if WorkflowOperands.isFolder(path) {
                all += try found(in: path)
            } else if TestFile.isNamed(path) {
                do throws(FunctionError) { try files.locate(name) } catch {
                    throw UsageError(error.message, hint: "name the file if you want to run its tests")
                }
                all.append(path)
            }
        }
        return all
    }
}
