public import Promises

extension GraphClient {
    /// Gets the photo of the signed-in user, or of another one.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name; nil for the signed-in user.
    ///   - size: The size; Graph gives a smaller one where it has none of that size. nil for the largest.
    /// - Returns: The picture with the type that its bytes have; rejected with ``GraphError/Code/notFound`` where there
    ///   is no photo.
    public func photo(user: String? = nil, size: PhotoSize? = nil) -> Promise<Blob> {
        send {
            let owner = try GraphPath(user: user)
            let path =
                try size.map { size throws(GraphError) in
                    try owner.adding("/photos").adding(id: size.segment, what: "size").adding("/$value")
                } ?? owner.adding("/photo/$value")
            return GraphRequest(
                "photo", .read, .photo, "GET", path,
                example: HTTPResponse(
                    status: 200, headers: ["Content-Type": "image/png"], body: ExamplePhoto.bytes))
        }.map(on: nil) { response in
            let photo = Blob(response.body)
            guard photo.contentType.hasPrefix("image/") else {
                throw GraphError(
                    .badAnswer, status: response.status,
                    message: "The answer is no picture but \(photo.contentType), \(photo.size) bytes.")
            }
            return photo
        }.recover(on: nil) { error -> Promise<Blob> in
            // Personal accounts answer 501 where work accounts answer 404: there is no photo.
            guard var error = error as? GraphError, [404, 501].contains(error.status) else { throw error }
            error.code = .notFound
            error.status = 404
            error.message = "There is no photo: \(error.message)"
            throw error
        }
    }
}

extension Permissions {
    /// What getting a photo needs.
    static let photo = Permissions(delegated: ["User.Read"], application: ["ProfilePhoto.Read.All"])
}
