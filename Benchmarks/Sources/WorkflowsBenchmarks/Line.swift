import Foundation

/// One line of the table: what is to be reached, what was, and what another program takes for the same.
struct Line {
    let name: String
    /// What is to be reached, in words.
    let reach: String
    /// What was reached, in words.
    let figure: String
    /// The same of another program, in words; nil where there is none.
    var beside: String?

    /// Prints the table's first two lines.
    static func showHead() {
        Line(name: "case", reach: "reach", figure: "here", beside: "beside it").show()
        Line(name: "---", reach: "---", figure: "---", beside: "---").show()
    }

    /// Prints the line at once, without waiting for the next.
    func show() {
        let cells = [name, reach, figure, beside ?? "–"].joined(separator: " | ")
        FileHandle.standardOutput.write(Data("| \(cells) |\n".utf8))
    }

    /// Seconds, with three digits that count.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.000_001: String(format: "%.0f ns", seconds * 1e9)
        case ..<0.001: String(format: "%.2f µs", seconds * 1e6)
        case ..<1: String(format: "%.1f ms", seconds * 1e3)
        default: String(format: "%.2f s", seconds)
        }
    }
}
