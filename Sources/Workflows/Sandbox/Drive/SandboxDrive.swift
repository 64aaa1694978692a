struct SandboxFolder: Hashable {
    var owner: String
    var id: String
    var path: String
    var created: Date
    var links: [Sandbox.DriveItem.Link] = []
    /// Nil before the first change.
    var modified: Date?
    /// The number in its tag.
    var version = 1
}

struct SandboxItemDates {
    var created: Date
    var modified: Date
    var elsewhere: Object = [:]
    /// Nil until they are needed, because a list of large files would take seconds.
    var hashes: Value?
}

/// The temporary permission to download a file without a token.
struct SandboxDownload {
    var itemID: String
    var expires: Date
}

enum SandboxNode {
    case root
    case folder(SandboxFolder)
    case file(Int)
}

extension SandboxState {
    /// Hashes of larger files are omitted.
    private static let hashedSize = 16 << 20

    func node(_ item: SandboxRoute.Item, of owner: SandboxUser) throws(SandboxError) -> SandboxNode? {
        switch item {
        case .root: return .root
        case .id(let id):
            if id == Self.rootID(of: owner) { return .root }
            if let folder = folders.first(where: { $0.owner == owner.userPrincipalName && $0.id == id }) {
                return .folder(folder)
            }
            guard let number = itemNumbers[id], items[number].owner == owner.userPrincipalName else { return nil }
            return .file(number)
        case .path(let names, let below):
            return node(at: try path(names, below: below, of: owner), of: owner)
        }
    }

    private func places(of owner: SandboxUser) -> [Int] { itemPlaces[owner.userPrincipalName] ?? [] }

    func usedBytes(of owner: SandboxUser) -> Int { places(of: owner).reduce(0) { $0 + items[$1].size } }

    mutating func indexItems() {
        (itemPlaces, itemNumbers, filePaths, folderPaths) = ([:], [:], [:], [:])
        for place in items.indices { indexItem(place) }
        for (place, folder) in folders.enumerated() { folderPaths[Self.key(folder.path, folder.owner)] = place }
    }

    mutating func indexItem(_ place: Int) {
        let item = items[place]
        itemPlaces[item.owner, default: []].append(place)
        itemNumbers[item.id] = place
        filePaths[Self.key(item.path, item.owner)] = place
    }

    /// Removes a file; the last one takes its place, so that a large drive is not indexed anew.
    mutating func removeItem(at place: Int) -> Sandbox.DriveItem {
        let (item, last) = (items[place], items.count - 1)
        itemPlaces[item.owner]?.removeAll { $0 == place }
        itemNumbers[item.id] = nil
        filePaths[Self.key(item.path, item.owner)] = nil
        if place != last {
            items.swapAt(place, last)
            let moved = items[place]
            if let position = itemPlaces[moved.owner]?.firstIndex(of: last) {
                itemPlaces[moved.owner]?[position] = place
            }
            itemNumbers[moved.id] = place
            filePaths[Self.key(moved.path, moved.owner)] = place
        }
        return items.removeLast()
    }

    @discardableResult mutating func addFolder(at path: String, of owner: String, at date: Date) -> SandboxFolder {
        let folder = SandboxFolder(owner: owner, id: itemID(), path: path, created: date)
        folderPaths[Self.key(path, owner)] = folders.count
        folders.append(folder)
        noteItem(.created, folder.id, at: path, of: owner)
        return folder
    }

    private static func key(_ path: String, _ owner: String) -> String { "\(owner)\n\(path.lowercased())" }

    /// The root, folder or file at a path below the root; names ignore case.
    func node(at path: String, of owner: SandboxUser) -> SandboxNode? {
        if path.isEmpty { return .root }
        let key = Self.key(path, owner.userPrincipalName)
        return folderPaths[key].map { .folder(folders[$0]) } ?? filePaths[key].map(SandboxNode.file)
    }

    /// The path below the root; throws for names that OneDrive does not allow.
    /// - Parameter isFolder: Whether the last name is a folder's, as all others are.
    func path(
        _ names: [String], below: String?, of owner: SandboxUser, isFolder: Bool = false
    ) throws(SandboxError) -> String {
        var parts: [String] = []
        if let below {
            switch try node(.id(below), of: owner) {
            case .root: break
            case .folder(let folder): parts.append(folder.path)
            case .file, nil: throw .noItem
            }
        }
        for (index, name) in names.enumerated() {
            guard Self.isAllowed(name, isFolder: isFolder || index < names.count - 1) else {
                throw .badRequest("The name '\(name)' is not allowed.", code: "invalidRequest")
            }
            parts.append(name)
        }
        let path = parts.joined(separator: "/")
        guard path.utf16.count <= 400 else {
            throw .badRequest("The path is longer than 400 characters.", code: "invalidRequest")
        }
        return path
    }

    /// Support page "Restrictions and limitations in OneDrive and SharePoint": invalid characters, names and lengths.
    private static func isAllowed(_ name: String, isFolder: Bool) -> Bool {
        let lowercased = name.lowercased()
        let device = lowercased.prefix { $0 != "." }
        let isNumbered = device.count == 4 && device.last?.isWholeNumber == true
        let isDevice =
            ["con", "prn", "aux", "nul"].contains(device) || isNumbered && ["com", "lpt"].contains(device.dropLast())
        return ![".", "..", ""].contains(name) && name.utf16.count <= 255 && !isDevice && name == name.trimmed
            && ![".lock", "desktop.ini"].contains(lowercased) && !lowercased.contains("_vti_")
            && !name.hasPrefix(isFolder ? "~" : "~$")
            && !name.contains { #""*:<>?/\|"#.contains($0) || $0.isNewline || $0 < " " }
    }

    static func rootID(of owner: SandboxUser) -> String {
        "01ROOT" + owner.id.uppercased().replacing("-", with: "").prefix(28)
    }

    mutating func itemID() -> String { "01" + text(32, of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") }

    func answerDrive(of owner: SandboxUser) -> HTTPResponse {
        let used = usedBytes(of: owner)
        return Self.json([
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#drives/$entity",
            "id": .string(owner.driveID), "driveType": "business", "name": "OneDrive",
            "webUrl": .string("\(origin)/files"), "owner": ["user": Self.identity(of: owner)],
            "quota": [
                "deleted": 0, "remaining": .integer(max(0, settings.driveQuota - used)), "state": "normal",
                "total": .integer(settings.driveQuota),
                "used": .integer(used),
            ],
        ])
    }

    static func identity(of user: SandboxUser) -> Value {
        ["displayName": .string(user.displayName), "id": .string(user.id), "email": .string(user.userPrincipalName)]
    }

    mutating func value(of node: SandboxNode, owner: SandboxUser, at date: Date) -> Object {
        var result: Object = [
            "@odata.context": .string(
                "https://graph.microsoft.com/v1.0/$metadata#users('\(owner.id)')/drive/root/$entity")
        ]
        switch node {
        case .root:
            result["id"] = .string(Self.rootID(of: owner))
            result["name"] = "root"
            result["folder"] = ["childCount": .integer(childCount(of: "", owner: owner))]
            result["root"] = [:]
            result["size"] = .integer(usedBytes(of: owner))
            result["parentReference"] = ["driveType": "business", "driveId": .string(owner.driveID)]
            result["webUrl"] = .string("\(origin)/files")
        case .folder(let folder):
            result["id"] = .string(folder.id)
            result["name"] = .string(String(folder.path.split(separator: "/").last ?? ""))
            result["createdDateTime"] = .string(SandboxClock.timestamp(folder.created))
            result["lastModifiedDateTime"] = .string(SandboxClock.timestamp(folder.modified ?? folder.created))
            result["folder"] = ["childCount": .integer(childCount(of: folder.path, owner: owner))]
            result["eTag"] = .string("\"{\(folder.id)},\(folder.version)\"")
            result["cTag"] = .string("\"c:{\(folder.id)},0\"")
            result["size"] = .integer(
                places(of: owner).reduce(0) { $0 + (items[$1].path.hasPrefix(folder.path + "/") ? items[$1].size : 0) })
            result["createdBy"] = ["user": Self.identity(of: owner)]
            result["parentReference"] = reference(toParentOf: folder.path, owner: owner)
            result["webUrl"] = .string("\(origin)/files")
        case .file(let index):
            let item = items[index]
            let dates = itemDates[item.id] ?? SandboxItemDates(created: date, modified: date)
            let created = Value.string(SandboxClock.timestamp(dates.created))
            let modified = Value.string(SandboxClock.timestamp(dates.modified))
            result["@microsoft.graph.downloadUrl"] = .string(downloadURL(for: item, at: date))
            result["createdDateTime"] = created
            result["eTag"] = .string(item.eTag)
            result["id"] = .string(item.id)
            result["lastModifiedDateTime"] = modified
            result["name"] = .string(item.name)
            result["webUrl"] = .string(Self.webURL(of: item, origin: origin))
            result["cTag"] = .string(item.cTag)
            result["size"] = .integer(item.size)
            result["createdBy"] = ["user": Self.identity(of: owner)]
            result["lastModifiedBy"] = ["user": Self.identity(of: owner)]
            result["parentReference"] = reference(toParentOf: item.path, owner: owner)
            var file: Object = ["mimeType": .string(item.contentType)]
            // Graph, too, provides the hashes of a large file later.
            if item.size <= Self.hashedSize {
                let hashes =
                    dates.hashes ?? [
                        "sha256Hash": .string(item.sha256.uppercased()),
                        "quickXorHash": .string(QuickXorHash.base64(of: item.content)),
                    ]
                itemDates[item.id]?.hashes = hashes
                file["hashes"] = hashes
            }
            result["file"] = .object(file)
            var times: Object = ["createdDateTime": created, "lastModifiedDateTime": modified]
            for (name, time) in dates.elsewhere { times[name] = time }
            result["fileSystemInfo"] = .object(times)
        }
        return result
    }

    private func childCount(of path: String, owner: SandboxUser) -> Int {
        let paths =
            places(of: owner).map { items[$0].path }
            + folders.filter { $0.owner == owner.userPrincipalName }.map(\.path)
        let depth = path.isEmpty ? 0 : path.split(separator: "/").count
        let start = path + "/"
        return paths.count { candidate in
            (path.isEmpty || candidate.hasPrefix(start)) && candidate.split(separator: "/").count == depth + 1
        }
    }

    private func reference(toParentOf path: String, owner: SandboxUser) -> Value {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        let id: String
        if case .folder(let folder)? = node(at: parent, of: owner) {
            id = folder.id
        } else {
            id = Self.rootID(of: owner)
        }
        return [
            "driveType": "business", "driveId": .string(owner.driveID), "id": .string(id),
            "path": .string("/drive/root:" + (parent.isEmpty ? "" : "/\(parent)")),
        ]
    }

    private static func webURL(of item: Sandbox.DriveItem, origin: String) -> String {
        let name = item.name.percentEncoded()
        return "\(origin)/files/\(item.id)/\(name)"
    }

    /// An address for a download without a token, valid for an hour.
    mutating func downloadURL(for item: Sandbox.DriveItem, at date: Date) -> String {
        if let key = downloadKeys[item.id], let download = downloads[key],
            download.expires > date.addingTimeInterval(1800)
        {
            return "\(origin)/download/\(key)"
        }
        let key = text(40, of: "abcdefghijklmnopqrstuvwxyz0123456789")
        if let oldKey = downloadKeys.updateValue(key, forKey: item.id) {
            downloads[oldKey] = downloads[oldKey].flatMap { $0.expires > date ? $0 : nil }
        }
        downloads[key] = SandboxDownload(itemID: item.id, expires: date.addingTimeInterval(3600))
        return "\(origin)/download/\(key)"
    }
}
