import Essentials

/// A file of an inbox: lines of events in the order of their arrival, and notes of the workflows' progress.
///
/// When all of its events are settled, only their keys are kept, for as long as a second delivery must be recognised.
struct InboxSegment: Sendable {
    let first: Int
    var end: Int
    /// The number of bytes that are safe on disk.
    var size = 0
    /// When its last event arrived, or later.
    var newest: Date
    /// Whether only the keys are left.
    var isOver = false

    private static let digits = 16

    var name: String { Self.name(of: first, isOver ? Self.keys : Self.events) }

    static let events = "events"
    static let keys = "keys"

    static func name(of first: Int, _ kind: String) -> String {
        let number = String(first)
        return String(repeating: "0", count: max(0, digits - number.count)) + number + "." + kind
    }

    /// The position in a file's name; nil if it is no file of that kind.
    static func first(in name: String, _ kind: String) -> Int? {
        guard name.hasSuffix("." + kind), name.utf8.count == digits + 1 + kind.utf8.count else { return nil }
        return Int(name.prefix(digits))
    }
}

enum InboxLine {
    /// An event; more of the same delivery follow unless it is the last.
    case event(CloudEvent, isLast: Bool)
    case begun(workflow: String, from: Int)
    case settled(workflow: String, Range<Int>)

    /// The line as JSON, without its number.
    var json: [UInt8] {
        let members: Object =
            switch self {
            case .event(let event, let isLast):
                Object(
                    [("event", event.envelope), ("text", event.text.map(Value.string)), ("more", isLast ? nil : true)]
                        .compactMap { name, value in value.map { (name, $0) } })
            case .begun(let workflow, let from): ["workflow": .string(workflow), "from": .integer(from)]
            case .settled(let workflow, let range):
                [
                    "workflow": .string(workflow), "from": .integer(range.lowerBound),
                    "to": .integer(range.upperBound),
                ]
            }
        return Array(Value.object(members).jsonData())
    }

    init?(_ members: Object) {
        if let envelope = members["event"] {
            guard let event = try? CloudEvent(envelope, text: members["text"]?.string) else { return nil }
            self = .event(event, isLast: members["more"] != true)
        } else if let workflow = members["workflow"]?.string, let from = members["from"]?.integer, from >= 0 {
            guard let to = members["to"]?.integer else {
                self = .begun(workflow: workflow, from: from)
                return
            }
            guard to >= from else { return nil }
            self = .settled(workflow: workflow, from..<to)
        } else {
            return nil
        }
    }
}

/// The first line of a segment: the progress of every workflow at the end of the previous segment.
struct InboxHeader {
    private static let format = "graphflow-inbox"

    /// The inbox's own id, which is part of the names of its runs.
    var id: String
    var first: Int
    var cursors: [String: InboxCursor]

    var json: [UInt8] {
        let workflows = cursors.sorted { $0.key < $1.key }.map { name, cursor -> Value in
            let later = cursor.later.sorted { $0.key < $1.key }
            return [
                "workflow": .string(name), "settled": .integer(cursor.settled),
                "later": .array(later.map { [.integer($0.key), .integer($0.value)] }),
            ]
        }
        let members: Value = [
            "format": .string(Self.format), "version": 1, "inbox": .string(id), "first": .integer(first),
            "workflows": .array(workflows),
        ]
        return Array(members.jsonData())
    }

    init(id: String, first: Int, cursors: [String: InboxCursor]) {
        (self.id, self.first, self.cursors) = (id, first, cursors)
    }

    init(_ members: Object) throws(JournalError) {
        guard members["format"]?.string == Self.format, let id = members["inbox"]?.string,
            let first = members["first"]?.integer, case .array(let workflows)? = members["workflows"]
        else { throw JournalError(.damaged, "its first line is not that of an inbox", line: 1) }
        guard members["version"] == 1 else {
            throw JournalError(.newerVersion, "it was written by a newer version of graphflow", line: 1)
        }
        self.init(id: id, first: first, cursors: [:])
        for workflow in workflows {
            guard let name = workflow["workflow"]?.string, let settled = workflow["settled"]?.integer else { continue }
            var cursor = InboxCursor(at: settled)
            if case .array(let ranges)? = workflow["later"] {
                for range in ranges {
                    guard let from = range[0]?.integer, let to = range[1]?.integer, from <= to else { continue }
                    cursor.settle(from..<to)
                }
            }
            cursors[name] = cursor
        }
    }
}
