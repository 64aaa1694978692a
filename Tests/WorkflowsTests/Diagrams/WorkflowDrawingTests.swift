import Foundation
import TestSupport
import Testing
import Workflows

/// The parts of a workflow that its drawing shows.
@Suite struct WorkflowDrawingTests {
    private func graph(_ tasks: String, use: String = "") throws -> WorkflowDrawing {
        WorkflowDrawing(
            try Workflow(
                text: """
                    document: { dsl: 1.0.3, namespace: samples, name: drawn, version: 1.0.0 }
                    \(use)
                    do:
                    \(tasks)
                    """))
    }

    /// The edges by their ends: `start → a`, `a → b (case: no)`, `a ⇢ b (status 404)`.
    private func edges(_ graph: WorkflowDrawing) -> [String] {
        let names = Dictionary(
            uniqueKeysWithValues: graph.nodes.map { ($0.id, $0.kind == .start ? "start" : $0.caption.title) }
                + graph.clusters.map { ($0.id, $0.kind == .catch ? "\($0.caption.title).catch" : $0.caption.title) })
        return graph.edges.map { edge in
            let label = edge.label.isEmpty ? "" : " (\(edge.label.joined(separator: "; ")))"
            let arrow = edge.kind == .fallback ? "⇢" : "→"
            return "\(names[edge.from] ?? "?") \(arrow) \(names[edge.to] ?? "?")\(label)"
        }
    }

    @Test func `tasks follow each other`() throws {
        let graph = try graph(
            "  - a: { call: me }\n  - b: { call: sendMail, with: { to: a@contoso.com, subject: s, body: b } }")
        #expect(edges(graph) == ["start → a", "a → b", "b → end"])
        #expect(graph.nodes.map(\.effect) == [nil, .read, .once, nil])
        #expect(graph.nodes.map(\.caption.words) == [[], ["call me"], ["call sendMail"], []])
    }

    @Test func `the effect of a call of the standard is that of its method`() throws {
        let graph = try graph(
            """
              - a: { call: http, with: { method: get, endpoint: "https://contoso.com/a" } }
              - b: { call: http, with: { method: put, endpoint: "https://contoso.com/b" } }
              - c: { call: http, with: { method: post, endpoint: "https://contoso.com/c" } }
            """)
        #expect(graph.nodes.compactMap(\.effect) == [.read, .idempotent, .once])
        #expect(graph.nodes[1].caption.words == ["call http", "GET https://contoso.com/a"])
    }

    @Test func `a function of the file has the strongest effect of its tasks`() throws {
        let graph = try graph(
            "  - a: { call: twice }",
            use:
                "use: { functions: { twice: { do: [ { x: { call: me } }, { y: { call: createLink, with: { itemId: i } } } ] } } }"
        )
        #expect(graph.nodes.first { $0.caption.title == "a" }?.effect == .idempotent)
        #expect(graph.clusters.map(\.kind) == [.function, .do])
    }

    @Test func `a function that calls itself ends`() throws {
        let graph = try graph("  - a: { call: again }", use: "use: { functions: { again: { call: again } } }")
        #expect(graph.nodes.first { $0.caption.title == "a" }?.effect == nil)
    }

    @Test func `cases are labelled, and jumps lead where they say`() throws {
        let graph = try graph(
            """
              - look:
                  switch:
                    - done: { when: .n == 1, then: end }
                    - even: { when: .n % 2 == 0, then: b }
              - a: { set: { n: 1 }, then: look }
              - b: { if: .n > 1, set: { n: 2 }, then: exit }
              - c: { raise: { error: { type: "https://contoso.com/e", status: 500, title: Oh } } }
            """)
        #expect(
            edges(graph) == [
                "start → look", "look → end (done; .n == 1)", "look → b (even; .n % 2 == 0)", "look → a (otherwise)",
                "a → look", "b → end", "b → c (if not)",
            ])
        #expect(graph.nodes.first { $0.caption.title == "b" }?.caption.marks == [.condition(".n > 1")])
        #expect(graph.nodes.first { $0.caption.title == "c" }?.caption.words == ["raise 500 Oh"])
    }

    @Test func `a catch is beside its try, and both go on`() throws {
        let graph = try graph(
            """
              - t:
                  try: [ { a: { call: photo } } ]
                  catch:
                    errors: { with: { status: 404 } }
                    retry: { delay: { seconds: 1 }, backoff: { exponential: {} }, limit: { attempt: { count: 3 } } }
                    do: [ { b: { call: defaultPhoto } } ]
              - c: { call: me }
            """)
        #expect(edges(graph) == ["t ⇢ t.catch (status 404)", "start → t", "t → c", "t.catch → c", "c → end"])
        #expect(graph.clusters[0].caption.marks == [.retry("3× · after 1 s, doubling")])
    }

    @Test func `retries without another way say after which errors`() throws {
        let graph = try graph(
            """
              - t:
                  timeout: { after: PT1M30S }
                  try: [ { a: { call: photo } } ]
                  catch: { errors: { with: { status: 503 } }, retry: { limit: { attempt: { count: 2 } } } }
            """)
        #expect(graph.clusters[0].caption.marks == [.timeout("1 min 30 s"), .retry("2×"), .errors("on status 503")])
        #expect(!graph.edges.contains { $0.kind == .fallback })
    }

    @Test func `an error without consequences is seen to have none`() throws {
        let graph = try graph("  - t: { try: [ { a: { call: photo } } ], catch: {} }")
        #expect(edges(graph) == ["t ⇢ go on (any error)", "start → t", "t → end", "go on → end"])
    }

    @Test func `lists that are left early show where`() throws {
        let graph = try graph(
            """
              - each:
                  for: { each: user, in: .users, at: place }
                  while: $place < 3
                  do:
                    - a: { switch: [ { enough: { when: .n, then: exit } }, { over: { when: .m, then: end } } ] }
                    - b: { wait: { seconds: 90 } }
              - both: { fork: { compete: true, branches: [ { x: { call: me } }, { y: { call: photo } } ] } }
            """)
        #expect(
            edges(graph) == [
                "a → exit (enough; .n)", "a → end (over; .m)", "a → b (otherwise)", "b → exit", "start → each",
                "each → both", "both → end",
            ])
        #expect(graph.clusters[0].caption.words == ["each $user in .users", "while $place < 3"])
        #expect(graph.clusters[1].caption.words == ["the first to complete wins"])
    }

    @Test func `every task of every sample is there once`() throws {
        for name in SampleWorkflow.files {
            let workflow = try Workflow(contentsOf: SampleWorkflow.folder.appending(path: name))
            let graph = WorkflowDrawing(workflow)
            let drawn = graph.nodes.compactMap(\.task) + graph.clusters.filter { $0.kind != .catch }.compactMap(\.task)
            #expect(
                drawn.map(\.description).sorted() == workflow.allTasks.map(\.reference.description).sorted(), "\(name)")
        }
    }

    @Test func `a list inside a task has no exit unless a task leads there by name`() throws {
        let graph = try graph(
            """
              - each:
                  for: { each: user, in: .users }
                  do:
                    - a: { switch: [ { skip: { when: .n, then: c } }, { go: { when: .o, then: continue } } ] }
                    - b: { switch: [ { back: { when: .m, then: a } }, { on: { then: c } } ] }
                    - c: { set: { n: 3 } }
            """)
        #expect(
            edges(graph) == [
                "a → c (skip; .n)", "a → b (go; .o; otherwise)", "b → a (back; .m)", "b → c (on)",
                "start → each", "each → end",
            ])
        #expect(!graph.nodes.contains { $0.kind == .exit })
    }
}
