/// The fields of a form or query; each name may occur only once (RFC 6749, section 3.1).
struct SandboxForm {
    let fields: [String: String]
    /// A name that occurs more than once.
    let repeated: String?

    init(_ pairs: [(name: String, value: String)]) {
        var fields: [String: String] = [:]
        var repeated: String?
        for (name, value) in pairs {
            if fields[name] != nil { repeated = name }
            // A field without a value counts as missing.
            fields[name] = value
        }
        self.fields = fields.filter { !$0.value.isEmpty }
        self.repeated = repeated
    }

    init(_ request: HTTPRequest) throws(SandboxError) {
        let type = ContentType.essence(of: request.headers["Content-Type"] ?? "")
        guard type == "application/x-www-form-urlencoded", let body = request.body, body.count <= 1 << 20 else {
            self.init([])
            return
        }
        self.init(try SandboxTarget.pairs(String(decoding: body, as: UTF8.self)[...]))
    }

    subscript(name: String) -> String? { fields[name] }

    func words(_ name: String) -> [String] {
        (fields[name] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
