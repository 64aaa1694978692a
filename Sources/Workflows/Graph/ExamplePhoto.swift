package import Foundation

/// The picture that stands for a photo in a dry run, where nobody has asked for the real one.
///
/// It is a real picture, so that all that follows takes the way that it takes in a run; a plan that shows these bytes
/// says that they are an example.
package enum ExamplePhoto {
    /// What a plan shows in place of the size and the hash.
    package static let symbol = "‹photo›"

    /// The picture: one pixel, and a comment that says what it is.
    package static let bytes = Data(PackageResources.example_photo_png)

    /// Whether a request's body is the picture, or holds it in base64 as an attachment does.
    package static func occurs(in body: Data) -> Bool {
        body == bytes || body.range(of: Data(bytes.base64EncodedString().utf8)) != nil
    }
}
