/// A part of the document: its data and its place.
struct DocumentNode {
    let value: Value
    let pointer: JSONPointer

    init(_ value: Value, at pointer: JSONPointer = .root) {
        self.value = value
        self.pointer = pointer
    }

    subscript(name: String) -> DocumentNode? {
        value[name].map { DocumentNode($0, at: pointer.appending(name)) }
    }

    func without(_ name: String) -> DocumentNode {
        DocumentNode(.object((value.object ?? [:]).filter { $0.key != name }), at: pointer)
    }

    var elements: [DocumentNode]? {
        value.array?.enumerated().map { DocumentNode($0.element, at: pointer.appending($0.offset)) }
    }

    var members: [(name: String, node: DocumentNode)]? {
        value.object?.map { ($0.key, DocumentNode($0.value, at: pointer.appending($0.key))) }
    }
}
