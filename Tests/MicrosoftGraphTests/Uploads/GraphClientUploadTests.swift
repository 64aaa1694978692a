import Foundation
import Promises
import TestSupport
import Testing
import GraphSandbox
import MicrosoftGraph
import Workflows

/// Files that are too large for one request, over a very bad network.
struct GraphClientUploadTests {
    private static let megabyte = 1 << 20
    /// The smallest possible ranges, so that few bytes make many of them.
    private static let range = 320 << 10

    private struct Drive {
        let clock = SkippingClock()
        let sandbox: Sandbox
        private let log = Locked<[GraphEvent]>([])

        init() {
            let clock = clock
            sandbox = Sandbox(now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
        }

        var progress: [Int] {
            log.withLock { $0 }.compactMap { if case .uploaded(let bytes, _) = $0.kind { bytes } else { nil } }
        }
        var puts: [Sandbox.Exchange] { sandbox.requests.filter { $0.method == "PUT" } }

        func client(
            rangeSize: Int = range, fault: @escaping @Sendable (HTTPRequest) -> FaultyTransport.Fault? = { _ in nil }
        ) -> GraphClient {
            var client = GraphClient(
                credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL,
                transport: FaultyTransport(sandbox.transport, clock: clock) { request, _ in fault(request) },
                clock: clock, randomness: { 1 }, environment: [:],
                onEvent: { [log] event in log.withLock { $0.append(event) } })
            client.largestPut = rangeSize
            return client
        }
    }

    /// A file that exists while a test runs, of bytes that differ from place to place.
    private static func file(_ size: Int, in folder: TemporaryFolder) throws -> URL {
        var data = Data(count: size)
        for offset in stride(from: 0, to: size, by: 4_096) { data[offset] = UInt8(truncatingIfNeeded: offset >> 12) }
        try data.write(to: folder.url.appending(path: "large.bin"))
        return folder.url.appending(path: "large.bin")
    }

    private static func isFirst(_ seen: Locked<Set<String>>, _ request: HTTPRequest) -> Bool {
        seen.withLock { $0.insert("\(request.method) \(request.headers["Content-Range"] ?? "")").inserted }
    }

    @Test func `10 MiB are one request, a byte more is a session`() async throws {
        let folder = try TemporaryFolder()
        let drive = Drive()
        let small = try Self.file(10 * Self.megabyte, in: folder)
        _ = try await drive.client(rangeSize: 10 * Self.megabyte).upload(fileAt: small, to: "small.bin").value
        #expect(drive.puts.map { $0.path.hasSuffix("/content?@microsoft.graph.conflictBehavior=replace") } == [true])
        let large = try Self.file(10 * Self.megabyte + 1, in: folder)
        let item = try await drive.client(rangeSize: 10 * Self.megabyte).upload(fileAt: large, to: "Folder/large.bin")
            .value
        #expect(item.size == 10 * Self.megabyte + 1)
        #expect(
            drive.puts.dropFirst().map { $0.headers["Content-Range"] }
                == ["bytes 0-10485759/10485761", "bytes 10485760-10485760/10485761"])
        #expect(drive.puts.dropFirst().allSatisfy { $0.headers["Authorization"] == nil })
        #expect(drive.progress == [10 * Self.megabyte, 10 * Self.megabyte + 1])
        #expect(drive.sandbox.drive.last?.content == (try Data(contentsOf: large)))
    }

    @Test(arguments: ["reset before", "reset after", "503", "416", "silence"])
    func `an upload survives a cut in every range`(kind: String) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(3 * Self.range - 5, in: folder)
        let drive = Drive()
        let seen = Locked<Set<String>>([])
        let client = drive.client { request in
            guard request.method == "PUT", Self.isFirst(seen, request) else { return nil }
            return switch kind {
            case "reset before": .resetBeforeBody
            case "reset after": .resetAfterBody
            case "503": .answer(HTTPResponse(status: 503))
            case "416": .answerAfterwards(HTTPResponse(status: 416))
            default: .silence(.seconds(3_600))
            }
        }
        let item = try await client.upload(fileAt: file, to: "large.bin").value
        #expect(item.size == 3 * Self.range - 5)
        #expect(drive.sandbox.drive.count == 1)
        #expect(drive.sandbox.drive.first?.content == (try Data(contentsOf: file)))
        #expect(drive.progress.last == 3 * Self.range - 5)
    }

    @Test func `an upload whose session is gone begins again, twice at most`() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(3 * Self.range - 5, in: folder)
        let drive = Drive()
        let count = Locked(0)
        let client = drive.client { request in
            guard request.headers["Content-Range"]?.hasPrefix("bytes 327680-") == true else { return nil }
            return count.withLock {
                $0 += 1; return $0
            } <= 2 ? .answer(HTTPResponse(status: 404)) : nil
        }
        #expect(try await client.upload(fileAt: file, to: "a.bin").value.size == 3 * Self.range - 5)
        let gone = drive.client { $0.method == "PUT" ? .answer(HTTPResponse(status: 404)) : nil }
        #expect(await graphError(of: gone.upload(fileAt: file, to: "b.bin"))?.code == .notFound)
        #expect(drive.sandbox.drive.map(\.name) == ["a.bin"])
    }

    @Test(arguments: [400, 403, 409, 413, 507])
    func `an upload that fails for good cancels its session`(status: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(2 * Self.range - 5, in: folder)
        let drive = Drive()
        let client = drive.client { $0.method == "PUT" ? .answer(HTTPResponse(status: status)) : nil }
        let error = await graphError(of: client.upload(fileAt: file, to: "a.bin"))
        #expect(error?.status == status)
        #expect(error?.operation == "upload")
        #expect(drive.sandbox.requests.last?.method == "DELETE")
        #expect(drive.sandbox.requests.last?.status == 204)
    }

    @Test(arguments: [ConflictBehavior.fail, .rename])
    func `an upload whose last answer is lost is looked for, and never made twice`(
        behavior: ConflictBehavior
    ) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(2 * Self.range - 5, in: folder)
        for isTaken in [false, true] where behavior == .rename || !isTaken {
            let drive = Drive()
            if isTaken { _ = try await drive.client().upload(Blob(text: "old"), to: "a.bin").value }
            let client = drive.client { request in
                request.headers["Content-Range"]?.hasPrefix("bytes 327680-") == true ? .resetAfterBody : nil
            }
            let upload = client.upload(fileAt: file, to: "a.bin", conflictBehavior: behavior)
            if isTaken {
                // It has another name now, which the client does not know.
                #expect(await graphError(of: upload)?.code == .unknownOutcome)
                #expect(drive.sandbox.drive.map(\.name) == ["a.bin", "a 1.bin"])
            } else {
                #expect(try await upload.value.name == "a.bin")
                #expect(drive.sandbox.drive.count == 1)
            }
        }
    }

    @Test func `a last range that the session says it lacks has not been saved`() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(2 * Self.range - 5, in: folder)
        let drive = Drive()
        let seen = Locked<Set<String>>([])
        let client = drive.client { request in
            guard request.headers["Content-Range"]?.hasPrefix("bytes 327680-") == true else { return nil }
            return .answer(HTTPResponse(status: Self.isFirst(seen, request) ? 503 : 403))
        }
        let error = await graphError(of: client.upload(fileAt: file, to: "a.bin", conflictBehavior: .fail))
        #expect(error?.status == 403)
        #expect(error?.code != .unknownOutcome)
        #expect(drive.sandbox.requests.map(\.method) == ["POST", "PUT", "GET", "DELETE"])
    }

    @Test(arguments: [
        "http://upload.example/1", "http://127.0.0.1:1/1", "https://localhost/1", "ftp://a/1", "", "file:///etc/passwd",
        "https://user:password@upload.example/1",
    ])
    func `a session where the file must not go gets nothing, and is not shown`(address: String) async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(11 * Self.megabyte, in: folder)
        let fixture = GraphFixture(.json(#"{"uploadUrl":"\#(address)?tempauth=secret"}"#), .status(201))
        let error = await graphError(of: fixture.client().upload(fileAt: file, to: "a"))
        #expect(error?.code == .badAnswer)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a file that cannot be read is refused before anything is sent`() async throws {
        let folder = try TemporaryFolder()
        let fixture = GraphFixture(.json(Sample.item))
        for path in [folder.url.appending(path: "none"), folder.url, URL(filePath: "/dev/zero")] {
            #expect(await graphError(of: fixture.client().upload(fileAt: path, to: "a"))?.code == .invalidInput)
        }
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `a workflow names a large file beside it, and a dry run shows each range`() async throws {
        let folder = try TemporaryFolder()
        _ = try Self.file(11 * Self.megabyte, in: folder)
        let files = WorkflowFiles(folder: folder.url)
        let input: Value = ["path": "large.bin", "content": ["file": "large.bin"]]
        let sandbox = Sandbox()
        let item = try await FunctionFixture(sandbox, files: files).call("upload", input)
        #expect(item["size"] == .integer(11 * Self.megabyte))
        let plan = PlanningTransport()
        let planned = plan.unknowns.marked(
            try await FunctionFixture(transport: plan, files: files).call("upload", input))
        #expect(planned.drawn()["id"] == "‹upload.id›")
        #expect(plan.requests.map(\.request.method) == ["POST", "PUT", "PUT"])
        #expect(
            plan.requests.map(\.request.headers).map { $0["Content-Range"] } == [nil]
                + sandbox.requests.dropFirst().map { $0.headers["Content-Range"] })
        #expect(plan.requests[0].request.body == sandbox.requests[0].body)
        #expect(plan.requests[1].bodyDescription?.contains("10485760 bytes, sha256:") == true)
        let function = try #require(Catalog.default["upload"])
        #expect(function.check(["path": "a", "content": ["file": "none.bin"]], files: files).count == 1)
        for path in ["../x", "/etc/passwd", "none.bin"] {
            let problem = await FunctionFixture(sandbox, files: files).problem(
                "upload", ["path": "a", "content": ["file": .string(path)]])
            #expect(problem?["status"] == 400)
        }
    }

    @Test func `every request of an upload has an example of success, also those that a lost answer needs`()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = try Self.file(3 * Self.range - 5, in: folder)
        let drive = Drive()
        let seen = Locked<Set<String>>([])
        var client = drive.client { request in
            request.method == "PUT" && Self.isFirst(seen, request) ? .resetAfterBody : nil
        }
        let recording = RecordingTransport(client.transport)
        client.transport = recording
        _ = try await client.upload(fileAt: file, to: "a.bin").value
        let paths = recording.records.map(\.request).filter { $0.method == "GET" }.map { $0.url.path() }
        #expect(paths.contains { $0.hasSuffix("/a.bin") } && paths.contains { !$0.hasSuffix("/a.bin") })
        for record in recording.records {
            #expect((200..<300).contains(record.operation.example.status), "\(record.request.method)")
        }
    }

    @Test(arguments: [(250_000_000_000, true), (250_000_000_001, false)])
    func `a file of 250 GB is the largest that is sent`(size: Int, isSent: Bool) async throws {
        let fixture = GraphFixture(.json(#"{"error":{"code":"accessDenied"}}"#, status: 403))
        // A file of which only the size is asked for.
        let file = Blob(
            .file(FilePart(unchanging: "/large", size: size)), hash: "sha256:0", contentType: "text/plain")
        let error = await graphError(of: fixture.client().upload(file, to: "large.txt"))
        #expect(error?.code == (isSent ? .forbidden : .invalidInput))
        #expect(fixture.transport.requests.count == (isSent ? 1 : 0))
    }
}
