import Foundation
import Promises
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
        Console(
            environment: environment, outputIsTerminal: false, errorIsTerminal: false, ownsProcess: false,
            output: { data in output.withLock { $0.append(data) } },
            error: { data in error.withLock { $0.append(data) } })
    }
}

/// The tests' folder of runs, outside any home folder.
enum TestHome {
    /// A folder that this process removes when it ends.
    static let path: String = {
        let path = NSTemporaryDirectory() + "graphflow-tests-\(getpid())"
        atexit { try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + "graphflow-tests-\(getpid())") }
        return path
    }()
}

/// Files of the repository, wherever the tests are started.
enum Repository {
    /// The repository's folder.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of a file in it.
    static func path(_ relative: String) -> String { folder.appendingPathComponent(relative).path }
}
