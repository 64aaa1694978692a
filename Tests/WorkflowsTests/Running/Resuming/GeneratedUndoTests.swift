import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Generated workflows over every kind of effect, with faults, processes that end, and changes by others.
@Suite(.serialized) struct GeneratedUndoTests {
    /// What is drawn for one trial.
    struct Draw {
        private static let texts = [
            "Ada", "ä", "a b", "50 %", "%20", "\"q\" \\", "‹x›", "😀", "'", "#?&", "null", "1", "e\u{301}", "日本語", "..x",
            "",
            long,
        ]
        static let long = String(repeating: "xé ", count: 2_000)
        private static let people = ["adelev@contoso.com", "alexw@contoso.com", "lynner@contoso.com"]
        private static let team = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
        static let faults = [
            "drop", "drop processed", "reset", "truncate", "malformed", "429 retry-after=1", "503", "503 processed",
            "500",
            "500 processed", "504 processed", "401", "403", "404", "409", "412", "423", "507", "503 html",
        ]

        var random: SeededGenerator
        private var number = 0

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func any<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: elements.indices, using: &random)]
        }

        mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }

        private mutating func text() -> String { any(Self.texts) }

        /// A name for a file: some characters are not allowed in it.
        private mutating func file() -> String {
            let text = String(text().filter { !"\"*:<>?/\\|#%".contains($0) }.prefix(60))
            return (any(["", "in/"]) + (text.isEmpty ? "x" : text)).trimmingCharacters(in: .whitespaces) + ".txt"
        }

        private static func call(_ method: String, _ path: String, _ body: Value) -> Value {
            ["call": "graph", "with": ["method": .string(method), "path": .string(path), "body": body]]
        }

        /// A task with an effect of one of the kinds.
        private mutating func task() -> Value {
            let person = any(Self.people)
            switch Int.random(in: 0..<18, using: &random) {
            case 0, 1: return ["call": "upload", "with": ["path": .string(file()), "content": .string(text())]]
            case 2: return ["call": "upload", "with": ["path": "old.txt", "content": .string(text())]]
            case 3:
                return ["call": "createFolder", "with": ["name": .string("d\(Int.random(in: 0..<4, using: &random))")]]
            case 4:
                return Self.call(
                    "POST", "/me/drive/root:/old.txt:/createLink",
                    ["type": "view", "scope": .string(any(["organization", "anonymous"]))])
            case 5:
                return [
                    "call": "createEvent",
                    "with": [
                        "subject": .string(text()), "start": "2026-01-01T08:00", "end": "2026-01-01T09:00",
                        "attendees": chance(0.5) ? [.string(person)] : [],
                    ],
                ]
            case 6: return ["call": "addToGroup", "with": ["group": .string(Self.team), "user": .string(person)]]
            case 7:
                return Self.call(
                    "PATCH", "/users/\(person)",
                    [
                        "jobTitle": chance(0.2) ? .null : .string(String(text().prefix(100))),
                        "department": .string(any(["a", "Ü"])),
                    ])
            case 8:
                return Self.call("PATCH", "/groups/\(Self.team)", ["description": .string(String(text().prefix(900)))])
            case 9:
                return Self.call(
                    "PATCH", "/me/messages/${ $workflow.input.message }", ["categories": [.string(text())]])
            case 10:
                return Self.call(
                    "POST", "/me/messages", ["subject": .string(text()), "body": ["content": .string(text())]])
            case 11:
                return Self.call(
                    "POST", "/groups",
                    [
                        "displayName": .string("g" + text().prefix(100)), "mailEnabled": false, "securityEnabled": true,
                        "mailNickname": .string("g\(Int.random(in: 0..<1_000_000, using: &random))"),
                    ])
            case 12:
                return [
                    "call": "graph", "with": ["method": "DELETE", "path": .string("/users/\(person)")],
                ]
            case 13:
                return [
                    "call": "sendMail",
                    "with": ["to": .array([.string(person)]), "subject": .string(text()), "body": .string(text())],
                ]
            case 14:
                return Self.call(
                    "PATCH", "/me/drive/root:/old.txt", ["description": .string(String(text().prefix(200)))])
            case 15:
                return Self.call("PATCH", "/me/drive/root:/moved.txt", ["name": .string("renamed \(text().count).txt")])
            case 16: return ["call": "graph", "with": ["method": "DELETE", "path": "/me/drive/root:/gone.txt"]]
            default: return ["set": ["text": .string(text())]]
            }
        }

        /// A list of tasks, some of them inside loops, forks, attempts and inner runs.
        mutating func tasks(_ depth: Int = 0) -> Value {
            let count = Int.random(in: 1...(depth == 0 ? 6 : 3), using: &random)
            return .array(
                (0..<count).map { _ in
                    number += 1
                    let name = "t\(number)"
                    guard depth < 2, chance(0.4) else { return [.init(name): task()] }
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: return [.init(name): ["for": ["in": "${ [1, 2] }", "each": "n"], "do": tasks(depth + 1)]]
                    case 1:
                        return [
                            .init(name): [
                                "fork": [
                                    "branches": [["one": ["do": tasks(depth + 1)]], ["two": ["do": tasks(depth + 1)]]]
                                ]
                            ]
                        ]
                    case 2:
                        return [
                            .init(name): [
                                "try": tasks(depth + 1),
                                "catch": [
                                    "errors": ["with": ["status": 503]],
                                    "retry": ["limit": ["attempt": ["count": 2]]],
                                ],
                            ]
                        ]
                    case 3:
                        return [
                            .init(name): ["call": "forEach", "with": ["in": ["a", "b ü"], "do": tasks(depth + 1)]]
                        ]
                    default: return [.init(name): ["do": tasks(depth + 1)]]
                    }
                })
        }

        /// What somebody else changes between the run and its undo.
        mutating func change() -> String {
            any([
                "- x: { call: upload, with: { path: old.txt, content: theirs } }",
                "- x: { call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body: { jobTitle: theirs } } }",
                "- x: { call: graph, with: { method: PATCH, path: /groups/\(Self.team), body: { description: theirs } } }",
            ])
        }
    }

    /// The parts of a snapshot in which an effect that stays can be seen.
    private static func parts(of kind: String, _ what: String) -> [String] {
        switch kind {
        case "mail": ["mails", "messages"]
        case "file", "folder": ["files", "folders", "links"]
        case "link": ["links"]
        case "event": ["events", "mails", "messages"]
        case "member": ["groups"]
        case "create", "change", "delete":
            switch what {
            case "user": ["users", "groups", "licenses"]
            case "group": ["groups"]
            case "message": ["messages"]
            default: ["files", "folders", "links"]
            }
        default: []
        }
    }

    private static func furnished(_ faults: [Sandbox.Fault]) async throws -> (Sandbox, input: Value) {
        let sandbox = UndoTrial.sandbox(faults)
        let tasks = """
            - file: { call: upload, with: { path: old.txt, content: 'former ä ‹x› 😀' } }
            - moved: { call: upload, with: { path: moved.txt, content: moved } }
            - gone: { call: upload, with: { path: gone.txt, content: gone } }
            - message: { call: graph, with: { method: POST, path: /me/messages, body: { subject: s, categories: [z] } } }
            """
        let output = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: tasks)).value
        return (sandbox, ["message": output["id"] ?? .null])
    }

    /// What became of one drawn workflow, its undo and the state that they left.
    @Test(.timeLimit(.minutes(60)))
    func `a generated run and its undo leave what was there before, but for what the undo says`() async throws {
        let first = ProcessInfo.processInfo.environment["GRAPHFLOW_SEED"].flatMap { UInt64($0) }
        let start = first ?? UInt64.random(in: 1...1_000_000)
        var (clean, effects) = (0, 0)
        let count = first == nil ? Extent.of(2_000, or: 60) : 1
        for seed in start..<start + UInt64(count) {
            let outcome = try await withTaskCancellationHandler {
                try await trial(seed)
            } onCancel: {
                Issue.record("seed \(seed) does not end")
            }
            effects += outcome.effects
            if outcome.isClean { clean += 1 }
        }
        // A trial that says of everything that it stays would prove nothing.
        if count > 1 { #expect(clean > count / 20 && effects > count * 2, "\(clean) of \(count), \(effects) effects") }
    }

    private func trial(_ seed: UInt64) async throws -> (isClean: Bool, effects: Int) {
        var draw = Draw(seed: seed)
        let document: Value = [
            "document": ["dsl": "1.0.3", "namespace": "tests", "name": "drawn", "version": "1.0.0"], "do": draw.tasks(),
        ]
        let workflow = try Workflow(text: document.json())
        var faults: [Sandbox.Fault] = []
        if draw.chance(0.6) {
            let (fault, after) = (draw.any(Draw.faults), Int.random(in: 4...20, using: &draw.random))
            // To another request, a false 404 would say that something is gone which is not.
            let methods = fault == "404" ? ["PUT", "PATCH"] : ["*", "GET", "POST", "PUT", "PATCH", "DELETE"]
            faults.append(try Sandbox.Fault(parsing: "\(draw.any(methods)) /* \(fault) after=\(after)"))
        }
        let isKilled = draw.chance(0.4)
        let shown = "\(document.json().replacing(Draw.long, with: "‹long›")) \(faults)"
        let (sandbox, input) = try await Self.furnished(faults)
        let (before, kept) = (sandbox.snapshot, BeforeImages())
        if ProcessInfo.processInfo.environment["GRAPHFLOW_SEED"] != nil { print(shown, isKilled) }
        let limit = isKilled ? Int.random(in: 1...80, using: &draw.random) : .max
        let events = await UndoTrial.events(workflow, input, endingAfter: limit, in: sandbox, keepingIn: kept)
        let isMeddled = draw.chance(0.3)
        if isMeddled { _ = try? await UndoTrial.runner(sandbox).run(try Workflow(tasks: draw.change())).value }
        let between = sandbox.snapshot
        let undo = try UndoTrial.undo(events, kept)
        let last = draw.chance(0.4) ? Int.random(in: 1...60, using: &draw.random) : .max
        let undone: Value?
        do {
            undone = try await UndoTrial.run(
                try Undo.workflow(), undo, endingAfter: last, in: sandbox, undoing: kept
            ).output
        } catch {
            // A fault that no repetition gets through: the undo says so, and can be resumed. Then nothing is claimed.
            return (false, 0)
        }
        let planned = (undo["waves"]?.array ?? []).flatMap { $0.array ?? [] }.flatMap { $0["effects"]?.array ?? [] }
        let left = undone?["left"]?.array ?? []
        var allowed: Set<String> = []
        let kinds = Dictionary(grouping: planned) { $0["summary"]?.string ?? "" }
        for each in left {
            for effect in kinds[each["effect"]?.string ?? ""] ?? [] {
                allowed.formUnion(Self.parts(of: effect["kind"]?.string ?? "", effect["what"]?.string ?? ""))
            }
        }
        // A mail that is cancelled with its branch may leave its draft.
        if shown.contains("sendMail") { allowed.insert("messages") }
        let after = sandbox.snapshot
        let expected = isMeddled ? nil : before
        let different = after.keys.filter { after[$0] != before[$0] && !allowed.contains($0) }
        if expected != nil {
            #expect(
                different == [],
                "seed \(seed): \(left.map { $0.json() }); \(UndoTrial.differences(sandbox, before).map { $0.prefix(1_000) }); \(shown)"
            )
        } else {
            // What the other person changed stays.
            let theirs = between.values.flatMap(\.self).filter { $0.contains("theirs") }
            let stays = after.values.flatMap(\.self).filter { $0.contains("theirs") }
            #expect(stays.count >= theirs.count, "seed \(seed): \(shown)")
        }
        return (left.isEmpty && different == [] && !planned.isEmpty, planned.count)
    }
}
