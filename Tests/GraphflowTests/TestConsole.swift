import Foundation
import Promises
import Workflows

@testable import graphflow

/// A command line run inside the test, with what it wrote.
struct TestConsole: Sendable {
    private let output = Locked(Data())
    private let error = Locked(Data())
    private let environment: [String: String]

    /// A console with those environment variables and no others.
    init(environment: [String: String] = [:]) {
        self.environment = ["GRAPHFLOW_HOME": TestHome.path].merging(environment) { $1 }
    }

    /// What went to standard output.
    var standardOutput: String { String(decoding: output.withLock { $0 }, as: UTF8.self) }

    /// What went to standard error.
    var standardError: String { String(decoding: error.withLock { $0 }, as: UTF8.self) }

    /// Runs a command line and gives its exit status.
    func run(_ arguments: String...) async -> Int32 { await run(arguments) }

    /// Runs a command line and gives its exit status.
    func run(_ arguments: [String]) async -> Int32 {
        let console = Console(
            environment: environment, outputIsTerminal: false, errorIsTerminal: false, ownsProcess: false,
            output: { data in output.withLock { $0.append(data) } },
            error: { data in error.withLock { $0.append(data) } })
        return await CommandLineTool.run(arguments, on: console).rawValue
    }
}

/// Where the tests keep runs: in no person's home.
enum TestHome {
    /// A folder for this process, which takes it away when it ends.
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
