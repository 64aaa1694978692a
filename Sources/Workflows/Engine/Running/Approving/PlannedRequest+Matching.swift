import Essentials

extension PlannedRequest {
    /// Whether a request is this one, with the values that its unknowns have in the run.
    func allows(_ real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        guard real.method == request.method else { return false }
        return reading.matches(url, address: real.url.absoluteString) && hasHeaders(of: real, &reading)
            && hasBody(of: real, &reading)
    }

    private func hasHeaders(of real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        let own: Set = ["client-request-id", "retry-attempt"]
        // A field whose value turns out to be null is left out.
        let mine = headers.filter { field in
            guard field.value.count == 1, case .unknown(let unknown)? = field.value.first else { return true }
            return (try? reading.value(of: unknown))?.isNull != true
        }
        let theirs = real.headers.fields
        let names = Set(mine.map { $0.name.lowercased() } + theirs.map { $0.name.lowercased() }).subtracting(own)
        return names.allSatisfy { name in
            let planned = mine.filter { $0.name.lowercased() == name }.map(\.value)
            let given = theirs.filter { $0.name.lowercased() == name }.map(\.value)
            // A token is the credential's, and what a challenge asks for is the service's.
            if name == "authorization", planned.isEmpty || planned == [[.plain("Bearer planned")]] { return true }
            guard planned.count == given.count else { return false }
            for (one, other) in zip(planned, given) {
                guard reading.matches(one, text: other) || name == "authorization" && reading.matches(one, basic: other)
                else { return false }
            }
            return true
        }
    }

    private func hasBody(of real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        guard let body else { return real.body == nil }
        guard let data = real.body else { return false }
        switch body {
        case .bytes(_, let size, let sha256): return data.count == size && SHA256.hex(of: data) == sha256
        case .unknown(let planned, _): return reading.matches(planned, bytes: data)
        case .json(let planned):
            guard let value = try? Value(json: data) else { return false }
            return reading.matches(planned, json: value)
        case .text(let planned):
            if let unknown = planned.unknown, reading.matches(.unknown(unknown), bytes: data) { return true }
            guard let text = String(validating: real.redactedBody ?? data, as: UTF8.self) else { return false }
            let type = ContentType.essence(of: real.headers["Content-Type"] ?? "")
            let isForm = type == "application/x-www-form-urlencoded"
            let parts = planned.textParts ?? planned.unknown.map { [.unknown($0)] } ?? []
            return isForm ? reading.matches(parts, address: text) : reading.matches(parts, text: text)
        }
    }
}

extension PlanReading {
    mutating func matches(_ planned: [TextPart], text: String) -> Bool {
        guard let settled = try? self.text(of: planned) else { return false }
        return settled.utf8.elementsEqual(text.utf8)
    }

    /// Whether an address, or a form, is the plan's; a value may be percent-encoded in it or not.
    mutating func matches(_ planned: [TextPart], address: String) -> Bool {
        var parts = planned[...]
        // The address of an upload session has an example's beginning in a plan.
        if parts.count > 1, case .plain(UploadSession.example)? = parts.first { parts.removeFirst() }
        var rest = Array(address.utf8)[...]
        for part in parts {
            guard let text = try? self.text(of: [part]) else { return false }
            if case .plain = part {
                guard rest.starts(with: text.utf8) else { return false }
                rest = rest.dropFirst(text.utf8.count)
            } else {
                guard Self.drop(text, from: &rest) else { return false }
            }
        }
        return rest.isEmpty
    }

    /// Removes a value at the beginning, each of whose bytes may be percent-encoded.
    private static func drop(_ text: String, from rest: inout ArraySlice<UInt8>) -> Bool {
        for byte in text.utf8 {
            guard let next = rest.first else { return false }
            let encoded = Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
            if rest.starts(with: encoded) {
                rest = rest.dropFirst(encoded.count)
            } else if next == byte, byte != UInt8(ascii: "%") {
                rest = rest.dropFirst()
            } else if byte == UInt8(ascii: " "), next == UInt8(ascii: "+") {
                rest = rest.dropFirst()
            } else {
                return false
            }
        }
        return true
    }

    /// Whether the value of a header field is the plan's, with a scheme and base64.
    mutating func matches(_ planned: [TextPart], basic real: String) -> Bool {
        guard planned.count == 1, case .plain(let text) = planned[0], real.hasPrefix("Basic "),
            text.hasPrefix("Basic "), let data = Data(base64Encoded: String(text.dropFirst(6))),
            let given = Data(base64Encoded: String(real.dropFirst(6)))
        else { return false }
        return matches(approval.unknowns.parts(data), text: String(decoding: given, as: UTF8.self))
    }

    /// Whether bytes are what an unknown stands for: a blob, a text or base64.
    mutating func matches(_ planned: Value, bytes: Data) -> Bool {
        if let unknown = planned.unknown, case .computed(let derivation) = unknown.origin,
            derivation.expression == "@base64d", let input = try? settled(derivation.input).string
        {
            return Data(base64Encoded: input.filter { !$0.isWhitespace }) == bytes
        }
        guard let value = try? settled(planned) else { return false }
        guard let hash = value["blob"]?.string ?? value.string else { return false }
        return hash == "sha256:\(SHA256.hex(of: bytes))" || hash.utf8.elementsEqual(bytes)
    }

    /// Whether data is the plan's; unknown bytes are base64 in it.
    mutating func matches(_ planned: Value, json real: Value) -> Bool {
        switch (planned, real) {
        case (.array(let mine), .array(let theirs)):
            guard mine.count == theirs.count else { return false }
            for (one, other) in zip(mine, theirs) where !matches(one, json: other) { return false }
            return true
        case (.object(let mine), .object(let theirs)):
            guard mine.count == theirs.count else { return false }
            for (name, member) in mine {
                guard let other = theirs[name], matches(member, json: other) else { return false }
            }
            return true
        case (.marked, _):
            guard let value = try? settled(planned) else { return false }
            if value == real { return true }
            guard let text = real.string, let bytes = Data(base64Encoded: text) else { return false }
            return matches(planned, bytes: bytes)
        default: return planned == real
        }
    }
}
