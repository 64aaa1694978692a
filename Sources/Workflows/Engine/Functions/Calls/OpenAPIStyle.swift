/// How a parameter's value is written (OpenAPI 3.1, "Style Values"; Swagger 2.0, "collectionFormat").
struct OpenAPIStyle: Sendable, Hashable {
    enum Kind: String {
        case form, simple, label, matrix, spaceDelimited, pipeDelimited, deepObject, json, tabDelimited
    }

    var kind: Kind
    var explode: Bool
    /// Whether characters that delimit parts of an address stay as they are.
    var allowsReserved = false

    init(_ declared: Value, _ location: OpenAPIOperation.Parameter.Location, isSwagger: Bool) {
        let usual: Kind = location == .path || location == .header ? .simple : .form
        guard !isSwagger else {
            explode = declared["collectionFormat"] == "multi"
            kind =
                switch declared["collectionFormat"]?.string {
                case "ssv": .spaceDelimited
                case "tsv": .tabDelimited
                case "pipes": .pipeDelimited
                default: usual
                }
            return
        }
        guard declared["content"] == nil else {
            (kind, explode) = (.json, false)
            return
        }
        allowsReserved = location == .query && declared["allowReserved"] == true
        kind = declared["style"]?.string.flatMap(Kind.init) ?? usual
        explode = declared["explode"]?.bool ?? (kind == .form || kind == .deepObject)
    }

    /// The value as one text, for a path, a header field or a cookie.
    func text(_ name: String, _ value: Value, _ encode: (String) -> String) throws(OpenAPIError) -> String {
        if kind == .json { return encode(value.json()) }
        let isObject = value.object != nil
        let parts = try Self.parts(name, value)
        let key = encode(name)
        let flat = parts.flatMap { part in part.key.map { [encode($0), encode(part.text)] } ?? [encode(part.text)] }
        let assigned = parts.map { part in part.key.map { "\(encode($0))=\(encode(part.text))" } ?? encode(part.text) }
        switch kind {
        case .label: return "." + (explode ? assigned : flat).joined(separator: explode ? "." : ",")
        case .matrix:
            guard explode else { return ";\(key)=\(flat.joined(separator: ","))" }
            return assigned.map { isObject ? ";\($0)" : ";\(key)=\($0)" }.joined()
        case .spaceDelimited, .tabDelimited, .pipeDelimited: return flat.joined(separator: encode(separator))
        default: return (explode ? assigned : flat).joined(separator: ",")
        }
    }

    /// The value as items of a query.
    ///
    /// Its parts are encoded, and what delimits them is not (RFC 6570, 3.2.8).
    func items(_ name: String, _ value: Value) throws(OpenAPIError) -> [String] {
        func item(_ name: String, _ text: String) -> String { "\(name.percentEncoded(keeping: "$"))=\(text)" }
        func encoded(_ text: String) -> String {
            // Characters that would end the value, or begin another one, stay encoded.
            text.percentEncoded(keeping: allowsReserved ? "!$'()*,/:;?@" : "")
        }
        if kind == .json { return [item(name, encoded(value.json()))] }
        let parts = try Self.parts(name, value)
        if kind == .deepObject, value.object != nil {
            return parts.map { item("\(name)[\($0.key ?? "")]", encoded($0.text)) }
        }
        if explode, kind == .form { return parts.map { item($0.key ?? name, encoded($0.text)) } }
        let flat = parts.flatMap { part in part.key.map { [encoded($0), encoded(part.text)] } ?? [encoded(part.text)] }
        return flat.isEmpty ? [] : [item(name, flat.joined(separator: separator.percentEncoded(keeping: ",")))]
    }

    /// The separator between the elements of an array.
    var separator: String {
        switch kind {
        case .spaceDelimited: " "
        case .tabDelimited: "\t"
        case .pipeDelimited: "|"
        default: ","
        }
    }

    private static func parts(
        _ name: String, _ value: Value
    ) throws(OpenAPIError) -> [(key: String?, text: String)] {
        var parts: [(key: String?, text: String)] = []
        let members = value.object.map { $0.map { (String?.some($0.key), $0.value) } }
        for (key, element) in members ?? (value.array ?? [value]).map({ (nil, $0) }) where !element.isNull {
            guard let text = element.scalarText else {
                throw OpenAPIError(
                    "the parameter '\(name)' contains \(element.typeName == "array" ? "an array" : "an object"), "
                        + "which cannot be written as text", member: "parameters")
            }
            parts.append((key, text))
        }
        return parts
    }
}
