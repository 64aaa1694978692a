package import Foundation

/// The picture that stands for a photo in a dry run, where nobody has asked for the real one.
///
/// It is a real picture, so that all that follows takes the way that it takes in a run; behind its end stands the symbol
/// that a plan shows in its place.
package enum ExamplePhoto {
    /// The picture: one pixel, a comment that says what it is, and the symbol.
    /// - Parameter name: What the symbol is called, without its brackets.
    package static func bytes(_ name: String = "photo") -> Data {
        ExampleBytes.marked(Data(PackageResources.example_photo_png), as: "‹\(name)›")
    }
}
