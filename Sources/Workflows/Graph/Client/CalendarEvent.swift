/// An event in a calendar, as Graph describes one.
public struct CalendarEvent: Sendable, Hashable {
    /// The id.
    public let id: String
    /// The subject.
    public let subject: String?
    /// The address of the event in a browser.
    public let webLink: String?
    /// All that Graph said.
    public let value: Value

    /// Reads Graph's description of an event.
    init(_ answer: Value) throws(GraphError) {
        (id, value) = (try answer.id(of: "event"), answer)
        subject = answer["subject"]?.string
        webLink = answer["webLink"]?.string
    }

    /// A property as Graph returned it; nil if it is not in the answer.
    public subscript(name: String) -> Value? { value[name] }
}
