/// What a run may put into the slots of an approved plan.
///
/// A slot is where the plan has an unknown. A run fills it with a value computed from its own answers. The value must
/// not add structure: no segment of an address, no item of a query or a form, no member of JSON around it. Everything
/// outside the slots must be equal. Values are not derived again: the digests of the workflow, its files and its input
/// fix how a run computes them.
enum Slots {
    /// Whether a text matches the plan's, with any texts in its slots.
    static func fit(_ planned: some Sequence<TextPart>, _ real: some StringProtocol) -> Bool {
        fit(pieces(of: planned), Array(real.utf8)[...])
    }

    /// The plain texts of a plan, separated by slots.
    private static func pieces(of planned: some Sequence<TextPart>) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        for part in planned {
            switch part {
            case .plain(let text): pieces[pieces.count - 1] += Array(text.utf8)
            case .secret(let secret): pieces[pieces.count - 1] += Array(secret.value.asText.utf8)
            case .unknown: pieces.append([])
            }
        }
        return pieces
    }

    private static func fit(_ pieces: [[UInt8]], _ real: ArraySlice<UInt8>) -> Bool {
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return real.elementsEqual(pieces.joined())
        }
        guard real.count >= first.count + last.count, real.starts(with: first),
            real.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = real.dropFirst(first.count).dropLast(last.count)
        // Each at its first place, which leaves the most room for the rest.
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let place = rest.firstRange(of: piece) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }

    /// Whether data matches the plan's, with one value in each slot.
    static func fit(_ planned: Value, _ real: Value) -> Bool {
        switch (planned, real) {
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { fit($0, $1) }
        case (.object(let mine), .object(let theirs)):
            return mine.count == theirs.count
                && mine.allSatisfy { name, value in theirs[name].map { fit(value, $0) } ?? false }
        case (.marked(let marked), _):
            if let unknown = planned.unknown { return unknown.shape.admits(real) }
            if let secret = planned.secret { return secret.value == real }
            return real.string.map { fit(marked.parts, $0) } ?? false
        default: return planned == real
        }
    }
}

extension Unknown.Shape {
    /// Whether a value adds no structure to what the plan knows of it.
    fileprivate func admits(_ value: Value) -> Bool {
        switch self {
        case .any: true
        // What an answer leaves out is null.
        case .text, .number, .boolean: value.array == nil && value.object == nil
        case .object: value.object != nil || value.isNull
        case .array: value.array != nil || value.isNull
        }
    }
}

extension [TextPart] {
    /// Whether the values in a JSON text add no members, elements or ends of texts.
    func keepStructure(ofJSON text: String) -> Bool {
        // The whole text is one value.
        guard count > 1 else { return true }
        // As a mark, a number is valid both as a value and inside a text.
        let mark = "7340516298"
        let plan = map { if case .plain(let plain) = $0 { plain } else { mark } }.joined()
        guard let planned = try? Value(json: plan), let real = try? Value(json: text) else { return false }
        return planned.hasStructure(of: real, mark)
    }
}

extension Value {
    var asText: String { string ?? json() }

    /// Whether other data has the same structure, and any value where the mark is.
    fileprivate func hasStructure(of other: Value, _ mark: String) -> Bool {
        switch (self, other) {
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.hasStructure(of: $1, mark) }
        case (.object(let mine), .object(let theirs)):
            return mine.count == theirs.count
                && zip(mine, theirs).allSatisfy { one, another in
                    (one.key == another.key || one.key.contains(mark))
                        && one.value.hasStructure(of: another.value, mark)
                }
        case (.string(let mine), .string(let theirs)): return mine == theirs || mine.contains(mark)
        default: return self == other || json() == mark
        }
    }
}
