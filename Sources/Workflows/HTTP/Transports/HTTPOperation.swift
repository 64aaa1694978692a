public import Foundation

/// What a request is for: what a transport may want to know beyond the bytes.
public struct HTTPOperation: Sendable {
    /// The name of the function or sign-in step that sends the request, such as `upload`.
    public var name: String
    /// Where in a workflow the request comes from; nil for a chain composed in Swift.
    public var task: JSONPointer?
    /// What the request does to the world.
    public var effect: Effect
    /// The least-privileged delegated permissions that the request needs, for a plan to show.
    public var scopes: [String]
    /// The least-privileged permissions that a program without a user needs for it.
    public var applicationScopes: [String] = []
    /// How often it is sent at most, with the first time, where that is repeated which may be.
    public var attempts = 1
    /// How long the waits between its attempts take together at most, where the service does not ask for longer ones.
    public var longestWait = Duration.zero
    /// The part of the service that answers, by its name; nil for whoever is at the address.
    public var service: String?
    /// What it changes or sends, as people call it; nil where that says nothing.
    public var target: RequestTarget?
    /// How long an answer may take in all.
    public var timeout: Duration
    /// How many bytes the body of an answer may have; nil for as many as the transport takes.
    public var maximumResponseSize: Int?
    /// What the service would answer, as a dry run shows it; what only the service knows is symbolic, as `‹upload.id›`.
    public var example: HTTPResponse

    /// Creates a description of a request's purpose.
    public init(
        name: String, task: JSONPointer? = nil, effect: Effect, scopes: [String] = [],
        timeout: Duration = .seconds(100), maximumResponseSize: Int? = nil, example: HTTPResponse
    ) {
        self.name = name
        self.task = task
        self.effect = effect
        self.scopes = scopes
        self.timeout = timeout
        self.maximumResponseSize = maximumResponseSize
        self.example = example
    }
}

/// What a request changes or sends, as people call it.
public enum RequestTarget: Sendable, Hashable {
    /// A file, with what happens to one that is there already, and where it can be asked for.
    case file(path: String, replaces: Bool, address: URL?)
    /// A link that opens something for others.
    case link(item: String, kind: String)
    /// A message and all who get it.
    case mail(recipients: [String], subject: String)
}
