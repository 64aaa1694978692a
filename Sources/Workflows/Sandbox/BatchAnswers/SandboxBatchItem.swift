struct SandboxBatchItem {
    let id: String
    let dependsOn: [String]
    let request: HTTPRequest

    /// - Parameters:
    ///   - value: The request in the batch's body.
    ///   - outer: The request with the batch, which provides the address and the token.
    init(_ value: Value, in outer: HTTPRequest) throws(SandboxError) {
        guard let id = value["id"]?.string, !id.isEmpty, let method = value["method"]?.string,
            let target = value["url"]?.string
        else {
            throw .badRequest("Every request of a batch needs an id, a method and a url.")
        }
        self.id = id
        dependsOn = (value["dependsOn"]?.array ?? []).compactMap(\.string)
        let path = target.hasPrefix("/") ? target : "/" + target
        guard !target.contains("://"), !path.hasPrefix("//"), !path.lowercased().hasPrefix("/v1.0/"),
            let url = URL(string: Self.root(of: outer.url) + "/v1.0" + path)
        else {
            throw .badRequest("The url of request '\(id)' has to be relative, without the version.")
        }
        guard !path.lowercased().hasPrefix("/$batch") else {
            throw .badRequest("Request '\(id)' is a batch, and batches cannot be nested.")
        }
        var request = HTTPRequest(method.uppercased(), url)
        for (name, value) in value["headers"]?.object ?? [:] { request.headers[name] = value.string }
        request.headers["Authorization"] = outer.headers["Authorization"]
        if let body = value["body"], !body.isNull {
            guard let type = request.headers["Content-Type"] else {
                throw .badRequest("Write request id : \(id) does not contain Content-Type header or body.")
            }
            request.body = try Self.bytes(of: body, type, id)
        }
        self.request = request
    }

    /// A batch carries JSON unchanged and everything else in Base64url.
    private static func bytes(of body: Value, _ type: String, _ id: String) throws(SandboxError) -> Data {
        if ContentType.isJSON(type) { return body.jsonData() }
        guard var text = body.string else {
            throw .badRequest("The body of request '\(id)' has to be in base64url for its Content-Type.")
        }
        text = text.replacing("-", with: "+").replacing("_", with: "/")
        while !text.utf8.count.isMultiple(of: 4) { text += "=" }
        guard let data = Data(base64Encoded: text) else {
            throw .badRequest("The body of request '\(id)' is not base64url.")
        }
        return data
    }

    private static func root(of url: URL) -> String {
        "\(url.scheme ?? "https")://\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")"
    }
}
