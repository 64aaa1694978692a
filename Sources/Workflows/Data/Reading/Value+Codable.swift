import Essentials

extension Value {
    /// Encodes a Swift value as JSON.
    /// - Throws: `EncodingError` if it cannot be encoded.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        try self.init(json: try encoder.encode(value))
    }

    /// Decodes a Swift value from these data.
    ///
    /// Dates are read from texts in RFC 3339.
    /// - Throws: `DecodingError` if the data do not have its shape.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: jsonData())
    }
}
