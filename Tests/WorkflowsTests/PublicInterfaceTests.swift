import Foundation
import TestSupport
import Testing
import Workflows

/// The public interface, one file per module, so that every change of it is seen in review.
///
/// Only on Linux: other platforms have other declarations.
#if os(Linux)
    struct PublicInterfaceTests {
        private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "PublicInterface", directoryHint: .isDirectory)

        /// Every module of the library products.
        @Test(arguments: [
            "Promises", "WorkflowData", "WorkflowHTTP", "MicrosoftGraph", "GraphSandbox", "WorkflowModel",
            "WorkflowHistory", "Workflows", "WorkflowRuns", "GraphflowTesting",
        ])
        func `the public interface is the one that is written down`(module: String) throws {
            let actual = try Self.interface(of: module)
            let file = Self.folder.appending(path: "\(module).txt")
            if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
                try Data(actual.utf8).write(to: file)
            }
            let expected = try String(contentsOf: file, encoding: .utf8)
            let difference = actual.split(separator: "\n").difference(from: expected.split(separator: "\n"))
            let changes = difference.map { change in
                switch change {
                case .insert(_, let line, _): "+ \(line)"
                case .remove(_, let line, _): "- \(line)"
                }
            }
            #expect(
                changes.isEmpty,
                "\(file.path) differs: UPDATE_SNAPSHOTS=1 writes it\n\(changes.joined(separator: "\n"))")
        }

        /// The declarations of a module's symbol graph, sorted by name, one a line.
        private static func interface(of module: String) throws -> String {
            let products = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            let output = FileManager.default.temporaryDirectory.appending(path: "interface-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: output) }
            let target = try Value(json: Data(try run("swiftc", "-print-target-info").utf8))
            try run(
                "swift-symbolgraph-extract", "-module-name", module, "-I",
                products.appending(path: "Modules").path(percentEncoded: false), "-target",
                try #require(target["target"]?["triple"]?.string), "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", output.path(percentEncoded: false))
            let files = try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
            let lines = try files.flatMap { file -> [String] in
                let symbols = try Value(json: try Data(contentsOf: file))["symbols"]?.array ?? []
                return symbols.map { symbol in
                    let path = symbol["pathComponents"]?.array?.compactMap(\.string).joined(separator: ".") ?? ""
                    let words = symbol["declarationFragments"]?.array?.compactMap { $0["spelling"]?.string } ?? []
                    let declaration = words.joined().split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    return "\(path): \(declaration)"
                }
            }
            return lines.sorted().joined(separator: "\n") + "\n"
        }

        @discardableResult
        private static func run(_ program: String, _ arguments: String...) throws -> String {
            let process = try TestProcess(
                "/usr/bin/env", [program] + arguments, environment: ProcessInfo.processInfo.environment)
            let result = try process.wait()
            try #require(result.status == 0, "\(program) ended with \(result.status): \(result.error)")
            return result.output
        }
    }
#endif
