/// Keeps the lines of a journal short: large members are moved to blobs, and the line refers to them.
///
/// The references are in the attribute `large`, outside the data: they cannot collide with the user's data.
enum JournalBounds {
    /// The maximum size of a member's JSON in a line.
    static let largest = 64 << 10
    /// The size up to which a line cannot be nested too deeply to be read back.
    private static let shallow = 16 << 10
    private static let attribute = "large"
    /// The prefix of the reference to a text that is no member of the data.
    private static let ofLine = "/"

    /// Whether a line is so short that nothing in it has to be moved.
    static func isShort(_ json: [UInt8]) -> Bool { json.count <= shallow }

    static func json(of event: Event, _ blobs: BlobStore) -> [UInt8] {
        var members = event.record.object ?? [:]
        members[Seal.attribute] = event.seals.map { .string(Seal.text($0)) }
        return Array(json(of: members, inside: "data", blobs))
    }

    /// The JSON of a line, with large members moved to blobs.
    /// - Parameter name: The member whose members may be large; nil for those of the line itself.
    static func json(of line: Object, inside name: String?, _ blobs: BlobStore) -> Data {
        let json = Value.object(line).jsonData()
        guard json.count > shallow else { return json }
        guard var members = name.map({ line[$0]?.object }) ?? line else { return json }
        var references: [String] = []
        for (name, member) in members {
            let data = member.jsonData()
            guard data.count > largest || data.count > shallow && isDeep(data) else { continue }
            let blob = Blob(data, contentType: "application/json")
            blobs.keep(blob)
            members[name] = .null
            references.append("\(name)=\(blob.hash)")
        }
        let seals = line[Seal.attribute]?.string
        if let seals, seals.utf8.count > largest {
            let blob = Blob(Data(seals.utf8), contentType: "application/json")
            blobs.keep(blob)
            references.append("\(ofLine)\(Seal.attribute)=\(blob.hash)")
        }
        guard !references.isEmpty else { return json }
        var short = name == nil ? members : line
        if let name { short[name] = .object(members) }
        if let seals, seals.utf8.count > largest { short[Seal.attribute] = nil }
        short[attribute] = .string(references.joined(separator: " "))
        return Value.object(short).jsonData()
    }

    static func restore(
        _ line: inout Object, inside name: String?, _ blobs: BlobStore, number: Int
    ) throws(JournalError) {
        guard let references = line[attribute]?.string else { return }
        guard var members = name.map({ line[$0]?.object }) ?? line else {
            throw JournalLine.damaged(number, "it has no '\(name ?? "data")'")
        }
        for reference in references.split(separator: " ") {
            guard let sign = reference.firstIndex(of: "=") else {
                throw JournalLine.damaged(number, "its reference to large data is invalid")
            }
            do {
                let hash = String(reference[reference.index(after: sign)...])
                let blob = try blobs.blob(["blob": .string(hash), "contentType": "application/json"])
                if reference.hasPrefix(ofLine) {
                    line[String(reference[..<sign].dropFirst())] = .string(
                        String(decoding: try blob.bytes, as: UTF8.self))
                } else {
                    members[String(reference[..<sign])] = try Value(json: try blob.bytes)
                }
            } catch {
                throw JournalLine.damaged(number, "its '\(reference[..<sign])' is missing from 'blobs'")
            }
        }
        if let name {
            line[name] = .object(members)
        } else {
            for (name, member) in members { line[name] = member }
        }
        line[attribute] = nil
    }

    /// Whether data is nested too deeply to be read back as a part of a line.
    private static func isDeep(_ json: Data) -> Bool {
        var (depth, deepest, isText, isEscaped) = (0, 0, false, false)
        for byte in json {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest > JSONReader.depthLimit / 2
    }
}
