extension ObjectVersion {
    /// The object in an answer of Microsoft Graph; nil if it has no id.
    package init?(_ answer: Value) {
        guard let id = answer["id"]?.string, !id.isEmpty else { return nil }
        self.init(id: id, etag: Self.etag(of: answer))
    }

    /// The version of an item: it changes with the item; nil for items without one.
    package static func etag(of item: Value) -> String? {
        (item["eTag"] ?? item["@odata.etag"] ?? item["changeKey"])?.string
    }

    init?(recorded value: Value) {
        let (id, path) = (value["id"]?.string, value["path"]?.string)
        guard id != nil || path != nil else { return nil }
        self.init(id: id, etag: value["etag"]?.string, path: path)
    }

    var value: Value {
        var members: Object = ["id": id.map(Value.string) ?? .null, "etag": etag.map(Value.string) ?? .null]
        members["path"] = path.map(Value.string)
        return .object(members)
    }
}
