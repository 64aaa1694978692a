extension Effect {
    /// A right that somebody gains or loses.
    package struct Grant: Sendable, Hashable {
        /// The kind of right: `role`, `owner`, `share` or another.
        package var what: String?
        /// Addresses or ids of those who get it, as a list.
        package var to: Value
        /// What it is a right to; a role is itself that.
        package var on: Value
        package var level: Value
        package var added: Bool?
        package var external: Value

        package init(
            what: String? = nil, to: Value = .null, on: Value = .null, level: Value = .null, added: Bool? = nil,
            external: Value = .null
        ) {
            self.what = what
            self.to = to
            self.on = on
            self.level = level
            self.added = added
            self.external = external
        }
    }

    /// A rule that sends the mail of a mailbox on.
    package struct Forward: Sendable, Hashable {
        package var owner: Value
        package var to: Value
        package var external: Value
        /// Whether the mail stays where it came in.
        package var keeps: Bool?

        package init(owner: Value = .null, to: Value = .null, external: Value = .null, keeps: Bool? = nil) {
            self.owner = owner
            self.to = to
            self.external = external
            self.keeps = keeps
        }
    }

    /// The automatic answers of a mailbox.
    package struct AutoReply: Sendable, Hashable {
        package var owner: Value
        /// Who outside of the organization gets them: `none`, `contacts` or `all`.
        package var audience: Value

        package init(owner: Value = .null, audience: Value = .null) { (self.owner, self.audience) = (owner, audience) }
    }

    /// A message in a channel, a chat or a group.
    package struct Post: Sendable, Hashable {
        package var place: Value
        package var to: Value
        package var external: Value

        package init(place: Value = .null, to: Value = .null, external: Value = .null) {
            self.place = place
            self.to = to
            self.external = external
        }
    }

    /// Something that is done with an object.
    package struct Action: Sendable, Hashable {
        /// The model's name of it.
        package var action: Value
        /// The model's type of the object.
        package var what: String?
        package var id: Value
        package var name: Value

        package init(action: Value = .null, what: String? = nil, id: Value = .null, name: Value = .null) {
            self.action = action
            self.what = what
            self.id = id
            self.name = name
        }
    }
}
