public import Essentials

/// The files beside a workflow: those in its folder and below, and no others.
///
/// Links are followed; a file is refused if its link leads outside.
public struct WorkflowFiles: Sendable {
    /// A file beyond this size is not read as a whole.
    public static let largest = 250_000_000

    let folder: URL?
    /// Notes or checks what is read; nil for neither.
    var watch: FileWatch?

    /// Creates the view of a workflow's folder.
    ///
    /// - Parameter folder: The folder that the workflow's file is in; nil for a workflow that is not in a file.
    public init(folder: URL?) { self.folder = folder }

    /// Reads a file.
    ///
    /// - Parameter path: The file's path, relative to the workflow's folder.
    public func contents(of path: String) throws(FunctionError) -> Data {
        let file = try locate(path)
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw FunctionError("The file '\(Self.shown(path))' cannot be read: \(SystemError(error))")
        }
        try watch?.take(bytes, of: path)
        return bytes
    }

    /// Reads a file that is text in UTF-8, without its byte order mark.
    func text(of path: String) throws(FunctionError) -> String {
        guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
            throw FunctionError("The file '\(Self.shown(path))' is not text in UTF-8")
        }
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    /// How many files, and how many bytes in all, are noted where only a run knows which file it reads.
    private static let mostNoted = (files: 10_000, bytes: 1 << 30)

    /// Notes all files in the folder and below, because only a run knows which of them it reads.
    func noteAll() {
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

    /// Finds a file without reading it, so that a missing one is reported before anything runs.
    ///
    /// - Parameters:
    ///   - path: The file's path, relative to the workflow's folder.
    ///   - largest: The largest size in bytes.
    /// - Returns: The file's address with all links resolved.
    @discardableResult public func locate(
        _ path: String, upTo largest: Int = WorkflowFiles.largest
    ) throws(FunctionError) -> URL {
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
        let file = wanted.resolvingSymlinksInPath()
        guard Self.isInside(file, root) else {
            throw FunctionError("The file '\(shown)' is a link that leads outside the workflow's folder")
        }
        let size: Int?
        do throws(SystemError) {
            size = try SystemCall.sizeOfFile(file.path(percentEncoded: false))
        } catch {
            throw FunctionError("There is no file '\(shown)' beside the workflow", hint: Self.suggestion(file, shown))
        }
        guard let size else { throw FunctionError("'\(shown)' is not a file") }
        guard size <= largest else {
            throw FunctionError("The file '\(shown)' is larger than \(largest / 1_000_000) MB")
        }
        return file
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

    private static func shown(_ path: String) -> String { PlainText.line(path, limit: 200) }
}
