extension GraphClient {
    /// Finds messages in a mailbox.
    ///
    /// - Parameters:
    ///   - search: Words in a message; nil for all messages.
    ///   - filter: An OData filter, which cannot be combined with a search.
    ///   - folder: A folder's id or well-known name; nil for all folders.
    ///   - select: The properties to get; empty for Graph's default. The id is always included.
    ///   - top: The maximum number of messages, or with `all` the page size; nil for Graph's default, 10.
    ///   - all: Whether to read all pages.
    ///   - user: The mailbox's owner: an id or user principal name; nil for the signed-in user.
    public func messages(
        search: String? = nil, filter: String? = nil, in folder: String? = nil, select: [String] = [],
        top: Int? = nil, all: Bool = false, user: String? = nil
    ) -> Promise<[MailMessage]> {
        messageList(
            search: search, filter: filter, in: folder, select: select, top: top, unknownTop: nil, all: all,
            user: user
        ).map(on: nil) { try $0.map { try MailMessage($0) } }
    }

    /// Finds messages in a mailbox.
    /// - Parameter unknownTop: The token for the number of messages in a plan that does not know it.
    package func messageList(
        search: String?, filter: String?, in folder: String?, select: [String], top: Int?, unknownTop: String?,
        all: Bool, user: String?
    ) -> Promise<[Value]> {
        list("messages", upTo: all ? nil : top ?? 10) { () throws(GraphError) in
            var path = try GraphPath(user: user)
            if let folder { path = try path.adding("/mailFolders").adding(id: folder, what: "folder") }
            path = adding(select, and: ["id"], to: path.adding("/messages"))
            if let search {
                let words = search.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                path = path.adding(query: "$search", "\"\(words)\"")
            }
            if let filter { path = path.adding(query: "$filter", filter) }
            if let top = unknownTop ?? (top ?? (all ? 100 : nil)).map(String.init) {
                path = path.adding(query: "$top", top)
            }
            return path
        }
    }
}
