struct BatchAnswers: Sendable {
    private var answers: [String: HTTPResponse] = [:]

    init?(_ response: HTTPResponse) {
        // 424 has answers too: a request that others depend on failed.
        guard (200..<300).contains(response.status) || response.status == 424,
            let list = (try? Value(json: response.body))?["responses"]?.array
        else { return nil }
        for value in list {
            guard let id = value["id"]?.string ?? value["id"]?.integer.map(String.init),
                let status = value["status"]?.integer ?? value["status"]?.string.flatMap({ Int($0) }),
                (100...599).contains(status)
            else { continue }
            var headers = HTTPHeaders()
            for (name, header) in value["headers"]?.object ?? [:] {
                // The batch carries the body in another encoding, so its length differs.
                guard name.lowercased() != "content-length", let text = header.string else { continue }
                headers.append(name, text)
            }
            for name in ["Date", "request-id"] where headers[name] == nil { headers[name] = response.headers[name] }
            answers[id] = HTTPResponse(
                status: status, headers: headers, body: Self.body(value["body"], type: headers["Content-Type"] ?? ""))
        }
    }

    subscript(id: String) -> HTTPResponse? { answers[id] }

    /// A batch carries JSON unchanged and bytes in Base64.
    private static func body(_ value: Value?, type: String) -> Data {
        switch value {
        case nil, .null?: Data()
        case .string(let text)? where !ContentType.isJSON(type):
            type.lowercased().hasPrefix("text/") ? Data(text.utf8) : bytes(text) ?? Data(text.utf8)
        case let value?: value.jsonData()
        }
    }

    private static func bytes(_ text: String) -> Data? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while !text.utf8.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: text)
    }
}
