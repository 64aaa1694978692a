import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Script Process".
@Suite struct RunScriptTests {
    @Test func `works in the workflow's folder, and finds a script beside the workflow`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("import sys\nfrom help import word\nprint(word, sys.argv[1:])\n".utf8)
            .write(to: folder.appending(path: "say.py"))
        try Data("word = 'helped'\n".utf8).write(to: folder.appending(path: "help.py"))
        let place = try await ProcessRun.output("- a: { run: { shell: { command: pwd } } }", folder: folder)
        #expect(place == .string(folder.path))
        let task = """
            - a: { run: { script: { language: python, source: { endpoint: 'file://say.py' }, arguments: [x] } } }
            """
        #expect(try await ProcessRun.output(task, folder: folder) == "helped ['x']")
        let inline = """
            - a: { run: { script: { language: python, code: 'import help; print(help.word)' } } }
            """
        #expect(try await ProcessRun.output(inline, folder: folder) == "helped")
        let outside = "- a: { run: { script: { language: python, source: { endpoint: '${ \"file://../x.py\" }' } } } }"
        let error = await #expect(throws: WorkflowError.self) { try await ProcessRun.output(outside, folder: folder) }
        #expect(error?.is(.configuration) == true)
    }

    @Test func `runs scripts in Python with arguments, environment and standard input`() async throws {
        let task = """
            - a:
                run:
                  script:
                    language: python
                    arguments: ['${ .name }', --flag]
                    environment: { MOOD: good }
                    stdin: '${ . }'
                    code: |
                      import json, os, sys
                      print(json.dumps([sys.argv[1:], os.environ["MOOD"], json.load(sys.stdin)["name"]]))
                output: { as: '${ fromjson }' }
            """
        #expect(try await ProcessRun.output(task, input: ["name": "Adele"]) == [["Adele", "--flag"], "good", "Adele"])
    }

    @Test func `runs scripts in JavaScript, with 'await', 'import', 'require' and templates of its own`() async throws {
        let task = """
            - a:
                run:
                  script:
                    language: js
                    arguments: ['${ .name }', --flag]
                    environment: { MOOD: good }
                    stdin: '${ . }'
                    code: |
                      import { readFileSync } from 'node:fs'
                      const input = await Promise.resolve(JSON.parse(readFileSync(0, 'utf8')))
                      const [node, script, ...rest] = process.argv
                      const os = require('node:os')
                      console.log(JSON.stringify([rest, process.env.MOOD, `Hello ${input.name}`, os.EOL]))
                output: { as: '${ fromjson }' }
            """
        #expect(
            try await ProcessRun.output(task, input: ["name": "Adele"]) == [
                ["Adele", "--flag"], "good", "Hello Adele", "\n",
            ])
    }

    @Test(arguments: [
        ("js", "console.log(greetings, who.name)"), ("javascript", "console.log(greetings, who.name)"),
        ("python", "print(greetings, who['name'])"),
    ])
    func `arguments with names are variables of a script, as in the reference's example`(
        language: String, code: String
    ) async throws {
        let task = """
            - a:
                run:
                  script:
                    language: \(language)
                    arguments: { greetings: 'Hello, world!', who: '${ . }' }
                    code: |
                      \(code)
            """
        #expect(try await ProcessRun.output(task, input: ["name": "Adele"]) == "Hello, world! Adele")
        #expect(try Workflow(tasks: task).validate().map(\.id) == ["named-arguments"])
    }

    @Test func `an interpreter that is not installed is a configuration error that names what to install`() async throws
    {
        var runner = Runner.testing()
        runner.environment = ["PATH": "/nowhere"]
        let workflow = try Workflow(tasks: "- a: { run: { script: { language: js, code: '1' } } }")
        let error = await #expect(throws: WorkflowError.self) { try await runner.run(workflow).value }
        #expect(error?.is(.configuration) == true)
        #expect(error?.detail?.contains("Node.js") == true)
    }
}
