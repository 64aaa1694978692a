import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Events that a service has accepted, on disk.
@Suite final class InboxTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "inbox-\(UUID().uuidString)").path
    private let moment = Locked(Date(timeIntervalSince1970: 1_767_225_600))

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func open(_ change: (inout Inbox.Limits) -> Void = { _ in }, serving names: [String] = ["w"]) throws
        -> Inbox
    {
        var limits = Inbox.Limits()
        change(&limits)
        let inbox = try Inbox(in: PrivateFolder(path: folder), limits: limits) { [moment] in moment.withLock { $0 } }
        try inbox.serve(names)
        return inbox
    }

    private func event(_ id: String, source: String = "/test", _ data: Value = 1) throws -> CloudEvent {
        try CloudEvent(["specversion": "1.0", "id": .string(id), "source": .string(source), "type": "t", "data": data])
    }

    private func events(_ numbers: Range<Int>) throws -> [CloudEvent] { try numbers.map { try event("e\($0)") } }

    /// The ids of the events from a position on.
    private func ids(in inbox: Inbox, from position: Int = 0) throws -> [String] {
        var reader = InboxReader(inbox, from: position)
        var ids: [String] = []
        while let event = try reader.next() { ids.append(event.id) }
        return ids
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    private func change(_ name: String, _ body: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: folder).appending(path: name)
        var data = try Data(contentsOf: url)
        body(&data)
        try data.write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }

    private static let first = "0000000000000000.events"

    @Test func `an event that was accepted is there when the inbox is opened again`() throws {
        var inbox: Inbox? = try open()
        #expect(try inbox?.accept(events(0..<3)).map(\.position) == [0, 1, 2])
        inbox = nil
        let again = try open()
        #expect(try ids(in: again) == ["e0", "e1", "e2"])
        #expect(again.count == 3)
    }

    @Test func `a second delivery is accepted and not kept, also after a restart and within a batch`() throws {
        var inbox: Inbox? = try open()
        #expect(try inbox?.accept([event("a"), event("a"), event("a", source: "/other")]).count == 2)
        #expect(try inbox?.accept([event("a")]).isEmpty == true)
        inbox = nil
        let again = try open()
        #expect(try again.accept([event("a"), event("b")]).map(\.event.id) == ["b"])
        #expect(try ids(in: again) == ["a", "a", "b"])
    }

    @Test func `source and id are not mistaken for others that read the same together`() throws {
        let inbox = try open()
        #expect(try inbox.accept([event("b c", source: "/a"), event("c", source: "/a b")]).count == 2)
    }

    @Test func `data, binary data and text are what they were`() throws {
        let inbox = try open()
        let text = try CloudEvent(
            headers: ["ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t"],
            body: Data("[1, 2]".utf8))
        let bytes = try CloudEvent([
            "specversion": "1.0", "id": "2", "source": "s", "type": "t", "data_base64": "AAE=", "subject": "\u{2028}\n",
        ])
        _ = try inbox.accept([text, bytes])
        var reader = InboxReader(inbox, from: 0)
        #expect(try reader.next() == text)
        #expect(try reader.next() == bytes)
        #expect(try reader.next() == nil)
    }

    @Test func `a line that was being written when the power failed is dropped`() throws {
        var inbox: Inbox? = try open()
        _ = try inbox?.accept([event("a")])
        inbox = nil
        try change(Self.first) { $0.append(Data(#"{"event":{"specversion":"1.0","id":"torn""#.utf8)) }
        let again = try open()
        #expect(try ids(in: again) == ["a"])
        #expect(try again.accept([event("torn")]).count == 1)
    }

    @Test func `a batch of which only a part was written is dropped as a whole`() throws {
        var inbox: Inbox? = try open()
        _ = try inbox?.accept([event("a")])
        _ = try inbox?.accept(events(0..<3))
        inbox = nil
        try change(Self.first) { data in
            data.removeLast()
            data.removeLast(data.count - 1 - (data.lastIndex(of: UInt8(ascii: "\n")) ?? 0))
        }
        let again = try open()
        #expect(try ids(in: again) == ["a"])
        #expect(try again.accept(events(0..<3)).count == 3)
    }

    @Test func `a line that has changed is an error, and nothing is run from there`() throws {
        var inbox: Inbox? = try open()
        _ = try inbox?.accept(events(0..<3))
        inbox = nil
        try change(Self.first) { data in
            if let found = data.range(of: Data("e1".utf8)) { data.replaceSubrange(found, with: Data("e7".utf8)) }
        }
        #expect(throws: JournalError.self) { try open() }
    }

    @Test func `events that have settled do not wait, in whatever order their runs began`() throws {
        var inbox: Inbox? = try open()
        _ = try inbox?.accept(events(0..<4))
        inbox?.settle(2..<3, by: "w")
        inbox?.settle(0..<1, by: "w")
        #expect(inbox?.count == 3)
        try inbox?.flush()
        inbox = nil
        let again = try open()
        #expect(again.cursor(of: "w").settled == 1)
        #expect(again.cursor(of: "w").isSettled(2))
        again.settle(1..<2, by: "w")
        #expect(again.cursor(of: "w").settled == 3)
        try again.settleDurably(3..<4, by: "w")
        #expect(again.count == 0)
    }

    @Test func `a workflow that is new takes events from now on, and one that returns those that waited`() throws {
        var inbox: Inbox? = try open(serving: ["w"])
        _ = try inbox?.accept(events(0..<2))
        inbox = nil
        inbox = try open(serving: ["new"])
        #expect(inbox?.cursor(of: "new").settled == 2)
        #expect(inbox?.unserved.map(\.workflow) == ["w"])
        #expect(inbox?.unserved.map(\.count) == [2])
        inbox = nil
        moment.withLock { $0 += 8 * 86_400 }
        // The time of a file is the system's.
        for file in try files where file.hasSuffix(".events") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_767_225_600)], ofItemAtPath: "\(folder)/\(file)")
        }
        #expect(try open(serving: ["new"]).unserved.isEmpty)
    }

    @Test func `more than may wait are refused as a whole, and accepted when there is room`() throws {
        let inbox = try open { $0.waiting = 3 }
        _ = try inbox.accept(events(0..<2))
        #expect(throws: Inbox.Refusal.self) { _ = try inbox.accept(try self.events(2..<4)) }
        #expect(try ids(in: inbox) == ["e0", "e1"])
        inbox.settle(0..<2, by: "w")
        #expect(try inbox.accept(events(2..<4)).count == 2)
    }

    @Test func `a large inbox has several files, and settled events leave only their keys`() throws {
        var inbox: Inbox? = try open { $0.segment = 2_000 }
        for number in 0..<40 { _ = try inbox?.accept(events(number..<number + 1)) }
        #expect(try files.count { $0.hasSuffix(".events") } > 2)
        inbox?.settle(0..<40, by: "w")
        inbox?.settle(0..<40, by: Inbox.listeners)
        try inbox?.flush()
        #expect(try files.count { $0.hasSuffix(".events") } == 1)
        inbox = nil
        let again = try open()
        #expect(try again.accept(events(0..<40)).isEmpty)
        #expect(try again.accept(events(40..<41)).map(\.position) == [40])
    }

    @Test func `keys are forgotten when they are old and not among the newest`() throws {
        let inbox = try open {
            $0.segment = 500
            $0.remembered = 5
        }
        _ = try inbox.accept(events(0..<10))
        inbox.settle(0..<10, by: "w")
        inbox.settle(0..<10, by: Inbox.listeners)
        _ = try inbox.accept(events(10..<20))
        #expect(try inbox.accept(events(0..<1)).isEmpty)
        moment.withLock { $0 += 90_000 }
        inbox.settle(10..<20, by: "w")
        inbox.settle(10..<20, by: Inbox.listeners)
        _ = try inbox.accept(events(20..<30))
        _ = try inbox.accept(events(30..<31))
        #expect(try inbox.accept(events(0..<1)).count == 1)
    }

    @Test func `a closed inbox refuses events, and still notes what has settled`() throws {
        let inbox = try open()
        _ = try inbox.accept(events(0..<1))
        inbox.close()
        #expect(throws: Inbox.Refusal.self) { _ = try inbox.accept(try self.events(1..<2)) }
        try inbox.settleDurably(0..<1, by: "w")
        #expect(inbox.count == 0)
    }

    @Test func `two services cannot have the same inbox`() throws {
        let inbox = try open()
        let error = #expect(throws: JournalError.self) { try open() }
        #expect(error?.code == .held)
        withExtendedLifetime(inbox) {}
    }

    @Test func `events that arrive at the same time are all accepted, each once`() throws {
        let inbox = try open { $0.segment = 20_000 }
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 64) { thread in
            // Every event is delivered by two threads.
            let accepted = (0..<10).reduce(0) { sum, number in
                sum + ((try? inbox.accept([event("e\(thread / 2)-\(number)")]))?.count ?? -100)
            }
            count.withLock { $0 += accepted }
        }
        #expect(count.withLock { $0 } == 320)
        #expect(try Set(ids(in: inbox)).count == 320)
        #expect(try ids(in: inbox).count == 320)
    }

    @Test func `what an earlier service had not given to tasks that listen is given to them once`() throws {
        var inbox: Inbox? = try open()
        let accepted = try #require(try inbox?.accept(events(0..<3)))
        inbox?.settleForListeners([accepted[1]])
        try inbox?.flush()
        inbox = nil
        inbox = try open()
        _ = try inbox?.accept(events(3..<4))
        let given = Locked<[String]>([])
        try inbox?.deliverLeft { event in given.withLock { $0.append(event.id) } }
        #expect(given.withLock { $0 } == ["e0", "e2", "e3"])
        try inbox?.deliverLeft { event in given.withLock { $0.append(event.id) } }
        #expect(given.withLock { $0.count } == 3)
    }
}
