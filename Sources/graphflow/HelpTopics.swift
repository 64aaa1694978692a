/// The documentation pages that `graphflow help TOPIC` shows: those installed with the program, or those in the clone
/// where it was built.
struct HelpTopics {
    /// A documentation page.
    struct Page {
        /// The name that a person types: `mail-on-monday`.
        let name: String
        let text: String

        var title: String { text.split(separator: "\n").first.map { String($0.drop { "# ".contains($0) }) } ?? name }
    }

    /// The pages in the order of their names; empty if the folder is missing.
    let pages: [Page]

    init(folder: String?) {
        let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        pages = names.filter { $0.hasSuffix(".md") }.sorted().compactMap { file in
            guard let data = FileManager.default.contents(atPath: "\(folder ?? "")/\(file)") else { return nil }
            return Page(name: Self.name(of: file), text: String(decoding: data, as: UTF8.self))
        }
    }

    /// The folder of the pages that belong to a program; nil if there is none.
    static func folder(ofProgram path: String) -> String? {
        var place = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
        var candidates = [place.deletingLastPathComponent().appending(path: "share/doc/graphflow/guides")]
        while place.path != "/", place.pathComponents.count > 1 {
            candidates.append(place.appending(path: "Sources/Workflows/Engine/Documentation.docc"))
            place = place.deletingLastPathComponent()
        }
        return candidates.map { $0.path(percentEncoded: false) }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The name of the page in a file: `mail-on-monday` for `MailOnMonday.md`.
    private static func name(of file: String) -> String {
        var name = ""
        for character in file.dropLast(3) {
            if character.isUppercase, let last = name.last, last != "-" { name += "-" }
            name += character.lowercased()
        }
        return name
    }

    /// The page with a name or title, in any spelling: `dry-run`, `DryRun`.
    func page(named topic: String) -> Page? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let wanted = plain(topic)
        return pages.first { plain($0.name) == wanted || plain($0.title) == wanted }
    }

    /// The pages that contain all words, each with its first line that has most of them.
    func found(_ words: [String]) -> [(page: Page, line: String)] {
        let words = words.map { $0.lowercased() }
        func count(_ line: String) -> Int { words.count { line.lowercased().contains($0) } }
        let found = pages.compactMap { page -> (page: Page, line: String)? in
            let text = page.text.lowercased()
            guard words.allSatisfy(text.contains) else { return nil }
            let lines = page.text.split(separator: "\n").map(String.init)
            let most = lines.map(count).max() ?? 0
            return (page, Self.plain(lines.first { count($0) == most } ?? ""))
        }
        // Words in a title say more than words in a text.
        let ranked = found.enumerated().sorted { one, other in
            let (first, second) = (count(one.element.page.title), count(other.element.page.title))
            return first == second ? one.offset < other.offset : first > second
        }
        return ranked.map(\.element)
    }

    /// The names and titles of all pages.
    func list(width: Int) -> String {
        """
        PAGES, each shown by 'graphflow help NAME':
        \(Help.table(pages.map { ($0.name, $0.title) }, width))

        'graphflow help WORDS' finds the pages with these words.
        """
    }

    /// A line of Markdown without its markers and links.
    private static func plain(_ line: String) -> String {
        Page.withoutLinks(line).trimmingPrefix { "-*#> ".contains($0) }.description
    }
}

extension HelpTopics.Page {
    /// The page for a terminal: paragraphs are wrapped, links become their texts, code and tables stay unchanged.
    func text(width: Int, colour: Bool) -> String {
        var lines: [String] = []
        var paragraph = ""
        var isCode = false
        func end() {
            guard !paragraph.isEmpty else { return }
            let indentation = paragraph.prefix { " -*".contains($0) || $0.isNumber || $0 == "." }
            let isItem = indentation.contains { "-*.".contains($0) }
            let hanging = isItem ? String(repeating: " ", count: indentation.count) : ""
            let wrapped = Help.wrapped(String(paragraph.dropFirst(hanging.count)), max(20, width - hanging.count))
                .split(separator: "\n").map(String.init)
            lines += wrapped.enumerated().map { ($0 == 0 ? paragraph.prefix(hanging.count) : hanging[...]) + $1 }
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let start = line.drop { $0 == " " }
            if start.hasPrefix("```") {
                end()
                isCode.toggle()
            } else if isCode {
                lines.append("    \(line)")
            } else if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("|") || line.hasPrefix("![") {
                end()
                let heading = String(line.drop { "# ".contains($0) })
                if line.hasPrefix("#") {
                    lines.append(colour ? "\u{1B}[1m\(heading)\u{1B}[0m" : heading.uppercased())
                } else if !line.hasPrefix("![") {
                    lines.append(Self.withoutLinks(line))
                }
            } else {
                if start.hasPrefix("- ") || start.hasPrefix("* ") || start.firstMatch(of: #/^\d+\. /#) != nil { end() }
                paragraph +=
                    (paragraph.isEmpty ? "" : " ") + Self.withoutLinks(paragraph.isEmpty ? line : String(start))
            }
        }
        end()
        return lines.joined(separator: "\n")
    }

    fileprivate static func withoutLinks(_ line: String) -> String {
        line.replacing(/!?\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
    }
}
