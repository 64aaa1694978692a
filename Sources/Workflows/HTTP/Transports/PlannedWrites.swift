/// What a plan would write, so reading it before the run is pointless.
struct PlannedWrites: Sendable {
    private struct Place: Hashable {
        let drive: String
        let path: String

        init(drive: String, path: String) { (self.drive, self.path) = (drive, path) }

        init?(_ url: URL) {
            let address = url.path()
            guard let root = address.firstRange(of: "/drive/root") else { return nil }
            drive = String(address[..<root.lowerBound])
            let rest = address[root.upperBound...]
            guard rest.hasPrefix(":/") else {
                guard rest.isEmpty || rest == "/children" else { return nil }
                path = ""
                return
            }
            let encoded = rest.dropFirst(2).prefix { $0 != ":" }
            path = String(encoded).percentDecoded ?? String(encoded)
        }

        func meets(_ other: Place) -> Bool {
            guard drive == other.drive else { return false }
            let (mine, theirs) = (path + "/", other.path + "/")
            return path.isEmpty || other.path.isEmpty || mine.hasPrefix(theirs) || theirs.hasPrefix(mine)
        }
    }

    private var places: [Place] = []
    private var collections: Set<String> = []
    /// The ids of files and folders.
    private var ids: Set<String> = []

    mutating func note(_ request: HTTPRequest, _ effects: [Effect]) {
        let parts = request.url.path().split(separator: "/").map(String.init)
        if !effects.isEmpty, let place = parts.firstIndex(of: "items"), place + 1 < parts.count {
            ids.insert(parts[place + 1])
        }
        for effect in effects {
            switch effect.kind {
            case .file, .folder:
                let address = request.url.path()
                guard let drive = address.firstRange(of: "/drive/"), let path = effect.path.string else { continue }
                places.append(Place(drive: String(address[..<drive.lowerBound]), path: path))
            case .create: collections.insert(request.url.path())
            default: break
            }
        }
    }

    /// Notes that a file or folder is written, and returns whether it is for the first time.
    mutating func isFirst(_ id: String) -> Bool { ids.insert(id).inserted }

    /// Whether a request reads something that would be written.
    func concern(_ request: HTTPRequest) -> Bool {
        if let place = Place(request.url), places.contains(where: { $0.meets(place) }) { return true }
        let address = request.url.path()
        return collections.contains { address == $0 || address.hasPrefix($0 + "/") }
    }
}
