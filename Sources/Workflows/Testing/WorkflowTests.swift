/// The cases in a file of tests, `NAME.test.yaml`, to run from `swift test`.
///
/// ```swift
/// @Test(arguments: try WorkflowTests(contentsOf: file).cases)
/// func workflow(_ test: WorkflowTests.Case) async {
///     let differences = await test.run()
///     #expect(differences.isEmpty, "\(differences)")
/// }
/// ```
public struct WorkflowTests: Sendable {
    /// A case, which runs in its own sandbox and skips all waits.
    public struct Case: Sendable, CustomStringConvertible {
        private let test: TestCase
        private let file: TestFile

        fileprivate init(_ test: TestCase, of file: TestFile) { (self.test, self.file) = (test, file) }

        /// The case's name.
        public var name: String { test.name }
        /// The case's name.
        public var description: String { name }

        /// Runs the workflow and compares its outcome with the case's expectations.
        /// - Parameter environment: The environment variables of the workflow's programs.
        /// - Returns: A finding for each difference, at its place in the file of tests; none if the case passes.
        public func run(environment: [String: String] = ProcessInfo.processInfo.environment) async -> [Diagnostic] {
            let outcome = await TestRun(test, of: file.workflow).outcome(environment)
            return TestExpectation(test.expected, outcome, at: test.place.appending("expect")).differences
                .map { file.document.diagnostic(id: "test", $0.message, at: $0.place) }
        }
    }

    /// The cases in the order of the file.
    public let cases: [Case]

    /// Reads a file of tests and its workflow.
    /// - Throws: ``ReadingError`` with all findings in either.
    public init(contentsOf url: URL) throws(ReadingError) {
        let file = try TestFile(url.path(percentEncoded: false))
        cases = file.cases.map { Case($0, of: file) }
    }
}
