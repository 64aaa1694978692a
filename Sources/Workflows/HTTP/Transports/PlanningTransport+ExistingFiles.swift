extension PlanningTransport {
    /// What a plan found where a request writes.
    struct Found: Sendable {
        var existing: PlannedRequest.Existing
        var id: String?
        /// The version of a file, or that there is none; nil if that is not compared.
        var precondition: PlannedRequest.Precondition?

        init(_ existing: PlannedRequest.Existing) { self.existing = existing }
    }

    func found(
        at address: URL, for request: HTTPRequest, _ operation: HTTPOperation, by transport: any HTTPTransport
    ) -> Promise<Found> {
        let question = request.reading(address)
        guard question.isKnown(asQuery: false) else {
            return .value(Found(.unknown("the path is only known at run time")))
        }
        let isInDrive = address.path().split(separator: "/").contains { ["drive", "drives"].contains($0.lowercased()) }
        // In later rounds, the run itself has left another version.
        let isRepeated = operation.occurrence.split(separator: "/").contains {
            $0.hasSuffix(":*") && !$0.hasPrefix("try:")
        }
        let isCompared = isInDrive && !isRepeated && !writesFirst(question)
        return transport.send(question.identified, for: operation.reading).map(on: nil) { answer -> Found in
            switch answer.status {
            case 200:
                let item = try? Value(json: answer.body)
                var found: Found
                if let names = address.selectedProperties {
                    found = Found(.object(Object(names.compactMap { name in item?[name].map { (name, $0) } })))
                } else {
                    found = Found(
                        .file(size: item?["size"]?.integer, changedAt: item?["lastModifiedDateTime"]?.string))
                }
                found.id = item?["id"]?.string
                guard isInDrive else { return found }
                // A folder's version changes with what is in it.
                if isCompared, item?["folder"] == nil, let version = (item?["eTag"] ?? item?["@odata.etag"])?.string {
                    found.precondition = .version(version)
                }
                return found
            case 404:
                var found = Found(.nothing)
                if isCompared { found.precondition = .nothing }
                return found
            default: return Found(.unknown("the response had status \(answer.status)"))
            }
        }.recover(on: nil) { error -> Promise<Found> in
            guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
            return .value(Found(.unknown(failure.reason.words)))
        }
    }
}

extension PlannedRequest {
    /// What writes before it leave there is known to no plan.
    static let contested = Existing.unknown("other items of the batch write there, too")

    /// Notes what a plan found where the request writes.
    mutating func note(_ found: PlanningTransport.Found, at address: URL, isFirst: Bool, contested: Set<String>) {
        // OneDrive's paths are the same in any case.
        let place = String(address.absoluteString.prefix { $0 != "?" }).lowercased()
        objects = Set([place, found.id].compactMap { $0.map { SHA256.hex(of: Data($0.utf8)) } })
        guard objects.isDisjoint(with: contested) else {
            existing = Self.contested
            return
        }
        existing = found.existing
        // What the run wrote before has another version then.
        if isFirst { precondition = found.precondition }
    }
}

extension HTTPRequest {
    /// A request for what is at the address that this one writes.
    package func reading(_ address: URL) -> HTTPRequest {
        var question = HTTPRequest("GET", address, headers: ["Accept": "application/json"])
        for name in ["Authorization", "User-Agent", "client-request-id"] { question.headers[name] = headers[name] }
        return question
    }
}

extension HTTPOperation {
    /// The operation of a request that only reads for this one.
    package var reading: HTTPOperation {
        var reading = self
        (reading.effect, reading.consequences, reading.storage) = (.read, [], nil)
        return reading
    }
}

extension URL {
    fileprivate var selectedProperties: [String]? {
        let items = (query() ?? "").split(separator: "&")
        guard let item = items.first(where: { $0.hasPrefix("$select=") || $0.hasPrefix("%24select=") }) else {
            return nil
        }
        let names = String(item.drop { $0 != "=" }.dropFirst())
        return (names.percentDecoded ?? names).split(separator: ",").map(String.init).filter {
            !["id", "eTag", "folder"].contains($0)
        }
    }
}
