import Foundation
import Workflows

/// How fast texts and data are encoded and decoded, beside Foundation.
enum EncodingLines {
    /// An object of data as a type that Foundation encodes.
    private struct Item: Codable {
        var number: Int
        var name: String
        var counts: [String: Int]
        var numbers: [Int]
        var text: String
        var share: Double
        var isNew: Bool
    }

    static func show() throws {
        try texts()
        try data()
    }

    private static func texts() throws {
        let sentence = "Größe: lorem ipsum dolor sit amet, consectetur & adipiscing elit? 100 % \n"
        let text = String(repeating: sentence, count: 50_000)
        let base64 = Data(text.utf8).base64EncodedString()
        let percent = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let cases: [(format: String, text: String, peer: () -> Void)] = [
            ("@base64", text, { keep(Data(text.utf8).base64EncodedString()) }),
            ("@base64d", base64, { keep(Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) }) }),
            ("@uri", text, { keep(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)) }),
            ("@urid", percent, { keep(percent.removingPercentEncoding) }),
        ]
        var budget = Expression.Budget()
        budget.steps = .max
        budget.memory = 1 << 30
        for (format, text, peer) in cases {
            let expression = try Expression(format)
            try line("`\(format)`", text.utf8.count, beside: peer) {
                keep(try expression.evaluate(.string(text), budget: budget))
            }
        }
    }

    private static func data() throws {
        let items = (0..<20_000).map {
            Item(
                number: $0 % 20, name: "item \($0)", counts: ["done": $0 % 1_000], numbers: [1, 22, 33, 4, 5, 66, 7],
                text: "lorem ipsum \"dolor\" sit amet", share: Double($0) / 8, isNew: true)
        }
        let json = try JSONEncoder().encode(items)
        let value = try Value(json: json)
        try line("encoding JSON", json.count, beside: { keep(try JSONEncoder().encode(items)) }) {
            keep(value.jsonData())
        }
        try line("decoding JSON", json.count, beside: { keep(try JSONDecoder().decode([Item].self, from: json)) }) {
            keep(try Value(json: json))
        }
    }

    private static func line(
        _ name: String, _ count: Int, beside peer: () throws -> Void, _ body: () throws -> Void
    ) throws {
        func speed(_ body: () throws -> Void) throws -> String {
            String(format: "%.0f MB/s", Double(count) / 1e6 / (try medianOfCPU(runs: 9, body)))
        }
        Line(name: name, reach: "Foundation's speed", figure: try speed(body), beside: "Foundation \(try speed(peer))")
            .show()
    }
}
