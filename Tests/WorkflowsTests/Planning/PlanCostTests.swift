import Foundation
import TestSupport
import Testing

@testable import Workflows

/// What a plan costs, in tasks that were planned, and how long it is.
@Suite struct PlanCostTests {
    /// The most often that one task is planned.
    private static let most = 8
    /// The first task of a run, whose answer is the context.
    private static let begin = "- who: { call: me, export: { as: '${ . }' } }"
    private static let mail = "{ call: sendMail, with: { to: [a@contoso.com], subject: x, body: { content: y } } }"

    /// Something around a list of tasks.
    enum Nesting: CaseIterable {
        case `do`, fork, race, `try`, retry, caught, known, unknown, `switch`, jump, back, condition, item, items, inner

        /// A task with the inner ones, which are indented by four, or in a file of their own.
        func around(_ inner: String, _ number: Int, _ folder: TemporaryFolder) throws -> String {
            let list = inner.indented(by: 4)
            let items = "\(PlanCostTests.begin)\n\(inner)".indented(by: 8)
            switch self {
            case .do: return "- n\(number):\n    do:\n\(list)"
            case .fork:
                return "- n\(number):\n    fork:\n      branches:\n      - one\(number):\n          do:\n"
                    + inner.indented(by: 10) + "\n      - two\(number): { set: { x: 1 }, export: { as: '${ . }' } }"
            case .race:
                return "- n\(number):\n    fork:\n      compete: true\n      branches:\n      - one\(number):\n"
                    + "          do:\n" + inner.indented(by: 10) + "\n      - two\(number): { call: me }"
            case .try: return "- n\(number):\n    catch: {}\n    try:\n\(list)"
            case .retry:
                return "- n\(number):\n    catch: { retry: { limit: { attempt: { count: 2 } } } }\n    try:\n\(list)"
            case .caught: return "- n\(number):\n    catch: { do: [ { c\(number): { call: me } } ] }\n    try:\n\(list)"
            case .known: return "- n\(number):\n    for: { in: '[1]' }\n    do:\n\(list)"
            case .unknown: return "- n\(number):\n    for: { in: '$context.list' }\n    do:\n\(list)"
            case .switch:
                return
                    "- n\(number): { switch: [ { a: { when: '$context.mail == \"\(number)\"', then: l\(number) } } ] }\n"
                    + "\(inner)\n- l\(number): { set: { x: 1 } }"
            case .jump:
                return "- n\(number): { switch: [ { a: { when: '$context.a == 1', then: b\(number) } }, "
                    + "{ c: { when: '$context.a == 2', then: c\(number) } } ] }\n"
                    + "- a\(number): { set: { x: 1 } }\n- b\(number):\n    do:\n\(list)\n- c\(number): { call: me }"
            case .back:
                return "- n\(number):\n    do:\n\(list)\n- l\(number): { switch: [ "
                    + "{ again: { when: '$context.b == \(number)', then: n\(number) } } ] }"
            case .condition: return "- n\(number):\n    if: '$context.mail == null'\n    do:\n\(list)"
            case .item: return "- n\(number):\n    call: forEach\n    with:\n      in: [1]\n      do:\n\(items)"
            case .items:
                return
                    "- n\(number):\n    call: forEach\n    with:\n      in: '${ $context.list }'\n      do:\n\(items)"
            case .inner:
                let head = "document: { dsl: 1.0.3, namespace: tests, name: i\(number), version: 1.0.0 }\ndo:\n"
                try folder.write("i\(number).yaml", head + "\(PlanCostTests.begin)\n\(inner)")
                return "- n\(number): { run: { workflow: { namespace: tests, name: i\(number), version: 1.0.0 } } }"
            }
        }
    }

    private static func plan(_ tasks: String, in folder: TemporaryFolder? = nil) async throws -> Plan {
        try await Runner.testing().plan(Workflow(tasks: "\(begin)\n\(tasks)", folder: folder?.url)).value
    }

    private static func check(_ nestings: [Nesting], exporting: Bool) async throws {
        var tasks = "- mail: \(mail)"
        if exporting {
            tasks += "\n- note: { set: { a: 1 }, export: { as: '${ $context + { n: ((.n // 0) + 1) } }' } }"
        }
        let folder = try TemporaryFolder()
        for (number, nesting) in nestings.enumerated() { tasks = try nesting.around(tasks, number, folder) }
        let inner = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
        let texts = try [tasks] + inner.map { try String(contentsOf: $0, encoding: .utf8) }
        let count = texts.joined(separator: "\n").split(separator: "\n").count { $0.contains(/^ *- [a-z]+[0-9]*:/) }
        let plan = try await plan(tasks, in: folder)
        #expect(plan.effort <= most * (count + 1), "\(plan.effort) of \(count): \(nestings), \(exporting)")
        #expect(plan.effects.count { $0.kind == .mail } == 1, "\(nestings)")
        #expect(plan.isComplete || nestings.contains { $0 == .fork || $0 == .race }, "\(plan.gaps)")
    }

    @Test(arguments: Nesting.allCases, [false, true])
    func `nested thirty times, each task is planned a few times`(nesting: Nesting, exporting: Bool) async throws {
        for depth in [1, 2, 7, 30] {
            try await Self.check(Array(repeating: nesting, count: depth), exporting: exporting)
        }
    }

    @Test(arguments: 0..<Extent.of(1_000, or: 20) as Range<UInt64>)
    func `drawn nestings cost no more`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let nestings = (0..<Int.random(in: 1...30, using: &generator)).compactMap { _ in
            Nesting.allCases.randomElement(using: &generator)
        }
        try await Self.check(nestings, exporting: Bool.random(using: &generator))
    }

    @Test(arguments: [5, 6, 300, 1_000])
    func `switches in a row are planned once, with exact bounds`(count: Int) async throws {
        let turns = (0..<count).map { number in
            "- s\(number): { switch: [ { yes: { when: '$context.mail == \"\(number)\"', then: last } }, "
                + "{ no: { then: continue } } ] }\n- m\(number): \(Self.mail)"
        }.joined(separator: "\n")
        let plan = try await Self.plan("\(turns)\n- last: \(Self.mail)")
        let mails = plan.effects.filter { $0.kind == .mail }
        #expect(mails.count == count + 1)
        #expect(mails.dropLast().allSatisfy { $0.count == Effect.Count(atLeast: 0, atMost: 1) })
        #expect(mails.last?.count == .one)
        #expect(plan.effort <= Self.most * 2 * count)
    }

    @Test func `a loop that ends when the service says so has one round`() async throws {
        let plan = try await Self.plan(
            """
            - look: { call: me, export: { as: '${ . }' } }
            - decide: { switch: [ { ready: { when: '$context.jobTitle == "x"', then: end } } ] }
            - pause: \(Self.mail.dropLast()), then: look }
            """)
        #expect(plan.allTasks.map(\.name) == ["who", "look", "decide", "pause"])
        #expect(plan.effects.map(\.count) == [Effect.Count(atLeast: 0, atMost: nil)])
        guard case .again("look") = plan.tasks.last?.branches.last?.end else {
            Issue.record("the last way leads back")
            return
        }
    }

    @Test func `a known loop of many rounds has one for all`() async throws {
        let plan = try await Self.plan(
            "- all: { for: { each: n, in: '[range(100000) | { n: ., kind: \"a\" }]' }, do: [ { one: { set: '${ $n.kind }' } } ] }"
        )
        #expect(plan.effort < 20)
        #expect(plan.allTasks.last?.output == "a")
    }

    @Test func `an inner run for each of many items is planned once for all`() async throws {
        let plan = try await Self.plan(
            "- list: { set: '${ [range(20000) | { n: ., kind: \"a\" }] }' }\n- all: { call: forEach, with: { in: '${ . }', "
                + "key: .n, do: [ { one: { set: { kind: '${ $workflow.input.kind }' } } }, { mail: \(Self.mail) } ] } }"
        )
        #expect(plan.effort < 20)
        #expect(plan.allTasks.first { $0.name == "one" }?.output == ["kind": "a"])
        #expect(plan.effects.map(\.count) == [Effect.Count(atLeast: 20_000, atMost: 20_000)])
    }

    /// A task for each of 20,000 rounds.
    private static func rounds(_ tasks: String) -> String {
        "{ all: { for: { in: '[range(20000)]' }, do: [ \(tasks) ] } }"
    }

    @Test func `what happens in each of many rounds is counted`() async throws {
        let mail = "{ mail: \(Self.mail) }"
        let isUnknown = "'$context.mail == null'"
        for (tasks, count) in [
            (mail, Effect.Count(atLeast: 20_000, atMost: 20_000)),
            (Self.rounds(mail), Effect.Count(atLeast: 400_000_000, atMost: 400_000_000)),
            (Self.rounds(Self.rounds(Self.rounds(mail))), Effect.Count(atLeast: 0, atMost: nil)),
            ("{ way: { if: \(isUnknown), do: [ \(mail) ] } }", Effect.Count(atLeast: 0, atMost: 20_000)),
            (
                "{ way: { switch: [ { a: { when: \(isUnknown), then: end } } ] } }, \(mail)",
                Effect.Count(atLeast: 0, atMost: 20_000)
            ),
            (
                "\(mail), { fail: { if: \(isUnknown), raise: { error: { type: 'https://example.com/e', status: 500 } } } }",
                Effect.Count(atLeast: 0, atMost: 20_000)
            ),
        ] {
            #expect(try await Self.plan("- \(Self.rounds(tasks))").effects.map(\.count) == [count], "\(tasks)")
        }
    }
}

extension String {
    fileprivate func indented(by count: Int) -> String {
        split(separator: "\n").map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}
