/// The parts of JSON Schema that the functions' descriptions share.
enum FunctionSchema {
    /// An object that has these members and no others.
    static func object(required: [String] = [], _ properties: Object) -> Value {
        .object(members(properties, required: required))
    }

    /// The keywords of an object that has these members and no others.
    static func members(_ properties: Object, required: [String]) -> Object {
        var schema: Object = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { schema["required"] = .array(required.map(Value.string)) }
        schema["additionalProperties"] = false
        return schema
    }

    /// An object that has these members, and others that the service adds.
    static func answer(required: [String] = [], _ properties: Object) -> Value {
        var schema = members(properties, required: required)
        schema["additionalProperties"] = nil
        return .object(schema)
    }

    static func text(_ description: String, minLength: Int = 1) -> Value {
        minLength == 0
            ? ["type": "string", "description": .string(description)]
            : ["type": "string", "minLength": .integer(minLength), "description": .string(description)]
    }

    static func choice(_ words: [String]) -> Object { ["type": "string", "enum": .array(words.map(Value.string))] }

    static let anyText: Object = ["type": "string"]

    /// One mail address or several.
    static let addresses: Object = [
        "type": ["string", "array"], "minLength": 1, "minItems": 1, "items": ["type": "string", "minLength": 1],
    ]

    static let names: Object = ["type": "array", "items": text("The name of a property."), "uniqueItems": true]

    /// Names with any values, or an expression that returns such an object.
    static let anyMembers: Object = ["type": ["object", "string"]]

    static func number(upTo maximum: Int) -> Object {
        ["type": "integer", "minimum": 1, "maximum": .integer(maximum)]
    }

    /// The description of the parameter that says whose resource it is.
    static let user = "An id or user principal name; by default the signed-in user."

    /// A person of the organisation; `more` are members that are not always there.
    static func person(_ more: Object = [:]) -> Value {
        var members: Object = [
            "id": text("The id."),
            "displayName": text("The name, or 'Mysterious Stranger' if there is none."),
            "email": text("The mail address; without one, the user principal name."),
        ]
        let required = members.keys
        for (name, schema) in more { members[name] = schema }
        return answer(required: required, members)
    }

    static let blob = object(
        required: ["blob", "contentType", "size"],
        [
            "blob": text("The SHA-256 of the bytes, after 'sha256:'."),
            "contentType": text("The media type that the bytes have."),
            "size": ["type": "integer", "minimum": 0, "description": "The number of bytes."],
        ])
}
