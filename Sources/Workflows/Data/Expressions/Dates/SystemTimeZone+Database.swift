extension SystemTimeZone {
    private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]
    private static let localFile = "/etc/localtime"
    private static let largestFile = 1_000_000

    /// Reads a time zone by its name, such as `Europe/Berlin`.
    ///
    /// - Throws: ``TimeZoneError`` if the system's database does not have it, or there is no database.
    public init(identifier: String) throws(TimeZoneError) {
        try self.init(identifier: identifier, variables: ProcessInfo.processInfo.environment)
    }

    /// The machine's time zone, from `TZ` or `/etc/localtime`.
    public static var current: SystemTimeZone {
        get throws(TimeZoneError) { try current(variables: ProcessInfo.processInfo.environment) }
    }

    package static var identifiers: [String] {
        guard let folder = folder(ProcessInfo.processInfo.environment),
            let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder)
        else { return ["UTC"] }
        return paths.filter { $0.first?.isUppercase == true && !$0.contains(".") }
    }

    init(identifier: String, variables: [String: String]) throws(TimeZoneError) {
        if identifier == "UTC" {
            self = .utc
            return
        }
        guard let folder = Self.folder(variables) else {
            throw TimeZoneError(
                "the time zone '\(PlainText.exact(identifier, limit: 100))' is not known, because this system has no "
                    + "database of time zones",
                hint: "install it, such as the package tzdata, or name its folder in TZDIR")
        }
        guard Self.isName(identifier), let bytes = Self.contents(of: folder + "/" + identifier) else {
            throw TimeZoneError(
                "there is no time zone '\(PlainText.exact(identifier, limit: 100))'",
                hint: "write a name such as Europe/Berlin, or UTC")
        }
        try self.init(identifier, tzif: bytes)
    }

    /// The machine's time zone as the C library finds it; an unknown name gives UTC.
    static func current(variables: [String: String]) throws(TimeZoneError) -> SystemTimeZone {
        guard var name = variables["TZ"] else {
            guard let bytes = contents(of: localFile) else { return utc }
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: localFile)
            let identifier = link?.split(separator: "/zoneinfo/").dropFirst().last.map(String.init) ?? localFile
            return try SystemTimeZone(identifier, tzif: bytes)
        }
        if name.hasPrefix(":") { name.removeFirst() }
        if name.isEmpty { return utc }
        if name == localFile, let bytes = contents(of: localFile) { return try SystemTimeZone(name, tzif: bytes) }
        if let folder = folder(variables), name.hasPrefix(folder + "/") { name.removeFirst(folder.utf8.count + 1) }
        do throws(TimeZoneError) {
            return try SystemTimeZone(identifier: name, variables: variables)
        } catch {
            guard let rule = TimeZoneRule(name.utf8) else {
                throw TimeZoneError("\(error.message); the variable TZ names it", hint: error.hint)
            }
            return SystemTimeZone(name, changes: [], first: rule.time(at: 0), rule: rule)
        }
    }

    private static func folder(_ variables: [String: String]) -> String? {
        let named = variables["TZDIR"] ?? ""
        return (named.isEmpty ? folders : [named]).first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func isName(_ identifier: String) -> Bool {
        identifier.utf8.count <= 255
            && identifier.utf8.allSatisfy { $0.isLetterOrDigit || "+-_/".utf8.contains($0) }
            && !identifier.split(separator: "/", omittingEmptySubsequences: false).contains("")
    }

    private static func contents(of path: String) -> [UInt8]? {
        // Uses `stat`, because the file manager's attributes have another number type without the large Foundation.
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= largestFile,
            let data = FileManager.default.contents(atPath: path)
        else { return nil }
        return Array(data)
    }
}
