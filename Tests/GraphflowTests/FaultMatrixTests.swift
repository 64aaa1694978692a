import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// Every request of the chain with every fault: how the program ends, and how many mails were delivered.
///
/// `scripts/fault-matrix` prints the whole table.
@Suite struct FaultMatrixTests {
    /// One request of the chain.
    enum Row: String, CaseIterable {
        case me, photo, upload, createLink, draft, send
        case look = "look for it"
        case direct = "sendMail"
        case users
        case session = "upload session"
        case range, lastRange = "last range"
        case askSession = "ask session"
        case attachmentSession = "attachment session"
        case attachmentRange = "attachment range"
        case attach = "add attachment"
        case folder = "create folder", lookForFolder = "look for folder"
        case list = "list folder", download
        case groups, join = "add to group", event, find = "find messages"

        /// Whether a request is the one of this row.
        func isRequest(_ request: HTTPRequest) -> Bool {
            let path = request.url.path()
            let range = request.headers["Content-Range"]
            return switch self {
            case .me: path.hasSuffix("/me")
            case .photo: path.hasSuffix("/photo/$value")
            case .upload: path.hasSuffix(":/content")
            case .createLink: path.hasSuffix("/createLink")
            case .draft: path.hasSuffix("/me/messages")
            case .send: path.hasSuffix("/send")
            case .look: request.method == "GET" && path.contains("/me/messages/") && !path.hasSuffix("/attachments")
            case .direct: path.hasSuffix("/sendMail")
            case .users: path.hasSuffix("/users")
            case .session: path.hasSuffix(":/createUploadSession")
            case .range: range?.hasPrefix("bytes 0-") == true
            case .lastRange: range?.hasPrefix("bytes 327680-") == true
            case .askSession: request.method == "GET" && path.contains("uploadSession")
            case .attachmentSession: path.hasSuffix("/attachments/createUploadSession")
            case .attachmentRange: range != nil
            case .folder: request.method == "POST" && path.hasSuffix("/root/children")
            case .lookForFolder: request.method == "GET" && path.hasSuffix("/root:/Folder")
            case .list: request.method == "GET" && path.hasSuffix("/root/children")
            case .download: request.method == "GET" && path.hasSuffix(":/content")
            case .groups: path.hasSuffix("/groups")
            case .join: path.hasSuffix("/members/$ref")
            case .event: path.hasSuffix("/events")
            case .find: request.method == "GET" && path.hasSuffix("/me/messages")
            case .attach: request.method == "POST" && path.hasSuffix("/attachments")
            }
        }

        /// The request that must be lost for this one to be sent.
        var cause: Row? {
            switch self {
            case .look: .send
            case .askSession: .range
            case .lookForFolder: .folder
            default: nil
            }
        }

        /// The tasks of a workflow that sends the request and, at the end, a mail.
        var tasks: String {
            let mail = "- tell: { call: sendMail, with: { to: adelev@contoso.com, subject: s, body: b"
            return switch self {
            case .direct: mail + ", delivery: direct } }"
            case .users: "- find: { call: users, with: { startsWith: A } }\n\(mail) } }"
            case .session, .range, .lastRange, .askSession:
                "- put: { call: upload, with: { path: a.bin, content: { file: large.bin } } }\n\(mail) } }"
            case .attachmentSession, .attachmentRange: "- tell: { call: tellLarge }"
            case .attach: "- tell: { call: tellTwo }"
            case .folder, .lookForFolder: "- make: { call: createFolder, with: { name: Folder } }\n\(mail) } }"
            case .list: "- list: { call: listFolder, with: {} }\n\(mail) } }"
            case .download:
                "- put: { call: upload, with: { path: a.txt, content: a } }\n"
                    + "- get: { call: download, with: { path: a.txt } }\n\(mail) } }"
            case .groups: "- find: { call: groups, with: { name: All Employees } }\n\(mail) } }"
            case .join:
                "- find: { call: groups, with: { name: All Employees } }\n"
                    + "- join: { call: addToGroup, with: { group: '${ .[0].id }', user: lynner@contoso.com } }\n\(mail) } }"
            case .event:
                "- invite: { call: createEvent, with: { subject: s, start: 2026-12-01T12:00, end: 2026-12-01T13:00 } }\n"
                    + "\(mail) } }"
            case .find: "- find: { call: messages, with: { search: s } }\n\(mail) } }"
            default:
                """
                - who: { call: me }
                - picture: { call: photo }
                - put: { call: upload, with: { path: a.jpg, content: '${ . }' } }
                - share: { call: createLink, with: { itemId: '${ .id }' } }
                \(mail) } }
                """
            }
        }
    }

    /// A fault.
    enum Column: String, CaseIterable {
        case refused, resetBefore = "reset-", resetAfter = "reset+"
        case s400 = "400", s401 = "401", s403 = "403", s404 = "404", s409 = "409", s423 = "423", s429 = "429"
        case s500 = "500", s502 = "502", s503 = "503", s504 = "504", s507 = "507"
        case s504After = "504+"
        case html = "HTML", truncated = "cut JSON", silence = "30 s", noAnswer = "silence"

        var fault: FaultyTransport.Fault {
            let html = HTTPResponse(
                status: 200, headers: ["Content-Type": "text/html"], body: Data("<html><title>Sign in</title>".utf8))
            return switch self {
            case .refused: .refused
            case .resetBefore: .resetBeforeBody
            case .resetAfter: .resetAfterBody
            case .html: .answer(html)
            case .truncated: .truncated
            case .silence: .silence(.seconds(30))
            case .noAnswer: .silence(.seconds(1_000_000))
            case .s504After: .answerAfterwards(HTTPResponse(status: 504))
            case .s429: .answer(HTTPResponse(status: 429, headers: ["Retry-After": "2"]))
            default: .answer(HTTPResponse(status: Int(rawValue) ?? 500))
            }
        }
    }

    /// The outcome of a run.
    struct Cell {
        var exit: Int32
        var deliveries: Int
        var mostOfOne: Int

        var text: String { "\(exit)/\(deliveries)" }
    }

    /// The default catalog, and two mails whose attachments are hashed once for all runs.
    private static let catalog = {
        var catalog = Catalog.default
        let (middle, small) = (Blob(Data(count: 4_000_000)), Blob(Data(count: 2_900_000)))
        for (name, contents) in [("tellLarge", [middle]), ("tellTwo", [small, small])] {
            catalog.register(name, permissions: Permissions(delegated: ["Mail.ReadWrite", "Mail.Send"])) { _, context in
                var mail = Mail(to: ["adelev@contoso.com"], subject: "s", body: .text("b"))
                mail.attachments = contents.map { Mail.Attachment(name: "a", content: $0) }
                return context.graph.sendMail(mail).map(on: nil) { $0.value }
            }
        }
        return catalog
    }()

    private static func run(_ row: Row, _ column: Column, always: Bool, in folder: URL) async throws -> Cell {
        let clock = SkippingClock()
        let sandbox = Sandbox(now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
        let sendings = Locked<[Row: Int]>([:])
        let transport = FaultyTransport(sandbox.transport, clock: clock) { request, _ in
            func isFirst(_ row: Row) -> Bool {
                sendings.withLock { sendings in
                    sendings[row, default: 0] += 1
                    return sendings[row] == 1
                }
            }
            if let cause = row.cause, cause.isRequest(request), isFirst(cause) { return .resetAfterBody }
            guard row.isRequest(request) else { return nil }
            return isFirst(row) || always ? column.fault : nil
        }
        var graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: transport, clock: clock,
            environment: [:])
        graph.largestPut = 320 << 10
        let workflow = try Workflow(tasks: row.tasks, folder: folder)
        var exit = ExitStatus.success
        let log = EventLog()
        do {
            let runner = Runner(graph: graph, catalog: Self.catalog, clock: clock, recorders: [log.recorder])
            _ = try await runner.run(workflow).value
        } catch {
            exit = Failure((error as? WorkflowError).map { RunFailure($0, of: workflow) } ?? error).status
        }
        let mails = sandbox.outbox
        var account = EffectAccount()
        for event in log.events { account.take(event) }
        for (kind, count) in [(Effect.Kind.mail, mails.count), (.file, sandbox.drive.count)] {
            let states = account.effects(isAtWork: false).filter { $0.effect.kind == kind }.map(\.state)
            let done = states.count { $0 == .done }
            #expect(done <= count && count <= states.count, "\(row), \(column): \(count) of kind \(kind), \(states)")
        }
        let made = try await Self.made(in: sandbox)
        return Cell(
            exit: exit.rawValue, deliveries: mails.count, mostOfOne: (mails.map(\.deliveries) + made).max() ?? 0)
    }

    /// How many folders and events there are, of which a row makes one at most.
    private static func made(in sandbox: Sandbox) async throws -> [Int] {
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: sandbox.transport,
            environment: [:])
        let context = FunctionContext(graph: graph)
        let lists = ["/me/drive/root/children", "/me/events"]
        var counts: [Int] = []
        for list in lists {
            let found = try await Catalog.default["graph"]?(["path": .string(list), "all": true], in: context).value
            counts.append(found?.array?.count { $0["file"] == nil } ?? 0)
        }
        return counts
    }

    /// The required outcome of a cell; nil if several are correct.
    private static func expected(_ row: Row, _ column: Column, always: Bool) -> Int32? {
        if column == .silence { return 0 }
        switch (row, column) {
        case (.draft, .s403): return 0
        case (.direct, .refused): return 1
        case (.direct, .resetBefore), (.direct, .resetAfter), (.direct, .s500), (.direct, .s502), (.direct, .s503),
            (.direct, .s504), (.direct, .s504After), (.direct, .noAnswer), (.direct, .html):
            return 4
        // It only counts whether the message was found, whatever the looks were answered.
        case (.look, _): return always ? 4 : 0
        // It remains a draft at every look: that it was not sent is likely, but not certain.
        case (.send, .resetBefore), (.send, .s500), (.send, .s502), (.send, .s503), (.send, .s504), (.send, .html):
            return 4
        case (.send, .resetAfter), (.send, .s504After), (.send, .noAnswer), (.send, .truncated): return 0
        case (.direct, .truncated): return 0
        case (_, .s401) where ![.range, .lastRange, .askSession, .attachmentRange].contains(row): return 3
        case (_, .s403): return 3
        // It is looked for again, as a folder that was there before.
        case (.lookForFolder, .s409): return always ? 1 : 0
        case (_, .s400), (_, .s409), (_, .s507): return 1
        case (_, .s423): return always ? 1 : 0
        case (_, .refused), (_, .resetBefore), (_, .resetAfter), (_, .s429), (_, .s500), (_, .s502), (_, .s503),
            (_, .s504), (_, .s504After), (_, .noAnswer):
            if row == .send, column == .refused { return 1 }
            return always ? nil : 0
        default: return nil
        }
    }

    @Test(arguments: [false, true])
    func `whatever goes wrong with a request, there is one mail or none, and never two`(always: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "matrix-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(count: 500_000).write(to: folder.appending(path: "large.bin"))
        var table = [[always ? "every time" : "first time"] + Column.allCases.map(\.rawValue)]
        for row in Row.allCases {
            var line = [row.rawValue]
            // Those with large attachments take most of the time.
            let isLarge = [.attachmentSession, .attachmentRange, .attach].contains(row)
            for (index, column) in Column.allCases.enumerated() {
                guard Extent.isWhole || !isLarge || index % 3 == 0 else {
                    line.append("")
                    continue
                }
                let cell = try await Self.run(row, column, always: always, in: folder)
                line.append(cell.text)
                let place = "\(row.rawValue) × \(column.rawValue): \(cell.text)"
                #expect(cell.mostOfOne <= 1, "\(place)")
                switch cell.exit {
                case 0: #expect(cell.deliveries == 1, "\(place)")
                case 4: #expect(cell.deliveries <= 1, "\(place)")
                case 1, 3: #expect(cell.deliveries == 0, "\(place)")
                default: Issue.record("\(place)")
                }
                if let expected = Self.expected(row, column, always: always) {
                    #expect(cell.exit == expected, "\(place), and not \(expected)")
                }
            }
            table.append(line)
        }
        let text = Self.text(table)
        Attachment.record(text, named: always ? "fault-matrix-always.txt" : "fault-matrix-once.txt")
        if let path = ProcessInfo.processInfo.environment["FAULT_MATRIX"] {
            try Data(text.utf8).write(to: URL(filePath: path).appending(path: always ? "2-always.txt" : "1-once.txt"))
        }
    }

    private static func text(_ table: [[String]]) -> String {
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { line in
            zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
        }.joined(separator: "\n") + "\n"
    }
}
