import Essentials

extension SandboxUser {
    private static let persons: [String: (department: String, manager: String?, hired: String)] = [
        "megan@contoso.com": ("Marketing", "leeg@contoso.com", "2021-03-01"),
        "adelev@contoso.com": ("Retail", "leeg@contoso.com", "2022-09-15"),
        "alexw@contoso.com": ("Marketing", "megan@contoso.com", "2023-06-01"),
        "diegos@contoso.com": ("Human Resources", "leeg@contoso.com", "2020-01-15"),
        "leeg@contoso.com": ("Management", nil, "2019-05-01"),
        "lynner@contoso.com": ("Retail", "adelev@contoso.com", "2024-02-01"),
        "miriamg@contoso.com": ("Management", "leeg@contoso.com", "2019-11-04"),
    ]

    var manager: String? { givenManager ?? Self.persons[userPrincipalName]?.manager }

    static let workFields: Object = [
        "accountEnabled": true, "ageGroup": .null, "assignedLicenses": [], "city": .null, "companyName": "Contoso",
        "country": .null, "createdDateTime": "2024-01-01T08:00:00Z", "creationType": .null, "department": .null,
        "employeeHireDate": .null, "employeeId": .null, "employeeType": .null, "faxNumber": .null, "imAddresses": [],
        "mailNickname": .null, "onPremisesImmutableId": .null, "onPremisesLastSyncDateTime": .null,
        "onPremisesSyncEnabled": .null, "otherMails": [], "passwordPolicies": .null, "postalCode": .null,
        "proxyAddresses": [], "showInAddressList": .null, "state": .null, "streetAddress": .null,
        "usageLocation": "US", "userType": "Member",
    ]

    func workField(_ name: String) -> Value? {
        let person = Self.persons[userPrincipalName]
        let known: Value? =
            switch name {
            case "department": person.map { .string($0.department) }
            case "employeeHireDate": person.map { .string("\($0.hired)T00:00:00Z") }
            case "createdDateTime": person.map { .string("\($0.hired)T08:00:00Z") }
            case "employeeId": person.map { _ in .string(String(id.prefix(4)).uppercased()) }
            case "employeeType": person.map { _ in "Employee" }
            case "imAddresses": mail.map { [.string($0)] }
            case "proxyAddresses": mail.map { [.string("SMTP:\($0)")] }
            case "mailNickname": .string(String(userPrincipalName.prefix { $0 != "@" }))
            default: nil
            }
        return known ?? Self.workFields[name]
    }
}
