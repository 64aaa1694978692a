enum TestFormat: String, CaseIterable {
    case text
    /// JUnit's XML, for build servers.
    case junit
    /// Test Anything Protocol, version 14.
    case tap
    case json
}

struct TestReport: Sendable {
    struct Result: Sendable {
        let test: TestCase
        let differences: [TestDifference]
        let duration: Duration
    }

    let file: TestFile
    let results: [Result]
    let coverage: TestCoverage

    var failures: [Result] { results.filter { !$0.differences.isEmpty } }

    /// The differences of a case at their places in the file.
    func diagnostics(of result: Result) -> [Diagnostic] {
        result.differences.map { file.document.diagnostic(id: "test", $0.message, at: $0.place) }
    }

    func text(colour: Bool) -> String {
        var lines = [file.document.name]
        for result in results {
            let isFailed = !result.differences.isEmpty
            let mark = isFailed ? "✗" : "✓"
            lines.append(
                "  \(colour ? "\u{1B}[\(isFailed ? 31 : 32)m\(mark)\u{1B}[0m" : mark) \(result.test.name.shown)")
            for diagnostic in diagnostics(of: result) {
                lines += diagnostic.text(colour: colour).split(separator: "\n", omittingEmptySubsequences: false)
                    .map { "    \($0)" }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The places that no case of the file reaches; nil if that was not measured.
    var coverageText: String {
        let (missed, count) = (coverage.missed, coverage.count)
        let list = missed.prefix(10).map(\.words).joined(separator: ", ") + (missed.count > 10 ? ", …" : "")
        let share = "\(count - missed.count) of \(count) tasks and branches are reached"
        return missed.isEmpty ? "  \(share)" : "  \(share), not \(list.shown)"
    }
}

extension [TestReport] {
    var junit: String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        let (count, failed) = (reduce(0) { $0 + $1.results.count }, reduce(0) { $0 + $1.failures.count })
        lines.append(#"<testsuites tests="\#(count)" failures="\#(failed)">"#)
        for report in self {
            let name = report.file.document.name.xml
            lines.append(
                #"  <testsuite name="\#(name)" tests="\#(report.results.count)" failures="\#(report.failures.count)">"#)
            for result in report.results {
                let head =
                    #"    <testcase classname="\#(name)" name="\#(result.test.name.xml)" "#
                    + #"time="\#(result.duration.thousandths)""#
                let diagnostics = report.diagnostics(of: result)
                guard let first = diagnostics.first else {
                    lines.append(head + "/>")
                    continue
                }
                lines.append(head + ">")
                lines.append(#"      <failure message="\#(first.message.xml)">"#)
                lines.append(diagnostics.map { $0.text() }.joined(separator: "\n").xml)
                lines += ["      </failure>", "    </testcase>"]
            }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n")
    }

    var tap: String {
        var lines = ["TAP version 14", "1..\(reduce(0) { $0 + $1.results.count })"]
        var number = 0
        for report in self {
            for result in report.results {
                number += 1
                let name = "\(report.file.document.name): \(result.test.name)".shown
                    .replacing("\\", with: "\\\\").replacing("#", with: "\\#")
                lines.append("\(result.differences.isEmpty ? "ok" : "not ok") \(number) - \(name)")
                guard !result.differences.isEmpty else { continue }
                lines += ["  ---", "  differences:"]
                for diagnostic in report.diagnostics(of: result) {
                    let start = diagnostic.range?.start
                    let place = "\(report.file.document.name):\(start?.line ?? 1):\(start?.column ?? 1)"
                    lines.append("    - \(Value.string("\(place): \(diagnostic.message)").json())")
                }
                lines.append("  ...")
            }
        }
        return lines.joined(separator: "\n")
    }

    var value: Value {
        .array(
            map { report in
                [
                    "file": .string(report.file.document.name),
                    "cases": .array(
                        report.results.map { result in
                            [
                                "name": .string(result.test.name),
                                "passed": .bool(result.differences.isEmpty),
                                "seconds": .double(Double(result.duration.thousandths) ?? 0),
                                "differences": .array(report.diagnostics(of: result).map(\.json)),
                            ]
                        }),
                    "coverage": [
                        "places": .integer(report.coverage.count),
                        "missed": .array(report.coverage.missed.map { .string($0.words) }),
                    ],
                ]
            })
    }
}

extension Duration {
    /// The seconds with three decimals.
    fileprivate var thousandths: String {
        let thousandths = Int((seconds * 1_000).rounded())
        return "\(thousandths / 1_000).\(String(1_000 + thousandths % 1_000).dropFirst())"
    }
}

extension String {
    fileprivate var shown: String { PlainText.line(self, limit: 1_000) }

    /// The text for XML, without what XML does not allow.
    fileprivate var xml: String {
        PlainText.escaped(self, keepingLines: true).htmlEscaped.replacing("\n", with: "&#10;")
    }
}
