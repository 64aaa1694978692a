struct SandboxState {
    let profile: Sandbox.Profile
    let settings: Sandbox.Settings
    let contents: Sandbox.Contents
    var directory: SandboxDirectory
    let initialFaults: [Sandbox.Fault]
    var faults: [Sandbox.Fault]
    var random: any RandomNumberGenerator
    var origin = "https://sandbox.example"

    var folders: [SandboxFolder] = []
    var items: [Sandbox.DriveItem] = []
    var itemPlaces: [String: [Int]] = [:]
    /// The places of files by their ids.
    var itemNumbers: [String: Int] = [:]
    /// The places of files and of folders by their owners and lowercased paths.
    var filePaths: [String: Int] = [:]
    var folderPaths: [String: Int] = [:]
    var itemDates: [String: SandboxItemDates] = [:]
    var mails: [Sandbox.Mail] = []
    var log: SandboxLog
    /// How often each distinct request was sent, for the profiles.
    var sendings: [String: Int] = [:]
    var downloads: [String: SandboxDownload] = [:]
    var downloadKeys: [String: String] = [:]
    var buckets: [SandboxService: SandboxBucket] = [:]
    var underWay: [String: Int] = [:]
    var concurrencyRefusals: [String: Int] = [:]
    var uploads: [String: SandboxUpload] = [:]
    var mailbox = SandboxMailbox()
    var events: [SandboxEvent] = []
    var groups = SandboxGroup.first
    var deletedItems = SandboxDeletedItems()
    var licences: [String: Set<String>] = [:]
    var mailPlaces: [String: [Int]] = [:]
    /// A client's photo; nil for the profile's own.
    var photo: (content: Data, type: String)?
    var isPhotoDeleted = false
    /// The feeds that were asked for.
    var changes: [SandboxFeed: SandboxChangeLog] = [:]
    /// Signs the tokens of delta queries; made when it is needed.
    var deltaKey = ""
    var deltaFault: Sandbox.Fault.Change?
    var subscriptions: [SandboxSubscription] = []
    /// A new subscription whose addresses have not been asked.
    var handshake: SandboxSubscription?
    var notices: [SandboxNotice] = []
    /// The addresses to which notifications are under way.
    var busyURLs: Set<String> = []
    /// When the latest request arrived.
    var moment: Date
    var isInBatch = false
    var signIn = SandboxSignIn(Sandbox.SignInRules())
    var store: SandboxStore
    /// The paths of the contents at which nothing can be put, with the reasons.
    var misplaced: [(path: String, message: String)] = []

    /// - Parameter date: When the sandbox begins.
    init(
        profile: Sandbox.Profile, settings: Sandbox.Settings, contents: Sandbox.Contents, faults: [Sandbox.Fault],
        random: any RandomNumberGenerator, at date: Date
    ) {
        self.profile = profile
        self.settings = settings
        self.contents = contents
        directory = contents.users.map { SandboxDirectory($0) } ?? SandboxDirectory(count: settings.userCount)
        initialFaults = faults
        self.faults = faults
        self.random = random
        log = SandboxLog(limit: settings.keptRequests)
        moment = date
        store = SandboxStore(users: directory.users)
        arrange(contents, at: date)
    }

    mutating func reset(at date: Date) {
        let (origin, signIn, underWay) = (origin, SandboxSignIn(signIn.initialRules), underWay)
        self = SandboxState(
            profile: profile, settings: settings, contents: contents, faults: initialFaults, random: random, at: date)
        self.origin = origin
        self.signIn = signIn
        self.underWay = underWay
    }

    mutating func answer(_ call: SandboxCall) -> SandboxAnswer {
        let requestID = guid()
        moment = call.date
        var answer = play(call, requestID: requestID)
        answer.delay += settings.latency
        answer.handshake = handshake
        handshake = nil
        if let mailbox = answer.mailbox { underWay[mailbox, default: 0] += 1 }
        answer.response.headers["Date"] = SandboxClock.httpDate(call.date)
        // A page simulates a proxy, which does not know Graph's ids.
        if answer.response.headers["Content-Type"] != Self.pageType {
            answer.response.headers["request-id"] = requestID
            answer.response.headers["client-request-id"] = call.clientRequestID ?? requestID
            answer.response.headers["x-ms-ags-diagnostic"] =
                #"{"ServerInfo":{"DataCenter":"Sandbox","Slice":"E","Ring":"1","ScaleUnit":"000","RoleInstance":"SANDBOX"}}"#
        }
        record(call.request, answer, at: call.date)
        return answer
    }

    mutating func finish(_ mailbox: String) {
        underWay[mailbox] = underWay[mailbox].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    mutating func record(_ request: HTTPRequest, _ answer: SandboxAnswer, at date: Date) {
        log.append(
            Sandbox.Exchange(
                date: date, request: request,
                status: answer.outcome == .dropped ? nil : answer.response.status, outcome: answer.outcome,
                answer: answer.outcome == .dropped ? nil : answer.response))
    }

    /// Faults come first, so they apply before the token is checked; then the token, the profile's failures, the limits
    /// and the request itself.
    mutating func play(_ call: SandboxCall, requestID: String) -> SandboxAnswer {
        func failure(_ error: SandboxError) -> HTTPResponse {
            error.response(requestID: requestID, clientRequestID: call.clientRequestID, date: call.date)
        }
        if let fault = takeFault(for: call) { return play(fault, call, failure) }
        if let error = refusal(of: call) { return SandboxAnswer(failure(error)) }
        switch trouble(for: call) {
        case nil: return meter(call, failure)
        case .refused(let error): return SandboxAnswer(failure(error))
        case .droppedAfterwards: return SandboxAnswer(perform(call, failure), .dropped)
        case .truncated: return SandboxAnswer(perform(call, failure), .truncated)
        }
    }

    private mutating func meter(_ call: SandboxCall, _ failure: (SandboxError) -> HTTPResponse) -> SandboxAnswer {
        guard let service = service(of: call) else { return SandboxAnswer(perform(call, failure)) }
        let error = throttle(call, service)
        var answer = SandboxAnswer(error.map(failure) ?? perform(call, failure))
        for field in throttleHeaders(call, service, isRefused: error != nil).fields {
            answer.response.headers[field.name] = field.value
        }
        if error == nil, case .mailbox(let owner) = service { answer.mailbox = owner }
        return answer
    }

    private func refusal(of call: SandboxCall) -> SandboxError? {
        if case .upload? = (try? call.route.get())?.resource {
            // The address itself grants access, and the service refuses requests with a token.
            return call.request.headers["Authorization"] == nil ? nil : .tokenForUpload
        }
        guard let token = call.token else { return .noToken }
        return Sandbox.refusedTokens.contains(token) ? .badToken : refusal(of: token, for: call)
    }

    mutating func perform(_ call: SandboxCall, _ failure: (SandboxError) -> HTTPResponse) -> HTTPResponse {
        do throws(SandboxError) {
            return try respond(to: call)
        } catch {
            return failure(error)
        }
    }

    private mutating func respond(to call: SandboxCall) throws(SandboxError) -> HTTPResponse {
        guard let route = try played(call) else { return try answerFromStore(call) }
        guard route.methods.contains(call.request.method) else {
            var error = SandboxError.methodNotAllowed
            error.headers["Allow"] = route.methods.sorted().joined(separator: ", ")
            throw error
        }
        try call.target.checkOptions()
        switch route.resource {
        case .subscriptions(let id, let isReauthorization):
            return try answerSubscriptions(id, isReauthorization: isReauthorization, call)
        case .users: return try call.request.method == "POST" ? createUser(call) : answerUsers(call)
        case .delta(let collection): return try answerDelta(collection, of: route.owner, call)
        case .userCount: return try answerUserCount(call)
        case .upload(let id): return try answerUpload(id, call)
        case .directory(let part): return try answer(part, of: route.owner, call)
        case .batch: return try answerBatch(call, requestID: guid())
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
        case .invite(let item): try answerInvite(to: item, of: owner, call)
        case .permissions(let item): try answerPermissions(of: item, owner: owner, call)
        case .permission(let item, let id): try answerPermission(id, of: item, owner: owner, call)
        case .createUploadSession(let item): try answerCreateUploadSession(item, of: owner, call)
        case .reply(let kind, let id, let isDraft): try answerReply(kind, to: id, isDraft: isDraft, of: owner, call)
        case .move(let id, let copies): try answerMove(id, copies: copies, of: owner, call)
        case .mime(let id): try answerMIME(id, of: owner, call)
        case .calendars: try answerCalendars(of: owner, call)
        case .calendar(let id): try answerCalendar(id, of: owner, call)
        case .events(let calendar): try answerEvents(in: calendar, of: owner, call)
        case .event(let id): try answerEvent(id, of: owner, call)
        case .cancel(let id): try answerCancel(id, of: owner, call)
        case .children(let item): try answerChildren(of: item, of: owner, call)
        case .copy(let item): try answerCopy(item, of: owner, call)
        case .thumbnails(let item, let size, let isContent):
            try answerThumbnails(of: item, size, isContent: isContent, owner: owner, call)
        case .search(let item, let text): try answerSearch(text, below: item, of: owner, call)
        case .sendMail: try answerSendMail(from: owner, call)
        case .messages(let name): try answerMessages(in: folder(name, of: owner), of: owner, call)
        case .message(let id): try answerMessage(id, of: owner, call)
        case .send(let id): try answerSend(id, of: owner, call)
        case .attachments(let message): try answerAttachments(of: message, owner: owner, call)
        case .attachment(let id, let message, let isContent):
            try answerAttachment(id, of: message, isContent: isContent, owner: owner, call)
        case .createAttachmentSession(let message): try answerCreateAttachmentSession(of: message, owner: owner, call)
        case .mailFolders(let parent): try answerFolders(in: parent, of: owner, call)
        case .mailFolder(let name): try answerFolder(name, of: owner, call)
        case .users, .userCount, .upload, .directory, .batch, .delta, .subscriptions, .unplayed:
            throw .methodNotAllowed
        }
    }

    /// The route of a request that a service plays; nil for the store's.
    private func played(_ call: SandboxCall) throws(SandboxError) -> SandboxRoute? {
        do throws(SandboxError) {
            let route = try call.route.get()
            return route.resource == .unplayed ? nil : route
        } catch {
            guard error.status == 501, call.target.segments.first == "v1.0" else { throw error }
            return nil
        }
    }

    private func folder(_ name: String?, of owner: SandboxUser) throws(SandboxError) -> SandboxMessage.Folder? {
        guard let name else { return nil }
        return try folder(name, of: owner) as SandboxMessage.Folder
    }

    func user(_ name: String?, for call: SandboxCall) throws(SandboxError) -> SandboxUser {
        guard let name else { return try signedInUser(call) }
        guard let found = directory.user(named: name) else { throw .noUser(name) }
        return found
    }

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
        return Self.guid(of: bytes)
    }

    static func guid(of bytes: [UInt8]) -> String {
        [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]].map(\.hex).joined(separator: "-")
    }

    /// Random text of these letters of ASCII, of which there are at most 64, from the sandbox's random source.
    mutating func text(_ length: Int, of letters: String) -> String {
        let (letters, lettersInWord) = (Array(letters.utf8), 10)
        var word: UInt64 = 0
        let text = (0..<length).map { index in
            if index.isMultiple(of: lettersInWord) { word = random.next() }
            defer { word /= UInt64(letters.count) }
            return letters[Int(word % UInt64(letters.count))]
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func json(_ value: Object, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json;odata.metadata=minimal;odata.streaming=true;charset=utf-8"],
            body: Value.object(value).jsonData())
    }
}
