public import Foundation

/// What a request changes or sends, as people call it.
public enum RequestTarget: Sendable, Hashable {
    /// A file, with what happens to one that is there already, and where it can be asked for.
    case file(path: String, replaces: Bool, address: URL?)
    /// A link that opens something for others.
    case link(item: String, kind: String)
    /// A message and all who get it.
    case mail(recipients: [String], subject: String)
}
