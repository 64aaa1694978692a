import Essentials

/// What a value cannot have more of than its place in a plan, unless it is percent-encoded.
enum AddressStructure: String {
    /// In a path: segments, and the query.
    case segments = "/?#"
    /// In a query or a form: items.
    case items = "&#"
}

extension PlanReading {
    /// An address that begins with an unknown, with the address that this is in the run in its place.
    mutating func whole(_ planned: [TextPart]) -> [TextPart] {
        guard case .unknown? = planned.first else { return planned }
        var rest = planned[...]
        var text = ""
        while let part = rest.first {
            if case .plain(let plain) = part, let mark = plain.firstIndex(of: "?") {
                text += plain[..<mark]
                rest[rest.startIndex] = .plain(String(plain[plain.index(after: mark)...]))
                break
            }
            guard let settled = try? self.text(of: [part]) else { return planned }
            text += settled
            rest.removeFirst()
        }
        guard let address = try? HTTPCall.address(text, plainHosts: PlainHosts([URL(string: text)?.host() ?? ""]))
        else {
            return planned
        }
        let separator = rest.isEmpty ? "" : address.query() == nil ? "?" : "&"
        return [.plain(address.absoluteString + separator)] + rest
    }

    /// An address or a form whose items are the values' in the run: none for null, and one for each element.
    mutating func items(_ planned: [TextPart]) -> [TextPart] {
        var items: [[TextPart]] = [[]]
        var start: [TextPart]?
        for part in planned {
            guard case .plain(var text) = part else {
                items[items.count - 1].append(part)
                continue
            }
            if start == nil, let mark = text.firstIndex(of: "?") {
                start = items[0] + [.plain(String(text[..<mark]))]
                items = [[]]
                text = String(text[text.index(after: mark)...])
            }
            let pieces = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
            items[items.count - 1].append(.plain(pieces[0]))
            items += pieces.dropFirst().map { [.plain($0)] }
        }
        let isAddress =
            planned.first.map { if case .plain(let text) = $0 { text.contains("://") } else { false } } ?? false
        guard start != nil || !isAddress else { return planned }
        let all = items.map { $0.filter { $0 != .plain("") } }.filter { !$0.isEmpty }.flatMap { self.items(of: $0) }
        let joined = all.enumerated().flatMap { $0.offset == 0 ? $0.element : [.plain("&")] + $0.element }
        return (start ?? []) + (start == nil || joined.isEmpty ? joined : [.plain("?")] + joined)
    }

    private mutating func items(of item: [TextPart]) -> [[TextPart]] {
        guard case .unknown(let unknown)? = item.last, let value = try? value(of: unknown) else { return [item] }
        let pairs: Value
        switch (item.count, item[0]) {
        case (1, _): pairs = value
        case (2, .plain(let name)) where name.last == "=" && name.dropLast().allSatisfy { $0 != "=" }:
            guard value.array != nil || value.isNull else { return [item] }
            pairs = [String(name.dropLast()).percentDecoded ?? String(name): value]
        default: return [item]
        }
        guard let found = try? HTTPCall.pairs(pairs, at: .root) else { return [item] }
        return found.map { [.plain("\($0.name.percentEncoded(keeping: "$"))=\($0.value.percentEncoded())")] }
    }

    /// Whether an address, or a form, is the plan's; a value may be percent-encoded in it or not.
    /// - Parameter structure: What values cannot have more of; nil for no such limit.
    mutating func matches(
        _ planned: [TextPart], address: String, without structure: AddressStructure? = nil
    ) -> Bool {
        var parts = planned[...]
        // The address of an upload session has an example's beginning in a plan.
        if parts.count > 1, case .plain(UploadSession.example)? = parts.first { parts.removeFirst() }
        return matches(parts, rest: Array(address.utf8)[...], without: structure)
    }

    private mutating func matches(
        _ parts: ArraySlice<TextPart>, rest: ArraySlice<UInt8>, without structure: AddressStructure?
    ) -> Bool {
        guard let part = parts.first else { return rest.isEmpty }
        guard let text = try? self.text(of: [part]) else { return false }
        if case .plain = part {
            guard rest.starts(with: text.utf8) else { return false }
            let inside = structure == .segments && text.contains("?") ? .items : structure
            return matches(parts.dropFirst(), rest: rest.dropFirst(text.utf8.count), without: inside)
        }
        var values = [Substring(text)]
        if structure != nil, parts.count == 1 {
            // At its end an address leaves out blanks, and a fragment, of which a value can be the beginning.
            let address = text.prefix { $0 != "#" }
            for value in [text[...], address] {
                let end = value.lastIndex { !$0.isWhitespace }.map(value.index(after:)) ?? value.startIndex
                values += [value, value[..<end]]
            }
        }
        for (number, value) in values.enumerated() where !values[..<number].contains(value) {
            // What the value has encoded itself either stays as it is, or is encoded once more.
            for isVerbatim in value.utf8.contains(UInt8(ascii: "%")) ? [true, false] : [false] {
                let left = Self.rest(
                    of: rest, after: value, keepingEscapes: isVerbatim, without: structure?.rawValue ?? "")
                if let left, matches(parts.dropFirst(), rest: left, without: structure) { return true }
            }
        }
        return false
    }

    /// An address without a value at its beginning, each of whose bytes may be percent-encoded; nil if it has another.
    /// - Parameters:
    ///   - isVerbatim: Whether what is percent-encoded in the value stands in the address as it is.
    ///   - structure: What stands in the address only encoded.
    private static func rest(
        of address: ArraySlice<UInt8>, after text: Substring, keepingEscapes isVerbatim: Bool, without structure: String
    ) -> ArraySlice<UInt8>? {
        var (rest, value) = (address, Array(text.utf8)[...])
        let percent = UInt8(ascii: "%")
        while let byte = value.popFirst() {
            guard let next = rest.popFirst() else { return nil }
            let isEscape = byte == percent && value.prefix(2).count(where: \.isHexDigit) == 2
            if isVerbatim, isEscape {
                guard next == byte else { return nil }
            } else if next == percent, rest.startsWithHex(of: byte) {
                rest = rest.dropFirst(2)
            } else {
                let isItself = next == byte && byte != percent && !structure.utf8.contains(byte)
                guard isItself || byte == UInt8(ascii: " ") && next == UInt8(ascii: "+") else { return nil }
            }
        }
        return rest
    }
}

extension [TextPart] {
    /// Whether the values in a JSON text are values there: no further members, elements or ends of texts.
    func keepStructure(ofJSON text: String) -> Bool {
        // The whole text is one value.
        guard count > 1 else { return true }
        // A number stands for itself outside a text, and is a part of one inside.
        let mark = "7340516298"
        let plan = map { if case .plain(let plain) = $0 { plain } else { mark } }.joined()
        guard let planned = try? Value(json: plan), let real = try? Value(json: text) else { return false }
        return planned.hasStructure(of: real, mark)
    }
}

extension Value {
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

extension String {
    /// The number of segments in an address that lead to another folder, encoded or not.
    var dotSegments: Int {
        prefix { $0 != "?" && $0 != "#" }.split(separator: "/").count { segment in
            segment.utf8.count <= 6 && [".", ".."].contains(String(segment).percentDecoded ?? "")
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether it begins with a byte's two digits in upper case.
    fileprivate func startsWithHex(of byte: UInt8) -> Bool {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value }
        return count >= 2 && self[startIndex] == digit(byte >> 4) && self[startIndex + 1] == digit(byte & 15)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9") ~= self) || (UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20)
    }
}
