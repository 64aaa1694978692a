import Essentials

extension PlannedRequest {
    /// Whether a request is this one, with the values that its unknowns have in the run.
    func allows(_ real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        guard let method = try? reading.text(of: method),
            isHTTP ? method.uppercased() == real.method : method == real.method,
            operation.condition?.holds.allSatisfy({ reading.isSettled($0) != false }) ?? true
        else { return false }
        return hasAddress(of: real, &reading) && hasHeaders(of: real, &reading) && hasBody(of: real, &reading)
    }

    /// Whether the call leaves out what turns out to be null, and repeats a query item for each element of an array.
    private var isHTTP: Bool { operation.name == "http" }

    /// Whether the values of the unknowns stay in their places of the address.
    private func hasAddress(of real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        let address = real.url.absoluteString
        // A segment that leads elsewhere is none that a value may make.
        let planned = url.map { if case .plain(let text) = $0 { text } else { "x" } }.joined()
        guard address.dotSegments <= planned.dotSegments else { return false }
        let structure = isHTTP ? AddressStructure.segments : nil
        let parts = reading.whole(url)
        if reading.matches(parts, address: address, without: structure) { return true }
        // An item of a query leaves out null, and repeats itself for each element of a list.
        guard isHTTP || operation.name == "graph" else { return false }
        return reading.matches(reading.items(parts), address: address, without: structure)
    }

    /// Whether it stands for every range of a content.
    var isRange: Bool {
        url.first == .plain(UploadSession.example)
            && headers.contains { $0.name == "Content-Range" && $0.value.count > 1 }
    }

    /// The header fields; one whose value turns out to be null is left out, and an object is several.
    private func settledHeaders(_ reading: inout PlanReading) -> [(name: String, value: [TextPart])] {
        var given: [(name: String, value: [TextPart])] = []
        var own: [(name: String, value: [TextPart])] = []
        for field in headers {
            guard field.value.count == 1, case .unknown(let unknown)? = field.value.first,
                let value = try? reading.value(of: unknown)
            else {
                own.append(field)
                continue
            }
            switch value {
            case .null: break
            case .object(let members):
                for (name, value) in members where !value.isNull { given.append((name, [.plain(value.asText)])) }
            default: own.append(field)
            }
        }
        let names = Set(own.map { $0.name.lowercased() }), others = Set(given.map { $0.name.lowercased() })
        // What the call adds by itself is added only if it is not given; how it authenticates is always added.
        return own.filter { $0.name.lowercased() == "authorization" || !others.contains($0.name.lowercased()) }
            + given.filter { $0.name.lowercased() != "authorization" || !names.contains("authorization") }
    }

    private func hasHeaders(of real: HTTPRequest, _ reading: inout PlanReading) -> Bool {
        var own: Set = ["client-request-id", "retry-attempt"]
        if isRange { own.insert("content-range") }
        let (mine, theirs) = (settledHeaders(&reading), real.headers.fields)
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
        guard let body else { return real.body == nil && real.file == nil }
        if let file = real.file { return hasBody(of: real, in: file, body, &reading) }
        guard let data = real.body else { return false }
        if isRange { return hasRange(of: real, data, body, &reading) }
        switch body {
        case .bytes(_, let size, let sha256): return data.count == size && SHA256.hex(of: data) == sha256
        case .unknown(let planned, _): return reading.matches(planned, bytes: data)
        case .json(let planned):
            guard let value = try? Value(json: data) else { return false }
            if operation.name == "sendMail", let mine = planned.object, let theirs = value.object {
                return reading.matches(mail: mine, theirs)
            }
            if operation.name == "createEvent", var mine = planned.object, var theirs = value.object {
                // It follows from the run, which the plan does not know.
                guard theirs["transactionId"]?.string != nil else { return false }
                mine["transactionId"] = nil
                theirs["transactionId"] = nil
                return reading.matches(.object(mine), json: .object(theirs))
            }
            return reading.matches(planned, json: value)
        case .text(let planned):
            if let unknown = planned.unknown, reading.matches(.unknown(unknown), bytes: data) { return true }
            guard let text = String(validating: real.redactedBody ?? data, as: UTF8.self) else { return false }
            let type = ContentType.essence(of: real.headers["Content-Type"] ?? "")
            let isForm = type == "application/x-www-form-urlencoded"
            let parts = planned.textParts ?? planned.unknown.map { [.unknown($0)] } ?? []
            guard !isForm else {
                // A form that is one value as a whole has no places of its own.
                let structure = parts.count > 1 ? AddressStructure.items : nil
                if reading.matches(parts, address: text, without: structure) { return true }
                return isHTTP && reading.matches(reading.items(parts), address: text, without: structure)
            }
            guard reading.matches(parts, text: text) else { return false }
            return !ContentType.isJSON(type) || parts.keepStructure(ofJSON: text)
        }
    }

    /// Whether a body that is too large for memory is the planned one.
    private func hasBody(
        of real: HTTPRequest, in file: FilePart, _ body: PlannedBody, _ reading: inout PlanReading
    ) -> Bool {
        switch body {
        case .bytes(_, let size, let sha256): file.size == size && (try? file.sha256()) == sha256
        case .unknown(let planned, _): (try? reading.content(of: planned))?.isAll(of: file) ?? false
        case .json, .text: (try? real.withBodyInMemory()).map { hasBody(of: $0, &reading) } ?? false
        }
    }

    /// Whether it is a range of the content, which follows those that were sent.
    private func hasRange(
        of real: HTTPRequest, _ data: Data, _ body: PlannedBody, _ reading: inout PlanReading
    ) -> Bool {
        let content: PlannedContent?
        switch body {
        case .unknown(let planned, _): content = try? reading.content(of: planned)
        case .text(let planned):
            content = (try? reading.text(of: planned.textParts ?? [])).map { PlannedContent(Data($0.utf8)) }
        case .json, .bytes: content = nil
        }
        guard let content, let range = ContentRange(real.headers["Content-Range"]), content.has(data, at: range)
        else { return false }
        reading.range = range
        return true
    }
}

extension PlanReading {
    /// Whether a condition holds; nil if that is not known.
    mutating func isSettled(_ condition: Value) -> Bool? { (try? settled(condition))?.bool }

    /// Whether a request has the plan's message, by itself or with what is to be done with it.
    mutating func matches(mail planned: Object, _ real: Object) -> Bool {
        if planned.contains("toRecipients") {
            return (try? PlannedMail(planned, &self))?.isSame(as: real) ?? false
        }
        guard let mine = planned["message"]?.object, let theirs = real["message"]?.object else {
            return matches(.object(planned), json: .object(real))
        }
        var (rest, given) = (planned, real)
        (rest["message"], given["message"]) = (nil, nil)
        return matches(mail: mine, theirs) && matches(.object(rest), json: .object(given))
    }

    mutating func matches(_ planned: [TextPart], text: String) -> Bool {
        guard let settled = try? self.text(of: planned) else { return false }
        return settled.utf8.elementsEqual(text.utf8)
    }

    /// Whether the value of a header field is the plan's, with a scheme and base64.
    mutating func matches(_ planned: [TextPart], basic real: String) -> Bool {
        guard planned.count == 1, case .plain(let text) = planned[0], real.hasPrefix("Basic "),
            text.hasPrefix("Basic "), let data = Data(base64Encoded: String(text.dropFirst(6))),
            let given = Data(base64Encoded: String(real.dropFirst(6)))
        else { return false }
        return matches(approval.unknowns.parts(data), text: String(decoding: given, as: UTF8.self))
    }

    /// Whether bytes are what an unknown stands for: a content, or other data as JSON.
    mutating func matches(_ planned: Value, bytes: Data) -> Bool {
        if let content = try? content(of: planned), content.isAll(bytes) { return true }
        guard let value = try? settled(planned) else { return false }
        return (value.string.map { Data($0.utf8) } ?? value.jsonData()) == bytes
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
            // In a text that is JSON, a value between quotes is its text.
            if value == real || real.string == value.asText { return true }
            guard let text = real.string, let bytes = Data(base64Encoded: text) else { return false }
            return matches(planned, bytes: bytes)
        default: return planned == real
        }
    }
}
