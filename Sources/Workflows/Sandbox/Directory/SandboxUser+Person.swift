import Essentials

extension SandboxUser {
    /// What is known of the first people beyond their names: department, manager and when they began.
    private static let persons: [String: (department: String, manager: String?, hired: String)] = [
        "megan@contoso.com": ("Marketing", "leeg@contoso.com", "2021-03-01"),
        "adelev@contoso.com": ("Retail", "leeg@contoso.com", "2022-09-15"),
        "alexw@contoso.com": ("Marketing", "megan@contoso.com", "2023-06-01"),
        "diegos@contoso.com": ("Human Resources", "leeg@contoso.com", "2020-01-15"),
        "leeg@contoso.com": ("Management", nil, "2019-05-01"),
        "lynner@contoso.com": ("Retail", "adelev@contoso.com", "2024-02-01"),
        "miriamg@contoso.com": ("Management", "leeg@contoso.com", "2019-11-04"),
    ]

    /// The user principal name of the person's manager; nil if there is none.
    var manager: String? { Self.persons[userPrincipalName]?.manager }

    /// The fields that come from a person's work and account, by their names.
    var workFields: Object {
        let person = Self.persons[userPrincipalName]
        let hired = person?.hired ?? "2024-01-01"
        return [
            "department": person.map { .string($0.department) } ?? .null,
            "employeeHireDate": person == nil ? .null : .string("\(hired)T00:00:00Z"),
            "employeeId": person == nil ? .null : .string(String(id.prefix(4)).uppercased()),
            "employeeType": person == nil ? .null : "Employee",
            "createdDateTime": .string("\(hired)T08:00:00Z"), "usageLocation": "US", "country": .null, "city": .null,
            "state": .null, "streetAddress": .null, "postalCode": .null, "faxNumber": .null,
            "companyName": "Contoso", "accountEnabled": true, "userType": "Member", "creationType": .null,
            "onPremisesSyncEnabled": .null, "onPremisesLastSyncDateTime": .null, "onPremisesImmutableId": .null,
            "assignedLicenses": [], "otherMails": [], "imAddresses": .array(mail.map { [.string($0)] } ?? []),
            "proxyAddresses": .array(mail.map { [.string("SMTP:\($0)")] } ?? []),
            "mailNickname": .string(String(userPrincipalName.prefix { $0 != "@" })),
            "showInAddressList": .null, "ageGroup": .null, "passwordPolicies": .null,
        ]
    }
}
