struct SandboxDirectory {
    private static let givenNames = [
        "Alfa", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot", "Golf", "Hotel", "India", "Juliett", "Kilo", "Lima",
        "Mike", "November", "Oscar", "Papa", "Quebec", "Romeo", "Sierra", "Tango", "Uniform", "Victor", "Whiskey",
        "Xray", "Yankee", "Zulu",
    ]

    private(set) var users: [SandboxUser]
    private var places: [String: Int] = [:]
    /// The places of users by their addresses.
    private var mailboxes: [String: Int] = [:]

    /// - Parameter count: The number of users, including the signed-in one.
    init(count: Int) {
        var users = Array(SandboxUser.people.prefix(max(count, 1)))
        for number in users.count..<max(count, users.count) {
            let given = Self.givenNames[number % Self.givenNames.count]
            let digits = String(number)
            let surname = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
            let address = "\(given.lowercased()).\(surname)@contoso.com"
            users.append(
                SandboxUser(
                    id: "00000000-0000-4000-8000-0000000\(surname)", displayName: "\(given) \(surname)",
                    givenName: given, surname: surname, mail: address, userPrincipalName: address))
        }
        self.init(users)
    }

    /// - Parameter users: At least the signed-in one, who is the first.
    init(_ users: [SandboxUser]) {
        self.users = users
        for place in users.indices { index(place) }
    }

    private mutating func index(_ place: Int) {
        let user = users[place]
        for name in [user.id, user.userPrincipalName, user.driveID] { places[name.lowercased()] = place }
        if let mail = user.mail { mailboxes[mail.lowercased()] = place }
    }

    mutating func add(_ user: SandboxUser) {
        users.append(user)
        index(users.count - 1)
    }

    mutating func remove(_ user: SandboxUser) { self = SandboxDirectory(users.filter { $0.id != user.id }) }

    /// The user with a mailbox at an address.
    func user(at address: String) -> SandboxUser? { mailboxes[address.lowercased()].map { users[$0] } }

    mutating func change(_ user: SandboxUser, _ fields: Object) throws(SandboxError) {
        guard let place = places[user.id.lowercased()] else { return }
        try users[place].change(fields)
    }

    mutating func hold(licences: Value, of user: SandboxUser) {
        if let place = places[user.id.lowercased()] { users[place].hold(licences: licences) }
    }

    func reports(of manager: SandboxUser) -> [SandboxUser] {
        users.filter { $0.manager == manager.userPrincipalName }
    }

    func user(named name: String) -> SandboxUser? { places[name.lowercased()].map { users[$0] } }
}
