import Foundation
import TestSupport
import Testing

@testable import graphflow

/// `graphflow help` about the pages of the documentation.
@Suite struct HelpTopicsTests {
    private static let topics = HelpTopics(
        folder: URL(fileURLWithPath: #filePath)
            .appending(path: "../../../Sources/Workflows/Engine/Documentation.docc").standardizedFileURL.path)

    @Test(arguments: ["dry-run", "DryRun", "dry run", "Dry runs"])
    func `a page is found by its name and by its title`(topic: String) throws {
        #expect(Self.topics.page(named: topic)?.name == "dry-run")
    }

    @Test func `every page fits a terminal, and keeps its commands`() throws {
        #expect(Self.topics.pages.count > 60)
        for page in Self.topics.pages {
            let text = page.text(width: 80, colour: false)
            #expect(!text.contains("](") || text.contains("`"), "\(page.name)")
            for line in page.text.split(separator: "\n") where line.hasPrefix("$ graphflow") {
                #expect(text.contains(line), "\(page.name): \(line)")
            }
        }
    }

    @Test func `lists keep their marks, paragraphs are wrapped, and links are their texts`() {
        let page = HelpTopics.Page(
            name: "x",
            text: "# X y\n\nOne [two](Two.md#three) three.\nFour five.\n\n* six seven eight nine ten eleven\n"
                + "  twelve\n1. first\n\n```\n$ graphflow run \"a\"\n```\n![picture](p.svg)")
        #expect(
            page.text(width: 30, colour: false) == """
                X Y

                One two three. Four five.

                * six seven eight nine ten
                  eleven twelve
                1. first

                    $ graphflow run "a"
                """)
    }

    @Test func `words find pages, and a page that there is not is an error with a hint`() async {
        let found = Self.topics.found(["unknown-outcome"])
        #expect(found.map(\.page.name).contains("errors"))
        let none = HelpTopics(folder: nil)
        #expect(none.pages.isEmpty && none.page(named: "dry-run") == nil)
        let console = TestConsole()
        #expect(await console.run("help", "run") == 0)
        #expect(console.standardOutput.contains("USAGE: graphflow run"))
    }
}
