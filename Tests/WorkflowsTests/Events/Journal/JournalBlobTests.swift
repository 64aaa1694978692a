import Foundation
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Bytes in the folder of a run.
@Suite struct JournalBlobTests {
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"
    private let task = JSONPointer(["do", "0", "greet"])

    private func begin(input: Value = [:]) throws -> Journal {
        try Journal.begin(TemporaryRuns.header(run, input: input), text: TemporaryRuns.text, in: runs.folder)
    }

    private var blobs: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: runs.path(run, "blobs")).sorted() }
    }

    @Test func `bytes lie under their hash, and are there when the run is opened again`() throws {
        let value = try begin().blobs.keep(.defaultPhoto)
        #expect(try blobs == [String(Blob.defaultPhoto.hash.dropFirst(7))])
        let (journal, _) = try Journal.open(run, in: runs.folder)
        let blob = try journal.blobs.blob(value)
        #expect(try blob.bytes == Blob.defaultPhoto.bytes)
        #expect(blob.contentType == "image/png")
        guard case .file = blob.source else { return #expect(Bool(false), "the bytes must be read when they are used") }
    }

    @Test func `a file is copied, and what becomes of it later is no matter`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let bytes = Data.periodic(3_000_000)
        try bytes.write(to: file)
        let journal = try begin()
        let value = journal.blobs.keep(try Blob(fileAt: file))
        try FileManager.default.removeItem(at: file)
        #expect(try journal.blobs.blob(value).bytes == bytes)
        try journal.flush()
    }

    @Test func `a file that changes before it is copied makes the journal fail`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("before".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let blob = try Blob(fileAt: file)
        try Data("behind".utf8).write(to: file)
        let journal = try begin()
        journal.blobs.keep(blob)
        #expect(try blobs.isEmpty)
        for _ in 0..<2 {
            let event = TemporaryRuns.events([.taskStarted(task, input: nil)], of: journal.header)[0]
            let error = try #require(throws: JournalError.self) { try journal.append(event) }
            #expect(error.message.contains("has changed in the meantime"))
        }
    }

    @Test(arguments: ["sha256:", "sha256:../../../../etc/passwd", "sha256:" + String(repeating: "0", count: 64)])
    func `a hash that names nothing finds nothing`(hash: String) throws {
        let journal = try begin()
        #expect(throws: FunctionError.self) { try journal.blobs.blob(["blob": .string(hash)]) }
    }

    @Test func `bytes that are not those of their hash are refused`() throws {
        let value = try begin().blobs.keep(Blob(text: "hello"))
        try Data("HELLO".utf8).write(to: URL(fileURLWithPath: runs.path(run, "blobs") + "/" + blobs[0]))
        let (journal, _) = try Journal.open(run, in: runs.folder)
        #expect(throws: FunctionError.self) { try journal.blobs.blob(value) }
        // The right bytes can be put back.
        journal.blobs.keep(Blob(text: "hello"))
        #expect(try journal.blobs.blob(value).bytes == Data("hello".utf8))
    }

    @Test func `what is large lies in blobs, and every line stays short`() throws {
        let large = Value.string(String(repeating: "ä\"", count: 40_000))
        let deep = (0..<9_500).reduce(Value.null) { inner, _ in [inner] }
        let kinds: [Event.Kind] = [
            .workflowStarted(input: large, context: ["c": large]),
            .taskCompleted(task, output: deep, context: large, then: .continue),
            .taskFaulted(task, WorkflowError(["type": "x", "status": 500, "detail": large])),
            .correlationCompleted(task, keys: ["a": large]),
            .eventEmitted(
                task, try CloudEvent(["specversion": "1.0", "id": "1", "source": "x", "type": "y", "data": large])),
            .workflowCompleted(output: large),
        ]
        let journal = try begin(input: large)
        let events = TemporaryRuns.events(kinds, of: journal.header)
        for event in events { try journal.append(event) }
        let lines = try Data(contentsOf: URL(fileURLWithPath: runs.path(run))).split(separator: 10)
        #expect(lines.allSatisfy { $0.count < 3_000 })
        #expect(try blobs.count == 6, "the same data lies there once")
        let read = try Journal.read(run, in: runs.folder)
        #expect(read.header == journal.header)
        for (read, event) in zip(read.events, events) { #expect(read.record.json() == event.record.json()) }
    }

    @Test func `data that looks like a reference to large data is data`() throws {
        let value = try begin().blobs.keep(Blob(Data(#""secret""#.utf8)))
        let hash = try #require(value["blob"]?.string)
        let (journal, _) = try Journal.open(run, in: runs.folder)
        let output: Value = ["large": .string("output=\(hash)"), "output": nil, "blob": .string(hash)]
        let event = TemporaryRuns.events(
            [.taskCompleted(task, output: output, context: output, then: .continue)], of: journal.header)[0]
        try journal.append(event)
        let read = try #require(try Journal.read(run, in: runs.folder).events.first)
        #expect(read.record.json() == event.record.json())
    }

    @Test func `large data that is gone or changed is an error of its line`() throws {
        let journal = try begin()
        let event = TemporaryRuns.events(
            [.workflowCompleted(output: .string(String(repeating: "x", count: 70_000)))], of: journal.header)[0]
        try journal.append(event)
        let path = try runs.path(run, "blobs") + "/" + #require(blobs.first)
        try Data("\"y\"".utf8).write(to: URL(fileURLWithPath: path))
        var error = try #require(throws: JournalError.self) { try Journal.read(run, in: runs.folder) }
        #expect(error.code == .damaged && error.line == 2)
        try FileManager.default.removeItem(atPath: path)
        error = try #require(throws: JournalError.self) { try Journal.read(run, in: runs.folder) }
        #expect(error.code == .damaged && error.line == 2)
    }

    @Test func `brackets in a text do not make data deep, and those around it do`() {
        func isInBlob(_ value: Value) -> Bool {
            let line = JournalBounds.json(of: ["data": ["value": value]], inside: "data", BlobStore())
            return String(decoding: line, as: UTF8.self).contains("\"large\"")
        }
        let depth = JSONReader.depthLimit
        let padding = String(repeating: " ", count: 20_000)
        for quote in ["", "\"", "\\", "\\\""] {
            #expect(!isInBlob(.string(quote + String(repeating: "[", count: depth) + padding)))
            let deep = (0..<depth).reduce(Value.string(quote + padding)) { inner, _ in [inner] }
            #expect(isInBlob(deep))
            #expect(isInBlob([.string(quote), deep]))
        }
        #expect(!isInBlob(.array((0..<depth).map { _ in [] })))
    }
}
