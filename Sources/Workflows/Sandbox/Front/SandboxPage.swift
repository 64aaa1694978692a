/// An address that is the sandbox's rather than Graph's: it needs no token and is not recorded.
enum SandboxPage: Equatable {
    case board
    case style
    case script
    case icon
    case state
    case outbox
    case drive
    case requests
    case throttling
    case all
    case mail(Int)
    case attachment(Int, ofMail: Int)
    case exchange(Int)
    case share(String)
    case download(String)
    case thumbnail(Int)
    case monitor(String)
    case file(String)

    init?(_ segments: [String]) {
        switch (segments.first, segments.count) {
        case (nil, _): self = .board
        case ("favicon.ico", 1): self = .icon
        case ("sandbox", 1): self = .all
        case ("sandbox", 2...):
            guard let page = Self(below: Array(segments.dropFirst())) else { return nil }
            self = page
        case ("s", 2): self = .share(segments[1])
        case ("download", 2): self = .download(segments[1])
        case ("thumbnail", 2):
            guard let size = Int(segments[1]) else { return nil }
            self = .thumbnail(size)
        case ("monitor", 2): self = .monitor(segments[1])
        case ("files", 2...3): self = .file(segments[1])
        default: return nil
        }
    }

    private init?(below segments: [String]) {
        let numbers = segments.map { Int($0) }
        switch (segments[0], segments.count) {
        case ("page.css", 1): self = .style
        case ("page.js", 1): self = .script
        case ("state", 1): self = .state
        case ("outbox", 1): self = .outbox
        case ("drive", 1): self = .drive
        case ("requests", 1): self = .requests
        case ("throttling", 1): self = .throttling
        case ("mails", 2):
            guard let mail = numbers[1] else { return nil }
            self = .mail(mail)
        case ("mails", 4) where segments[2] == "attachments":
            guard let mail = numbers[1], let attachment = numbers[3] else { return nil }
            self = .attachment(attachment, ofMail: mail)
        case ("requests", 2):
            guard let number = numbers[1] else { return nil }
            self = .exchange(number)
        default: return nil
        }
    }
}
