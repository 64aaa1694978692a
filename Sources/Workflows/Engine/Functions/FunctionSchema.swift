/// The parts of JSON Schema that the functions' descriptions share.
enum FunctionSchema {
    /// An object that has these members and no others.
    static func object(required: [String] = [], _ properties: KeyValuePairs<String, Value>) -> Value {
        var members: Object = [
            "type": "object", "properties": .object(Object(properties.map { ($0.key, $0.value) })),
        ]
        if !required.isEmpty { members["required"] = .array(required.map(Value.string)) }
        members["additionalProperties"] = false
        return .object(members)
    }

    /// An object that has these members, and others that the service adds.
    static func answer(required: [String] = [], _ properties: KeyValuePairs<String, Value>) -> Value {
        var members = object(required: required, properties).object ?? Object()
        members["additionalProperties"] = nil
        return .object(members)
    }

    static func text(_ description: String, minLength: Int = 1) -> Value {
        minLength == 0
            ? ["type": "string", "description": .string(description)]
            : ["type": "string", "minLength": .integer(minLength), "description": .string(description)]
    }

    /// One of a few words.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type, default: Choice? = nil, _ description: String
    ) -> Value where Choice.RawValue == String {
        choice(Choice.allCases.map(\.rawValue), default: `default`?.rawValue, description)
    }

    /// One of a few words.
    static func choice(_ words: [String], default: String? = nil, _ description: String) -> Value {
        var members: Object = ["type": "string", "enum": .array(words.map(Value.string))]
        members["default"] = `default`.map(Value.string)
        members["description"] = .string(description)
        return .object(members)
    }

    /// A mail address, or several.
    static func addresses(_ description: String) -> Value {
        [
            "type": ["string", "array"], "minLength": 1, "minItems": 1, "items": ["type": "string", "minLength": 1],
            "description": .string(description),
        ]
    }

    /// Whose resource it is.
    static let user = text("An id or user principal name; by default the signed-in user.")

    /// Bytes: a text, a blob, or base64.
    static let content: Value = [
        "type": ["string", "object"],
        "properties": [
            "blob": text("The hash of bytes that another function returned."),
            "contentType": text("The media type."),
            "size": ["type": "integer", "minimum": 0, "description": "The number of bytes."],
            "base64": text("The bytes in base64.", minLength: 0),
            "file": text("A file beside the workflow; a large one is read piece by piece."),
        ],
        "minProperties": 1, "additionalProperties": false,
        "description":
            "A text, taken as UTF-8; a blob as photo returns it; { file: … } beside the workflow; or { base64: … }.",
    ]

    /// The value that stands for bytes in the data.
    static let blob = object(
        required: ["blob", "contentType", "size"],
        [
            "blob": text("The SHA-256 of the bytes, after 'sha256:'."),
            "contentType": text("The media type that the bytes have."),
            "size": ["type": "integer", "minimum": 0, "description": "The number of bytes."],
        ])
}
