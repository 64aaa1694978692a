public import Foundation
public import Workflows

extension Workflow {
    /// A workflow of the given tasks, with the head that every file needs.
    /// - Parameters:
    ///   - tasks: The list under `do`, in YAML without indentation.
    ///   - rest: More members of the workflow, such as `use` or `output`, in YAML without indentation.
    ///   - folder: The folder of the files that the workflow names.
    public init(tasks: String, rest: String = "", folder: URL? = nil) throws {
        let indented = tasks.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        try self.init(
            text: """
                document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
                \(rest)
                do:
                \(indented.joined(separator: "\n"))
                """, folder: folder)
    }
}
