import Foundation
import TestSupport

/// The built program, run in its own process.
typealias GraphflowProcess = TestProcess

extension TestProcess {
    /// Starts the program.
    /// - Parameters:
    ///   - arguments: The arguments after its name.
    ///   - environment: Variables in addition to those that any program needs.
    ///   - folder: The working folder; nil for that of the tests.
    convenience init(_ arguments: [String], environment: [String: String] = [:], folder: URL? = nil) throws {
        try self.init(
            Self.program(), arguments,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory(), "GRAPHFLOW_HOME": TestHome.path,
            ].merging(environment) { $1 }, folder: folder)
    }

    /// The path of the program, which is built next to the tests.
    static func program() throws -> String {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appendingPathComponent("graphflow").path
    }
}
