/// Notes the digests of the files that a plan reads, or checks those that a run of an approved plan reads.
package final class FileWatch: Sendable {
    private let known = Locked<[String: String]>([:])
    private let folders = Locked<(noted: Set<String>, isPartial: Bool)>(([], false))
    private let unread = Locked<[String]>([])
    /// The digests that files must have; nil to note those that they have.
    private let expected: [String: String]?
    /// Whether the plan noted all files in the folder: any other one is newer.
    private let expectsAll: Bool
    private let onDifference: @Sendable (_ words: String) -> Void

    package init() {
        (expected, expectsAll) = (nil, false)
        onDifference = { _ in }
    }

    package init(
        expecting digests: [String: String], ofAll isAll: Bool,
        onDifference: @escaping @Sendable (_ words: String) -> Void
    ) {
        (expected, expectsAll) = (digests, isAll)
        self.onDifference = onDifference
    }

    /// Whether it notes the files of a plan, which must know their content.
    package var isNoting: Bool { expected == nil }

    /// Whether there are too many files to note, so some that a run may read are left out.
    package var isPartial: Bool { folders.withLock { $0.isPartial } }

    /// The documents on the network that a plan has not read, each once.
    package var unreadDocuments: [String] { unread.withLock { $0 } }

    package func leaveOut(document: String) {
        unread.withLock { if !$0.contains(document) { $0.append(document) } }
    }

    func leaveOut() { folders.withLock { $0.isPartial = true } }

    package var hasAll: Bool { folders.withLock { !$0.noted.isEmpty } }

    /// Whether the files of a folder have to be noted; true only once.
    func begins(_ folder: URL) -> Bool { folders.withLock { $0.noted.insert(folder.absoluteString).inserted } }

    /// The SHA-256 of each file, by its path in the workflow's folder.
    package var digests: [String: String] { known.withLock { $0 } }

    /// Notes or checks the content of a file, or of a document on the network with its address as the path.
    package func take(_ bytes: Data, of path: String) throws(FunctionError) {
        let digest = SHA256.hex(of: bytes)
        guard let expected else {
            known.withLock { $0[path] = digest }
            return
        }
        try check(digest, expected[path], of: path)
    }

    private func check(_ digest: String, _ planned: String?, of path: String) throws(FunctionError) {
        guard let planned else {
            let hint = path.contains("://") ? "make the plan with '--dry-run=read'" : nil
            throw difference("the approved plan was made without '\(PlainText.exact(path, limit: 200))'", hint: hint)
        }
        guard planned == digest else {
            throw difference("'\(PlainText.exact(path, limit: 200))' has changed since the approved plan was made")
        }
    }

    /// Checks a file whose content is sent, in the run of an approved plan.
    package func check(_ file: FilePart, of path: String) throws(FunctionError) {
        let path = String(URL(filePath: "/\(path)").standardized.path(percentEncoded: false).dropFirst())
        // For a file that the plan knows only by name, the sent content is compared.
        guard let expected, expectsAll || expected[path] != nil else { return }
        let digest: String
        do throws(SystemError) { digest = try file.sha256() } catch {
            throw FunctionError("The file '\(PlainText.exact(path, limit: 200))' cannot be read: \(error)")
        }
        try check(digest, expected[path], of: path)
    }

    private func difference(_ words: String, hint: String? = nil) -> FunctionError {
        onDifference(words + (hint.map { ": \($0)" } ?? ""))
        return FunctionError(words.prefix(1).uppercased() + words.dropFirst(), hint: hint)
    }
}
