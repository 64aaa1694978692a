/// Reads the database's files in the format TZif of RFC 8536, in all versions.
extension SystemTimeZone {
    init(_ identifier: String, tzif bytes: [UInt8]) throws(TimeZoneError) {
        guard let read = Self.read(identifier, bytes) else {
            throw TimeZoneError("the file of the time zone '\(identifier)' is not a valid TZif file")
        }
        self = read
    }

    private static func read(_ identifier: String, _ bytes: [UInt8]) -> SystemTimeZone? {
        var reader = Reader(rest: bytes[...])
        guard var header = reader.header() else { return nil }
        if header.version >= UInt8(ascii: "2") {
            // The first block has 32-bit times, for old programs.
            guard reader.take(header.size(ofTimes: 4)) != nil, let second = reader.header() else { return nil }
            header = second
        }
        // Times that count leap seconds differ from POSIX's.
        guard header.leaps == 0, header.types > 0 else { return nil }
        let width = header.version >= UInt8(ascii: "2") ? 8 : 4
        guard let moments = reader.integers(header.times, width: width), let kinds = reader.take(header.times),
            let types = reader.take(header.types * 6), let names = reader.take(header.characters),
            reader.take(header.leaps * (width + 4) + header.standards + header.universals) != nil
        else { return nil }
        var times: [LocalTime] = []
        for start in stride(from: types.startIndex, to: types.endIndex, by: 6) {
            let offset = Reader.integer(types[start..<(start + 4)])
            guard let name = name(at: Int(types[start + 5]), in: names), abs(offset) < 100_000 else { return nil }
            times.append(LocalTime(offset: offset, abbreviation: name))
        }
        guard zip(moments, moments.dropFirst()).allSatisfy(<), kinds.allSatisfy({ Int($0) < times.count }) else {
            return nil
        }
        var rule: TimeZoneRule?
        if width == 8 {
            guard let footer = reader.footer() else { return nil }
            rule = TimeZoneRule(footer)
            guard rule != nil || footer.isEmpty else { return nil }
        }
        return SystemTimeZone(
            identifier, changes: Array(zip(moments, kinds.map { times[Int($0)] })), first: times[0], rule: rule)
    }

    private static func name(at start: Int, in names: ArraySlice<UInt8>) -> String? {
        let rest = names.dropFirst(start)
        guard let end = rest.firstIndex(of: 0), rest[..<end].allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return nil
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private struct Header {
        let version: UInt8
        let universals, standards, leaps, times, types, characters: Int

        func size(ofTimes width: Int) -> Int {
            times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standards + universals
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func header() -> Header? {
            guard let start = take(20), start.starts(with: "TZif".utf8), let counts = integers(6, width: 4),
                counts.allSatisfy({ $0 >= 0 })
            else { return nil }
            return Header(
                version: start[start.startIndex + 4], universals: counts[0], standards: counts[1], leaps: counts[2],
                times: counts[3], types: counts[4], characters: counts[5])
        }

        mutating func integers(_ count: Int, width: Int) -> [Int]? {
            guard let bytes = take(count * width) else { return nil }
            return stride(from: bytes.startIndex, to: bytes.endIndex, by: width).map {
                Self.integer(bytes[$0..<($0 + width)])
            }
        }

        /// The text between the last two line breaks.
        mutating func footer() -> ArraySlice<UInt8>? {
            guard take(1)?.first == UInt8(ascii: "\n"), let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                return nil
            }
            return rest[..<end]
        }

        /// A number in two's complement, most significant byte first.
        static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
            let isNegative = (bytes.first ?? 0) >= 0x80
            return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
        }
    }
}
