import Foundation
import GraphModel
import TestSupport
import Testing
import Workflows

/// What the model of Microsoft Graph knows of requests: samples that Microsoft publishes, and drawn ones.
@Suite struct GraphModelTests {
    struct Sample: CustomTestStringConvertible {
        let method, path, query: String
        let body: Value?

        init?(_ line: Substring) {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells.count == 3, cells[1].hasPrefix("/v1.0/") else { return nil }
            let parts = cells[1].dropFirst("/v1.0".count).split(separator: "?", maxSplits: 1)
            (method, path, query) = (String(cells[0]), String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            body = try? Value(json: Data(cells[2].utf8))
        }

        var testDescription: String { "\(method) \(path)" }
    }

    static let samples: [Sample] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "samples.tsv")
        return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").compactMap(Sample.init)
    }()

    /// What has no published permission.
    private static let unpublished = [
        "POST /me/drive/items/{drive-item-id}/workbook/functions/pmt", "POST /$batch",
    ]

    @Test func `every sample is known, with its permissions, and without a finding`() throws {
        #expect(Self.samples.count > 150)
        for sample in Self.samples {
            let address = try #require(try? GraphAddress(sample.path), "\(sample.testDescription)")
            _ = try #require(try GraphOperation(sample.method, address), "\(sample.testDescription)")
            let isPublished = GraphPermissions(sample.method, address) != nil
            #expect(isPublished || Self.unpublished.contains(sample.testDescription), "\(sample.testDescription)")
            let target = try #require(GraphTarget("\(sample.path)?\(sample.query)"))
            let findings = GraphFindings(sample.method, target, sample.body)
            #expect(findings.all.isEmpty, "\(sample.testDescription): \(findings.all.map(\.message))")
        }
    }

    /// What the writes among the samples do; what begins with a kind that is not among these is not said rightly.
    @Test func `every write of the samples says what it does, and to what`() throws {
        let writes = Self.samples.filter { $0.method != "GET" }
        #expect(writes.count > 60)
        var said: [String] = []
        for sample in writes {
            let effects = GraphClient.effects(
                of: sample.method, at: sample.path, host: "graph.microsoft.com", sample.body)
            #expect(effects.allSatisfy { $0.kind != .request }, "\(sample.testDescription)")
            said += effects.map { "\(sample.testDescription) | \($0.kind.rawValue) | \($0.summary)" }
        }
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "sample-effects.txt")
        let text = said.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    private static let seed = ProcessInfo.processInfo.environment["GRAPHFLOW_SEED"].flatMap(UInt64.init)

    private static func findings(_ request: DrawnRequest) throws -> [Function.Finding] {
        let function = try #require(Catalog.default["graph"])
        return function.check(request.with, files: WorkflowFiles(folder: nil))
    }

    @Test(arguments: ["/v1.0/users", "users", "https://graph.microsoft.com/v1.0/users", "/users?$top=5", "/Users"])
    func `a path is known however it is written`(path: String) throws {
        let function = try #require(Catalog.default["graph"])
        let with: Value = ["path": .string(path), "select": ["displayNam"]]
        let findings = function.check(with, files: WorkflowFiles(folder: nil))
        #expect(findings.map(\.hint) == ["did you mean 'displayName'?"])
    }

    @Test func `right requests have no finding`() throws {
        var generator = SeededGenerator(seed: Self.seed ?? 64)
        for _ in 0..<(Extent.isWhole ? 3000 : 150) {
            let request = DrawnRequest(&generator)
            let findings = try Self.findings(request)
            #expect(findings.isEmpty, "\(request.with.json().prefix(400)): \(findings.map(\.message))")
        }
    }

    @Test func `each write that the model allows has effects that it knows, which are read as they are written`() {
        var generator = SeededGenerator(seed: Self.seed ?? 66)
        for _ in 0..<(Extent.isWhole ? 3000 : 300) {
            let request = DrawnRequest(&generator)
            let path = request.segments.joined(separator: "/")
            guard request.method != "GET", !GraphClient.onlyReads(request.method, at: path) else { continue }
            let effects = GraphClient.effects(of: request.method, at: path, host: "x", request.body)
            #expect(!effects.isEmpty && effects.allSatisfy { $0.kind != .request }, "\(request.method) \(path)")
            #expect(effects.allSatisfy { Effect($0.value)?.details == $0.details }, "\(request.method) \(path)")
        }
    }

    @Test func `mistakes are found, with the right word`() throws {
        var generator = SeededGenerator(seed: Self.seed ?? 65)
        var (drawn, found, named) = (0, 0, 0)
        let count = Extent.isWhole ? 3000 : 300
        while drawn < count {
            let mistake = DrawnRequest.Mistake.allCases[drawn % DrawnRequest.Mistake.allCases.count]
            guard let (request, meant) = DrawnRequest(&generator).with(mistake, &generator) else { continue }
            drawn += 1
            guard let finding = try Self.findings(request).first else { continue }
            #expect(finding.severity == .warning)
            found += 1
            if meant.map({ finding.hint?.contains($0) == true }) ?? true { named += 1 }
        }
        #expect(found * 300 >= 290 * count, "\(found) of \(count)")
        #expect(named * 300 >= 270 * count, "\(named) of \(count)")
    }
}
