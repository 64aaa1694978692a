import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows
@testable import WorkflowHistory

/// Every kind of event, with a secret at every place of its data.
@Suite struct SearchedEventsTests {
    private static let secrets = ["s3cr3t-k3y", "it's \"a\" se/cr<e>t, ü🙂 100%", "4711081547"]
    private let runs = TemporaryRuns()

    /// Places with words of the workflow's file or of the program, numbers and hashes.
    private static let structure: Set<String> = [
        "/occurrence", "/what", "/then", "/digest", "/plan", "/from", "/task", "/effect/task", "/effect/rounds",
        "/attempt", "/delay", "/round", "/count", "/position", "/bytes", "/total", "/effect/count", "/approvals/0/by",
        "/anew",
    ]

    private static func isStructure(_ pointer: JSONPointer) -> Bool {
        structure.contains { "\(pointer)" == $0 || "\(pointer)".hasPrefix("\($0)/") }
    }

    /// The text as it is, and as services and programs write it.
    private static func forms(of secret: String) -> [String] {
        let bytes = Array(secret.utf8)
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let json = String(Value.string(secret).json().dropFirst().dropLast())
        let shifted = (0..<3).map { Data(repeatElement(65, count: $0) + bytes).base64EncodedString() }
        return [secret, "<\(secret)>", hex, hex.uppercased(), json, secret.percentEncoded(), secret.uppercased()]
            + shifted
            + [secret.replacing("'", with: #"'\''"#)]
    }

    /// What must not be seen of a form: base64 has whole characters of the secret only in its middle.
    private static func traces(of form: String) -> [String] {
        let core = form.count > 12 ? String(form.dropFirst(3).dropLast(4)) : form
        return [core, String(Value.string(core).json().dropFirst().dropLast())]
    }

    private static func events() throws -> [Event] {
        var resumption = Event.Resumption(
            digest: "sha256:00",
            from: Event.Parent(run: "01X", task: JSONPointer(["do", "0", "a"]), occurrence: "for:1"),
            plan: "sha256:11")
        resumption.approvals = [["by": "00000000-0000-0000-0000-000000000000", "note": "go", "approved": true]]
        let last = Event(
            number: 1, run: "01J0000000000000000000000A", workflow: TemporaryRuns.workflow,
            time: Date(timeIntervalSince1970: 1_800_000_000), kind: .workflowResumed(resumption))
        return try EventDecodingTests.all.get() + [last]
    }

    @Test(arguments: secrets.indices)
    func `no kind of event shows a secret at any place, and each is opened as it was`(index: Int) throws {
        let secret = Self.secrets[index]
        let store = SecretStore.values(["key": SecretValue(.string(secret))])
        let known = KnownSecrets(store, sealedBy: SealSource())
        known.add(.string(secret), of: ["key"])
        let journal = try Journal.begin(
            TemporaryRuns.header("01J0000000000000000000000A"), text: Data(), in: runs.folder)
        let forms = Self.forms(of: secret)
        var (count, kinds, original) = (0, Set<String>(), [Event]())
        let lines = Locked("")
        let recorder = Recorder.jsonLines { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
        for event in try Self.events() {
            let data = try #require(event.record["data"])
            for pointer in data.places where !Self.isStructure(pointer) {
                let form = forms[count % forms.count]
                let number = Int(secret).map(Value.integer)
                for given in [.string(form), number].compactMap(\.self) {
                    var record = event.record.object ?? [:]
                    record["data"] = data.replacing(pointer.tokens[...], by: given)
                    guard let made = try? Event(record: .object(record), workflow: event.workflow, isChecked: false),
                        made.record["data"]?.at(pointer) == given
                    else { continue }
                    count += 1
                    kinds.insert(event.recordType)
                    try journal.append(known.seal(made))
                    let shown = try #require(known.conceal(made), "\(event.recordType) \(pointer)")
                    recorder.record(shown, json: nil)
                    original.append(made)
                    for text in [shown.event.record.json(), try known.seal(made).event.shown.record.json()] {
                        for trace in Self.traces(of: form) {
                            #expect(!text.contains(trace), "\(event.recordType) \(pointer) \(form)")
                        }
                    }
                }
            }
        }
        #expect(count > 150)
        // All other kinds have words of the file and numbers only.
        #expect(kinds.count >= 17, "\(kinds.sorted())")
        try journal.flush()
        let read = try Journal.read(journal.header.run, in: runs.folder).events
        #expect(try known.open(read).map(\.record) == original.map(\.record))
        let written = try String(contentsOfFile: runs.path(journal.header.run), encoding: .utf8)
        for form in forms {
            for trace in Self.traces(of: form) {
                #expect(!written.contains(trace), "\(form)")
                #expect(!lines.withLock { $0 }.contains(trace), "\(form)")
            }
        }
    }

    @Test func `a text that an expression made of a secret is not in the account of effects`() throws {
        let sent: Value = .array([
            .secret("Passw0rd", of: ["key"]), .text([.plain("dir/"), .secret(Confidential("d3rived", of: ["key"]))]),
            .secret(.integer(815_4711), of: ["key"]),
        ])
        var effect = Effect(
            .change(
                .init(
                    what: "user", id: "d3rived", name: "x",
                    properties: ["title": ["before": nil, "after": "is Passw0rd"], "pin": ["after": 815_4711]])))
        effect.object = ObjectVersion(id: "1", etag: "2", path: "users/d3rived")
        let task = JSONPointer(["do", "0", "a"])
        let event = GraphEvent(operation: "graph", task: task, kind: .effect(effect, .done)).marking(sent)
        let known = KnownSecrets(.values(["key": SecretValue("x;Passw0rd;")]), sealedBy: SealSource())
        known.add("x;Passw0rd;", of: ["key"])
        let recorded = Event(
            number: 1, run: "01J0000000000000000000000A", workflow: TemporaryRuns.workflow, time: .distantPast,
            kind: .request(task, event))
        let sealed = try known.seal(recorded).event
        let told = [
            sealed.record.json(), known.conceal(recorded)?.event.record.json() ?? "", sealed.shown.record.json(),
        ]
        for text in told {
            for derived in ["Passw0rd", "d3rived", "8154711"] { #expect(!text.contains(derived), "\(text)") }
            #expect(text.contains("‹secrets.key›") && text.contains("\"kind\":\"change\""))
            #expect(!text.contains("‹‹›"))
        }
        // Resumed, it is the same effect.
        #expect(try known.open([sealed]).first?.record == recorded.record)
    }

    @Test func `an effect with a secret that another run took back is shown as undone`() throws {
        let known = KnownSecrets(.values(["key": SecretValue("s3cr3t-k3y")]), sealedBy: SealSource())
        known.add("s3cr3t-k3y", of: ["key"])
        var effect = Effect(
            .mail(.init(to: ["megan@contoso.com"], subject: "It is s3cr3t-k3y", sent: false)))
        effect.object = ObjectVersion(id: "1", etag: "2", path: "me/messages/1")
        func event(_ effect: Effect, _ state: Effect.State, _ number: Int) -> Event {
            Event(
                number: number, run: "01J0000000000000000000000A", workflow: TemporaryRuns.workflow,
                time: Date(timeIntervalSince1970: 1_800_000_000),
                kind: .request(nil, GraphEvent(operation: "sendMail", task: nil, kind: .effect(effect, state))))
        }
        let sealed = try known.seal(event(effect, .done, 1)).event
        let read = try #require(Self.effect(of: sealed))
        #expect(read.object?.path == "me/messages/1")
        for events in [[sealed, event(read, .undone, 2)], [sealed, event(read, .undone, 2)].shown] {
            var account = EffectAccount()
            for event in events { account.take(event) }
            let effects = account.effects(isAtWork: false)
            #expect(effects.map(\.state) == [.undone])
            #expect(effects.first?.effect.subject == "It is ‹secrets.key›")
        }
    }

    private static func effect(of event: Event) -> Effect? {
        var account = EffectAccount()
        account.take(event)
        return account.effects(isAtWork: false).first?.effect
    }

    @Test func `an effect whose object a secret names leads nowhere for an undo, and is known to a resumed run`() throws
    {
        let known = KnownSecrets(.values(["key": SecretValue("s3cr3t-k3y")]), sealedBy: SealSource())
        known.add("s3cr3t-k3y", of: ["key"])
        let task = JSONPointer(["do", "0", "a"])
        func account(path: String, properties: Object) throws -> (sealed: Effect?, opened: Effect?) {
            var effect = Effect(
                .create(.init(what: "user", name: "Megan Bowen", properties: properties)))
            effect.object = ObjectVersion(id: "1", etag: "2", path: path)
            let event = Event(
                number: 1, run: "01J0000000000000000000000A", workflow: TemporaryRuns.workflow, time: .distantPast,
                kind: .request(task, GraphEvent(operation: "graph", task: task, kind: .effect(effect, .done))))
            let sealed = try known.seal(event).event
            return (Self.effect(of: sealed), Self.effect(of: try known.open([sealed])[0]))
        }
        let hidden = try account(path: "users/s3cr3t-k3y", properties: [:])
        #expect(hidden.sealed?.object == nil)
        #expect(throws: Irreversible.self) { try hidden.sealed?.inverse() }
        #expect(hidden.opened?.object?.path == "users/s3cr3t-k3y")
        let compared = try account(path: "users/1", properties: ["title": ["before": nil, "after": "s3cr3t-k3y"]])
        #expect(compared.sealed?.object == nil)
        let plain = try account(path: "users/1", properties: ["title": ["before": nil, "after": "x"]])
        #expect(plain.sealed?.object?.path == "users/1")
    }
}

extension Value {
    /// The places of all texts, numbers and nulls in it.
    fileprivate var places: [JSONPointer] { places(at: .root) }

    private func places(at pointer: JSONPointer) -> [JSONPointer] {
        switch self {
        case .array(let elements):
            elements.enumerated().flatMap { $1.places(at: pointer.appending($0)) }
        case .object(let members): members.flatMap { $1.places(at: pointer.appending($0)) }
        case .null, .string, .integer, .double: [pointer]
        case .bool, .marked: []
        }
    }

    fileprivate func at(_ pointer: JSONPointer) -> Value? {
        pointer.tokens.reduce(self) { value, token in value?[token] ?? Int(token).flatMap { value?[$0] } }
    }

    fileprivate func replacing(_ tokens: ArraySlice<String>, by value: Value) -> Value {
        guard let first = tokens.first else { return value }
        if case .array(var elements) = self, let index = Int(first), elements.indices.contains(index) {
            elements[index] = elements[index].replacing(tokens.dropFirst(), by: value)
            return .array(elements)
        }
        guard case .object(var members) = self, let member = members[first] else { return self }
        members[first] = member.replacing(tokens.dropFirst(), by: value)
        return .object(members)
    }
}
