extension BatchEntry {
    /// The item's key: a string as it is, anything else as JSON.
    var shownKey: String { PlainText.exact(key.string ?? key.json(), limit: 60) }

    /// How long the item took, in seconds.
    var duration: Double { max(0, endedAt.timeIntervalSince(startedAt)) }
}

extension Int {
    /// The number with thousands separators: `1,204`.
    var grouped: String {
        var text = ""
        for (index, digit) in String(magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}

extension BatchCounts {
    /// The counts in a list: `1,204 of 20,000, 3 faulted`.
    var text: String {
        (["\(over.grouped) of \(total.grouped)"] + failures).joined(separator: ", ")
    }

    /// How many items did not complete, by their states: `3 faulted`, `1 unknown`.
    var failures: [String] {
        [faulted > 0 ? "\(faulted.grouped) faulted" : nil, unknown > 0 ? "\(unknown.grouped) unknown" : nil]
            .compactMap(\.self)
    }

    var json: Value {
        [
            "total": .integer(total), "completed": .integer(completed), "faulted": .integer(faulted),
            "unknown": .integer(unknown), "pending": .integer(pending),
        ]
    }
}
