import Foundation
import Testing
import Workflows

@testable import graphflow

/// `graphflow effects`, and the effects that `show` lists.
@Suite struct EffectsCommandTests {
    private static let tasks = """
          - mail:
              call: sendMail
              with: { to: [adelev@contoso.com, lena@example.com], subject: '=HYPERLINK("x")', body: x }
          - remove: { call: graph, with: { method: DELETE, path: '/me/drive/root:/a.txt' } }
        """

    private func place() throws -> WorkflowPlace {
        try WorkflowPlace(
            "  - file: { call: upload, with: { path: a.txt, content: x } }\n" + Self.tasks + "\n", head: "")
    }

    private func lines(_ console: TestConsole) throws -> [Value] {
        try console.standardOutput.split(separator: "\n").map { try Value(json: String($0)) }
    }

    @Test func `the effects of all runs are found by person and kind`() async throws {
        let place = try place()
        for _ in 0..<2 { #expect(await place.console().run("run", place.file, "--sandbox") == 0) }
        let all = place.console()
        #expect(await all.run("effects", "--format", "json") == 0)
        #expect(
            try lines(all).map { $0["kind"] } == ["file", "mail", "delete", "file", "mail", "delete"])
        #expect(
            try lines(all).allSatisfy { $0["state"] == "done" && $0["sandbox"] == true && $0["workflow"] == "resume" })
        let mails = place.console()
        #expect(await mails.run("effects", "--to", "LENA@example.com", "--since", "PT1H", "--format", "json") == 0)
        let found = try lines(mails)
        #expect(found.map { $0["kind"] } == ["mail", "mail"])
        #expect(found.first?["external"] == ["lena@example.com"])
        #expect(Set(found.compactMap { $0["run"]?.string }).count == 2)
        let none = place.console()
        #expect(await none.run("effects", "--to", "nobody@contoso.com") == 0)
        #expect(none.standardOutput.isEmpty)
        #expect(none.standardError.contains("No effect matches"))
        let last = place.console()
        #expect(await last.run("effects", "last", "--kind", "delete") == 0)
        #expect(last.standardOutput.contains("done     deleted the file or folder a.txt"))
    }

    @Test func `what a person got, lost or was changed by is found by the address`() async throws {
        let place = try WorkflowPlace(
            """
              - title:
                  call: graph
                  with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: Lead } }
              - draft: { call: graph, with: { method: POST, path: /me/messages, body: { subject: Hi } } }

            """, head: "")
        #expect(await place.console().run("run", place.file, "--sandbox") == 0)
        let changed = place.console()
        #expect(await changed.run("effects", "--to", "AdeleV@contoso.com", "--format", "json") == 0)
        #expect(try lines(changed).map { $0["kind"] } == ["change"])
    }

    @Test func `a run that cannot be read is not left out without a word`() async throws {
        let place = try place()
        let run = try await place.run("--sandbox")
        let journal = URL(fileURLWithPath: "\(place.home)/runs/\(run)/journal.jsonl")
        let text = try String(contentsOf: journal, encoding: .utf8)
        try Data(text.replacing("resume", with: "resumed", maxReplacements: 1).utf8).write(to: journal)
        let console = place.console()
        #expect(await console.run("effects") == 0)
        #expect(console.standardError.contains("the effects of \(run) cannot be read"), "\(console.standardError)")
    }

    @Test func `no cell of a table is a formula`() async throws {
        let place = try place()
        #expect(await place.console().run("run", place.file, "--sandbox") == 0)
        let console = place.console()
        #expect(await console.run("effects", "--kind", "mail", "--format", "csv") == 0)
        let rows = console.standardOutput.components(separatedBy: "\r\n")
        #expect(
            rows.first
                == "run,workflow,sandbox,at,state,kind,task,summary,to,cc,bcc,subject,path,item")
        #expect(
            rows.dropFirst().first?.contains(#","adelev@contoso.com; lena@example.com",,,"'=HYPERLINK(""x"")",,"#)
                == true)
    }

    @Test func `a batch has a page with what happened to whom, item by item`() async throws {
        let place = try WorkflowPlace(
            "  - mail: { call: sendMail, with: { to: '${ $workflow.input.mail }', subject: Hi, body: x } }\n", head: "")
        let items = place.folder.appending(path: "items.jsonl")
        let hostile = "</td><script>top.hacked=1</script>"
        try [#"{"mail":"ada@contoso.com"}"#, #"{"mail":"lena@example.com"}"#, #"{"mail":"\#(hostile)"}"#]
            .joined(separator: "\n").write(to: items, atomically: true, encoding: .utf8)
        let ended = await place.console().run(
            "batch", place.file, "--each", items.path(), "--key", ".mail", "--name", "b", "--sandbox")
        #expect(ended == 1)
        let page = place.console()
        #expect(await page.run("show", "b", "--html", "-") == 0)
        let html = page.standardOutput
        #expect(
            html.contains(
                "<td>ada@contoso.com</td><td>completed</td><td>sent the mail &#39;Hi&#39; to ada@contoso.com</td>"))
        #expect(html.contains("<b>2</b>mails"))
        #expect(html.contains("<td>faulted</td><td><span class=\"error\">"))
        #expect(!html.contains("<script>top"))
        #expect(html.contains("default-src 'none'"))
        let text = place.console()
        #expect(await text.run("show", "b") == 0)
        #expect(text.standardOutput.contains("effects  2 mails, 2 recipients, 1 outside the organization\n"))
        #expect(text.standardOutput.contains("  graphflow effects b\n"))
        // An item that did something and has not ended is not left out.
        let ledger = URL(fileURLWithPath: "\(place.home)/batches/b/ledger.jsonl")
        let lines = try String(contentsOf: ledger, encoding: .utf8).split(separator: "\n")
        let addresses = ["lena@example.com", "ada@contoso.com"]
        let index = try #require(lines.lastIndex { line in addresses.contains { line.contains($0) } })
        let last = try #require(addresses.first { lines[index].contains($0) })
        try Data((lines[..<index].joined(separator: "\n") + "\n").utf8).write(to: ledger)
        let open = place.console()
        #expect(await open.run("show", "b", "--html", "-") == 0)
        #expect(
            open.standardOutput.contains("<td>not ended</td><td>sent the mail &#39;Hi&#39; to \(last)</td>"))
        #expect(open.standardOutput.contains("<b>2</b>mails"))
        let table = place.console()
        #expect(await table.run("runs") == 0)
        #expect(table.standardOutput.contains("GRAPH") && table.standardOutput.contains("sandbox"))
    }

    @Test func `a saved plan of a batch is shown as it is`() async throws {
        let place = try WorkflowPlace(
            "  - mail: { call: sendMail, with: { to: '${ $workflow.input.mail }', subject: Hi, body: x } }\n", head: "")
        let (items, plan) = (place.folder.appending(path: "items.jsonl"), place.folder.appending(path: "plan.json"))
        try "{\"mail\":\"ada@contoso.com\"}\n{\"mail\":\"lena@example.com\"}\n"
            .write(to: items, atomically: true, encoding: .utf8)
        let made = place.console()
        #expect(
            await made.run(
                "batch", place.file, "--each", items.path(), "--sandbox", "--dry-run", "--plan-out", plan.path()) == 0)
        #expect(made.standardOutput.contains("In all: 2 mails, 2 recipients, 1 outside the organization"))
        let json = place.console()
        #expect(await json.run("show", plan.path(), "--json") == 0)
        let saved = try Value(json: try Data(contentsOf: plan))["plan"]
        #expect(try Value(json: json.standardOutput) == saved)
        let text = place.console()
        #expect(await text.run("show", plan.path()) == 0)
        #expect(text.standardOutput.contains("for 2 items, made at"))
        #expect(text.standardOutput.contains("In all: 2 mails, 2 recipients, 1 outside the organization"))
    }

    @Test func `a saved plan is shown as requests, and that of a batch is not`() async throws {
        let place = try place()
        let plan = place.folder.appending(path: "plan.json").path()
        let made = place.console()
        #expect(await made.run("run", place.file, "--dry-run", "--plan-out", plan) == 0)
        let archive = place.console()
        #expect(await archive.run("show", plan, "--format", "har") == 0)
        let direct = place.console()
        #expect(await direct.run("run", place.file, "--dry-run", "--format", "har") == 0)
        let (shown, whole) = (try Value(json: archive.standardOutput), try Value(json: direct.standardOutput))
        let requests = [shown, whole].map { ($0["log"]?["entries"]?.array ?? []).map { $0["request"]?["url"] } }
        #expect(!requests[0].isEmpty && requests[0] == requests[1])
        #expect(archive.standardOutput.contains("A saved plan has no answers: nothing was sent."))
        let script = place.console()
        #expect(await script.run("show", plan, "--format", "curl") == 0)
        let lines = script.standardOutput.split(separator: "\n")
        #expect(lines.first == "#!/bin/sh")
        // The content of the file is not in the plan: nothing after it is sent.
        let end = try #require(lines.firstIndex(of: "exit 1"))
        #expect(lines[end...].dropFirst().allSatisfy { $0.hasPrefix("#") }, "\(script.standardOutput)")
        #expect(lines.contains { $0.hasPrefix("# ") && $0.contains("'/me/drive/root:/a.txt'") })
    }

    @Test func `a plan whose requests are known is a script that sends them`() async throws {
        let place = try WorkflowPlace(
            "  - remove: { call: graph, with: { method: DELETE, path: /me/photo } }\n", head: "")
        let plan = place.folder.appending(path: "plan.json").path()
        #expect(await place.console().run("run", place.file, "--dry-run", "--plan-out", plan) == 0)
        let script = place.console()
        #expect(await script.run("show", plan, "--format", "curl") == 0)
        #expect(script.standardOutput.contains("curl --config -"), "\(script.standardOutput)")
        #expect(script.standardOutput.contains("\"$graph\"'/me/photo'"))
        #expect(!script.standardOutput.contains("exit 1"))
    }

    @Test func `a time is one of RFC 3339, or how long ago it was`() async throws {
        let place = try place()
        #expect(await place.console().run("run", place.file, "--sandbox") == 0)
        for (since, count) in [
            ("2020-01-01T00:00:00Z", 3), ("2020-01-01T00:00:00.25+01:00", 3), ("2100-01-01T00:00:00Z", 0), ("PT1H", 3),
        ] {
            let console = place.console()
            #expect(await console.run("effects", "--since", since, "--format", "json") == 0, "\(since)")
            #expect(try lines(console).count == count, "\(since)")
        }
        #expect(await place.console().run("effects", "--since", "yesterday") == 64)
    }

    @Test func `an application ends with the tasks that need a user, before the first request`() async throws {
        let place = try WorkflowPlace(
            "  - own: { call: photo }\n  - named: { call: photo, with: { user: a@contoso.com } }\n", head: "")
        let console = place.console()
        let validated = await console.run("validate", place.file, "--for", "application")
        #expect(validated == 2)
        #expect(console.standardError.contains("'own' is about the signed-in user, but an application has none"))
        #expect(!console.standardError.contains("'named'"))
        let delegated = place.console()
        #expect(await delegated.run("validate", place.file, "--for", "delegated") == 0)
        #expect(delegated.standardOutput.hasSuffix(": valid, needs User.Read (delegated)\n"))
        // A token of a program.
        let run = place.console(["GRAPHFLOW_ACCESS_TOKEN": "e30.eyJyb2xlcyI6WyJhIl19.c2ln"])
        #expect(await run.run("run", place.file) == 2)
        #expect(run.standardError.contains("'own' is about the signed-in user"))
    }

    @Test func `show lists what a run did, in JSON with when and what became of it`() async throws {
        let place = try place()
        #expect(await place.console().run("run", place.file, "--sandbox") == 0)
        let text = place.console()
        #expect(await text.run("show", "last") == 0)
        #expect(text.standardOutput.contains("effects\n  "))
        #expect(text.standardOutput.contains("created the file a.txt\n"))
        let json = place.console()
        #expect(await json.run("show", "last", "--json") == 0)
        let effects = try #require(Value(json: json.standardOutput)["effects"]?.array)
        #expect(effects.map { $0["state"] } == ["done", "done", "done"])
        #expect(effects.allSatisfy { $0["at"]?.string?.hasSuffix("Z") == true })
        #expect(effects.first?["replaces"] == false)
    }

    @Test func `pages show each person once, under the file's title, with local times`() async throws {
        let place = try place()
        let user = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
        try """
        document: { dsl: 1.0.3, namespace: contoso, name: t, version: 1.0.0, title: 'Ä <b>&' }
        do:
          - read: { call: me, with: { user: \(user) } }
          - mail: { call: sendMail, with: { to: [adelev@contoso.com, eve@evil.example], subject: 'a <i>', body: x } }
          - change: { call: graph, with: { method: PATCH, path: /users/\(user), body: { jobTitle: x } } }
          - sessions: { call: graph, with: { method: POST, path: /users/\(user)/revokeSignInSessions } }
          - file: { call: upload, with: { path: '${ .value | tostring }/a.txt', content: x } }
        """.write(to: URL(fileURLWithPath: place.file), atomically: true, encoding: .utf8)
        let console = place.console()
        _ = await console.run("run", place.file, "--sandbox", "--dry-run=read", "--format", "html")
        let page = console.standardOutput
        #expect(
            page.contains("<title>Plan of Ä &lt;b&gt;&amp; (t 1.0.0)</title>"), "\(console.standardError)")
        let people = page.split(separator: "<h2>By person</h2>").last?.split(separator: "</section>").first ?? ""
        let rows = people.split(separator: "<tr><td>").dropFirst().map(String.init)
        try #require(rows.count == 2, "\(people)")
        #expect(
            rows[0].hasPrefix("adelev@contoso.com</td>") || rows[0].hasPrefix("Adele Vance (adelev@contoso.com)</td>"))
        #expect(
            rows[0].contains(
                "gets the mail &#39;a &lt;i&gt;&#39;<br>changes jobTitle (from Retail Manager to x) of the user Adele Vance "
                    + "(adelev@contoso.com)<br>revokes the sign-in sessions of the user Adele Vance (adelev@contoso.com)"
            ),
            "\(rows[0])")
        #expect(rows[1].hasPrefix("eve@evil.example</td><td><span class=\"error\">outside</span>"))
        #expect(page.contains("<td data-title=\"Before\">Retail Manager</td>"))
        #expect(!page.contains("%E2%80%B9"))
        #expect(page.firstMatch(of: /Made at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d),/) != nil)
    }

    @Test func `a run and a batch are shown in the forms of a plan`() async throws {
        let place = try place()
        let run = try await place.run("--sandbox")
        let items = place.folder.appending(path: "items.jsonl")
        try "1\n".write(to: items, atomically: true, encoding: .utf8)
        #expect(
            await place.console().run("batch", place.file, "--each", items.path(), "--name", "b", "--sandbox") == 0)
        func show(_ operand: String, _ options: String...) async -> (status: Int32, text: String) {
            let console = place.console()
            let status = await console.run(["show", operand] + options)
            // How long ago it began changes between two calls.
            let text = (status == 0 ? console.standardOutput : console.standardError)
                .replacing(/just now|\d+ (s|min|h) ago/, with: "")
            return (status, text)
        }
        for operand in [run, "b"] {
            #expect(await show(operand, "--format", "json") == show(operand, "--json"))
            #expect(await show(operand, "--format", "html") == show(operand, "--html", "-"))
            #expect(await show(operand, "--format", "text") == show(operand))
            let markdown = await show(operand, "--format", "markdown")
            #expect(
                markdown.status == 0
                    && markdown.text.hasPrefix(operand == "b" ? "# Batch b, completed\n" : "# resume, completed\n"))
            #expect(
                markdown.text.contains(
                    "\n* sent the mail '=HYPERLINK\\(\"x\"\\)' to adelev\\@contoso.com and lena\\@example.com, 20"))
            #expect(markdown.text.contains("* **state**: completed\n"))
            for format in ["curl", "har"] {
                let refused = await show(operand, "--format", format)
                #expect(refused.status == 64 && refused.text.contains("only a plan has whole requests"))
            }
            for options in [["--json"], ["--html", "-"], ["--events"], ["--data"], ["--all"]] {
                let console = place.console()
                #expect(await console.run(["show", operand, "--format", "markdown"] + options) == 64, "\(options)")
            }
        }
        let json = try Value(json: await show(run, "--format", "json").text)
        #expect(json["effects"]?.array?.allSatisfy { $0["at"] != nil && $0["state"] == "done" } == true)
    }

    @Test func `a plan with its requests begins with what happens to whom`() async throws {
        let place = try place()
        let console = place.console()
        #expect(await console.run("run", place.file, "--dry-run", "--requests") == 0)
        let text = console.standardOutput
        let parts = [
            "\nEffects\n", "\nPermissions: ", "\nRequests: ", "\n1  file: upload", "\nOutput\n",
            "\nThis plan is complete",
        ]
        let places = parts.map { text.range(of: $0)?.lowerBound ?? text.endIndex }
        #expect(places == places.sorted() && !places.contains(text.endIndex), "\(text)")
        let short = place.console()
        #expect(await short.run("run", place.file, "--dry-run") == 0)
        #expect(text.hasPrefix(short.standardOutput.components(separatedBy: "\n\nThis plan")[0]))
    }

    @Test func `permissions that are not known are never none, in no form`() async throws {
        let place = try WorkflowPlace(
            "  - ask: { call: graph, with: { method: POST, path: /me/somethingNew, body: {} } }\n", head: "")
        let items = place.folder.appending(path: "items.jsonl")
        try "1\n".write(to: items, atomically: true, encoding: .utf8)
        for format in ["text", "markdown", "html"] {
            for command in [["run", place.file], ["batch", place.file, "--each", items.path()]] {
                let console = place.console()
                #expect(await console.run(command + ["--dry-run", "--format", format]) == 0)
                let text = console.standardOutput
                #expect(text.contains("not known") || text.contains("Unknown for"), "\(text)")
                let permissions = text.split(separator: "\n").filter {
                    $0.contains("ermissions") || $0.contains("signed-in user")
                }
                #expect(!permissions.isEmpty && permissions.allSatisfy { !$0.contains("none") }, "\(permissions)")
            }
        }
    }

    @Test func `a plan counts what its effects are, and a hidden read-only claim changes nothing`() async throws {
        let place = try WorkflowPlace(
            """
              - remove: { call: graph, with: { method: DELETE, path: /users/adelev@contoso.com } }
              - mail:
                  call: graph
                  with:
                    method: POST
                    path: /me/sendMail
                    effect: read
                    body: { message: { subject: s, toRecipients: [{ emailAddress: { address: lena@example.com } }] } }

            """, head: "")
        let console = place.console()
        #expect(await console.run("run", place.file, "--dry-run", "--sandbox") == 0)
        let text = console.standardOutput
        #expect(text.contains("! deletes the user adelev@contoso.com (this is lost unless it is restored)\n"))
        #expect(
            text.contains(
                "! sends the mail 's' to lena@example.com (outside of the organization: lena@example.com)\n"))
        #expect(text.contains("In all: 1 mail, 1 recipient, 1 outside the organization, 1 deletion\n"))
        #expect(text.hasSuffix("This plan is complete: a run makes no other request.\n"))
    }

    @Test(arguments: ["yesterday", "2026-13-01T00:00:00Z", ""])
    func `a time that is none is refused with an example`(text: String) async {
        let console = TestConsole()
        #expect(await console.run("effects", "--since", text) == 64)
        #expect(console.standardError.contains("P7D"))
    }
}
