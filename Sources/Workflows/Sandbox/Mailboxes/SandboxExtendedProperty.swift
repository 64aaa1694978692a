import Essentials

/// A property of a message that only its writer knows: `singleValueExtendedProperties`.
///
/// Behaviour: Microsoft's "Outlook extended properties overview", "Get" and "Create singleValueLegacyExtendedProperty".
/// Error codes: those that Graph's users have reported, else Exchange's response codes.
struct SandboxExtendedProperty {
    /// A property's id: its type, and a name or number in a namespace, or a tag.
    struct ID: Hashable {
        let type: String
        /// In lower case; empty for a tag.
        let namespace: String
        /// The case-sensitive name, or the number in hexadecimal digits.
        let name: String
        let isNamed: Bool

        private static let types: Set<String> = [
            "applicationtime", "binary", "boolean", "clsid", "currency", "double", "error", "float", "integer", "long",
            "null", "object", "short", "systemtime", "string",
        ]

        /// Reads `String {GUID} Name Color`, `Integer {GUID} Id 0x8012` or `String 0x4001001E`.
        init(_ text: String) throws(SandboxError) {
            let words = text.split(separator: " ", maxSplits: 3).map(String.init)
            let type = words.first?.lowercased() ?? ""
            let element = type.hasSuffix("array") ? String(type.dropLast("array".count)) : type
            guard Self.types.contains(element) else { throw .badPropertyID }
            switch words.count {
            case 2:
                guard let tag = Self.number(words[1]) else { throw .badPropertyID }
                (namespace, name, isNamed) = ("", tag, false)
            case 4:
                guard let guid = Self.guid(words[1]) else { throw .badPropertyID }
                namespace = guid
                switch words[2].lowercased() {
                case "name": (name, isNamed) = (words[3], true)
                case "id":
                    guard let number = Self.number(words[3]) else { throw .badPropertyID }
                    (name, isNamed) = (number, false)
                default: throw .badPropertyID
                }
            default: throw .badPropertyID
            }
            // Several values are another kind of property.
            guard element == type else { throw .badPropertyCombination }
            self.type = type
        }

        private static func guid(_ text: String) -> String? {
            let text = text.hasPrefix("{") && text.hasSuffix("}") ? String(text.dropFirst().dropLast()) : text
            return UUID(uuidString: text).map { $0.uuidString.lowercased() }
        }

        private static func number(_ text: String) -> String? {
            let number = text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
            return number.map { String($0, radix: 16) }
        }

        func accepts(_ value: String) -> Bool {
            switch type {
            case "short": Int16(value) != nil
            case "integer", "error": Int32(value) != nil
            case "long", "currency": Int64(value) != nil
            case "double", "float", "applicationtime": Double(value) != nil
            case "boolean": ["true", "false"].contains(value.lowercased())
            case "binary": Data(base64Encoded: value) != nil
            case "clsid": Self.guid(value) != nil
            default: true
            }
        }
    }

    let id: ID
    let shown: Value

    init(_ given: Value) throws(SandboxError) {
        guard let text = given["id"]?.string else { throw .missingProperty("id") }
        id = try ID(text)
        guard let value = given["value"]?.string else { throw .missingProperty("value") }
        guard id.accepts(value) else {
            throw .badRequest(
                "The value of the extended property '\(text)' does not fit its type.",
                code: "ErrorInvalidExtendedPropertyValue")
        }
        shown = ["id": .string(text), "value": .string(value)]
    }

    /// A message's properties after a request: given ones replace those with the same id, the others stay.
    static func merging(
        _ given: Value?, into properties: [SandboxExtendedProperty]
    ) throws(SandboxError) -> [SandboxExtendedProperty] {
        var result = properties
        for value in given?.array ?? [] {
            let property = try SandboxExtendedProperty(value)
            result.removeAll { $0.id == property.id }
            result.append(property)
        }
        return result
    }
}

/// The properties in `$expand=singleValueExtendedProperties($filter=id eq '…')`; without a filter, none.
struct SandboxExpansion {
    private static let name = "singlevalueextendedproperties"

    private(set) var ids: Set<SandboxExtendedProperty.ID> = []
    private(set) var hasAttachments = false

    /// - Parameter text: The decoded value of `$expand`.
    init(parsing text: String?) throws(SandboxError) {
        guard let text else { return }
        for part in Self.parts(of: text) {
            let open = part.firstIndex(of: "(") ?? part.endIndex
            switch part[..<open].trimmed.lowercased() {
            case "attachments": hasAttachments = true
            case Self.name:
                guard open < part.endIndex else { continue }
                guard part.hasSuffix(")") else { throw .badExpansion(text) }
                try read(part[part.index(after: open)...].dropLast().trimmed, of: text)
            default: throw .badExpansion(text)
            }
        }
    }

    private mutating func read(_ options: String, of text: String) throws(SandboxError) {
        guard options.lowercased().hasPrefix("$filter="),
            let filter = try? SandboxFilter(
                parsing: String(options.dropFirst("$filter=".count)),
                on: "microsoft.graph.singleValueLegacyExtendedProperty", hasField: { $0.lowercased() == "id" }),
            let values = filter.alternatives
        else { throw .badExpansion(text) }
        for value in values { ids.insert(try SandboxExtendedProperty.ID(value)) }
    }

    private static func parts(of text: String) -> [String] {
        var (parts, depth) = ([""], 0)
        for character in text {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                parts.append("")
                continue
            default: break
            }
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}

extension SandboxError {
    /// Reported with these words in microsoftgraph/msgraph-sdk-powershell#2784.
    fileprivate static let badPropertyID = badRequest(
        "PropertyId values may only be in one of the following formats: 'MapiPropertyType namespaceGuid Name"
            + " propertyName', 'MapiPropertyType namespaceGuid Id propertyId' or 'MapiPropertyType propertyTag'.",
        code: "ErrorInvalidProperty")

    /// Reported with these words in microsoftgraph/microsoft-graph-docs#2251.
    fileprivate static let badPropertyCombination = badRequest(
        "The extended property attribute combination is invalid.", code: "ErrorInvalidExtendedProperty")

    /// Reported with these words in microsoftgraph/microsoft-graph-docs-contrib#6058.
    static let noFilterByID = badRequest(
        "The property 'Id' does not support filtering.", code: "ErrorInvalidProperty")

    fileprivate static func missingProperty(_ name: String) -> SandboxError {
        badRequest(
            "The required property '\(name)' of an extended property is missing.",
            code: "ErrorRequiredPropertyMissing")
    }

    fileprivate static func badExpansion(_ text: String) -> SandboxError {
        badRequest(
            "Parsing OData Select and Expand failed: '\(text)' is not supported.", code: "RequestBroker--ParseUri")
    }
}
