/// A secret is validated like plain data, but no message shows it; an unknown may be anything that its shape allows.
extension SchemaEvaluation {
    mutating func checkMarked(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ marked: Marked, _ subschema: SchemaProgram.Subschema,
        _ evaluated: inout Evaluated
    ) -> Bool {
        guard case .unknown(let unknown) = marked.content else {
            guard value.holdsUnknown else { return checkSecret(keyword, value, subschema) }
            guard case .type(let types) = keyword, !types.contains(.string) else { return true }
            return refuse(subschema, "type", SchemaWords.mustBe(types, value), cause: .type(types))
        }
        switch (keyword, unknown.shape) {
        case (.type(let types), let shape):
            if types.contains(where: { $0.contains(shape) }) { return true }
            return refuse(subschema, "type", SchemaWords.mustBe(types, value), cause: .type(types))
        // An object may have members outside the shape.
        case (.members, .object(let members)), (.dependentSchemas, .object(let members)),
            (.propertyNames, .object(let members)):
            return checkObject(keyword, members, subschema, &evaluated)
        case (.items(let prefix, let rest), .array(let element)):
            // An element may be at any index, or there may be none.
            guard prefix.isEmpty, let rest, !program.subschemas[rest].isNever else { return true }
            return descend(rest, to: element, at: "0")
        default: return true
        }
    }

    private mutating func checkSecret(
        _ keyword: SchemaProgram.Keyword, _ value: Value, _ subschema: SchemaProgram.Subschema
    ) -> Bool {
        switch keyword {
        case .type, .allowed, .const: return checkKind(keyword, value, subschema)
        case .multipleOf, .limit:
            guard value.revealed.double != nil else { return true }
            return checkNumber(keyword, value, subschema)
        case .length, .pattern, .format:
            guard case .string(let text) = value.revealed else { return true }
            return checkText(keyword, text, shown: value, subschema)
        default: return true
        }
    }
}

extension SchemaType {
    fileprivate func contains(_ shape: Unknown.Shape) -> Bool {
        switch (shape, self) {
        case (.any, _), (.text, .string), (.number, .number), (.number, .integer), (.boolean, .boolean),
            (.object, .object), (.array, .array):
            true
        default: false
        }
    }
}
