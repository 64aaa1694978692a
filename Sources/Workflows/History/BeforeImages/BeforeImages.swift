/// What the requests of a run were about to replace or change, for an undo: sealed in the run's folder, or in memory.
///
/// Each is on disk before its request is sent. The first one of a request stays: if the request is sent again after an
/// interruption or a failure, it may have changed the object already.
package struct BeforeImages: Sendable {
    package struct Image: Sendable {
        /// The outermost run.
        package var run: String
        /// The run whose task it is: that one, or one inside it.
        package var inner: String
        package var task: JSONPointer
        /// The repetitions around the task in its own run, without attempts.
        package var rounds: String
        package var at: Date
        package var former: FormerObject

        package init(
            of run: String, inside outermost: String, _ task: JSONPointer, _ rounds: String, at time: Date,
            _ former: FormerObject
        ) {
            (self.run, inner, self.task, self.at, self.former) = (outermost, run, task, time, former)
            self.rounds = Effect.withoutAttempts(rounds)
        }
    }

    private static let folderName = "before"
    /// The file with the moment after which they are removed.
    private static let endName = "until"

    /// Nil in memory.
    private let folder: PrivateFolder?
    private let run: String
    private let known: KnownSecrets
    private let kept = Locked<[String: Image]>([:])

    /// Those of a run without a folder.
    package init() { (folder, run, known) = (nil, "", KnownSecrets()) }

    init(of run: String, in folder: PrivateFolder, sealedBy source: SealSource) {
        self.run = run
        self.folder = PrivateFolder(path: folder.path(of: Self.folderName))
        known = KnownSecrets(.none, sealedBy: source)
    }

    /// Those of a run or batch that is kept.
    package init(of run: String, in runs: RunsFolder) throws(JournalError) {
        self.init(of: run, in: try runs.folder(of: run).folder, sealedBy: SealSource(file: runs.keyFile))
    }

    /// The name of the image of a request.
    /// - Parameter rounds: The repetitions around the task, in the outer runs as well; attempts have the same image.
    package static func name(of run: String, _ task: JSONPointer, _ rounds: String, _ path: String) -> String {
        let place = "\(run)\n\(task)\n\(Effect.withoutAttempts(rounds))\n\(path)"
        return prefix(of: run) + SHA256.hex(of: Data(place.utf8)).prefix(24)
    }

    /// What the names of a run's images begin with: those of all items of a batch are in one folder.
    private static func prefix(of run: String) -> String { String(SHA256.hex(of: Data(run.utf8)).prefix(8)) }

    /// The image with a name; nil if nothing was kept.
    /// - Throws: As ``all(at:of:)``.
    package func image(_ name: String) throws -> Image? {
        guard let folder else { return kept.withLock { $0[name] } }
        return FileManager.default.fileExists(atPath: folder.path(of: name)) ? try read(name, in: folder) : nil
    }

    private func read(_ name: String, in folder: PrivateFolder) throws -> Image {
        let sealed = try Value(json: try Data(contentsOf: URL(fileURLWithPath: folder.path(of: name))))
        let text = try known.open(sealed, inside: Self.place(name), of: run)
        guard let image = try text.revealed.string.map({ try Value(json: Data($0.utf8)) }),
            let outermost = image["run"]?.string, let inner = image["inner"]?.string,
            let task = image["task"]?.string.flatMap({ JSONPointer(rfc6901: $0) }),
            let rounds = image["rounds"]?.string, let at = image["at"]?.string.flatMap({ Date(iso8601: $0) }),
            let former = image["former"].flatMap({ FormerObject($0) })
        else { throw JournalError(.damaged, "what the run \(run) changed cannot be read: \(name)") }
        return Image(of: inner, inside: outermost, task, rounds, at: at, former)
    }

    /// Keeps an image; it survives a power failure when this returns.
    /// - Parameter end: When it may be removed.
    package func keep(_ image: Image, as name: String, until end: Date) throws(JournalError) {
        guard let folder else { return kept.withLock { $0[name] = image } }
        let members: Value = [
            "run": .string(image.run), "inner": .string(image.inner), "task": .string("\(image.task)"),
            "rounds": .string(image.rounds),
            "at": .string(image.at.iso8601),
            "former": image.former.value,
        ]
        do {
            let text = known.credential(members.json(), of: [Seal.credential])
            let sealed = try known.seal(text, inside: Self.place(name), of: run).jsonData()
            try folder.makeWithParents()
            if !FileManager.default.fileExists(atPath: folder.path(of: Self.endName)) {
                try folder.replace(Self.endName) { file throws(SystemError) in
                    try file.write(Array(end.iso8601.utf8))
                }
            }
            try folder.replace(name) { file throws(SystemError) in try file.write(Array(sealed)) }
            try folder.synchronize()
        } catch {
            throw JournalError(.failed, "what the run \(run) is about to change cannot be kept: \(error)")
        }
    }

    /// The images by their names; none if their time has passed.
    /// - Parameter own: The outermost run whose images they are; nil for all.
    /// - Throws: ``JournalError`` if they cannot be read, or were sealed with another key.
    package func all(at now: Date, of own: String? = nil) throws -> [String: Image] {
        let prefix = own.map(Self.prefix) ?? ""
        guard let folder else { return kept.withLock { $0.filter { $0.key.hasPrefix(prefix) } } }
        Self.removeExpired(in: folder, at: now)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
        var images: [String: Image] = [:]
        for name in try folder.names() where name != Self.endName && !name.hasPrefix(".") && name.hasPrefix(prefix) {
            images[name] = try read(name, in: folder)
        }
        return images
    }

    private static func place(_ name: String) -> String { "before \(name)" }

    /// How often the runs of a folder are looked through, in seconds: a service does so after each run.
    private static let interval = 3_600.0
    /// When that was done last.
    private static let looked = Locked<[String: Date]>([:])

    /// Removes the images of runs whose time has passed, once an hour: they are of no use before that either.
    static func removeExpired(of runs: [String], in folder: PrivateFolder, at now: Date) {
        let isDue = looked.withLock { looked in
            let isDue = looked[folder.path].map { now.timeIntervalSince($0) >= interval } ?? true
            if isDue { looked[folder.path] = now }
            return isDue
        }
        guard isDue else { return }
        for run in runs {
            removeExpired(in: PrivateFolder(path: "\(folder.path(of: run))/\(folderName)"), at: now)
        }
    }

    private static func removeExpired(in folder: PrivateFolder, at now: Date) {
        guard let text = try? String(contentsOfFile: folder.path(of: endName), encoding: .utf8),
            let end = Date(iso8601: text), end < now
        else { return }
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}

extension Journal {
    package var before: BeforeImages { BeforeImages(of: header.run, in: place, sealedBy: sealing) }
}
