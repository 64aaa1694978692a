package import WorkflowData

extension DataType {
    /// Whether a value is of this type.
    package func accepts(_ value: Value) -> Bool {
        switch value {
        case .null: kinds.contains(.null)
        case .bool: kinds.contains(.boolean)
        case .integer, .double: kinds.contains(.number)
        case .string: kinds.contains(.string)
        case .array(let elements):
            kinds.contains(.array) && elements.allSatisfy { only(.array).element.accepts($0) }
        case .object(let object):
            kinds.contains(.object)
                && object.allSatisfy { name, value in known(name)?.type.accepts(value) ?? isOpen }
                && members.allSatisfy { !$0.isCertain || object.contains($0.name) }
        case .marked: true
        }
    }
}
