import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// Runs command lines inside the test and keeps their output.
struct TestConsole: Sendable {
    private let output = Locked(Data())
    private let error = Locked(Data())
    private let environment: [String: String]

    /// A console with only these environment variables.
    init(environment: [String: String] = [:]) {
        self.environment = ["GRAPHFLOW_HOME": TestHome.path].merging(environment) { $1 }
    }

    /// Standard output.
    var standardOutput: String { String(decoding: output.withLock { $0 }, as: UTF8.self) }

    /// Standard error.
    var standardError: String { String(decoding: error.withLock { $0 }, as: UTF8.self) }

    /// Runs a command line and gives its exit status.
    func run(_ arguments: String...) async -> Int32 { await run(arguments) }

    /// Runs a command line and gives its exit status.
    func run(_ arguments: [String]) async -> Int32 {
        await CommandLineTool.run(arguments, on: console).rawValue
    }

    /// The console that a command gets.
    var console: Console {
        var console = Console(
            environment: environment, outputIsTerminal: false, errorIsTerminal: false, ownsProcess: false,
            output: { data in output.withLock { $0.append(data) } },
            error: { data in error.withLock { $0.append(data) } })
        console.limits = .patient
        return console
    }
}

/// Each test's folder of runs, outside any home folder.
enum TestHome {
    /// A folder that this process removes when it ends.
    private static let folder: String = {
        let path = NSTemporaryDirectory() + "graphflow-tests-\(getpid())"
        atexit { try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "graphflow-tests-\(getpid())") }
        return path
    }()

    /// The folder of this test: commands remove runs that have ended, but for the newest.
    static var path: String {
        let test = Test.current.map { "\($0.id)-\(Test.Case.current.map { "\($0)" } ?? "")" } ?? ""
        return "\(folder)/\(SHA256.hex(of: Data(test.utf8)).prefix(16))"
    }
}

/// Files of the repository, wherever the tests are started.
enum Repository {
    /// The repository's folder.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of a file in it.
    static func path(_ relative: String) -> String { folder.appendingPathComponent(relative).path }
}
