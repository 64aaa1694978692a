extension PlanningTransport {
    func existing(
        at address: URL, for request: HTTPRequest, _ operation: HTTPOperation, by transport: any HTTPTransport
    ) -> Promise<PlannedRequest.Existing> {
        var question = HTTPRequest("GET", address, headers: ["Accept": "application/json"])
        for name in ["Authorization", "User-Agent"] { question.headers[name] = request.headers[name] }
        question.headers["client-request-id"] = request.headers["client-request-id"]
        guard question.isKnown(asQuery: false) else { return .value(.unknown("the path is only known at run time")) }
        var asking = operation
        (asking.effect, asking.consequences) = (.read, [])
        return transport.send(question.identified, for: asking).map(on: nil) { answer in
            switch answer.status {
            case 200:
                let item = try? Value(json: answer.body)
                if let names = address.selectedProperties {
                    return .object(Object(names.compactMap { name in item?[name].map { (name, $0) } }))
                }
                return .file(size: item?["size"]?.integer, changedAt: item?["lastModifiedDateTime"]?.string)
            case 404: return .nothing
            default: return .unknown("the response had status \(answer.status)")
            }
        }.recover(on: nil) { error -> Promise<PlannedRequest.Existing> in
            guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
            return .value(.unknown(failure.reason.words))
        }
    }
}

extension URL {
    fileprivate var selectedProperties: [String]? {
        let items = (query() ?? "").split(separator: "&")
        guard let item = items.first(where: { $0.hasPrefix("$select=") || $0.hasPrefix("%24select=") }) else {
            return nil
        }
        let names = String(item.drop { $0 != "=" }.dropFirst())
        return (names.percentDecoded ?? names).split(separator: ",").map(String.init)
    }
}
