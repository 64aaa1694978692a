/// Writes the records of events as JSON; what the events of a run have in common is prepared once.
///
/// A kept run writes several events per task, so this writer sets its speed. The bytes are those of ``Event/record``.
package struct EventWriter: Sendable {
    private struct Common {
        let source: Event.Source
        /// Up to the number in the event's id.
        let beginning: [UInt8]
        /// From there to the type.
        let origin: [UInt8]
        let name: [UInt8]
        /// The attributes of an inner run.
        let end: [UInt8]

        init(_ source: Event.Source) {
            self.source = source
            let id = Self.json(source.run + "-").dropLast()
            beginning = Array(#"{"specversion":"1.0","id":"#.utf8) + id
            origin =
                Array(#"","source":"#.utf8) + Self.json("urn:graphflow:run:" + source.run) + Array(#","type":"#.utf8)
            name = Self.json(source.workflow.qualifiedName(run: source.run))
            end =
                source.parent.map { parent in
                    [UInt8(ascii: ",")] + Value.object(parent.attributes).jsonData().dropFirst().dropLast()
                } ?? []
        }

        private static func json(_ text: String) -> [UInt8] { Array(Value.string(text).jsonData()) }
    }

    private var writer = JSONWriter()
    /// Of the latest runs: those of a batch take turns.
    private var commons: [ObjectIdentifier: Common] = [:]
    private static let mostCommons = 256
    /// Cached, because many events happen within the same millisecond.
    private var moment: (milliseconds: Double, text: String)?

    package init() {}

    /// The record of an event as JSON.
    /// - Parameter seals: Whether to write the event's secrets as well, as a journal does.
    mutating func json(of event: Event, withSeals seals: Bool = false) -> [UInt8] {
        let common = common(of: event.source)
        let time = text(of: event.time)
        writer.bytes.removeAll(keepingCapacity: true)
        writer.bytes.append(contentsOf: common.beginning)
        writer.write(.integer(event.number))
        writer.bytes.append(contentsOf: common.origin)
        writer.write(event.recordType)
        writer.bytes.append(contentsOf: #","time":"#.utf8)
        writer.write(time)
        writer.bytes.append(contentsOf: #","datacontenttype":"application/json","data":{"#.utf8)
        switch (event.kind, event.task) {
        case (.correlationStarted, let task?), (.correlationCompleted, let task?):
            write("name", common.name)
            writer.bytes.append(UInt8(ascii: ","))
            write(task, common.name)
        case (_, let task?): write(task, common.name)
        case (_, nil): write("name", common.name)
        }
        if !event.occurrence.isEmpty { write("occurrence", .string(event.occurrence)) }
        event.details(at: .string(time)) { write($0, $1) }
        writer.bytes.append(UInt8(ascii: "}"))
        writer.bytes.append(contentsOf: common.end)
        if seals, let sealed = event.seals { write(Seal.attribute, .string(Seal.text(sealed))) }
        writer.bytes.append(UInt8(ascii: "}"))
        return writer.bytes
    }

    /// Writes a member that is not the first one.
    private mutating func write(_ name: String, _ value: Value) {
        writer.bytes.append(UInt8(ascii: ","))
        writer.write(name)
        writer.bytes.append(UInt8(ascii: ":"))
        writer.write(value)
    }

    private mutating func write(_ name: String, _ json: [UInt8]) {
        writer.write(name)
        writer.bytes.append(UInt8(ascii: ":"))
        writer.bytes.append(contentsOf: json)
    }

    private mutating func write(_ task: JSONPointer, _ name: [UInt8]) {
        write("workflow", name)
        write("task", .string(task.description))
    }

    private mutating func common(of source: Event.Source) -> Common {
        // The cache keeps the source: no other one can get its identity.
        if let common = commons[ObjectIdentifier(source)] { return common }
        let made = Common(source)
        if commons.count == Self.mostCommons { commons.removeAll(keepingCapacity: true) }
        commons[ObjectIdentifier(source)] = made
        return made
    }

    private mutating func text(of time: Date) -> String {
        let milliseconds = (time.timeIntervalSince1970 * 1_000).rounded()
        if let moment, moment.milliseconds == milliseconds { return moment.text }
        let text = time.iso8601
        moment = (milliseconds, text)
        return text
    }
}
