/// Somebody who gets, loses or is changed by effects.
package struct AffectedPerson: Sendable {
    /// The name and the address, as far as they are known.
    package let name: String
    package private(set) var isExternal: Bool
    /// The numbers of the effects.
    package private(set) var effects: [Int]

    /// Everybody whom effects concern, in order; without those who are only known at run time.
    package static func all(in effects: [Effect]) -> [AffectedPerson] {
        // One person may be named by an id here and by an address there.
        var names: [String: String] = [:]
        for effect in effects {
            for (id, name) in effect.names where name != id && !UnknownTokens.isIn(name) {
                names[id.lowercased()] = name.contains("(") ? name : "\(name) (\(id))"
                if let address = address(in: name) { names[address] = name }
            }
        }
        var people: [AffectedPerson] = []
        var places: [String: Int] = [:]
        for (number, effect) in effects.enumerated() {
            let external = Set((effect.audience?.external.array ?? []).compactMap { $0.string?.lowercased() })
            for person in effect.people {
                let id = person.lowercased()
                let key = names[id].flatMap(address) ?? id
                let place = places[key] ?? people.count
                if place == people.count {
                    places[key] = place
                    people.append(AffectedPerson(name: names[id] ?? person, isExternal: false, effects: []))
                }
                if external.contains(id) { people[place].isExternal = true }
                if people[place].effects.last != number { people[place].effects.append(number) }
            }
        }
        return people
    }

    /// The address at the end of a name: `Adele Vance (adelev@contoso.com)`.
    private static func address(in name: String) -> String? {
        guard name.hasSuffix(")"), let start = name.lastIndex(of: "(") else { return nil }
        let address = name[name.index(after: start)...].dropLast()
        return address.contains("@") ? address.lowercased() : nil
    }
}

extension Effect {
    /// The names that it has for ids.
    fileprivate var names: [(id: String, name: String)] {
        var names = itemNames.compactMap { id, name in id.string.flatMap { id in name.string.map { (id, $0) } } }
        if what == "user", let object = objectChange, let id = object.id.string, let name = object.name.string {
            names.append((id, name))
        }
        return names
    }

    /// What it is for a person: a mail that somebody gets is not one that is sent.
    package func words(isPast: Bool) -> String {
        guard kind == .mail || kind == .event else { return isPast ? pastSummary : summary }
        let subject = subject.isNull ? "with a subject known only at run time" : "'\(PlainText.escaped(text(subject)))'"
        guard case .mail(let mail) = details else { return "\(isPast ? "was" : "is") invited to \(subject)" }
        let attachments = mail.attachments.array?.count ?? 0
        let files = attachments > 0 ? ", \(attachments == 1 ? "1 attachment" : "\(attachments) attachments")" : ""
        let verb = mail.sent == false ? "is in a draft of" : isPast ? "got" : "gets"
        return "\(verb) the mail \(subject)\(files)"
    }
}
