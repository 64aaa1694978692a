import Foundation
@testable import graphflow
import TestSupport
import Testing

struct HelpTests {
    private static let names = CommandLineTool.commands.map { $0.name }

    @Test(arguments: names) func `every example of the help is a command line that the command takes`(
        _ name: String
    ) throws {
        let type = try #require(CommandLineTool.commands.first { $0.name == name })
        #expect(!type.examples.isEmpty)
        for example in type.examples {
            let words = Self.words(of: example)
            #expect(words.first == name)
            _ = try type.parse(Array(words.dropFirst()))
        }
    }

    @Test(arguments: names) func `help fits 80 columns, but for lines that stay as they are`(_ name: String) async {
        let console = TestConsole()
        #expect(await console.run("help", name) == 0)
        let long = console.standardOutput.components(separatedBy: "\n").filter { $0.count > 80 }
        #expect(long.allSatisfy { $0.hasPrefix("  graphflow ") || name == "completions" }, "\(long)")
    }

    @Test func `help of help is the overview, and its width is the window's`() async {
        let console = TestConsole()
        #expect(await console.run("help", "--help") == 0)
        #expect(console.standardOutput.hasPrefix("Run workflow files against Microsoft 365"))
        #expect(Help.wrapped("one two three", 7) == "one two\nthree")
        #expect(Help.wrapped("one\ntwo\n\n  as it is\nlast", 40) == "one two\n\n  as it is\nlast")
    }

    @Test(arguments: names) func `every command has a manual page with its options`(_ name: String) async throws {
        let type = try #require(CommandLineTool.commands.first { $0.name == name })
        let page = Manual.page(for: type, among: CommandLineTool.commands)
        #expect(page.contains(".SH NAME\ngraphflow\\-\(name) \\- "))
        for option in type.options {
            #expect(page.contains("\\-\\-\(option.name.replacing("-", with: "\\-"))"))
        }
        #expect(!page.contains(".PP\n.PP") && !page.contains("\n\n"))
    }

    @Test func `the version as JSON says what the program was built from`() async throws {
        let console = TestConsole()
        #expect(await console.run("--version", "--json") == 0)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(console.standardOutput.utf8)) as? [String: Any])
        #expect(Set(json.keys) == ["version", "commit", "date", "dsl", "jq", "schema"])
    }

    /// The words of a line as a shell reads them, up to a redirection or a pipe.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return Array(words.prefix { $0 != ">" && $0 != "|" })
    }
}
