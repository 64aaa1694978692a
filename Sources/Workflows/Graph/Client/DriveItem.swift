/// A file or folder in OneDrive, as Graph describes one.
public struct DriveItem: Sendable, Hashable {
    /// The id, by which links and further requests name it.
    public let id: String
    /// The name, which may differ from the one that was asked for where names clash.
    public let name: String?
    /// The size in bytes.
    public let size: Int?
    /// The address of the item in a browser, for those who may see it already.
    public let webURL: String?
    /// All that Graph said.
    public let value: Value

    /// Reads Graph's description of an item.
    init(_ answer: Value) throws(GraphError) {
        guard answer.object != nil, let id = answer["id"]?.string, !id.isEmpty else {
            throw GraphError(.badAnswer, message: "The answer describes no file: it has no 'id'.")
        }
        self.id = id
        name = answer["name"]?.string
        size = answer["size"]?.integer
        webURL = answer["webUrl"]?.string
        value = answer
    }
}
