/// A permission's name, compared as the service does: case-insensitively and without the resource prefix.
struct ScopeName: Sendable, Hashable {
    /// The scopes that MSAL adds to the permissions: for the user's identity and a refresh token.
    static let always = ["openid", "profile", "offline_access"]

    let text: String
    private var key: String { text.lowercased() }

    init(_ name: String) {
        guard name.contains("://"), let slash = name.lastIndex(of: "/") else {
            text = name
            return
        }
        text = String(name[name.index(after: slash)...])
    }

    static func == (left: ScopeName, right: ScopeName) -> Bool { left.key == right.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }

    var isAboutSignIn: Bool { Self.always.contains(key) || key == "email" }

    /// Whether this permission includes the other one, as `Files.ReadWrite.All` includes `Files.Read`.
    func covers(_ other: ScopeName) -> Bool {
        if self == other { return true }
        let (mine, theirs) = (Parts(key), Parts(other.key))
        guard let mine, let theirs else { return false }
        // Who reads the members of groups reads their names as well.
        let isOfGroups = mine.subject == "groupmember" && theirs.subject == "group" && theirs.strength == 0
        guard mine.subject == theirs.subject || isOfGroups else { return false }
        return mine.reach >= theirs.reach && mine.strength >= theirs.strength
    }

    private struct Parts {
        let subject: Substring
        let strength: Int
        let reach: Int

        init?(_ key: String) {
            let words = key.split(separator: ".", omittingEmptySubsequences: false)
            guard words.count == 2 || words.count == 3 && words[2] == "all",
                let strength = ["readbasic": 0, "read": 1, "readwrite": 2][words[1]]
            else { return nil }
            (subject, self.strength, reach) = (words[0], strength, words.count == 3 ? 1 : 0)
        }
    }
}

extension Sequence<String> {
    package func cover(_ others: [String]) -> Bool {
        let mine = map { ScopeName($0) }
        return others.allSatisfy { other in mine.contains { $0.covers(ScopeName(other)) } }
    }

    package var least: [String] {
        let all = map { ($0, ScopeName($0)) }
        return all.filter { one in !all.contains { $0.1 != one.1 && $0.1.covers(one.1) } }.map(\.0)
    }

    var permissionNames: [String] {
        var seen: Set<ScopeName> = []
        return compactMap { scope in
            let name = ScopeName(scope)
            return name.isAboutSignIn || !seen.insert(name).inserted ? nil : name.text
        }
    }
}
