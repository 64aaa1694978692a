/// A file or folder in OneDrive, as Graph describes it.
public struct DriveItem: Sendable, Hashable {
    /// The id, which links and further requests use.
    public let id: String
    /// The name, which differs from the requested one if that was taken.
    public let name: String?
    /// The size in bytes.
    public let size: Int?
    /// The item's address in a browser, for people who already have access.
    public let webURL: String?
    /// Whether it is a folder.
    public let isFolder: Bool
    /// All that Graph said.
    public let value: Value

    init(_ answer: Value) throws(GraphError) {
        id = try answer.id(of: "file")
        name = answer["name"]?.string
        size = answer["size"]?.integer
        webURL = answer["webUrl"]?.string
        isFolder = answer["folder"]?.object != nil
        value = answer
    }

    /// A property as Graph returned it; nil if it is not in the answer.
    public subscript(name: String) -> Value? { value[name] }
}
