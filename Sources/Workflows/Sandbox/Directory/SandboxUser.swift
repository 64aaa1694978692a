import Essentials

struct SandboxUser {
    var id: String
    var displayName: String
    var givenName: String?
    var surname: String?
    var jobTitle: String?
    var officeLocation: String?
    var businessPhones: [String] = []
    var mobilePhone: String?
    var mail: String?
    var userPrincipalName: String
    var changes: Object = [:]
    /// The manager's user principal name from the sandbox's contents; an inner nil for no manager.
    var givenManager: String??

    static let defaultFields = [
        "businessPhones", "displayName", "givenName", "id", "jobTitle", "mail", "mobilePhone", "officeLocation",
        "preferredLanguage", "surname", "userPrincipalName",
    ]

    static let fieldNames = defaultFields + workFields.keys

    private static let spellings = Dictionary(uniqueKeysWithValues: fieldNames.map { ($0.lowercased(), $0) })

    var driveID: String { "b!" + id.replacing("-", with: "") }

    var photoOwnerPath: String { "users('\(id)')" }

    func value(of field: String) -> Value? {
        func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }
        if let spelling = Self.spellings[field.lowercased()], let changed = changes[spelling] { return changed }
        return switch field.lowercased() {
        case "businessphones": .array(businessPhones.map(Value.string))
        case "displayname": .string(displayName)
        case "givenname": text(givenName)
        case "id": .string(id)
        case "jobtitle": text(jobTitle)
        case "mail": text(mail)
        case "mobilephone": text(mobilePhone)
        case "officelocation": text(officeLocation)
        case "preferredlanguage": givenName == nil ? .null : "en-US"
        case "surname": text(surname)
        case "userprincipalname": .string(userPrincipalName)
        case let name: Self.spellings[name].flatMap(workField)
        }
    }

    func text(of field: String) -> String? { value(of: field)?.string }

    /// Changes fields as Graph does, which refuses those that a client cannot set.
    mutating func change(_ fields: Object) throws(SandboxError) {
        for (name, value) in fields where !name.hasPrefix("@") {
            guard let spelling = Self.spellings[name.lowercased()] else {
                throw .notPlayed(name)
            }
            switch spelling {
            case "id", "mail":
                throw .badRequest(
                    "Property '\(spelling)' is read-only and cannot be set.", code: "Request_BadRequest")
            case "createdDateTime", "onPremisesSyncEnabled", "onPremisesLastSyncDateTime", "proxyAddresses",
                "assignedLicenses", "imAddresses", "creationType":
                throw .badRequest(
                    "Property '\(spelling)' is read-only and cannot be set.", code: "Request_BadRequest")
            case "userPrincipalName", "mailNickname": throw .notPlayed(name)
            case "displayName" where value.string?.isEmpty ?? true:
                throw .badRequest(
                    "Invalid value specified for property 'displayName' of resource 'User'.", code: "Request_BadRequest"
                )
            default: changes[spelling] = value
            }
        }
        displayName = changes["displayName"]?.string ?? displayName
    }

    mutating func hold(licences: Value) { changes["assignedLicenses"] = licences }

    static func hasField(_ name: String) -> Bool { spellings[name.lowercased()] != nil }

    /// In Graph's shape: the default fields, or those that `$select` names.
    func value(select: String?) throws(SandboxError) -> Object {
        guard let select else { return Object(Self.defaultFields.map { ($0, value(of: $0) ?? .null) }) }
        var result = Object()
        for name in select.split(separator: ",") {
            let name = name.trimmed
            if name == "*" { return Object(Self.fieldNames.map { ($0, value(of: $0) ?? .null) }) }
            guard let spelling = Self.spellings[name.lowercased()] else {
                throw GraphProperties.unknown(name, on: "microsoft.graph.user")
            }
            result[spelling] = value(of: spelling)
        }
        return result
    }

    static let people = [
        SandboxUser(
            id: "48d31887-5fad-4d73-a9f5-3c356e68a038", displayName: "Megan Bowen", givenName: "Megan",
            surname: "Bowen", jobTitle: "Marketing Manager", officeLocation: "12/1110",
            businessPhones: ["+1 412 555 0109"], mail: "megan@contoso.com", userPrincipalName: "megan@contoso.com"),
        SandboxUser(
            id: "87d349ed-44d7-43e1-9a83-5f2406dee5bd", displayName: "Adele Vance", givenName: "Adele",
            surname: "Vance", jobTitle: "Retail Manager", officeLocation: "18/2111",
            businessPhones: ["+1 425 555 0109"], mail: "adelev@contoso.com", userPrincipalName: "adelev@contoso.com"),
        SandboxUser(
            id: "4782e723-f4f4-4af3-a76e-25e3bab0d896", displayName: "Alex Wilber", givenName: "Alex",
            surname: "Wilber", jobTitle: "Marketing Assistant", officeLocation: "131/1104",
            businessPhones: ["+1 858 555 0110"], mail: "alexw@contoso.com", userPrincipalName: "alexw@contoso.com"),
        SandboxUser(
            id: "c03e6eaa-b6ab-46d7-905b-73ec7ea1f755", displayName: "Diego Siciliani", givenName: "Diego",
            surname: "Siciliani", jobTitle: "HR Manager", officeLocation: "14/1108",
            businessPhones: ["+1 205 555 0108"], mail: "diegos@contoso.com", userPrincipalName: "diegos@contoso.com"),
        SandboxUser(
            id: "074e56ea-0b50-4461-89e5-c67ae14a2c0b", displayName: "Lee Gu", givenName: "Lee", surname: "Gu",
            jobTitle: "Director", officeLocation: "23/3101", businessPhones: ["+1 913 555 0101"],
            mail: "leeg@contoso.com", userPrincipalName: "leeg@contoso.com"),
        SandboxUser(
            id: "16cfe710-1625-4806-9990-91b8f0afee35", displayName: "Lynne Robbins", givenName: "Lynne",
            surname: "Robbins", jobTitle: "Planner", officeLocation: "20/1104", businessPhones: ["+1 918 555 0104"],
            mail: "lynner@contoso.com", userPrincipalName: "lynner@contoso.com"),
        SandboxUser(
            id: "08fa38e4-cbfa-4488-94ed-c834da6539df", displayName: "Miriam Graham", givenName: "Miriam",
            surname: "Graham", jobTitle: "Director", officeLocation: "131/2103", businessPhones: ["+1 858 555 0109"],
            mail: "miriamg@contoso.com", userPrincipalName: "miriamg@contoso.com"),
        SandboxUser(
            id: "013b7b1b-5411-4e6e-bdc9-c4790dae1051", displayName: "Conf Room Adams", mail: nil,
            userPrincipalName: "confroom@contoso.com"),
    ]
}
