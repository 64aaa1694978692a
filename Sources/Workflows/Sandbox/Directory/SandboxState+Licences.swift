struct SandboxProduct {
    var id: String
    var name: String
    var plan: (id: String, name: String)
    var count: Int

    static let all = [
        SandboxProduct(
            id: "06ebc4ee-1bb5-47dd-8120-11324bc54e06", name: "SPE_E5",
            plan: ("efb87545-963c-4e0d-99df-69c6916d9eb0", "EXCHANGE_S_ENTERPRISE"), count: 10),
        SandboxProduct(
            id: "f30db892-07e9-47e9-837c-80727f46fd3d", name: "FLOW_FREE",
            plan: ("50e68c76-46c6-4674-81f9-75456511b170", "FLOW_P2_VIRAL"), count: 2),
    ]

    var servicePlans: Value {
        [
            [
                "servicePlanId": .string(plan.id), "servicePlanName": .string(plan.name),
                "provisioningStatus": "Success", "appliesTo": "User",
            ]
        ]
    }
}

extension SandboxState {
    private static let organizationID = "84841066-274d-4ec0-a5c1-276be684bdd3"

    static var organization: SandboxList {
        SandboxList(
            context: "organization", type: "microsoft.graph.organization",
            elements: [
                [
                    "id": .string(organizationID), "displayName": "Contoso", "countryLetterCode": "US",
                    "city": "Redmond", "state": "WA", "street": "One Contoso Way", "postalCode": "98052",
                    "preferredLanguage": "en", "tenantType": "AAD", "businessPhones": ["+1 425 555 0100"],
                    "technicalNotificationMails": ["admin@contoso.com"], "createdDateTime": "2020-01-01T00:00:00Z",
                    "verifiedDomains": [
                        [
                            "capabilities": "Email, OfficeCommunicationsOnline", "isDefault": true, "isInitial": false,
                            "name": "contoso.com", "type": "Managed",
                        ]
                    ],
                ]
            ], options: ["select"])
    }

    var skus: SandboxList {
        SandboxList(
            context: "subscribedSkus", type: "microsoft.graph.subscribedSku",
            elements: SandboxProduct.all.map { product in
                [
                    "id": .string("\(Self.organizationID)_\(product.id)"), "accountName": "Contoso",
                    "accountId": .string(Self.organizationID), "appliesTo": "User", "capabilityStatus": "Enabled",
                    "consumedUnits": .integer(assigned(product)), "skuId": .string(product.id),
                    "skuPartNumber": .string(product.name), "servicePlans": product.servicePlans,
                    "prepaidUnits": ["enabled": .integer(product.count), "suspended": 0, "warning": 0, "lockedOut": 0],
                ]
            }, options: ["select"])
    }

    func licenceDetails(of user: SandboxUser) -> SandboxList {
        let own = licences[user.id] ?? []
        return SandboxList(
            context: "users('\(user.id)')/licenseDetails", type: "microsoft.graph.licenseDetails",
            elements: SandboxProduct.all.filter { own.contains($0.id) }.map { product in
                [
                    "id": .string("\(user.id.prefix(8))_\(product.id)"), "skuId": .string(product.id),
                    "skuPartNumber": .string(product.name), "servicePlans": product.servicePlans,
                ]
            }, fields: ["id", "skuId", "skuPartNumber", "servicePlans"])
    }

    /// `POST …/assignLicense`: an existing licence changes nothing.
    mutating func assignLicence(to user: SandboxUser, _ call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let body = try call.json?.get() else { throw .unreadableBody }
        var own = licences[user.id] ?? []
        for licence in body["addLicenses"]?.array ?? [] {
            let id = licence["skuId"]?.string?.lowercased() ?? ""
            guard let product = SandboxProduct.all.first(where: { $0.id == id }) else {
                throw .badRequest(
                    "License \(PlainText.line(id, limit: 50)) does not correspond to a valid company License.",
                    code: "Request_BadRequest")
            }
            guard own.contains(id) || assigned(product) < product.count else {
                throw .badRequest(
                    "Subscription with SKU \(id) does not have any available licenses.", code: "Request_BadRequest")
            }
            own.insert(id)
        }
        for id in body["removeLicenses"]?.array?.compactMap({ $0.string?.lowercased() }) ?? [] {
            guard own.remove(id) != nil else {
                throw .badRequest("User does not have a corresponding license.", code: "Request_BadRequest")
            }
        }
        licences[user.id] = own
        var answer: Object = ["@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity"]
        for (name, value) in try user.value(select: nil) { answer[name] = value }
        answer["assignedLicenses"] = hold(own, user)
        return Self.json(answer)
    }

    @discardableResult mutating func hold(_ licences: Set<String>, _ user: SandboxUser) -> Value {
        let assigned = Value.array(
            SandboxProduct.all.filter { licences.contains($0.id) }
                .map { ["disabledPlans": [], "skuId": .string($0.id)] })
        directory.hold(licences: assigned, of: user)
        note(.updated, user.id, in: .users, properties: ["assignedLicenses"])
        return assigned
    }

    private func assigned(_ product: SandboxProduct) -> Int { licences.values.count { $0.contains(product.id) } }
}
