/// An object of a service, in the version that an effect left.
package struct ObjectVersion: Sendable, Hashable {
    /// Nil if the answer did not name it.
    package var id: String?
    /// Nil for objects without one.
    package var etag: String?
    /// Where it is after the service's base, percent-encoded, without a query; nil if that is not known.
    package var path: String?

    package init(id: String?, etag: String?, path: String? = nil) { (self.id, self.etag, self.path) = (id, etag, path) }

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
