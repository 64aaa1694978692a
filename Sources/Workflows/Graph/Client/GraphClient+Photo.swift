extension GraphClient {
    /// Gets the photo of the signed-in user, or of another one.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name; nil for the signed-in user.
    ///   - size: The size, or a smaller one if Graph has none of this size; nil for the largest.
    /// - Returns: The picture, typed by its bytes; rejected with ``GraphError/Code/notFound`` if there is no photo.
    public func photo(user: String? = nil, size: PhotoSize? = nil) -> Promise<Blob> {
        let token = plannedAnswer("photo").whole()
        return exchange {
            let owner = try GraphPath(user: user)
            let path =
                try size.map { size throws(GraphError) in
                    try owner.adding("/photos").adding(id: size.segment, what: "size").adding("/$value")
                } ?? owner.adding("/photo/$value")
            return GraphRequest(
                "photo", .read, "GET", path,
                example: HTTPResponse(
                    status: 200, headers: ["Content-Type": "image/png"], body: ExamplePhoto.bytes(token)))
        } _: { response, _ throws(GraphError) in
            if let plan, let unknown = plan.unknowns.example(of: response.body) {
                return .unknown(unknown, in: plan, example: response.body)
            }
            let photo = Blob(response.body)
            if let problem = Self.problem(of: photo, in: response) {
                throw GraphError(.badAnswer, status: response.status, message: problem)
            }
            return photo
        }.recover(on: nil) { error -> Promise<Blob> in throw Self.noPhoto(error) }
    }

    /// Gets the properties of the photo of the signed-in user, or of another one, without its bytes.
    ///
    /// - Parameters:
    ///   - user: An id or user principal name; nil for the signed-in user.
    ///   - size: The size, or a smaller one if Graph has none of this size; nil for the largest.
    /// - Returns: The properties; rejected with ``GraphError/Code/notFound`` if there is no photo.
    public func photoInfo(user: String? = nil, size: PhotoSize? = nil) -> Promise<PhotoInfo> {
        json {
            let owner = try GraphPath(user: user)
            let path =
                try size.map { size throws(GraphError) in
                    try owner.adding("/photos").adding(id: size.segment, what: "size")
                } ?? owner.adding("/photo")
            return GraphRequest(
                "photo", .read, "GET", path, headers: ["Accept": "application/json"],
                example: .json(200, ["id": "240x240", "width": 240, "height": 240]))
        } as: { answer throws(GraphError) in
            try PhotoInfo(answer)
        }.recover(on: nil) { error -> Promise<PhotoInfo> in throw Self.noPhoto(error) }
    }

    /// Gets the photo sizes of the signed-in user, or of another one; empty if there is no photo.
    public func photoInfos(user: String? = nil) -> Promise<[PhotoInfo]> {
        pages {
            GraphRequest(
                "photo", .read, "GET", try GraphPath(user: user).adding("/photos"),
                headers: ["Accept": "application/json"],
                example: .json(200, ["value": [["id": "240x240", "width": 240, "height": 240]]]))
        } upTo: {
            nil
        } as: { answer throws(GraphError) in
            try PhotoInfo(answer)
        }.recover(on: nil) { error -> Promise<[PhotoInfo]> in
            let error = Self.noPhoto(error)
            guard GraphError(error)?.code == .notFound else { throw error }
            return .value([])
        }
    }

    private static let photoCodes: Set = ["ImageNotFound", "ErrorItemNotFound"]

    /// The smallest complete pictures in bytes: one pixel and the format's required parts.
    private static let smallest = ["image/jpeg": 107, "image/png": 67]

    private static func problem(of photo: Blob, in response: HTTPResponse) -> String? {
        guard photo.contentType.hasPrefix("image/") else {
            let page = response.webPage.map { ": \($0)" } ?? ""
            return "The answer is not a picture but \(photo.contentType), \(photo.size) bytes\(page)."
        }
        guard photo.size >= smallest[photo.contentType] ?? 0 else {
            return "The picture is incomplete: \(photo.size) bytes are fewer than any \(photo.contentType) has."
        }
        return nil
    }

    /// The error of an answer that means that there is no photo: one of few codes of 404, or 501 for a personal account.
    ///
    /// Any other 404 is about the person, and is no 404 of the photo: a misspelt address must not get a default picture.
    private static func noPhoto(_ error: any Error) -> any Error {
        guard var error = error as? GraphError, [404, 501].contains(error.status) else { return error }
        let words = "There is no photo: "
        guard error.status == 501 || error.message.hasPrefix(words) || photoCodes.contains(error.serviceCode ?? "")
        else {
            error.message = "The photo's owner was not found: \(error.message)"
            error.code = .invalidInput
            error.status = 400
            return error
        }
        if !error.message.hasPrefix(words) { error.message = words + error.message }
        error.code = .notFound
        error.status = 404
        return error
    }
}

/// The picture that replaces a photo in a dry run: a real one, so tasks behave as in a run, with the token after it.
package enum ExamplePhoto {
    package static func bytes(_ token: String) -> Data {
        UnknownTokens.example(Data(PackageResources.example_photo_png), token: token)
    }
}
