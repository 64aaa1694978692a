/// What the plans of agents may do, as the person who starts the server says it.
///
/// Each bound counts what an effect may do of what it limits; an effect of which that is not known is refused.
package struct EffectBounds: Sendable {
    /// How many mails a plan may send; nil for any number.
    package var mostMails: Int?
    package var allowsDeletes = true
    package var allowsGrants = true
    /// Whether no one outside of the organization may be reached.
    package var isInternal = false
    /// The kinds of the effects; nil for all.
    package var kinds: Set<Effect.Kind>?

    package init() {}

    /// Why a plan with these effects is refused, one reason a line; empty if it is within the bounds.
    package func refusals(of effects: [Effect]) -> [String] {
        var refusals: [String] = []
        func bound(_ option: String, _ most: Int, _ what: String, _ count: (Effect) -> Effect.Count?) {
            var sum = Effect.Count.zero
            for effect in effects {
                guard let count = count(effect) else {
                    refusals.append(
                        "it is not known how many \(what) an effect of the kind '\(effect.kind.rawValue)' may have "
                            + "(\(PlainText.line(effect.summary, limit: 200))), and '\(option)' refuses what is not known"
                    )
                    return
                }
                sum.add(count)
            }
            guard sum.atMost ?? .max > most else { return }
            let number = sum.atMost.map { "at most \($0)" } ?? "without a limit"
            refusals.append("it may have \(what) (\(number)), and '\(option)' allows \(most == 0 ? "none" : "\(most)")")
        }
        if let mostMails { bound("--max-mails", mostMails, "mails", \.mails) }
        if !allowsDeletes { bound("--no-deletes", 0, "objects to delete", \.deletes) }
        if !allowsGrants { bound("--no-grants", 0, "rights to give", \.grants) }
        if isInternal {
            bound(
                "--internal-only", 0, "people outside of the organization, or links that anyone can open,", \.openings)
        }
        if let kinds, let effect = effects.first(where: { !kinds.contains($0.kind) }) {
            refusals.append("it has an effect of the kind '\(effect.kind.rawValue)', which '--only' leaves out")
        }
        return refusals
    }
}

/// What an effect may do of what a bound limits, each time that it happens; nil if that is not known.
extension Effect {
    fileprivate var mails: Count? {
        switch details {
        case .mail: count
        // Invitations, answers and cancellations are mails.
        case .event(let event): event.attendees == [] ? Count.zero : count
        case .create(let object): object.isContained ? Count.zero : nil
        case .change(let object):
            object.what == "event" ? count : object.isContained || object.what == "message" ? Count.zero : nil
        case .action(let action): GraphAction(action).flatMap { $0.mayMail ? nil : Count.zero }
        case .autoReply(let reply): reply.audience == "none" ? Count.zero : nil
        case .grant(let grant): grant.what == nil ? nil : Count.zero
        case .forward, .post: nil
        case .delete(let object): object.what == "event" ? count : object.mayBeMeeting ? nil : Count.zero
        // The other links are made for people who are then invited by mail.
        case .link(let link): ["view", "edit", "embed"].contains(link.type.string) ? Count.zero : nil
        case .file, .folder, .member, .license, .localFile: Count.zero
        case .program, .notification, .request, .tool: nil
        }
    }

    fileprivate var deletes: Count? {
        switch details {
        case .delete: count
        // A folder that a message is moved to may be the one of deleted items.
        case .action(let action): GraphAction(action).flatMap { $0.mayDelete ? nil : Count.zero }
        case .forward(let forward): forward.keeps == true ? Count.zero : nil
        case .mail, .file, .folder, .link, .event, .create, .change, .member, .license, .grant, .autoReply, .post,
            .localFile:
            Count.zero
        case .program, .notification, .request, .tool: nil
        }
    }

    fileprivate var grants: Count? {
        switch details {
        case .grant(let grant): grant.added == false ? Count.zero : count
        case .mail, .file, .folder, .link, .event, .create, .change, .delete, .member, .license, .forward, .autoReply,
            .post,
            .localFile:
            Count.zero
        case .action(let action): GraphAction(action).map { _ in Count.zero }
        case .program, .notification, .request, .tool: nil
        }
    }

    fileprivate var openings: Count? {
        switch details {
        case .grant(let grant) where grant.added == false: Count.zero
        case .post: audience?.external == [] ? Count.zero : nil
        case .autoReply(let reply): ["none": Count.zero, "contacts": count, "all": count][reply.audience.string ?? ""]
        case .action(let action): GraphAction(action).flatMap { $0.mayLeave ? nil : Count.zero }
        case .mail, .event, .grant, .forward:
            recipients == [] ? Count.zero : audience?.external.array.map { $0.isEmpty ? Count.zero : count }
        case .link(let link): ["organization": Count.zero, "anonymous": count][link.scope.string ?? ""]
        case .create(let object) where object.properties?["invitedUserEmailAddress"] != nil: count
        case .create(let object): object.isContained ? Count.zero : nil
        case .change(let object):
            object.what == "driveItem" && !object.hasFileProperties || object.what != "message" && !object.isContained
                ? nil : Count.zero
        // A cancellation is sent to those who were invited.
        case .delete(let object): object.mayBeMeeting ? nil : Count.zero
        case .file, .folder, .member, .license, .localFile: Count.zero
        case .program, .notification, .request, .tool: nil
        }
    }
}

extension Effect.ObjectChange {
    /// Objects whose creation and change send no mail, and reach only people of the organization.
    private static let contained: Set<String> = [
        "user", "group", "team", "channel", "list", "listItem", "fieldValueSet", "columnDefinition", "plannerPlan",
        "plannerBucket", "plannerTask", "todoTaskList", "todoTask", "checklistItem", "contact", "contactFolder",
        "calendar", "calendarGroup", "mailFolder", "device", "profilePhoto", "driveItem", "attachment",
        "fileAttachment", "itemAttachment",
    ]
    /// Objects whose removal may cancel meetings.
    private static let meetings: Set<String> = ["event", "calendar", "calendarGroup", ""]
    /// What can be changed of a file without giving anybody access to it, in lower case.
    private static let fileProperties: Set<String> = [
        "name", "description", "filesysteminfo",
    ]

    fileprivate var isContained: Bool { Self.contained.contains(what ?? "") }

    fileprivate var mayBeMeeting: Bool { Self.meetings.contains(what ?? "") }

    fileprivate var hasFileProperties: Bool {
        let names = properties?.keys ?? []
        return !names.isEmpty && Self.fileProperties.isSuperset(of: names.map { $0.lowercased() })
    }
}

extension Effect.Count {
    fileprivate static let zero = Effect.Count(atLeast: 0, atMost: 0)
}
