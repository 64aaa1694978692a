/// The files next to a workflow: those in its folder and below, and no others.
///
/// Links are followed; a file is refused if its link leads outside.
public struct WorkflowFiles: Sendable {
    /// The maximum size of a file that is read as a whole, in bytes.
    public static let largest = 250_000_000

    let folder: URL?
    private var texts = OpenTexts()
    /// Notes or checks what is read; nil for neither.
    package var watch: FileWatch?
    /// Whether files that a run writes are left out.
    package var isReadOnly = false
    private let own: OwnFiles

    /// Creates the view of a workflow's folder.
    /// - Parameters:
    ///   - folder: The folder that the workflow's file is in; nil for a workflow that is not in a file.
    ///   - own: The files that are this process's and not the workflow's.
    public init(folder: URL?, without own: OwnFiles = OwnFiles()) {
        self.folder = folder
        self.own = own
    }

    package init(folder: URL?, _ texts: OpenTexts) {
        self.init(folder: folder)
        self.texts = texts
    }

    /// Reads a file.
    /// - Parameter path: The file's path, relative to the workflow's folder.
    public func contents(of path: String) throws(FunctionError) -> Data {
        let file = try locate(path)
        let bytes: Data
        do {
            bytes = try texts[file] ?? Data(contentsOf: file)
        } catch {
            throw FunctionError("The file '\(Self.shown(path))' cannot be read: \(SystemError(error))")
        }
        try watch?.take(bytes, of: path)
        return bytes
    }

    /// Reads a file that is text in UTF-8, without its byte order mark.
    package func text(of path: String) throws(FunctionError) -> String {
        guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
            throw FunctionError("The file '\(Self.shown(path))' is not text in UTF-8")
        }
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    package func isOwn(_ path: String) -> Bool { folder.map { own.contain($0.appending(path: path)) } ?? false }

    /// The maximum number and total size of the files that are noted when only a run knows which file it reads.
    private static let mostNoted = (files: 10_000, bytes: 1 << 30)

    /// Notes all files in the folder and below, because only a run knows which of them it reads.
    package func noteAll() {
        guard let watch, let root = folder?.standardizedFileURL.resolvingSymlinksInPath(), watch.begins(root) else {
            return
        }
        var (count, size) = (0, 0)
        var folders = [""]
        while let folder = folders.popLast() {
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: folder).path(percentEncoded: false))
            for name in (names ?? []).sorted() {
                let path = folder + name
                if own.contain(root.appending(path: path)) { continue }
                var status = stat()
                if unsafe lstat(root.appending(path: path).path(percentEncoded: false), &status) == 0,
                    status.st_mode & S_IFMT == S_IFDIR
                {
                    folders.append(path + "/")
                    continue
                }
                guard let file = try? locate(path), let bytes = try? Data(contentsOf: file) else { continue }
                (count, size) = (count + 1, size + bytes.count)
                // A run that reads one of the others is refused.
                guard count <= Self.mostNoted.files, size <= Self.mostNoted.bytes else { return watch.leaveOut() }
                try? watch.take(bytes, of: path)
            }
        }
    }

    /// Finds a file without reading it, so a missing one is reported before anything runs.
    /// - Parameters:
    ///   - path: The file's path, relative to the workflow's folder.
    ///   - largest: The maximum size in bytes.
    /// - Returns: The file's address with all links resolved.
    @discardableResult public func locate(
        _ path: String, upTo largest: Int = WorkflowFiles.largest
    ) throws(FunctionError) -> URL {
        let shown = Self.shown(path)
        let (wanted, root) = try place(of: path)
        let file = wanted.resolvingSymlinksInPath()
        guard Self.isInside(file, root) else {
            throw FunctionError("The file '\(shown)' is a link that leads outside the workflow's folder")
        }
        guard !own.contain(file) else {
            throw FunctionError(
                "The workflow cannot read the file '\(shown)': this command writes it, reads it as a plan, or keeps "
                    + "it in GRAPHFLOW_HOME")
        }
        var size = texts[file]?.count
        do throws(SystemError) {
            if size == nil { size = try SystemCall.sizeOfFile(file.path(percentEncoded: false)) }
        } catch {
            throw FunctionError("There is no file '\(shown)' next to the workflow", hint: Self.suggestion(file, shown))
        }
        guard let size else { throw FunctionError("'\(shown)' is not a file") }
        guard size <= largest else {
            throw FunctionError("The file '\(shown)' is larger than \(largest / 1_000_000) MB")
        }
        return file
    }

    /// Checks that a file can be written at a path, and returns its address with the links of its folder resolved.
    @discardableResult package func checkWritable(_ path: String) throws(FunctionError) -> URL {
        let shown = Self.shown(path)
        let (wanted, root) = try place(of: path)
        guard !wanted.pathComponents.dropFirst(root.pathComponents.count).contains(where: { $0.hasPrefix(".") }) else {
            throw FunctionError("The file '\(shown)' would be hidden: hidden files are not written")
        }
        let folder = wanted.deletingLastPathComponent().resolvingSymlinksInPath()
        guard folder.pathComponents.starts(with: root.pathComponents) else {
            throw FunctionError("The file '\(shown)' is in a linked folder outside the workflow's folder")
        }
        let file = folder.appending(path: wanted.lastPathComponent)
        var status = stat()
        guard unsafe stat(folder.path(percentEncoded: false), &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FunctionError("There is no folder for the file '\(shown)'", hint: "create the folder first")
        }
        guard unsafe lstat(file.path(percentEncoded: false), &status) == 0 else { return file }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FunctionError("'\(shown)' already exists, and is not a file")
        }
        return file
    }

    private func place(of path: String) throws(FunctionError) -> (file: URL, root: URL) {
        let shown = Self.shown(path)
        guard let folder else {
            throw FunctionError(
                "The file '\(shown)' cannot be found: this workflow has no folder",
                hint: "run the workflow from a file in the same folder")
        }
        guard !path.isEmpty, !path.utf8.contains(0) else { throw FunctionError("'\(shown)' is not the path of a file") }
        guard !path.hasPrefix("/"), !path.hasPrefix("~") else {
            throw FunctionError(
                "The file '\(shown)' is outside the workflow's folder", hint: "give the path relative to the workflow"
            )
        }
        let root = folder.standardizedFileURL.resolvingSymlinksInPath()
        let wanted = root.appending(path: path).standardizedFileURL
        guard Self.isInside(wanted, root) else {
            throw FunctionError("The file '\(shown)' is outside the workflow's folder")
        }
        return (wanted, root)
    }

    private static func isInside(_ file: URL, _ folder: URL) -> Bool {
        let file = file.pathComponents
        let folder = folder.pathComponents
        return file.count > folder.count && file.starts(with: folder)
    }

    private static func suggestion(_ file: URL, _ shown: String) -> String? {
        let folder = file.deletingLastPathComponent().path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Diagnostic.didYouMean(file.lastPathComponent, among: names.sorted())
    }

    private static func shown(_ path: String) -> String { PlainText.exact(path, limit: 200) }
}
