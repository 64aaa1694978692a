/// An address of the sandbox that is not Graph's: it needs no token and is not recorded.
enum SandboxPage: Equatable {
    case landing
    case icon
    case outbox
    case drive
    case requests
    case throttling
    case all
    case share(String)
    case download(String)
    case file(String)

    /// The page at a path; nil if the path is Graph's.
    init?(_ segments: [String]) {
        switch (segments.first, segments.count) {
        case (nil, _): self = .landing
        case ("favicon.ico", 1): self = .icon
        case ("sandbox", 1): self = .all
        case ("sandbox", 2):
            switch segments[1] {
            case "outbox": self = .outbox
            case "drive": self = .drive
            case "requests": self = .requests
            case "throttling": self = .throttling
            default: return nil
            }
        case ("s", 2): self = .share(segments[1])
        case ("download", 2): self = .download(segments[1])
        case ("files", 2...3): self = .file(segments[1])
        default: return nil
        }
    }
}
