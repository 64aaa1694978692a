extension PhotoSize: ParameterValue {}

private struct PhotoParameters: FunctionParameters {
    @Parameter(FunctionSchema.user) var user: String?
    @Parameter("The side length in pixels; by default the largest photo.") var size: PhotoSize?
}

extension Function {
    static let photo = Function(
        "photo", summary: "Gets a user's profile photo; fails with status 404 if there is none.",
        input: PhotoParameters.self, output: FunctionSchema.blob,
        requests: { [ExpectedRequest("GET", $0.userPath + "/photo/$value")] }, effect: .read
    ) { with, context in
        context.graph.photo(user: with.user, size: with.size).map(on: nil) { context.blobs.keep($0) }
    }
}
