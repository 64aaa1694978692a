/// The formats that are checked; others are only annotations, as the specification allows.
package enum SchemaFormat: String, Sendable {
    case date
    case dateTime = "date-time"
    case time
    case duration
    case email
    case hostname
    case ipv4
    case ipv6
    case uri
    case uriReference = "uri-reference"
    case uriTemplate = "uri-template"
    case uuid
    case regex
    case jsonPointer = "json-pointer"

    var words: String {
        switch self {
        case .date: "a date such as 2026-12-31"
        case .dateTime: "a date and time such as 2026-12-31T23:59:59Z"
        case .time: "a time such as 23:59:59Z"
        case .duration: "an ISO 8601 duration such as PT15S"
        case .email: "an e-mail address"
        case .hostname: "a host name"
        case .ipv4: "an IPv4 address"
        case .ipv6: "an IPv6 address"
        case .uri: "an absolute URI"
        case .uriReference: "a URI or a relative reference"
        case .uriTemplate: "a URI template"
        case .uuid: "a UUID"
        case .regex: "a regular expression"
        case .jsonPointer: "a JSON Pointer"
        }
    }

    package func accepts(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return switch self {
        case .date: DateFormats.isDate(bytes[...])
        case .dateTime: DateFormats.isDateTime(bytes)
        case .time: DateFormats.isTime(bytes[...])
        case .duration: DateFormats.isDuration(bytes)
        case .email: AddressFormats.isEmail(bytes)
        case .hostname: AddressFormats.isHostname(bytes[...])
        case .ipv4: AddressFormats.isIPv4(bytes[...])
        case .ipv6: AddressFormats.isIPv6(bytes[...])
        case .uri: URIFormats.isReference(bytes, needsScheme: true)
        case .uriReference: URIFormats.isReference(bytes, needsScheme: false)
        case .uriTemplate: URIFormats.isTemplate(text)
        case .uuid: AddressFormats.isUUID(bytes)
        case .regex: SchemaPattern.isValid(text)
        case .jsonPointer: Self.isPointer(bytes)
        }
    }

    /// A JSON Pointer (RFC 6901, section 3).
    private static func isPointer(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        return bytes.indices.allSatisfy { position in
            guard bytes[position] == UInt8(ascii: "~") else { return true }
            guard position + 1 < bytes.count else { return false }
            return bytes[position + 1] == UInt8(ascii: "0") || bytes[position + 1] == UInt8(ascii: "1")
        }
    }
}
