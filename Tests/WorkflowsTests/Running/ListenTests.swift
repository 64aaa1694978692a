import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Listen", "Event Consumption Strategy", "Event Filter", "Correlation", "Subscription Iterator".
@Suite struct ListenTests {
    private let bus = EventBus()

    private func run(
        _ tasks: String, input: Value = [:], recorders: [Recorder] = [], clock: any PromiseClock = SkippingClock()
    ) throws -> Promise<Value> {
        var runner = Runner.testing(clock: clock, recorders: recorders)
        runner.events = bus
        return runner.run(try Workflow(tasks: tasks), input: input)
    }

    private func publish(_ type: String, _ data: Value = .null, _ more: Object = [:]) throws {
        var members: Object = [
            "specversion": "1.0", "id": .string("\(bus.end)"), "source": "https://example.com", "type": .string(type),
            "data": data,
        ]
        for (name, value) in more { members[name] = value }
        bus.publish(try CloudEvent(.object(members)))
    }

    @Test func `one waits for the event, and the output is an array of its data`() async throws {
        let log = EventLog()
        let run = try run("- wait: { listen: { to: { one: { with: { type: t } } } } }", recorders: [log.recorder])
        try publish("other", ["a": 0])
        try publish("t", ["a": 1])
        try publish("t", ["a": 2])
        #expect(try await run.value == [["a": 1]])
        #expect(log.summary.contains("workflow.correlation-started /do/0/wait"))
        #expect(log.summary.contains("workflow.correlation-completed /do/0/wait"))
    }

    @Test func `a run hears what its caller publishes next, also where all places are busy`() async throws {
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        let places = (0..<9_000).map { _ in Place() }
        for place in places {
            place.perform { () -> Promise<Void> in
                while !isOver.withLock({ $0 }) {}
                return .value(())
            }.cauterize()
        }
        let log = EventLog()
        let run = try run("- wait: { listen: { to: { one: { with: { type: t } } } } }", recorders: [log.recorder])
        try #require(log.summary.contains("workflow.correlation-started /do/0/wait"))
        isOver.withLock { $0 = true }
        try publish("t", 1)
        #expect(try await run.value == [1])
    }

    @Test(
        arguments: [
            ("data", ["a": 1]),
            ("raw", "{\"a\":1}"),
            (
                "envelope",
                ["specversion": "1.0", "id": "0", "source": "https://example.com", "type": "t", "data": ["a": 1]]
            ),
        ] as [(String, Value)])
    func `read says what of the event is read`(reading: String, expected: Value) async throws {
        let run = try run("- wait: { listen: { to: { one: { with: { type: t } } }, read: \(reading) } }")
        try publish("t", ["a": 1])
        #expect(try await run.value == [expected])
    }

    @Test func `any goes on after the first event that is like one of the filters`() async throws {
        let run = try run(
            """
            - wait:
                listen:
                  to:
                    any:
                      - with: { type: temperature, data: "${ .temperature > 38 }" }
                      - with: { type: bpm, data: "${ .bpm < 60 or .bpm > 100 }" }
            """)
        try publish("temperature", ["temperature": 37])
        try publish("bpm", ["bpm": 80])
        try publish("bpm", ["bpm": 120])
        #expect(try await run.value == [["bpm": 120]])
    }

    @Test func `any without filters listens to every event, until its condition holds`() async throws {
        let run = try run("- wait: { listen: { to: { any: [], until: '( . | length ) >= 3' } } }")
        for number in 1...4 { try publish("t\(number)", .integer(number)) }
        #expect(try await run.value == [1, 2, 3])
    }

    @Test func `events that an until waits for are not part of the output`() async throws {
        let run = try run(
            """
            - wait:
                listen:
                  to:
                    any: [{ with: { type: measured } }]
                    until: { one: { with: { type: checked-out } } }
            """)
        try publish("measured", 1)
        try publish("measured", 2)
        try publish("checked-out", "end")
        try publish("measured", 3)
        #expect(try await run.value == [1, 2])
    }

    @Test func `all waits for each of the events, in the order in which they come`() async throws {
        let run = try run(
            "- wait: { listen: { to: { all: [{ with: { type: first } }, { with: { type: second } }] } } }")
        try publish("second", 2)
        try publish("second", 22)
        try publish("first", 1)
        #expect(try await run.value == [2, 1])
    }

    @Test(arguments: [
        ("type: 'com\\.example\\.[a-z]+'", true), ("type: com.example.order", true), ("type: com.example", false),
        ("source: 'https://example.com', type: com.example.order", true), ("subject: x", false),
        ("type: '${ . | startswith(\"com.\") }'", true), ("type: '${ \"com.example.order\" }'", true),
        ("data: { order: { id: 5 } }", true), ("data: { order: { id: 6 } }", false),
        ("data: { order: { id: '${ . > 4 }' } }", true), ("data: '${ .order.id.x.y > 1 }'", false),
    ])
    func `filters are values, regular expressions and runtime expressions`(filter: String, fits: Bool) async throws {
        let run = try run(
            """
            - wait: { listen: { to: { any: [{ with: { \(filter) } }, { with: { type: last } }] }, read: envelope } }
            """)
        try publish("com.example.order", ["order": ["id": 5, "more": true]])
        try publish("last")
        #expect(try await run.value[0]?["type"] == (fits ? "com.example.order" : "last"))
    }

    @Test func `a filter that could take exponential time finds its event`() async throws {
        let run = try run("- wait: { listen: { to: { one: { with: { type: t, subject: '(a+)+b|(a+)+' } } } } }")
        try publish("t", 1, ["subject": .string(String(repeating: "a", count: 64))])
        #expect(try await run.value == [1])
    }

    @Test func `events that belong together are those with the same key`() async throws {
        let log = EventLog()
        let run = try run(
            """
            - wait:
                listen:
                  to:
                    all:
                      - { with: { type: temperature }, correlate: { room: { from: .data.room } } }
                      - { with: { type: humidity }, correlate: { room: { from: .data.room } } }
            """, recorders: [log.recorder])
        try publish("temperature", ["room": 1, "value": 20])
        try publish("humidity", ["room": 2, "value": 50])
        try publish("humidity", ["room": 1, "value": 40])
        #expect(try await run.value == [["room": 1, "value": 20], ["room": 1, "value": 40]])
        let completed = try #require(log.events.first { $0.type.contains("correlation-completed") })
        #expect(completed.cloudEvent["data"]?["correlationKeys"] == ["room": 1])
    }

    @Test func `expect says what a key must be`() async throws {
        let run = try run(
            """
            - wait:
                listen:
                  to: { one: { with: { type: t }, correlate: { order: { from: .subject, expect: "${ .order }" } } } }
            """, input: ["order": "A2"])
        try publish("t", 1, ["subject": "A1"])
        try publish("t", 2, ["subject": "A2"])
        #expect(try await run.value == [2])
    }

    @Test func `foreach is performed for one event after the other, with the input of the task`() async throws {
        let log = EventLog()
        let run = try run(
            """
            - wait:
                listen: { to: { any: [], until: ". | length == 2" } }
                foreach:
                  item: event
                  at: place
                  do: [{ note: { set: { text: '${ "\\(.room) \\($place) \\($event.a)" }' } } }]
                  output: { as: .text }
                  export: { as: "$context + { last: . }" }
            - last: { set: { all: "${ . }", last: "${ $context.last }" } }
            """, input: ["room": "r"], recorders: [log.recorder])
        try publish("t", ["a": 7])
        try publish("t", ["a": 8])
        #expect(try await run.value == ["all": ["r 0 7", "r 1 8"], "last": "r 1 8"])
    }

    @Test func `a listening task that is cancelled waits for nothing any more`() async throws {
        let clock = ManualClock()
        let run = try run(
            "- wait: { listen: { to: { one: { with: { type: t } } } }, timeout: { after: PT5S } }", clock: clock)
        while clock.waitCount == 0 { await pause() }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.is(.timeout) == true)
        try publish("t")
    }

    @Test func `a branch hears what another one emits, whichever is first`() async throws {
        let tasks = """
            - both:
                fork:
                  branches:
                    - hears: { listen: { to: { one: { with: { type: com.example.said } } } } }
                    - says:
                        emit: { event: { with: { source: https://example.com, type: com.example.said, data: { a: 1 } } } }
                        output: { as: .data }
            """
        #expect(try await run(tasks).value == [[["a": 1]], ["a": 1]])
    }

    @Test func `every branch hears every event once, and tasks in a row hear one after the other`() async throws {
        let listen = "{ listen: { to: { one: { with: { type: t } } } } }"
        let run = try run(
            """
            - first: \(listen)
            - both: { fork: { branches: [{ a: \(listen) }, { b: \(listen) }] } }
            - last: { listen: { to: { one: { with: { type: t } } } }, output: { as: "[$input, .]" } }
            """)
        for number in 1...3 { try publish("t", .integer(number)) }
        #expect(try await run.value == [[[2], [2]], [3]])
    }

    @Test func `an event that is emitted is filled in, and is the output`() async throws {
        let log = EventLog()
        let output = try await run(
            """
            - greet:
                emit:
                  event:
                    with:
                      source: https://example.com
                      type: com.example.greeted
                      data: { greetings: '${ "Hello \\(.name)!" }' }
            """, input: ["name": "Megan"], recorders: [log.recorder]
        ).value
        for name in ["id", "time"] { #expect(output[name]?.string?.isEmpty == false) }
        #expect(output["specversion"] == "1.0")
        #expect(output["datacontenttype"] == "application/json")
        #expect(output["data"] == ["greetings": "Hello Megan!"])
        let emitted = try #require(log.events.first { $0.type == "com.example.greeted" })
        #expect(emitted.cloudEvent == output)
    }

    @Test func `an event that expressions make wrong is not emitted`() async throws {
        let error = await #expect(throws: WorkflowError.self) {
            try await run(
                "- a: { emit: { event: { with: { source: '${ .none }', type: t } } } }"
            ).value
        }
        #expect(error?.is(.validation) == true)
        #expect(error?.detail == "this event cannot be emitted: an event needs the attribute 'source', a string")
        #expect(bus.end == 0)
    }

    @Test func `a plan waits for nothing, and what would come is symbolic`() async throws {
        let workflow = try Workflow(
            tasks: """
                - wait: { listen: { to: { all: [{ with: { type: a } }, { with: { type: b } }] } } }
                """)
        let plan = try await Runner.testing().plan(workflow).value
        #expect(plan.output == ["‹wait.data›", "‹wait.data#2›"])
    }

    @Test func `a bus drops the oldest events that nobody takes`() throws {
        let bus = EventBus(capacity: 10)
        for number in 0..<100 {
            bus.publish(
                try CloudEvent(["specversion": "1.0", "id": .string("\(number)"), "source": "s", "type": "t"]))
        }
        #expect(bus.end == 100)
        let first = try #require(bus.event(from: 0))
        #expect(first.position >= 90)
        #expect(first.event.id == "\(first.position)")
    }
}
