/// A file of tests in which differences become expectations, with everything else as it was.
struct TestUpdate {
    let text: Data?
    let count: Int

    /// - Throws: ``UsageError`` if the places cannot be changed one by one.
    init(_ document: Document, _ differences: [TestDifference]) throws(UsageError) {
        var changes: [(place: JSONPointer, bytes: Range<Int>, value: Value)] = []
        for difference in differences {
            guard let value = difference.actual, let bytes = document.bytes(of: difference.place) else { continue }
            let isInside = changes.contains { difference.place.tokens.starts(with: $0.place.tokens) }
            if !isInside { changes.append((difference.place, bytes, value)) }
        }
        count = changes.count
        guard !changes.isEmpty else {
            text = nil
            return
        }
        var text = document.text
        var expected = document.value
        for change in changes.sorted(by: { $0.bytes.lowerBound > $1.bytes.lowerBound }) {
            text.replaceSubrange(change.bytes, with: Data(change.value.json().utf8))
            expected = expected.replacing(change.place.tokens[...], by: change.value)
        }
        guard let changed = try? Document(data: text, name: document.name), changed.value == expected else {
            throw UsageError("'\(document.name)' cannot be changed in place", hint: "change it by hand")
        }
        self.text = text
    }
}

extension Value {
    fileprivate func replacing(_ path: ArraySlice<String>, by value: Value) -> Value {
        guard let token = path.first else { return value }
        switch self {
        case .object(var members):
            members[token] = members[token]?.replacing(path.dropFirst(), by: value)
            return .object(members)
        case .array(var elements):
            guard let index = Int(token), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].replacing(path.dropFirst(), by: value)
            return .array(elements)
        default: return self
        }
    }
}
