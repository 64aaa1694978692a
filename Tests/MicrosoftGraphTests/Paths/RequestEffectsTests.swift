import Testing

@testable import MicrosoftGraph

/// What requests that a workflow writes itself do.
@Suite struct RequestEffectsTests {
    private static func effects(_ method: String, _ path: String, _ body: Value? = nil) -> [Effect] {
        GraphClient.effects(of: method, at: path, host: "graph.microsoft.com", body)
    }

    /// A request, its body as JSON, and its effect in words.
    private static let requests = """
        DELETE /users/adelev@contoso.com | | deletes the user adelev@contoso.com
        DELETE users/adelev%40contoso.com?x=1 | | deletes the user adelev@contoso.com
        DELETE /users('a''b@contoso.com') | | deletes the user a'b@contoso.com
        PATCH /users/adelev@contoso.com | {"jobTitle":"CEO"} | changes jobTitle of the user adelev@contoso.com
        PATCH /me | {"jobTitle":"CEO"} | changes jobTitle of the user
        POST /users | {"displayName":"Adele"} | creates the user Adele
        POST /users/1/revokeSignInSessions | | revokes the sign-in sessions of the user 1
        POST /groups | {"displayName":"Sales"} | creates the group Sales
        DELETE /groups/1 | | deletes the group 1
        POST /groups/1/members/$ref | {"@odata.id":"https://x/v1.0/directoryObjects/2"} | adds 2 to the group 1
        POST /groups/1/members/$ref | {"@odata.id":"https://x/v1.0/users('a%40x')"} | adds a@x to the group 1
        DELETE /groups/1/members/2/$ref | | removes 2 from the group 1
        DELETE /teams/1/channels/2 | | deletes the channel 2 of the team 1
        POST /teams/1/channels/2/messages | {"body":{"content":"x"}} | posts a message in the channel 2 of the team 1
        POST /sites/1/lists/2/items | {"fields":{"Title":"x"}} | creates the list item of the list 2 of the site 1
        PATCH /planner/tasks/1 | {"title":"x"} | changes title of the task x (1)
        POST /me/todo/lists/1/tasks | {"title":"x"} | creates the task x of the task list 1
        POST /me/events/1/cancel | {"comment":"x"} | deletes the event 1
        PATCH /me/events/1 | {"subject":"x"} | changes subject of the event x (1)
        POST /me/messages/1/move | {"destinationId":"x"} | moves the message 1
        DELETE /me/messages/1 | | deletes the message 1
        DELETE /me/mailFolders/1 | | deletes the mail folder 1
        PUT /me/drive/root:/A%20B/c.txt:/content | | writes A B/c.txt, which may replace a file
        PUT /users/x/drive/items/1/content | | writes 1 in the drive of x, which may replace a file
        POST /me/drive/root/children | {"name":"A","folder":{}} | creates the folder A
        POST /me/drive/root:/A:/children | {"name":"B","folder":{}} | creates the folder A/B
        DELETE /me/drive/items/1 | | deletes the file or folder 1
        POST /me/drive/items/1/permanentDelete | | deletes the file or folder 1
        DELETE /me/drive/items/1/permissions/2 | | takes access to 1 from somebody
        PATCH /drives/d/items/1 | {"name":"x"} | changes name of the file or folder x (1) of the drive d
        POST /me/drive/items/1/createLink | {"type":"edit","scope":"anonymous"} | makes a link by which anyone can change 1
        PUT /users/x/photo/$value | | changes properties of the photo of the user x
        POST /communications/calls | {} | creates the call
        POST /directoryRoles/R/members/$ref | {"@odata.id":"https://x/v1.0/directoryObjects/2"} | gives 2 the role R
        POST /groups/G/owners/$ref | {"@odata.id":"https://x/v1.0/users/2"} | makes 2 an owner of the group G
        POST /applications/A/owners | {"directoryObject":{"id":"2"}} | makes 2 an owner of the application A
        POST /applications/A/addPassword | {} | adds a credential to the application A
        POST /servicePrincipals/S/appRoleAssignments | {"principalId":"S","resourceId":"R","appRoleId":"P"} | gives the service principal S the permission (P) of the service principal R
        POST /oauth2PermissionGrants | {"clientId":"S","resourceId":"R","scope":"Mail.Read"} | gives the service principal S the consent (Mail.Read) to the service principal R
        POST /me/drive/items/1/invite | {"recipients":[{"email":"e@x.org"}],"roles":["write"]} | gives e@x.org access (write) to 1
        POST /me/mailFolders/inbox/messageRules | {"displayName":"f","actions":{"forwardTo":[{"emailAddress":{"address":"e@x.org"}}]}} | sends the mail on to e@x.org, by a rule
        PATCH /users/U/mailboxSettings | {"automaticRepliesSetting":{"status":"alwaysEnabled","externalAudience":"all"}} | sets the automatic replies of U, to everybody who writes
        PATCH /users/U/mailboxSettings | {"timeZone":"UTC"} | changes timeZone of the mailbox settings of the user U
        POST /me/messages/1/forward | {"toRecipients":[{"emailAddress":{"address":"a@x.org"}}]} | sends a mail to a@x.org
        POST /me/revokeSignInSessions | | revokes the sign-in sessions of the signed-in user
        POST /users/U/retryServiceProvisioning | | prepares the services of the user U anew
        POST /deviceManagement/managedDevices/D/disableLostMode | | runs disableLostMode on the managed device D
        PUT /users/U/manager/$ref | {"@odata.id":"https://x/v1.0/users/2"} | changes manager of the user U
        POST /invitations | {"invitedUserEmailAddress":"a@x.org"} | creates the user a@x.org
        POST /users/U/calendar/calendarPermissions | {"emailAddress":{"address":"a@x.org"},"role":"read"} | gives a@x.org access (read) to the calendar of U
        POST /me/calendar/calendarPermissions | {"emailAddress":{"address":"a@x.org"},"role":"read"} | gives a@x.org access (read) to the calendar
        POST /sites/S/permissions | {"roles":["write"],"grantedToIdentities":[{"application":{"id":"A","displayName":"App"}}]} | gives App access (write) to the site S
        POST /roleManagement/directory/roleAssignments | {"principalId":"U","roleDefinitionId":"R","directoryScopeId":"/"} | gives U the role R
        POST /me/drive/items/1/copy | {"name":"b.txt","parentReference":{"driveId":"D"}} | creates the file or folder b.txt in the drive D
        DELETE /chats/C/members/M | | removes M from the chat C
        POST /odd/thing | {} | sends POST graph.microsoft.com/odd/thing
        MERGE /anything | | sends MERGE graph.microsoft.com/anything
        """.split(separator: "\n").map(String.init)

    @Test(arguments: requests)
    func `a request is said in words`(row: String) throws {
        let parts = row.split(separator: " |", omittingEmptySubsequences: false).map { $0.trimmingPrefix(" ") }
        let request = parts[0].split(separator: " ")
        let body = parts[1].isEmpty ? nil : try Value(json: String(parts[1]))
        let effects = Self.effects(String(request[0]), String(request[1]), body)
        #expect(effects.map(\.summary) == [String(parts[2])])
    }

    @Test func `a mail has its recipients, whatever sends it`() throws {
        let message: Value = [
            "subject": "Hi", "toRecipients": [["emailAddress": ["address": "a@contoso.com"]]],
            "bccRecipients": [["emailAddress": ["address": "b@example.com"]]],
            "attachments": [["name": "a.txt", "contentBytes": "AAAA"]],
        ]
        let sent = try #require(Self.effects("POST", "/users/x@contoso.com/sendMail", ["message": message]).first)
        #expect(sent.kind == .mail)
        #expect(sent.mail?.from == "x@contoso.com")
        #expect(sent.recipients == ["a@contoso.com", "b@example.com"])
        #expect(sent.mail?.attachments == [["name": "a.txt", "size": 3]])
        #expect(sent.mail?.sent == true)
        let seen = sent.seen(by: EffectPerspective(account: "me@contoso.com"))
        #expect(seen.mail?.from == "x@contoso.com")
        #expect(seen.mail?.external == ["b@example.com"])
        let draft = try #require(Self.effects("POST", "/me/messages", message).first)
        #expect(draft.mail?.sent == false)
        #expect(draft.seen(by: EffectPerspective(account: "me@contoso.com")).mail?.from == "me@contoso.com")
        #expect(Self.effects("POST", "/me/messages/1/send").first?.mail?.to == .null)
        let forwarded = Self.effects(
            "POST", "/me/messages/1/forward", ["toRecipients": message["toRecipients"] ?? []])
        #expect(forwarded.first?.mail?.to == ["a@contoso.com"])
        #expect(forwarded.first?.recipients == ["a@contoso.com"])
    }

    @Test func `a mail whose names are written in other letters has its recipients`() {
        let message: Value = [
            "Subject": "Hi", "ToRecipients": [["EmailAddress": ["Address": "a@contoso.com"]]],
            "CCRECIPIENTS": [["emailaddress": ["ADDRESS": "b@contoso.com"]]],
        ]
        let mail = Self.effects("POST", "/me/sendMail", ["Message": message, "SaveToSentItems": false]).first
        #expect(mail?.recipients == ["a@contoso.com", "b@contoso.com"])
        #expect(mail?.subject == "Hi")
        let batch: Value = ["Requests": [["Method": "POST", "URL": "/me/messages", "Body": message]]]
        #expect(Self.effects("POST", "/$batch", batch).first?.recipients == ["a@contoso.com", "b@contoso.com"])
    }

    @Test(arguments: [nil, "a text", ["message": "a text"], ["other": 1]] as [Value?])
    func `a mail or an event that is not known is for people who are not known, and not for nobody`(body: Value?) {
        let mail = Self.effects("POST", "/me/sendMail", body).first
        #expect(mail?.kind == .mail)
        #expect(mail?.recipients == nil)
        #expect(mail?.subject == .null)
        guard body?.object == nil else { return }
        #expect(Self.effects("POST", "/me/messages", body).first?.recipients == nil)
        #expect(Self.effects("POST", "/me/events", body).first?.recipients == nil)
        #expect(Self.effects("POST", "/me/drive/items/1/createLink").first?.link?.password == nil)
    }

    @Test func `an invitation to a file is a right, and a mail where one is sent`() throws {
        let recipients: Value = [["email": "eve@evil.example"]]
        var body: Value = ["recipients": recipients, "roles": ["write"], "sendInvitation": true]
        let path = "/me/drive/root:/a.txt:/invite"
        let effects = Self.effects("POST", path, body).map { $0.seen(by: EffectPerspective(account: "me@contoso.com")) }
        #expect(effects.map(\.kind) == [.grant, .mail])
        let grant = try #require(effects.first?.grant)
        #expect(grant.what == "share" && grant.on == "a.txt" && grant.level == "write" && grant.added == true)
        #expect(grant.to == ["eve@evil.example"] && grant.external == grant.to)
        #expect(effects.last?.recipients == ["eve@evil.example"])
        body = ["recipients": recipients, "roles": ["write"]]
        #expect(Self.effects("POST", path, body).map(\.kind) == [.grant])
        // What is not known may send one.
        #expect(Self.effects("POST", path).map(\.kind) == [.grant, .mail])
    }

    @Test func `a rule says whether the mail stays, and an answer whom it reaches`() throws {
        let actions: Value = ["redirectTo": [["emailAddress": ["address": "e@x.org"]]], "delete": true]
        let rule = Self.effects("POST", "/users/U/mailFolders/inbox/messageRules", ["actions": actions]).first
        #expect(rule?.details == .forward(.init(owner: "U", to: ["e@x.org"], keeps: false)))
        let plain = Self.effects("POST", "/me/mailFolders/inbox/messageRules", ["actions": ["markAsRead": true]])
        #expect(plain.map(\.what) == ["messageRule"])
        func audience(_ setting: Value) -> Value? {
            Self.effects("PATCH", "/me/mailboxSettings", ["automaticRepliesSetting": setting])
                .first?.details.members["audience"]
        }
        #expect(audience(["status": "disabled", "externalAudience": "all"]) == "none")
        #expect(audience(["status": "alwaysEnabled", "externalAudience": "contactsOnly"]) == "contacts")
        #expect(audience(["status": "alwaysEnabled"]) == .null)
    }

    @Test(arguments: [
        "/search/query", "/me/findMeetingTimes", "/users/U/checkMemberGroups", "/directoryObjects/getByIds",
        "/me/drive/items/1/workbook/functions/pmt", "/groups/G/validateProperties",
    ])
    func `an action that changes nothing is a read`(path: String) {
        #expect(Self.effects("POST", path, [:]).isEmpty)
        #expect(GraphClient.onlyReads("POST", at: path))
        #expect(!GraphClient.onlyReads("POST", at: "/users/U/revokeSignInSessions"))
    }

    @Test func `a write has an effect, even if not even its objects are known`() {
        #expect(
            Self.effects("POST", "/identityProtection/riskyUsers/dismiss", ["userIds": []]).map(\.kind) == [.request])
    }

    @Test(
        arguments: [
            ("POST", "/applications", ["displayName": "ä", "passwordCredentials": [[:]]], true),
            ("PATCH", "/applications/A", ["keyCredentials": [["key": "x"]]], true),
            ("PATCH", "/servicePrincipals/S", ["passwordCredentials": [[:]]], true),
            ("PATCH", "/applications/A", ["keyCredentials": []], false),
            ("PATCH", "/users/U", ["passwordProfile": ["password": "x"]], true),
            ("POST", "/users", ["displayName": "ä", "passwordProfile": ["password": "x"]], false),
            ("POST", "/users/U/authentication/phoneMethods", ["phoneNumber": "1"], true),
            ("POST", "/users/U/authentication/methods/M/resetPassword", [:], true),
            ("POST", "/users/U/authentication/temporaryAccessPassMethods", [:], true),
        ] as [(String, String, Value, Bool)])
    func `a credential is a right, however it comes`(method: String, path: String, body: Value, isGiven: Bool) {
        let given = Self.effects(method, path, body).filter { $0.kind == .grant }
        #expect(given.map { $0.grant?.what } == (isGiven ? ["credential"] : []))
        #expect(given.allSatisfy { $0.grant?.added == true && $0.summary.hasPrefix("adds a credential to ") })
    }

    @Test func `people who come with a new team or group are members and owners of it`() {
        let user = "https://graph.microsoft.com/v1.0/users"
        let group: Value = [
            "displayName": "Sales", "members@odata.bind": [.string("\(user)/1")],
            "owners@odata.bind": [.string("\(user)/2")],
        ]
        #expect(
            Self.effects("POST", "/groups", group).map(\.summary) == [
                "creates the group Sales", "adds 1 to the group Sales", "makes 2 an owner of Sales",
            ])
        let member: Value = ["roles": ["owner"], "user@odata.bind": "\(user)('3')"]
        #expect(Self.effects("POST", "/teams/T/members", member).map(\.summary) == ["makes 3 an owner of the team T"])
        let chat: Value = [
            "chatType": "oneOnOne", "members": [["roles": ["owner"], "user@odata.bind": "\(user)('3')"]],
        ]
        #expect(Self.effects("POST", "/chats", chat).map(\.summary) == ["creates the chat", "adds 3 to the chat"])
    }

    @Test func `licenses and new members are one effect each`() {
        let licenses = Self.effects(
            "POST", "/users/x/assignLicense", ["addLicenses": [["skuId": "1"]], "removeLicenses": ["2", "3"]])
        #expect(
            licenses.map(\.summary) == [
                "assigns the license 1 to x", "takes the license 2 from x", "takes the license 3 from x",
            ])
        let added = Self.effects(
            "PATCH", "/groups/1",
            ["members@odata.bind": ["https://graph.microsoft.com/v1.0/users/2"], "description": "x"])
        #expect(
            added.map(\.summary) == [
                "adds 2 to the group 1", "changes description of the group 1",
            ])
    }

    /// A path with its keys in parentheses, in other letters, or percent-encoded.
    private static func spellings(of path: String) -> [String] {
        let parts = path.split(separator: "/").map(String.init)
        var keyed: [String] = []
        for part in parts {
            if let last = keyed.last, part == "K", last != "me" {
                keyed[keyed.count - 1] = "\(last)('K')"
            } else {
                keyed.append(part)
            }
        }
        let upper = parts.map { $0 == "K" ? $0 : $0.uppercased() }
        let encoded = keyed.map { part in
            part.utf8.map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        }
        return [keyed, upper, encoded, keyed.map { $0.replacing("'K'", with: "id='K'") }].map {
            $0.joined(separator: "/")
        }
    }

    @Test(arguments: [
        "DELETE /me/messages/K", "POST /me/messages/K/send", "POST /users/K/messages/K/move", "PATCH /me/events/K",
        "POST /me/events/K/cancel", "DELETE /me/mailFolders/K/messages/K/attachments/K", "DELETE /groups/K",
        "POST /groups/K/conversations", "POST /deviceManagement/managedDevices/K/wipe", "DELETE /users/K",
        "DELETE /groups/K/members/K/$ref", "POST /users/K/sendMail", "PATCH /me/drive/items/K",
        "DELETE /drives/K/items/K",
        "POST /me/drive/items/K/createLink", "PUT /users/K/photo/$value", "POST /users/K/revokeSignInSessions",
        "POST /teams/K/channels/K/messages", "POST /users/K/assignLicense",
    ])
    func `the spelling of a path does not change what it does`(request: String) {
        let parts = request.split(separator: " ").map(String.init)
        func known(_ path: String) -> [[String]] {
            Self.effects(parts[0], path).map { effect in
                let names = ["what", "id", "group", "member", "user", "owner", "item", "from"]
                return [effect.kind.rawValue] + names.map { (effect.details.members[$0] ?? .null).json() }
                    + (effect.objectChange?.properties?.keys ?? []).map { $0.lowercased() }
            }
        }
        let permissions = GraphClient.permissions(of: parts[0], path: parts[1])
        for path in Self.spellings(of: parts[1]) {
            #expect(known(path) == known(parts[1]), "\(path)")
            #expect(GraphClient.permissions(of: parts[0], path: path) == permissions, "\(path)")
        }
    }

    @Test func `what a batch of requests does is what they do`() {
        let batch: Value = [
            "requests": [
                ["id": "1", "method": "GET", "url": "/users/x"], ["id": "2", "method": "delete", "url": "/users/x"],
                ["id": "3", "method": "POST", "url": "/odd/thing"],
            ]
        ]
        #expect(
            Self.effects("POST", "/$batch", batch).map(\.summary) == [
                "deletes the user x", "sends POST graph.microsoft.com/odd/thing",
            ])
        #expect(Self.effects("POST", "/$batch").map(\.kind) == [.request])
    }

}
