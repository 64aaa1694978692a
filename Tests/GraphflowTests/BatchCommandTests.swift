import Foundation
import Testing
import Workflows

/// `graphflow batch`, and `graphflow resume` of a batch.
@Suite struct BatchCommandTests {
    /// Fails for the items with a low number.
    private static let tasks = """
          - check:
              if: ${ .number < 0 }
              raise: { error: { type: 'https://contoso.com/low', status: 400, title: Too low, detail: no } }
          - double: { set: '${ { twice: (.number * 2) } }' }

        """
    private static let head = """
        input:
          schema:
            document: { type: object, required: [number], properties: { number: { type: integer }, by: { type: integer } } }
        """

    private func place(_ source: String, named name: String = "items.csv") throws -> WorkflowPlace {
        let place = try WorkflowPlace(Self.tasks, head: Self.head)
        try write(source, in: place, named: name)
        return place
    }

    private func write(_ source: String, in place: WorkflowPlace, named name: String = "items.csv") throws {
        try Data(source.utf8).write(to: place.folder.appendingPathComponent(name))
    }

    private func path(_ name: String, in place: WorkflowPlace) -> String {
        place.folder.appendingPathComponent(name).path
    }

    private func results(_ text: String) throws -> [Value] {
        try text.split(separator: "\n").map { try Value(json: String($0)) }
    }

    private func batches(_ place: WorkflowPlace) throws -> [String] {
        try RunsFolder.batches(environment: ["GRAPHFLOW_HOME": place.home]).names
    }

    @Test func `each item is run, and its result is a line`() async throws {
        let place = try place("number\n1\n2\n3\n")
        let console = place.console()
        let status = await console.run("batch", place.file, "--each", path("items.csv", in: place), "--key", ".number")
        #expect(status == 0, "\(console.standardError)")
        let results = try results(console.standardOutput)
        #expect(results.compactMap { $0["key"]?.string }.sorted() == ["1", "2", "3"])
        #expect(results.compactMap { $0["output"]?["twice"]?.integer }.sorted() == [2, 4, 6])
        #expect(console.standardError.contains("3 of 3 completed"))
        #expect(try place.runs.isEmpty)
    }

    @Test(arguments: [[], ["--dry-run"]])
    func `a name that is nearly a property's is said in one line, in plan and run`(options: [String]) async throws {
        let place = try place("\u{A0}Number;yb;other\n1;2;3\n")
        func lines(_ command: [String]) async -> [String] {
            let console = place.console()
            #expect(await console.run(command + options) == 0)
            return console.standardError.split(separator: "\n").filter { $0.contains("did you mean") }.map {
                String($0)
            }
        }
        let said = [
            "warning: the input has no property '\u{A0}Number', did you mean 'number'? It is read as that",
            "warning: the input has no property 'yb', did you mean 'by'?",
        ]
        let source = path("items.csv", in: place)
        let places = ["\(source):1:1: ", "\(source):1:9: "]
        #expect(await lines(["batch", place.file, "--each", source]) == zip(places, said).map { $0 + $1 })
        let run = ["run", place.file]
        #expect(await lines(run + ["-p", "\u{A0}Number=1", "-p", "yb=2"]) == said)
        #expect(await lines(run + ["--input", "{\"\u{A0}Number\": 1, \"yb\": 2}"]) == said)
        #expect(await lines(run + ["-p", "number=1", "-p", "other=3"]).isEmpty)
    }

    @Test func `a batch goes on with the separator that was given`() async throws {
        let place = try place("number;x,by\n1;2\n-2;2\n")
        let batch = ["batch", place.file, "--each", path("items.csv", in: place), "--name", "n"]
        let unclear = place.console()
        #expect(await unclear.run(batch) == 2)
        #expect(unclear.standardError.contains("add --separator ',' or --separator ';'"))
        #expect(await place.console().run(batch + ["--separator", ";"]) == 1)
        let resumed = place.console()
        #expect(await resumed.run("resume", "n") == 1, "\(resumed.standardError)")
        let other = place.console()
        #expect(await other.run(batch + ["--separator", ","]) == 2)
        #expect(await place.console().run(batch + ["--separator", "a"]) == 64)
    }

    @Test func `items that fault are counted by their errors, and the batch goes on with them`() async throws {
        let place = try place("number\n1\n-2\n3\n-4\n")
        let first = place.console()
        #expect(await first.run("batch", place.file, "--each", path("items.csv", in: place)) == 1)
        let batch = try #require(try batches(place).first)
        #expect(first.standardError.contains("✗ 2 of 4 completed, 2 faulted, in "), "\(first.standardError)")
        #expect(first.standardError.contains("✗ 2 × 400 Too low: "))
        #expect(first.standardError.hasSuffix("continue with: graphflow resume \(batch)\n"))
        try place.write(Self.tasks.replacingOccurrences(of: ".number < 0", with: ".number < -3"), head: Self.head)
        let second = place.console()
        #expect(await second.run("resume", batch) == 2)
        #expect(second.standardError.contains("graphflow resume \(batch) --accept-changes"))
        let third = place.console()
        #expect(await third.run("resume", batch, "--accept-changes") == 1)
        #expect(try results(third.standardOutput).map { $0["state"] }.contains("completed"))
        #expect(third.standardError.contains("3 of 4 completed, 1 faulted"))
        let fourth = place.console()
        #expect(await fourth.run("resume", batch, "--only", "unknown") == 1)
        #expect(fourth.standardOutput.isEmpty)
    }

    @Test func `a batch with a name goes on when it is started again`() async throws {
        let place = try place("number\n1\n-2\n")
        let arguments = [
            "batch", place.file, "--each", path("items.csv", in: place), "--name", "numbers", "--results",
            path("results.jsonl", in: place),
        ]
        for count in [2, 3] {
            let console = place.console()
            #expect(await console.run(arguments) == 1, "\(console.standardError)")
            #expect(console.standardOutput.isEmpty)
            let lines = try String(contentsOfFile: path("results.jsonl", in: place), encoding: .utf8)
            #expect(try results(lines).count == count)
        }
        #expect(try batches(place) == ["numbers"])
    }

    @Test func `items that changed are refused until that is accepted`() async throws {
        let place = try place("number\n1\n2\n")
        let arguments = ["batch", place.file, "--each", path("items.csv", in: place), "--name", "numbers"]
        #expect(await place.console().run(arguments) == 0)
        try write("number\n2\n3\n4\n", in: place)
        let refused = place.console()
        #expect(await refused.run(arguments) == 2)
        #expect(refused.standardError.contains("graphflow resume numbers --accept-changes"))
        let accepted = place.console()
        #expect(await accepted.run("resume", "numbers", "--accept-changes") == 0, "\(accepted.standardError)")
        #expect(accepted.standardError.contains("2 new items run, 1 missing ones are dropped"))
        #expect(try results(accepted.standardOutput).compactMap { $0["output"]?["twice"]?.integer }.sorted() == [6, 8])
        #expect(await place.console().run(arguments) == 0)
    }

    @Test func `the error of an item that is no longer in the source is not shown`() async throws {
        let place = try place("number\n1\n-2\n-3\n")
        let source = path("items.csv", in: place)
        let begun = ["batch", place.file, "--each", source, "--name", "numbers", "--key", ".number"]
        #expect(await place.console().run(begun) == 1)
        try write("number\n1\n-3\n4\n", in: place)
        #expect(await place.console().run("resume", "numbers", "--accept-changes") == 1)
        let shown = place.console()
        #expect(await shown.run("show", "numbers", "--json") == 0)
        let batch = try Value(json: shown.standardOutput)
        #expect(batch["counts"] == ["total": 3, "completed": 2, "faulted": 1, "unknown": 0, "pending": 0], "\(batch)")
        #expect(!batch.json().contains("\"-2\""), "\(batch)")
        #expect(batch.json().contains("\"-3\""), "\(batch)")
        // It is in the source again.
        try write("number\n1\n-2\n", in: place)
        #expect(await place.console().run("resume", "numbers", "--accept-changes") == 1)
        let again = place.console()
        #expect(await again.run("show", "numbers", "--json") == 0)
        #expect(try Value(json: again.standardOutput)["counts"]?["faulted"] == 1)
        let report = place.console()
        #expect(await report.run("batch", "--report", "\(place.home)/batches/numbers", "--json") == 1)
        #expect(try Value(json: report.standardOutput)["counts"]?["faulted"] == 1, "\(report.standardOutput)")
    }

    @Test func `shards are disjoint and together all items`() async throws {
        let place = try place("number\n" + (1...30).map { "\($0)\n" }.joined())
        var all: [Int] = []
        for shard in 1...3 {
            let console = place.console()
            let status = await console.run(
                "batch", place.file, "--each", path("items.csv", in: place), "--name", "numbers", "--shard",
                "\(shard)/3")
            #expect(status == 0, "\(console.standardError)")
            all += try results(console.standardOutput).compactMap { $0["output"]?["twice"]?.integer }
        }
        #expect(all.sorted() == (1...30).map { $0 * 2 })
        #expect(try batches(place).sorted() == (1...3).map { "numbers-\($0)-of-3" })
    }

    @Test func `a mistake in any item is found before the first one runs`() async throws {
        let place = try place("number\n1\nx\n")
        let console = place.console()
        #expect(await console.run("batch", place.file, "--each", path("items.csv", in: place)) == 2)
        #expect(console.standardError.contains("items.csv:3:1: error:"))
        #expect(console.standardOutput.isEmpty)
        #expect(try batches(place).isEmpty)
    }

    @Test func `as many failures as are allowed end the batch`() async throws {
        let place = try place("number\n" + (1...9).map { "-\($0)\n" }.joined())
        let console = place.console()
        let status = await console.run(
            "batch", place.file, "--each", path("items.csv", in: place), "--max-failures", "2", "--concurrency", "1")
        #expect(status == 1)
        #expect(console.standardError.contains("0 of 9 completed, 2 faulted, 7 not ended"))
        #expect(console.standardError.contains("no more items begin"))
    }

    @Test(arguments: [
        (["--name", "a b"], "cannot be the name"), (["--name", ".a"], "cannot be the name"),
        (["--name", String(repeating: "a", count: 61)], "cannot be the name"),
        (["--shard", "1/2"], "needs '--name'"), (["--shard", "3/2", "--name", "a"], "no shard 3 of 2"),
        (["--rate", "fast"], "is not a rate"), (["--rate", "0/s"], "is not a rate"),
        (["--max-failures", "101%"], "cannot be '101%'"), (["--concurrency", "0"], "at least 1"),
        (["--key", ".["], "is not jq"), (["--events", "-"], "--results"),
    ])
    func `a wrong command line is refused with what to type`(options: [String], words: String) async throws {
        let place = try place("number\n1\n")
        let console = place.console()
        #expect(await console.run(["batch", place.file, "--each", path("items.csv", in: place)] + options) == 64)
        #expect(console.standardError.contains(words), "\(console.standardError)")
        #expect(try batches(place).isEmpty)
    }

    @Test func `what is only for runs or only for batches is refused`() async throws {
        let place = try place("number\n1\n")
        #expect(
            await place.console().run("batch", place.file, "--each", path("items.csv", in: place), "--name", "n") == 0)
        let batch = place.console()
        #expect(await batch.run("resume", "n", "--from", "double") == 64)
        #expect(batch.standardError.contains("is for runs"))
        let missing = place.console()
        #expect(await missing.run("batch", place.file) == 64)
        #expect(missing.standardError.contains("--each"))
    }

    @Test func `a batch follows its approved plan, also when it goes on`() async throws {
        let place = try place("number\n1\n2\n")
        let plan = path("plan.json", in: place)
        let batch = ["batch", place.file, "--each", path("items.csv", in: place)]
        #expect(await place.console().run(batch + ["--dry-run", "--plan-out", plan]) == 0)
        try write("number\n1\n3\n", in: place)
        let changed = place.console()
        #expect(await changed.run(batch + ["--plan", plan]) == 2)
        #expect(changed.standardError.contains("was changed"), "\(changed.standardError)")
        try write("number\n1\n2\n", in: place)
        let named = place.console()
        #expect(await named.run(batch + ["--plan", plan, "--name", "n"]) == 2)
        #expect(named.standardError.contains("'--name'"), "\(named.standardError)")
        #expect(try batches(place).isEmpty)

        #expect(await place.console().run(batch + ["--dry-run", "--plan-out", plan, "--name", "n"]) == 0)
        let first = place.console()
        #expect(await first.run(batch + ["--plan", plan, "--name", "n"]) == 0, "\(first.standardError)")
        #expect(try results(first.standardOutput).count == 2)
        #expect(await place.console().run(batch + ["--name", "n"]) == 0)
        let kept = URL(fileURLWithPath: place.home).appendingPathComponent("batches/n/plan.json")
        try FileManager.default.removeItem(at: kept)
        let without = place.console()
        #expect(await without.run(batch + ["--name", "n"]) != 0)
        #expect(without.standardError.contains("the approved plan of the batch n is missing"))
    }

    @Test func `a batch with an approved plan goes on with nothing that was changed since`() async throws {
        let place = try place("number\n1\n-2\n")
        let plan = path("plan.json", in: place)
        let batch = ["batch", place.file, "--each", path("items.csv", in: place)]
        #expect(await place.console().run(batch + ["--dry-run", "--plan-out", plan, "--name", "n"]) == 1)
        #expect(await place.console().run(batch + ["--plan", plan, "--name", "n"]) == 1)
        let text = try String(contentsOfFile: place.file, encoding: .utf8)
        try Data("\(text)# a comment\n".utf8).write(to: URL(fileURLWithPath: place.file))
        for command in [["resume", "n"], ["resume", "n", "--accept-changes"], batch + ["--name", "n"]] {
            let console = place.console()
            #expect(await console.run(command) == 2)
            #expect(console.standardError.contains("the workflow file was changed"), "\(console.standardError)")
            #expect(console.standardError.contains("approve a new plan"), "\(console.standardError)")
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.file))
        try write("number\n1\n2\n", in: place)
        let console = place.console()
        #expect(await console.run("resume", "n", "--accept-changes") == 2)
        #expect(console.standardError.contains("items.csv was changed"), "\(console.standardError)")
        try write("number\n1\n-2\n", in: place)
        #expect(await place.console().run("resume", "n") == 1)
    }

    @Test func `a report tells the shards apart whose results were put into one file`() async throws {
        let place = try place("number\n" + (1...20).map { "\($0)\n" }.joined() + "-1\n")
        let batch = ["batch", place.file, "--each", path("items.csv", in: place), "--key", ".number", "--name", "n"]
        var lines: [[Substring]] = []
        for shard in 1...3 {
            let console = place.console()
            #expect([0, 1].contains(await console.run(batch + ["--shard", "\(shard)/3"])))
            lines.append(console.standardOutput.split(separator: "\n"))
        }
        func report(_ lines: [Substring], _ arguments: String...) async throws -> (status: Int32, json: Value) {
            try write(lines.joined(separator: "\n") + "\n", in: place, named: "all.jsonl")
            let console = place.console()
            let status = await console.run(
                ["batch", "--report", "--json", path("all.jsonl", in: place)] + arguments)
            return (status, (try? Value(json: console.standardOutput)) ?? .string(console.standardError))
        }
        // Mixed as by 'tail -f' of several files, and one after the other.
        for all in [lines.flatMap(\.self), lines.flatMap(\.self).sorted()] {
            let (status, json) = try await report(all)
            #expect(status == 1, "one item faulted")
            #expect(json["counts"]?["completed"] == 20 && json["counts"]?["faulted"] == 1, "\(json.json())")
            #expect(json["shards"] == 3 && json["missing"] == [])
        }
        let (_, two) = try await report(lines[0] + lines[2])
        #expect(two["missing"] == [2], "\(two.json())")
        #expect(two["counts"]?["total"]?.integer == lines[0].count + lines[2].count)
        // A shard that two machines began: what was completed once is completed.
        let again = lines.flatMap(\.self).filter { $0.contains("completed") }
            .map { Substring($0.replacing("completed", with: "faulted")) }
        let (_, twice) = try await report(lines.flatMap(\.self) + again)
        #expect(twice["counts"]?["completed"] == 20, "\(twice.json())")
        let others = lines[0].map { Substring($0.replacing("\"run\":\"n-", with: "\"run\":\"other-")) }
        let (status, several) = try await report(lines.flatMap(\.self) + others)
        #expect(status == 64 && several.string?.contains("there are 2 batches there: n, other") == true)
        let (_, chosen) = try await report(lines.flatMap(\.self) + others, "--name", "n")
        #expect(chosen["counts"]?["total"] == 21 && chosen["missing"] == [], "\(chosen.json())")
    }

    @Test func `a report sums up shards, and says which one is missing`() async throws {
        let place = try place("number\n" + (1...20).map { "\($0)\n" }.joined())
        let batch = ["batch", place.file, "--each", path("items.csv", in: place), "--name", "n", "--shard"]
        #expect(await place.console().run(batch + ["1/2"]) == 0)
        let half = place.console()
        #expect(await half.run("batch", "--report", place.home) == 1)
        #expect(half.standardOutput.contains("2"), "\(half.standardOutput)")
        #expect(await place.console().run(batch + ["2/2"]) == 0)
        let whole = place.console()
        #expect(await whole.run("batch", "--report", "--json", place.home) == 0)
        #expect(try Value(json: whole.standardOutput)["counts"]?["completed"] == 20, "\(whole.standardOutput)")
        #expect(await place.console().run("batch", "--report") == 64)
    }
}
