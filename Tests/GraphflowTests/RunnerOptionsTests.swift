import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// What the options of `run`, `batch`, `resume` and `serve` let workflows use.
@Suite struct RunnerOptionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let runs = TemporaryRuns()
    private let text = """
        document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
        do:
          - a: { run: { shell: { command: 'echo "$REGION/$OTHER"' } } }
        """

    private func console(_ environment: [String: String] = [:]) -> TestConsole {
        TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path].merging(environment) { $1 })
    }

    @Test func `programs get a variable that is passed on, and no other`() async throws {
        let console = console(["REGION": "west", "OTHER": "secret"])
        #expect(await console.run("run", try folder.file(text), "--env", "REGION") == 0)
        #expect(console.standardOutput == "\"west/\"\n")
    }

    @Test func `variables come from a file, unless the environment sets them`() async throws {
        let variables = try folder.file("# a comment\nexport REGION='a b' # and one here\nOTHER=$REGION\n")
        let files = ["--env-file", variables, "--env", "REGION", "--env", "OTHER"]
        let console = console()
        #expect(await console.run(["run", try folder.file(text)] + files) == 0)
        #expect(console.standardOutput == "\"a b/$REGION\"\n")
        let other = self.console(["OTHER": "mine"])
        #expect(await other.run(["run", try folder.file(text)] + files) == 0)
        #expect(other.standardOutput == "\"a b/mine\"\n")
    }

    @Test func `secrets and the sign-in come from a file of variables as well`() async throws {
        let workflow = try folder.file(
            """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            use: { secrets: [api-key] }
            do: [ { a: { set: { isThere: '${ $secrets["api-key"] | length > 0 }' } } } ]
            """)
        let console = console()
        #expect(
            await console.run("run", workflow, "--env-file", try folder.file("GRAPHFLOW_SECRET_API_KEY=hunter2hunter2"))
                == 0)
        #expect(console.standardOutput == "{\"isThere\":true}\n")
        #expect(await console.run("get", "/me", "--env-file", try folder.file("GRAPHFLOW_ACCESS_TOKEN=x")) != 3)
        #expect(await self.console().run("get", "/me", "--env-file", try folder.file("")) == 3)
    }

    @Test(arguments: [
        ("run", ["--env", "NOWHERE"], "the variable 'NOWHERE' of '--env' is not set"),
        ("batch", ["--each", "x.csv", "--env", "A=b"], "'--env' needs the name of a variable, without a value"),
        ("serve", ["--allow-http", "http://prices.svc"], "'--allow-http' needs a host, not 'http://prices.svc'"),
        ("run", ["--allow-http", "prices.svc:8080"], "'--allow-http' needs a host, not 'prices.svc:8080'"),
        ("resume", ["--timeout", "5"], "'--timeout' cannot be '5'"),
        ("get", ["--retry-for", "0s"], "'--retry-for' cannot be '0s'"),
    ])
    func `what cannot be meant is said`(command: String, options: [String], message: String) async throws {
        let console = console()
        #expect(await console.run([command, try folder.file(text)] + options) == 64)
        #expect(console.standardError.contains(message), "\(console.standardError)")
    }

    @Test func `a file of variables that others may read is refused`() async throws {
        let console = console()
        #expect(
            await console.run("run", try folder.file(text), "--env-file", try folder.file("A=hunter2", mode: 0o644))
                == 64)
        #expect(console.standardError.contains("chmod 600"))
        #expect(!console.standardError.contains("hunter2"))
    }

    @Test func `a run that goes on passes the same variables on, and does not begin without them`() async throws {
        let (workflow, mark) = (try folder.file(text), try folder.file(""))
        let failing = text.replacing("echo \"$REGION", with: "test -s \(mark) && echo \"$REGION")
        try Data(failing.utf8).write(to: URL(fileURLWithPath: workflow))
        #expect(await console(["REGION": "west"]).run("run", workflow, "--env", "REGION") == 1)
        try Data("x".utf8).write(to: URL(fileURLWithPath: mark))
        let without = console()
        #expect(await without.run("resume", "last") != 0)
        #expect(without.standardError.contains("get the variable 'REGION', which is not set"))
        let resumed = console(["REGION": "east"])
        #expect(await resumed.run("resume", "last") == 0, "\(resumed.standardError)")
        #expect(resumed.standardOutput == "\"east/\"\n")
    }

    @Test func `a plan shows which variables programs get, and a run of it passes on no other`() async throws {
        let (workflow, plan) = (try folder.file(text), try folder.file(""))
        let planning = console(["REGION": "west"])
        #expect(
            await planning.run("run", workflow, "--env", "REGION", "--dry-run", "--requests", "--plan-out", plan) == 0)
        #expect(planning.standardOutput.contains("environment: REGION"))
        #expect(!planning.standardOutput.contains("west"))
        let more = console(["REGION": "west", "OTHER": "x"])
        #expect(
            await more.run("run", workflow, "--plan", plan, "--env", "REGION", "--env", "OTHER") == 2,
            "\(more.standardError)")
        #expect(await console(["REGION": "west"]).run("run", workflow, "--plan", plan, "--env", "REGION") == 0)
    }

    @Test func `a call without encryption is allowed by the command or the file, or refused before anything runs`()
        async throws
    {
        let server = try ScriptedServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")])
        // This machine, by an address that is not known to be this machine.
        let task = "- a: { call: http, with: { method: get, endpoint: 'http://0.0.0.0:\(server.port)/' } }"
        let text = """
            document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }
            do:
              - first: { run: { shell: { command: 'echo begun >&2' } } }
              \(task)
            """
        let refused = console()
        #expect(await refused.run("run", try folder.file(text)) == 2)
        #expect(refused.standardError.contains("is not allowed to http://0.0.0.0:\(server.port)"))
        #expect(refused.standardError.contains("--allow-http 0.0.0.0"))
        #expect(!refused.standardError.contains("first"))
        #expect(await console().run("run", try folder.file(text), "--allow-http", "0.0.0.1") == 2)
        #expect(server.asked.isEmpty)
        let allowed = console()
        #expect(
            await allowed.run("run", try folder.file(text), "--allow-http", "0.0.0.0") == 0, "\(allowed.standardError)")
        #expect(allowed.standardOutput == "\"hi\"\n")
        let named = text.replacing("version: 1.0.0", with: "version: 1.0.0, metadata: { allowHttp: [0.0.0.0] }")
        let validated = console()
        #expect(await validated.run("validate", "--strict", try folder.file(named)) == 0, "\(validated.standardError)")
        #expect(await validated.run("validate", "--strict", try folder.file(text)) == 2)
        let message = try #require(server.asked.first?.message)
        #expect(message.headers["Authorization"] == nil)
    }
}

/// Files of variables.
@Suite struct EnvironmentFileTests {
    @Test(
        arguments: [
            ("A=1\nB=2", ["A": "1", "B": "2"]),
            ("A=1\r\nB=2\r\n", ["A": "1", "B": "2"]),
            ("\u{FEFF}A=1", ["A": "1"]),
            ("# x\n\n  export A = 1", nil),
            ("  export A=1", ["A": "1"]),
            ("A= b c  # d", ["A": "b c"]),
            ("A=b#c", ["A": "b#c"]),
            ("A=", ["A": ""]),
            ("A=''", ["A": ""]),
            (#"A='$B\n'"#, ["A": #"$B\n"#]),
            (#"A="a\nb\t\"\\\$\q""#, ["A": "a\nb\t\"\\$\\q"]),
            ("A=\"-----BEGIN\nx\n-----END\"\nB=2", ["A": "-----BEGIN\nx\n-----END", "B": "2"]),
            ("A=1\nA=2", ["A": "2"]),
            ("A='x' y", nil), ("A='x", nil), ("A", nil), ("1A=x", nil), ("A-B=x", nil), ("=x", nil),
        ] as [(String, [String: String]?)])
    func `a line is a name and a value`(text: String, expected: [String: String]?) throws {
        guard let expected else {
            #expect(throws: UsageError.self) { try EnvironmentFile.variables(in: text, ".env") }
            return
        }
        #expect(try EnvironmentFile.variables(in: text, ".env") == expected)
    }

    @Test func `a mistake is said with its line, and without what is in it`() throws {
        let error = #expect(throws: UsageError.self) {
            try EnvironmentFile.variables(in: "A='1\n2'\n\nhunter2", ".env")
        }
        #expect(error?.message == ".env:4: a line must be NAME=VALUE")
    }
}
