import Foundation

/// Everything that the sandbox knows, and how each request changes it.
struct SandboxState {
    let profile: Sandbox.Profile
    let settings: Sandbox.Settings
    let directory: SandboxDirectory
    let initialFaults: [Sandbox.Fault]
    var faults: [Sandbox.Fault]
    var random: any RandomNumberGenerator
    /// Where links and downloads lead: the server's address while there is one.
    var origin = "https://sandbox.example"

    var folders: [SandboxFolder] = []
    var items: [Sandbox.DriveItem] = []
    var itemDates: [String: SandboxItemDates] = [:]
    var mails: [Sandbox.Mail] = []
    var exchanges: [Sandbox.Exchange] = []
    /// How often each distinct request was sent, as the profiles count it.
    var sendings: [String: Int] = [:]
    var downloads: [String: SandboxDownload] = [:]
    /// The sessions of files on their way, by the last part of their address.
    var uploads: [String: SandboxUpload] = [:]
    var mailbox = SandboxMailbox()
    /// Where in the outbox the mails of an envelope are.
    var mailPlaces: [String: [Int]] = [:]
    /// A photo that was put; nil for the one that the profile gives.
    var photo: (content: Data, type: String)?
    /// The identity platform.
    var signIn = SandboxSignIn(Sandbox.SignInRules())

    init(
        profile: Sandbox.Profile, settings: Sandbox.Settings, faults: [Sandbox.Fault],
        random: any RandomNumberGenerator
    ) {
        self.init(
            profile: profile, settings: settings, directory: SandboxDirectory(count: settings.userCount),
            faults: faults, random: random)
    }

    private init(
        profile: Sandbox.Profile, settings: Sandbox.Settings, directory: SandboxDirectory, faults: [Sandbox.Fault],
        random: any RandomNumberGenerator
    ) {
        self.profile = profile
        self.settings = settings
        self.directory = directory
        initialFaults = faults
        self.faults = faults
        self.random = random
    }

    /// Forgets everything but the address.
    mutating func reset() {
        let (origin, signIn) = (origin, SandboxSignIn(signIn.initialRules))
        self = SandboxState(
            profile: profile, settings: settings, directory: directory, faults: initialFaults, random: random)
        self.origin = origin
        self.signIn = signIn
    }

    /// The answer to a request for Graph, with the headers that every answer has, and the record of it.
    mutating func answer(_ call: SandboxCall) -> SandboxAnswer {
        let requestID = guid()
        var answer = play(call, requestID: requestID)
        answer.response.headers["request-id"] = requestID
        answer.response.headers["client-request-id"] = call.clientRequestID ?? requestID
        answer.response.headers["x-ms-ags-diagnostic"] =
            #"{"ServerInfo":{"DataCenter":"Sandbox","Slice":"E","Ring":"1","ScaleUnit":"000","RoleInstance":"SANDBOX"}}"#
        answer.response.headers["Date"] = SandboxClock.httpDate(call.date)
        record(call.request, answer, at: call.date)
        return answer
    }

    mutating func record(_ request: HTTPRequest, _ answer: SandboxAnswer, at date: Date) {
        exchanges.append(
            Sandbox.Exchange(
                date: date, request: request.redacted,
                status: answer.outcome == .dropped ? nil : answer.response.status, outcome: answer.outcome))
    }

    /// Faults come first, so that a fault can play what is wrong before the token is looked at; then the token; then
    /// what the profile has against the request; then the request itself.
    private mutating func play(_ call: SandboxCall, requestID: String) -> SandboxAnswer {
        func failure(_ error: SandboxError) -> HTTPResponse {
            error.response(requestID: requestID, clientRequestID: call.clientRequestID, date: call.date)
        }
        let position = faults.firstIndex {
            $0.times > 0 && $0.matches(method: call.request.method, path: call.target.path, grant: nil)
        }
        if let position {
            let fault = faults[position]
            faults[position].times -= 1
            let error = SandboxError.playing(fault, for: call)
            switch fault.answer {
            case .drop where fault.isProcessed: return SandboxAnswer(perform(call, failure), .dropped)
            case .drop: return SandboxAnswer(HTTPResponse(status: 0), .dropped)
            case .truncate: return SandboxAnswer(perform(call, failure), .truncated)
            case .status, .signInError:
                if fault.isProcessed { _ = perform(call, failure) }
                return SandboxAnswer(failure(error))
            }
        }
        if let error = refusal(of: call) { return SandboxAnswer(failure(error)) }
        switch trouble(for: call) {
        case nil: return SandboxAnswer(perform(call, failure))
        case .refused(let error): return SandboxAnswer(failure(error))
        case .droppedAfterwards: return SandboxAnswer(perform(call, failure), .dropped)
        case .truncated: return SandboxAnswer(perform(call, failure), .truncated)
        }
    }

    private func refusal(of call: SandboxCall) -> SandboxError? {
        if case .upload? = (try? call.route.get())?.resource {
            // The address itself says who may write there, and the services behind it refuse whoever sends a token.
            return call.request.headers["Authorization"] == nil ? nil : .tokenForUpload
        }
        guard let token = call.token else { return .noToken }
        return Sandbox.refusedTokens.contains(token) ? .badToken : refusal(of: token, for: call)
    }

    private mutating func perform(_ call: SandboxCall, _ failure: (SandboxError) -> HTTPResponse) -> HTTPResponse {
        do throws(SandboxError) {
            return try respond(to: call)
        } catch {
            return failure(error)
        }
    }

    private mutating func respond(to call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        let route = try call.route.get()
        guard route.resource != .unplayed else {
            throw SandboxError(
                status: 501, code: "notImplemented", message: "The sandbox does not play this part of Microsoft Graph.")
        }
        guard route.methods.contains(call.request.method) else {
            var error = SandboxError.methodNotAllowed
            error.headers["Allow"] = route.methods.sorted().joined(separator: ", ")
            throw error
        }
        switch route.resource {
        case .users: return try answerUsers(call)
        case .userCount: return try answerUserCount(call)
        case .upload(let id): return try answerUpload(id, call)
        default: break
        }
        deliverMail(until: call.date)
        let owner = try user(route.owner, for: call)
        return switch route.resource {
        case .user: try answerUser(owner, call)
        case .photos: try answerPhotos(of: owner)
        case .photo(let size): try answerPhoto(of: owner, size: size)
        case .photoContent(let size): try answerPhotoContent(of: owner, size: size, call)
        case .drive: answerDrive(of: owner)
        case .item(let item): try answerItem(item, of: owner, call)
        case .content(let item): try answerContent(item, of: owner, call)
        case .createLink(let item): try answerCreateLink(item, of: owner, call)
        case .createUploadSession(let item): try answerCreateUploadSession(item, of: owner, call)
        case .sendMail: try answerSendMail(from: owner, call)
        case .messages(let name): try answerMessages(in: folder(name, of: owner), of: owner, call)
        case .message(let id): try answerMessage(id, of: owner, call)
        case .send(let id): try answerSend(id, of: owner, call)
        case .attachments(let message): try answerAttachments(of: message, owner: owner, call)
        case .attachment(let id, let message, let isContent):
            try answerAttachment(id, of: message, isContent: isContent, owner: owner, call)
        case .createAttachmentSession(let message): try answerCreateAttachmentSession(of: message, owner: owner, call)
        case .mailFolders: answerFolders(of: owner, call)
        case .mailFolder(let name): try answerFolder(name, of: owner, call)
        case .users, .userCount, .upload, .unplayed: throw .methodNotAllowed
        }
    }

    private func folder(_ name: String?, of owner: SandboxUser) throws(SandboxError) -> SandboxMessage.Folder? {
        guard let name else { return nil }
        return try Self.folder(name, of: owner)
    }

    /// The user of an id, a user principal name or a drive's id; the signed-in user for nil.
    private func user(_ name: String?, for call: SandboxCall) throws(SandboxError) -> SandboxUser {
        guard let name else { return try signedInUser(call) }
        guard let found = directory.user(named: name) else { throw .noUser(name) }
        return found
    }

    /// A new GUID from the sandbox's own randomness.
    mutating func guid() -> String {
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            let word = random.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]].map(\.hex)
            .joined(separator: "-")
    }

    /// New text of these letters, from the sandbox's own randomness.
    mutating func text(_ length: Int, of letters: String) -> String {
        let letters = Array(letters)
        return String((0..<length).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
    }

    static func json(_ value: Object, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json;odata.metadata=minimal;odata.streaming=true;charset=utf-8"],
            body: Value.object(value).jsonData())
    }
}
