import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// The commands that are printed for questions, and the files that answers and approvals are read from.
extension ApprovalCommandTests {
    private static let names = [
        "Send it/now~?", "ask@for:1 ‹ü› \"%\" 😀", "-x $(id) 'y'", String(repeating: "n", count: 1_000),
    ]

    private static let several =
        """
        document: { dsl: 1.0.3, namespace: tests, name: several, version: 1.0.0 }
        do:
          - all:
              fork:
                branches:

        """
        + names.map { name in
            "          - \(Value.string(name).json()): { call: approval, with: { approvers: [adelev@contoso.com], "
                + "text: 'Go on?' } }\n"
        }.joined()
            + """
              - each:
                  for: { each: number, in: '${ [1, 2] }' }
                  do:
                    - again: { call: approval, with: { approvers: [adelev@contoso.com], text: 'Go on?' } }

            """

    /// The words of the printed commands that begin like this.
    private static func commands(_ name: String, in text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.starts(with: ["graphflow", name]) }.map { Array($0.dropFirst()) }
    }

    @Test func `each of several questions can be answered with the command that is printed for it`() async throws {
        try Data(Self.several.utf8).write(to: folder.appendingPathComponent("several.yaml"))
        try await withSandbox { _, environment async throws in
            let end = try await answered(environment, file: "several.yaml", questions: Self.names.count) {
                console async throws in
                let printed = Set(Self.commands("approve", in: console.standardError))
                #expect(printed.count == Self.names.count, "\(console.standardError)")
                for name in Self.names.prefix(3) {
                    #expect(console.standardError.contains("'\(name)' waits until"), "\(console.standardError)")
                }
                let shown = await run(["show", "last"], environment)
                #expect(
                    Set(Self.commands("approve", in: shown.1.standardOutput)) == printed, "\(shown.1.standardOutput)")
                let several = await run(["approve", "last", "--yes"], environment)
                #expect(several.status == 64)
                #expect(
                    Set(Self.commands("approve", in: several.1.standardError)) == printed, "\(several.1.standardError)")
                let toReject = await run(["reject", "last"], environment)
                #expect(Self.commands("reject", in: toReject.1.standardError).count == Self.names.count)
                for command in printed {
                    let approved = await run(command + ["--yes"], environment)
                    #expect(approved.status == 0, "\(command): \(approved.1.standardError)")
                }
                for round in 1...2 {
                    let first = Self.names.count + round
                    while Self.commands("approve", in: console.standardError).count < first { await pause() }
                    let command = try #require(Self.commands("approve", in: console.standardError).last)
                    let approved = await run(command + ["--yes"], environment)
                    #expect(approved.status == 0, "\(approved.1.standardError)")
                    #expect(approved.1.standardError.contains("asks at 'again', /do/1/each/do/0/again@for:"))
                }
            }
            #expect(end.status == 0, "\(end.console.standardError)")
        }
    }

    @Test func `answers that others could have written are refused with a word`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let end = try await answered(environment) { console async throws in
                let request = try #require(openRequests(environment).first)
                let run = try #require(request.run)
                let path = folder.deletingLastPathComponent().path + "/state/runs/\(run)/approvals"
                let rejection = Data(
                    #"{"approved":false,"by":"","name":"x","at":"2026-01-05T09:00:00.000Z","note":"forged"}"#.utf8)
                func wait(_ count: Int) async {
                    while console.standardError.components(separatedBy: "an approval does not count").count <= count {
                        await pause()
                    }
                }
                for (number, mode) in [0o644, 0o660, 0o602, 0o604].enumerated() {
                    let file = "\(path)/\(request.id).answer-\(number).json"
                    // It appears with its mode.
                    #expect(
                        FileManager.default.createFile(
                            atPath: "\(path)/.new", contents: rejection, attributes: [.posixPermissions: mode]))
                    #expect(unsafe chmod("\(path)/.new", mode_t(mode)) == 0)
                    try FileManager.default.moveItem(atPath: "\(path)/.new", toPath: file)
                    await wait(number + 1)
                    while FileManager.default.fileExists(atPath: file) { await pause() }
                }
                try rejection.write(to: folder.appendingPathComponent("elsewhere.json"))
                try FileManager.default.createSymbolicLink(
                    atPath: "\(path)/\(request.id).answer-link.json", withDestinationPath: self.path("elsewhere.json"))
                await wait(5)
                #expect(unsafe mkfifo("\(path)/\(request.id).answer-pipe.json", 0o600) == 0)
                await wait(6)
                try FileManager.default.createDirectory(
                    atPath: "\(path)/\(request.id).answer-folder.json", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                await wait(7)
                let approved = await self.run(["approve", "last", "--yes", "--note", "mine"], environment)
                #expect(approved.status == 0, "\(approved.1.standardError)")
            }
            #expect(end.status == 0, "\(end.console.standardError)")
            #expect(sandbox.outbox.map(\.subject) == ["mine"])
            #expect(end.console.standardError.components(separatedBy: "others could have written its file").count == 8)
        }
    }

    @Test func `plans and approvals are read from regular files only, and a pipe is not waited for`() async throws {
        try await withSandbox { sandbox, environment async throws in
            let (file, plan, pipe, link) = (path("mail.yaml"), path("plan.json"), path("pipe.json"), path("link.json"))
            #expect(await run(["run", file, "--dry-run=read", "--plan-out", plan], environment).status == 0)
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
            for source in [pipe, link, "/dev/null", "/dev/zero"] {
                for words in [
                    ["approve", source, "--yes"], ["run", file, "--plan", source],
                    ["run", file, "--plan", plan, "--approval", source] + Self.demand,
                ] {
                    let refused = await run(words, environment)
                    #expect(refused.status == 2, "\(words): \(refused.status)")
                    #expect(refused.1.standardError.contains("is not a regular file"), "\(refused.1.standardError)")
                }
            }
            #expect(sandbox.outbox.isEmpty)
        }
    }

    @Test func `the resume that is printed continues an approved run where approvals are demanded`() async throws {
        let fault = try Sandbox.Fault(parsing: "POST /me/messages 400")
        try await withSandbox(faults: [fault]) { sandbox, environment async throws in
            let (file, plan) = (path("mail.yaml"), path("plan.json"))
            var strict = environment
            strict["GRAPHFLOW_REQUIRE_APPROVAL"] = "1"
            #expect(await run(["run", file, "--dry-run=read", "--plan-out", plan], strict).status == 0)
            #expect(await run(["approve", plan, "--yes"], strict).status == 0)
            let approved = ["run", file, "--plan", plan, "--approval", path("plan.approval.json")]
            let faulted = await run(approved + ["--approvers", "adelev@contoso.com"], strict)
            #expect(faulted.status == 1, "\(faulted.1.standardError)")
            #expect(sandbox.outbox.isEmpty)
            let printed = try #require(faulted.1.standardError.firstMatch(of: /graphflow (resume) ([0-9A-Z]+)/))
            let resumed = await run([String(printed.1), String(printed.2)], strict)
            #expect(resumed.status == 0, "\(resumed.1.standardError)")
            #expect(sandbox.outbox.count == 1)
        }
    }

    @Test func `an approval says that its planner is a claim`() async throws {
        try await withSandbox { _, environment async throws in
            let plan = path("plan.json")
            #expect(
                await run(["run", path("mail.yaml"), "--dry-run=read", "--plan-out", plan], environment).status == 0)
            let claim = "says that 11111111-2222-3333-4444-555555555555 planned it, and nothing proves that"
            let approved = await run(["approve", plan, "--yes"], environment)
            #expect(approved.1.standardError.contains(claim), "\(approved.1.standardError)")
            let page = await run(["show", plan, "--format", "html"], environment)
            #expect(page.1.standardOutput.contains(claim), "\(page.1.standardOutput)")
        }
    }
}
