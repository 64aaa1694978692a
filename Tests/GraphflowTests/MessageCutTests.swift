import Foundation
import GraphflowTesting
import Testing

/// Texts in messages are cut in one place, which leaves the mark before which the search for secrets finds them.
@Suite struct MessageCutTests {
    /// The one place.
    private static let place = "PlainText+Cutting.swift"

    /// What is cut by hand and is no text of a message, or keeps the mark itself: the file, the cut, and why.
    private static let exceptions: [(file: String, cut: String, why: String)] = [
        ("Diagnostic+Text.swift", #"first > 0 ? "…""#, "a line of a file of the user's, around the finding"),
        ("TextWidth.swift", #"kept.trimmingTrailingSpace + "…""#, "a drawing of the workflow's file, with the mark"),
        ("Value+Excerpt.swift", "string.unicodeScalars.prefix(32)", "cut once more, as jq does, with its mark"),
        ("SecretEncodings.swift", "encoded.prefix(end)", "what is searched for"),
        ("JournalLine.swift", "suffix(digits)", "the checksum of a line"),
        ("ServedRuns.swift", "description.suffix(16)", "a random name"),
        ("FileLock.swift", "bytes.prefix(max(0, count))", "the bytes that were read, all of them"),
        ("UnknownTokens.swift", "bytes.suffix(Self.length)", "a token of a plan, which has that length"),
        ("RunsTable.swift", "rows[index][0].prefix(length)", "the random name of a run, which users copy"),
        ("RunsTable.swift", "iso8601.prefix(10)", "a date"),
        ("TaskExecution+Place.swift", "occurrence.dropLast(last.count)", "a place in the workflow"),
        ("JournalBounds.swift", "reference[..<sign]", "the name of a member of the journal"),
        ("ApprovalRequests.swift", "String(id.prefix(12))", "the beginning of the id of a question, which users copy"),
        ("FormerSeals.swift", "seal.box.dropLast(tagSize)", "encrypted bytes"),
        ("RunTree+Folding.swift", "prefix(Self.mostSlow)", "a list"),
        ("TestFile.swift", "name.dropLast($0.count)", "the name of a file without its ending"),
        ("TestCommand.swift", "operand.dropLast(ending.count)", "the name of a file without its ending"),
    ]

    /// A part of an expression without the end of a text or a call.
    private static let part = #"(?:[^()"\n]|\((?:[^()"]|\((?:[^()"]|\([^()"]*\))*\))*\))*?"#
    /// A cut that shows more than three characters, which is not that of a known ending.
    private static let cut =
        #"\.(?:(?:prefix|suffix)\((?![0-3]\))|dropLast\((?!\d*\)|"[^"]*"\.count\)))"#
    /// What follows the cut of a list.
    private static let noList = #"(?!"# + part + #"\)(?:\.(?:map|flatMap|joined|reduce|quoted)| \+ \[))"#

    private static let patterns: [(what: String, expression: String)] = [
        ("a text in a text", #"\\\("# + part + cut + noList),
        ("a text of a part", #"\bString\((?:decoding: |String\.UnicodeScalarView\()?"# + part + cut + noList),
        ("a mark by hand", #"(?:\+ |\? )"(?:…|\.\.\.)|\\\("# + part + #"\)…""#),
        ("a part before a text", #"\.(?:prefix|suffix)\((?![0-3]\))"# + part + #"\) \+ ""#),
        ("a range in a text", #"\\\("# + part + #"\[[^\]]*\.\.[<.]"#),
    ]

    /// The lines of a file that cut a text by hand.
    private static func cuts(in file: SourceFile) throws -> [(line: String, what: String)] {
        var found: [(String, String)] = []
        for line in file.lines
        where line.contains("fix(") || line.contains("dropLast(") || line.contains("…") || line.contains("..") {
            for (what, pattern) in patterns
            where line.range(of: pattern, options: .regularExpression) != nil && !line.contains("SHA256.hex(") {
                found.append((line, what))
            }
        }
        // A part with a name that is in a text later.
        let named = #"\b(?:let|var) (\w+)(?:: \w+)? = [^\n]*?"# + cut + noList
        let code = file.code
        let expression = try NSRegularExpression(pattern: named)
        for match in expression.matches(in: code, range: NSRange(code.startIndex..., in: code)) {
            guard let range = Range(match.range, in: code), let name = Range(match.range(at: 1), in: code) else {
                continue
            }
            let use = #"\\\("# + code[name] + #"\b(?!\.count)|\+ "# + code[name] + #"\b(?!\.count)"#
            let line = code[code.lineRange(for: range)]
            if !line.contains("SHA256.hex("),
                code[range.upperBound...].range(of: use, options: .regularExpression) != nil
            {
                found.append((line.trimmingCharacters(in: .whitespacesAndNewlines), "a part with a name"))
            }
        }
        return found
    }

    @Test func `no text of a message is cut by hand`() throws {
        // The sandbox is a service of its own, whose answers are cut where they are read.
        let files = SourceFile.all.filter { $0.name != Self.place && !$0.name.hasPrefix("Sandbox") }
        #expect(files.count > 700)
        var used: Set<Int> = []
        for file in files {
            for (line, what) in try Self.cuts(in: file) {
                let exception = Self.exceptions.firstIndex { $0.file == file.name && line.contains($0.cut) }
                if let exception { used.insert(exception) }
                #expect(exception != nil, "\(file.name) has \(what): cut it with PlainText: \(line)")
            }
        }
        let unused = Self.exceptions.indices.filter { !used.contains($0) }.map { Self.exceptions[$0].cut }
        #expect(unused == [], "these exceptions are not needed any more")
    }

    @Test(arguments: [
        #"throw Failure("'\(text.prefix(100))' is no number")"#,
        #"throw Failure("\(words): \(json.prefix(Self.most))\(isLong ? "…" : "")")"#,
        #"return line.prefix(width - 1) + "…""#, #"let shown = String(text.prefix(limit))"#,
        #"return String(decoding: bytes.suffix(count), as: UTF8.self)"#, #"line += text.suffix(80) + "…""#,
        #"return "\(kept)…""#, #"String(String.UnicodeScalarView(text.unicodeScalars.prefix(60)))"#,
        "let shown = text.prefix(80)\nreturn Failure(\"it says \\(shown)\")",
        "let shown = text.dropLast(count)\nreturn start + shown", #"isLong ? "…" : """#,
        #"message = "it said \(PlainText.line(said).suffix(20))""#,
    ])
    func `a text that is cut by hand is found`(code: String) throws {
        #expect(try !Self.cuts(in: SourceFile(name: "A.swift", code)).isEmpty)
    }

    @Test(arguments: [
        #"let some = names.prefix(5).joined(separator: ", ")"#, #"lines += things.prefix(10).map { "  \($0)" }"#,
        #"PlainText.cut(text, to: 100)"#, #"// "\(text.prefix(3))""#, #"String(path.dropLast())"#,
        #"let id = "\(SHA256.hex(of: bytes).prefix(16))""#, "let head = bytes.prefix(4_096)\nsniff(head)",
        #"String(name.prefix(3))"#,
    ])
    func `what cuts no text is not found`(code: String) throws {
        let found = try Self.cuts(in: SourceFile(name: "A.swift", code)).map(\.what)
        #expect(found == [])
    }
}
