import Essentials

/// A function's input, read member by member.
///
/// The schema has been checked before; errors that it cannot express are thrown here, with their place.
struct Arguments {
    private let members: Object

    /// Reads a function's input, which must be an object.
    init(_ input: Value) throws(FunctionError) {
        guard let members = input.object else {
            throw FunctionError("must be an object, but is a \(input.typeName)", at: .root)
        }
        self.members = members
    }

    /// The value of that name, if it is given.
    subscript(name: String) -> Value? { members[name] }

    /// The text of that name, if it is given.
    func text(_ name: String) throws(FunctionError) -> String? {
        guard let value = members[name] else { return nil }
        return try Self.text(value, at: JSONPointer([name]))
    }

    /// The text of that name.
    func required(_ name: String) throws(FunctionError) -> String {
        guard let text = try text(name) else { throw FunctionError("'\(name)' is missing", at: .root) }
        return text
    }

    /// The boolean of that name, if it is given.
    func flag(_ name: String) throws(FunctionError) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.bool else {
            throw FunctionError("must be a boolean, but is a \(value.typeName)", at: JSONPointer([name]))
        }
        return flag
    }

    /// The object of that name; empty if it is not given.
    func object(_ name: String) throws(FunctionError) -> Object {
        guard let value = members[name] else { return [:] }
        guard let object = value.object else {
            throw FunctionError("must be an object, but is a \(value.typeName)", at: JSONPointer([name]))
        }
        return object
    }

    /// The choice of that name, if it is given.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) throws(FunctionError) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue)
            throw FunctionError(
                "must be one of \(words.joined(separator: ", "))", at: JSONPointer([name]),
                hint: Diagnostic.didYouMean(text, among: words))
        }
        return choice
    }

    /// The text or texts of that name; empty if it is not given.
    func texts(_ name: String) throws(FunctionError) -> [String] {
        guard let value = members[name] else { return [] }
        guard let array = value.array else { return [try Self.text(value, at: JSONPointer([name]))] }
        var texts: [String] = []
        for (position, element) in array.enumerated() {
            texts.append(try Self.text(element, at: JSONPointer([name]).appending(position)))
        }
        return texts
    }

    /// The bytes of that name.
    func content(_ name: String, in context: FunctionContext) throws(FunctionError) -> Blob {
        guard let value = members[name] else { throw FunctionError("'\(name)' is missing", at: .root) }
        return try Self.content(value, in: context, at: JSONPointer([name]))
    }

    /// The bytes that a value stands for: a text as UTF-8, a blob, `{ "file": "…" }` or `{ "base64": "…" }`.
    static func content(
        _ value: Value, in context: FunctionContext, at pointer: JSONPointer
    ) throws(FunctionError) -> Blob {
        if let unknown = context.unknownContent(value) { return unknown }
        if let text = value.string { return Blob(text: text) }
        switch (value["blob"], value["file"], value["base64"]) {
        case (.some, nil, nil):
            do throws(FunctionError) {
                return try context.blobs.blob(value, in: context.graph.plan)
            } catch {
                throw error.at(pointer)
            }
        case (nil, let path?, nil):
            let inside = pointer.appending("file")
            let source = try file(path, in: context.files, at: inside)
            do throws(GraphError) {
                return try Blob(source, contentType: value["contentType"]?.string)
            } catch {
                throw FunctionError(error).at(inside)
            }
        case (nil, nil, let encoded?):
            let text = try text(encoded, at: pointer.appending("base64")).filter { !$0.isWhitespace }
            guard let bytes = Data(base64Encoded: text) else {
                throw FunctionError("is not base64", at: pointer.appending("base64"))
            }
            return Blob(bytes, contentType: value["contentType"]?.string)
        default:
            throw FunctionError(
                "must be a text, a blob, { file: … } or { base64: … }, but is a \(value.typeName)", at: pointer)
        }
    }

    /// The file of that name whose content is meant, as it is now, with the type that is given; nil for other content.
    func file(
        _ name: String, in context: FunctionContext
    ) throws(FunctionError) -> (source: ByteSource, type: String?)? {
        guard let value = members[name], let path = value["file"], value["blob"] == nil, value["base64"] == nil else {
            return nil
        }
        return (
            try Self.file(path, in: context.files, at: JSONPointer([name, "file"])), value["contentType"]?.string
        )
    }

    private static func file(
        _ path: Value, in files: WorkflowFiles, at pointer: JSONPointer
    ) throws(FunctionError) -> ByteSource {
        let path = try text(path, at: pointer)
        let url: URL
        do throws(FunctionError) {
            url = try files.locate(path, upTo: GraphClient.largestUpload)
        } catch {
            throw error.at(pointer)
        }
        do throws(GraphError) {
            return try ByteSource(fileAt: url)
        } catch {
            throw FunctionError(error).at(pointer)
        }
    }

    private static func text(_ value: Value, at pointer: JSONPointer) throws(FunctionError) -> String {
        guard let text = value.string else {
            throw FunctionError("must be a string, but is a \(value.typeName)", at: pointer)
        }
        return text
    }
}

extension Value {
    /// The value as people write it, if it is a text, a number or a boolean.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer, .double, .bool: json()
        case .null, .array, .object, .marked: nil
        }
    }

    /// The same, for an argument that must be one of these.
    func scalarText(at place: JSONPointer) throws(FunctionError) -> String {
        guard let scalarText else {
            throw FunctionError("must be a text, a number or a boolean, but is a \(typeName)", at: place)
        }
        return scalarText
    }
}
