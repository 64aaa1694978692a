/// The properties of a photo, without its bytes.
public struct PhotoInfo: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The media type; nil if Graph does not state it.
    public let contentType: String?
    /// A tag that changes when the photo does; nil if Graph does not state it.
    public let eTag: String?
    /// Graph's complete description.
    public let value: Value

    init(_ answer: Value) throws(GraphError) {
        guard let width = answer["width"]?.integer, let height = answer["height"]?.integer else {
            throw GraphError(.badAnswer, message: "The answer describes no photo: it has no 'width' and 'height'.")
        }
        // Graph's placeholder for a missing photo.
        guard (width, height) != (1, 1) else {
            throw GraphError(.notFound, status: 404, message: "There is no photo: the answer describes a placeholder.")
        }
        (self.width, self.height) = (width, height)
        contentType = answer["@odata.mediaContentType"]?.string
        eTag = answer["@odata.mediaEtag"]?.string
        value = answer
    }
}
