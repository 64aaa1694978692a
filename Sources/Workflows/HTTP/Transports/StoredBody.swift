/// A response body that is too large for memory, in an unnamed file.
struct StoredBody {
    private let file: UnnamedFile
    private var size = 0

    init(for pending: PendingResponse) throws(HTTPFailure) {
        do throws(SystemError) {
            file = try UnnamedFile(in: pending.storageFolder)
        } catch {
            throw .unwritable(error)
        }
    }

    mutating func append(_ bytes: Data) throws(HTTPFailure) {
        do throws(SystemError) {
            try file.write(bytes, at: size)
        } catch {
            throw .unwritable(error)
        }
        size += bytes.count
    }

    mutating func response(_ response: HTTPResponse) throws(HTTPFailure) -> HTTPResponse {
        try append(response.body)
        var response = response
        response.body = Data()
        response.file = FilePart(file, size: size)
        return response
    }
}

extension HTTPFailure {
    static func unwritable(_ error: SystemError) -> HTTPFailure {
        HTTPFailure(
            phase: .sent, reason: .fileUnusable, detail: "the response's body cannot be written to a file: \(error)")
    }
}
