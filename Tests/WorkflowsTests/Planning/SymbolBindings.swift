import Foundation
import Workflows

/// The values of a plan's unknowns in a run.
struct SymbolBindings {
    private var values: [String: Value] = [:]

    /// The same without the elements of lists whose length was unknown.
    var outsideOfRounds: SymbolBindings {
        var copy = self
        copy.values = values.filter { !$0.key.contains("[]") }
        return copy
    }

    /// Binds the unknowns of planned data so that it equals the actual data; nil if that is impossible.
    func matching(_ planned: Value, _ actual: Value) -> SymbolBindings? {
        switch (planned, actual) {
        case (.string(let text), _) where Self.isSymbol(text): return binding(text, to: actual)
        case (.string(let text), .string(let other)) where text.contains("‹"): return matching(text, other) { $0 }
        case (.array(let mine), .array(let theirs)) where mine.count == theirs.count:
            var bindings = self
            for (one, two) in zip(mine, theirs) {
                guard let next = bindings.matching(one, two) else { return nil }
                bindings = next
            }
            return bindings
        case (.object(let mine), .object(let theirs)) where mine.keys == theirs.keys:
            var bindings = self
            for (one, two) in zip(mine.values, theirs.values) {
                guard let next = bindings.matching(one, two) else { return nil }
                bindings = next
            }
            return bindings
        default: return planned == actual ? self : nil
        }
    }

    /// Binds the unknowns of a planned address; they are percent-encoded there, like their values.
    func matching(_ planned: URL, _ actual: URL) -> SymbolBindings? {
        let text = planned.absoluteString.replacing("%E2%80%B9", with: "‹").replacing("%E2%80%BA", with: "›")
        let wanted = text.replacing(#/‹(.*?)›/#) { "‹\($0.output.1.removingPercentEncoding ?? "")›" }
        return matching(wanted, actual.absoluteString) { $0.removingPercentEncoding ?? $0 }
    }

    /// Binds the unknowns in a text.
    func matching(_ planned: String, _ actual: String, decode: (String) -> String) -> SymbolBindings? {
        guard let open = planned.firstIndex(of: "‹"), let close = planned[open...].firstIndex(of: "›") else {
            return planned == actual ? self : nil
        }
        let before = planned[..<open]
        guard actual.hasPrefix(before) else { return nil }
        let symbol = String(planned[open...close])
        let rest = String(planned[planned.index(after: close)...])
        let tail = actual.dropFirst(before.count)
        // The text after the unknown shows where its value ends.
        let anchor = String(rest.prefix { $0 != "‹" })
        var end = anchor.isEmpty && rest.isEmpty ? tail.endIndex : tail.startIndex
        while true {
            let value = Value.string(decode(String(tail[..<end])))
            if tail[end...].hasPrefix(anchor), let bound = binding(symbol, to: value),
                let matched = bound.matching(rest, String(tail[end...]), decode: decode)
            {
                return matched
            }
            guard end < tail.endIndex else { return nil }
            end = tail.index(after: end)
        }
    }

    /// Binds one unknown; nil if it has another value already.
    func binding(_ symbol: String, to value: Value) -> SymbolBindings? {
        // Every request has its own id.
        guard symbol != "‹new for each request›" else { return self }
        if let known = values[symbol] { return Self.text(known) == Self.text(value) ? self : nil }
        var copy = self
        copy.values[symbol] = value
        return copy
    }

    private static func text(_ value: Value) -> String { value.string ?? value.json() }

    private static func isSymbol(_ text: String) -> Bool {
        text.hasPrefix("‹") && text.hasSuffix("›") && text.count { $0 == "‹" } == 1
    }
}
