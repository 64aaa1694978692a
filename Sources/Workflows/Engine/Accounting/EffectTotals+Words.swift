extension EffectTotals {
    /// The totals that are not zero, in words.
    package var words: String { counted.map { "\($0.number) \($0.what)" }.joined(separator: ", ") }

    /// The totals that are not zero, each with what is counted.
    package var counted: [(number: String, what: String)] {
        func counted(_ count: Effect.Count, _ one: String, _ many: String) -> (number: String, what: String)? {
            guard count.atMost != 0 else { return nil }
            let number =
                switch (count.atLeast, count.atMost) {
                case (let least, nil): "\(least) or more"
                case (let least, let most?) where least == most: "\(most)"
                case (let least, let most?): "\(least) to \(most)"
                }
            return (number, count.atLeast == 1 && count.atMost == 1 ? one : many)
        }
        return [
            counted(mails, "mail", "mails"), counted(recipients, "recipient", "recipients"),
            counted(externalRecipients, "outside the organization", "outside the organization"),
            counted(files, "file", "files"),
            counted(links, "link", "links"), counted(anonymousLinks, "of them for anyone", "of them for anyone"),
            counted(events, "event", "events"), counted(creates, "new thing", "new things"),
            counted(changes, "change", "changes"), counted(deletes, "deletion", "deletions"),
            counted(grants, "right given", "rights given"),
            counted(externalGrants, "of them to somebody outside", "of them to somebody outside"),
            counted(forwards, "rule that sends mail on", "rules that send mail on"),
            counted(posts, "post", "posts"), counted(actions, "action", "actions"),
            counted(programs, "program", "programs"), counted(requests, "other request", "other requests"),
        ].compactMap(\.self)
    }
}
