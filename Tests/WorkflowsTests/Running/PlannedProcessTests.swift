import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The plans and the diagnostics of programs before they run.
@Suite struct PlannedProcessTests {
    @Test func `a plan starts nothing, and shows what would be started in the order of everything`() async throws {
        let workflow = try Workflow(
            tasks: """
                - photo: { call: photo, export: { as: . } }
                - list:
                    run:
                      shell:
                        command: 'touch /nowhere; echo "$1"'
                        arguments: ['it''s']
                        environment: { MOOD: good }
                        stdin: hello
                - count: { run: { script: { language: python, code: 'print(1)' }, return: all }, input: { from: . } }
                """)
        let plan = try await Runner.testing().plan(workflow).value
        #expect(plan.requests.count == 1)
        let programs = plan.steps.compactMap { step -> PlannedProcess? in
            guard case .process(let program) = step else { return nil }
            return program
        }
        #expect(
            programs.map(\.call) == [
                ["sh", "-c", "touch /nowhere; echo \"$1\"", "sh", "it's"], ["python3", "-c", "print(1)"],
            ])
        #expect(programs.first?.standardInput == "hello")
        #expect(programs.first?.variables == ["MOOD"])
        #expect(
            plan.output == ["code": "‹count.code›", "stdout": "‹count.stdout›", "stderr": "‹count.stderr›"])
    }

    @Test func `what a plan cannot compute from what a process would print is symbolic as well`() async throws {
        let workflow = try Workflow(
            tasks: """
                - ask: { run: { shell: { command: ask } }, output: { as: '${ fromjson }' }, export: { as: '${ { a: . } }' } }
                - next: { set: { b: '${ $context.a.b }' } }
                - last: { set: { c: '${ . }' } }
                """)
        #expect(try await Runner.testing().plan(workflow).value.output == ["c": ["b": "‹ask#2.b›"]])
        let wrong = try Workflow(tasks: "- a: { set: { b: '${ 1 | fromjson }' } }")
        await #expect(throws: WorkflowError.self) { try await Runner.testing().plan(wrong).value }
    }

    @Test func `warns of a command that data is written into`() throws {
        let findings = try Workflow(tasks: "- a: { run: { shell: { command: 'echo \"Hello, ${ .name }\"' } } }")
            .validate()
        #expect(findings.map(\.id) == ["shell-injection"])
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.range?.start.column != nil)
        #expect(try Workflow(tasks: "- a: { run: { shell: { command: 'echo $HOME' } } }").validate() == [])
    }

    @Test(arguments: [
        ("shell: { command: a, arguments: { a: b } }", "type"), ("shell: { command: a, arguments: [1] }", "type"),
        ("shell: { command: a, environment: [a] }", "type"), ("shell: { command: a, stdin: 1 }", "type"),
        ("script: { language: js, code: a, arguments: { 'a-b': c } }", "name"),
        ("script: { language: ruby, code: a }", "unsupported"),
    ])
    func `refuses what the schema refuses`(process: String, id: String) throws {
        let error = #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: "- a: { run: { \(process) } }") }
        #expect(error?.diagnostics.map(\.id) == [id])
    }
}
