import Foundation
@testable import graphflow
import TestSupport
import Testing
import Workflows

/// The command writes where it is, so it runs as a program.
struct InitCommandTests {
    private static func inNewFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "graphflow-init-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(arguments: Samples.names) func `every sample that is written is valid, and its test passes`(
        _ sample: String
    ) async throws {
        try await Self.inNewFolder { folder in
            let written = try await GraphflowProcess(["init", "mine", "--from", sample], folder: folder).result()
            #expect(written.status == 0, "\(written.error)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.contains("mine.yaml") && files.contains(".env.example"))
            let text = try String(contentsOf: folder.appendingPathComponent("mine.yaml"), encoding: .utf8)
            #expect(!text.contains("\(sample).yaml") && !text.contains("workflows/"))
            let command = files.contains("mine.test.yaml") ? "test" : "validate"
            let result = try await GraphflowProcess([command, "mine.yaml"], folder: folder).result()
            #expect(result.status == 0, "\(result.output)\(result.error)")
        }
    }

    @Test func `what is there is not overwritten, unless it may be`() async throws {
        try await Self.inNewFolder { folder in
            #expect(try await GraphflowProcess(["init", "--from", "errors"], folder: folder).result().status == 0)
            let path = folder.appendingPathComponent("errors.yaml")
            try Data("mine".utf8).write(to: path)
            let refused = try await GraphflowProcess(["init", "--from", "errors"], folder: folder).result()
            #expect(refused.status == 64)
            #expect(refused.error.contains("error: there is errors.test.yaml, errors.yaml"))
            #expect(try String(contentsOf: path, encoding: .utf8) == "mine")
            let forced = try await GraphflowProcess(["init", "--from", "errors", "--force"], folder: folder).result()
            #expect(forced.status == 0)
            #expect(try String(contentsOf: path, encoding: .utf8).contains("document:"))
        }
    }

    @Test func `an unknown sample is refused with one that is similar, and none where nobody can be asked`() async {
        let console = TestConsole()
        #expect(await console.run("init", "--from", "welcom") == 64)
        #expect(console.standardError == "error: there is no sample 'welcom'\n  did you mean 'welcome'?\n")
        for name in ["a/b", "..", ".hidden", "My Flow", ""] {
            #expect(await TestConsole().run("init", name, "--from", "errors") == 64)
        }
    }

    @Test func `the example of the environment has the secrets of the workflow`() {
        let text = Samples.files(of: "secrets", as: "mine").last?.text ?? ""
        #expect(text.contains("\nGRAPHFLOW_SECRET_DOOR_CODE=\n"))
    }

    @Test func `every sample has a title for the list`() {
        for name in Samples.names { #expect(!Samples.title(of: name).isEmpty, "\(name)") }
    }

    @Test func `a second workflow of a folder leaves the environment of the first as it is`() async throws {
        try await Self.inNewFolder { folder in
            #expect(try await GraphflowProcess(["init", "--from", "secrets"], folder: folder).result().status == 0)
            let second = try await GraphflowProcess(["init", "--from", "welcome"], folder: folder).result()
            #expect(second.status == 0)
            #expect(
                second.error.contains("try it:  graphflow run welcome.yaml -p mail=… -p name=… -p starts=… --sandbox"))
            let text = try String(contentsOf: folder.appendingPathComponent(".env.example"), encoding: .utf8)
            #expect(text.contains("GRAPHFLOW_SECRET_DOOR_CODE"))
        }
    }

    @Test func `the samples are those of the folder`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.path("workflows"))
        let names = files.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".test.yaml") }.map { String($0.dropLast(5)) }
        #expect(Samples.names == names.sorted(), "run scripts/make-samples.py")
        for name in names {
            for file in Samples.files(of: name, as: name) where file.path != ".env.example" {
                let text = try String(contentsOfFile: Repository.path("workflows/\(file.path)"), encoding: .utf8)
                let copied = text.replacingOccurrences(of: "workflows/", with: "")
                #expect(
                    copied.hasSuffix(file.text) && file.text.count > 10, "run scripts/make-samples.py: \(file.path)")
            }
        }
    }
}
