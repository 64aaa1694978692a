struct SandboxUpload {
    enum Target {
        case file(SandboxUploadedFile)
        case attachment(SandboxUploadedAttachment)
    }

    /// OneDrive's ranges are multiples of this, except the last.
    static let rangeUnit = 320 * 1024
    /// OneDrive's ranges must be smaller, in bytes.
    static let rangeLimit = 60 * 1024 * 1024
    static let attachmentRangeLimit = 4 * 1024 * 1024

    var target: Target
    /// The address's secret, which replaces a token.
    var secret: String
    var expires: Date
    var buffer: SandboxBuffer?
    var total: Int?

    var received: Int { buffer?.count ?? 0 }

    var isAttachment: Bool {
        if case .attachment = target { true } else { false }
    }

    /// Throws if the range is not the expected one.
    mutating func take(_ range: SandboxRange, _ bytes: Data) throws(SandboxError) {
        guard range.count == bytes.count else {
            throw .badFragment(
                "The Content-Range says \(range.count) bytes and there are \(bytes.count).", "fragmentLengthMismatch")
        }
        guard range.total == total ?? declaredSize ?? range.total else {
            throw .badFragment(
                "The Content-Range has a total of \(range.total) bytes, but an earlier one had another total.",
                "fragmentLengthMismatch")
        }
        if isAttachment {
            guard range.count <= Self.attachmentRangeLimit else {
                throw .badFragment("A range of an attachment has at most 4 MB.", "maxFragmentLengthExceeded")
            }
        } else {
            guard range.count < Self.rangeLimit else {
                throw .badFragment("A range has fewer than 60 MiB.", "maxFragmentLengthExceeded")
            }
            guard range.isLast || range.count.isMultiple(of: Self.rangeUnit) else {
                throw .badFragment(
                    "A range that is not the last has to be a multiple of 327680 bytes.", "fragmentLengthMismatch")
            }
        }
        guard range.first >= received else {
            throw .badRange("The range overlaps with bytes that were received before.", "fragmentOverlap")
        }
        guard range.first == received else {
            throw .badRange("The range does not follow the bytes that were received.", "fragmentOutOfOrder")
        }
        var kept = buffer
        if kept == nil { kept = try SandboxBuffer(total: range.total) }
        buffer = nil
        try kept?.append(bytes)
        buffer = kept
        total = range.total
    }

    private var declaredSize: Int? {
        switch target {
        case .file(let file): file.size
        case .attachment(let attachment): attachment.size
        }
    }

    /// The missing range; OneDrive states it as far as known, Outlook only its beginning.
    var expectedRanges: Value {
        guard let total else { return ["0-"] }
        if received == total { return [] }
        return isAttachment ? [.string("\(received)")] : [.string("\(received)-\(total - 1)")]
    }
}

struct SandboxUploadedFile {
    enum Place {
        case item(id: String)
        /// A file at a path, which another file may take meanwhile.
        case path(String, conflictBehavior: String)
    }

    var owner: SandboxUser
    var place: Place
    var size: Int?
    /// Whether it becomes a file only after the client's commit.
    var isDeferred: Bool
    var times: Object?
}

struct SandboxUploadedAttachment {
    var owner: SandboxUser
    var messageKey: Int
    var name: String
    var contentType: String?
    var isInline: Bool
    var contentID: String?
    var size: Int
}

extension SandboxError {
    fileprivate static func badFragment(_ message: String, _ innerCode: String) -> SandboxError {
        SandboxError(status: 400, code: "invalidRequest", message: message, innerCode: innerCode)
    }

    fileprivate static func badRange(_ message: String, _ innerCode: String) -> SandboxError {
        SandboxError(status: 416, code: "invalidRange", message: message, innerCode: innerCode)
    }
}
