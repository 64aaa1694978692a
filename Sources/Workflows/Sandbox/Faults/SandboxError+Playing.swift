extension SandboxError {
    static let throttled = SandboxError(
        status: 429, code: "TooManyRequests", message: "Too many requests. Please retry after the time that is given.",
        headers: ["Retry-After": "1"])

    static func busy(retryAfter: Int?) -> SandboxError {
        SandboxError(
            status: 503, code: "serviceNotAvailable",
            message: "The service is temporarily unavailable. Please retry the request.",
            headers: retryAfter.map { ["Retry-After": "\($0)"] } ?? [:])
    }

    static func playing(_ fault: Sandbox.Fault, for call: SandboxCall) -> SandboxError {
        if case .signInError = fault.answer {
            return challenge((try? Value(json: SandboxSignInError.claims)) ?? nil)
        }
        guard case .status(let status) = fault.answer else { return busy(retryAfter: nil) }
        var error = playing(status, for: (try? call.route.get())?.resource)
        if let retryAfter = fault.retryAfter { error.headers["Retry-After"] = "\(retryAfter)" }
        return error
    }

    private static func playing(_ status: Int, for resource: SandboxRoute.Resource?) -> SandboxError {
        let area = Area(resource)
        switch (status, area) {
        case (401, _): return badToken
        case (404, .photo): return noPhoto
        case (404, .drive): return noItem
        case (405, _): return methodNotAllowed
        default:
            let (code, message) = words(status, area)
            return SandboxError(status: status, code: code, message: message)
        }
    }

    private enum Area {
        case directory, photo, drive, mail

        init(_ resource: SandboxRoute.Resource?) {
            switch resource {
            case .delta(let collection): self.init(collection.resource)
            case .photos, .photo, .photoContent: self = .photo
            case .drive, .item, .content, .createLink, .invite, .permissions, .permission, .createUploadSession,
                .upload,
                .children, .copy,
                .search,
                .thumbnails:
                self = .drive
            case .sendMail, .messages, .message, .send, .attachments, .attachment, .createAttachmentSession,
                .mailFolders, .mailFolder, .reply, .move, .mime, .calendars, .calendar, .events, .event,
                .cancel:
                self = .mail
            case .user, .users, .userCount, .directory, .batch, .subscriptions, .unplayed, nil: self = .directory
            }
        }
    }

    private static func words(_ status: Int, _ area: Area) -> (code: String, message: String) {
        switch (status, area) {
        case (400, .drive): ("invalidRequest", "The request is malformed or incorrect.")
        case (400, _): ("BadRequest", "The request is malformed or incorrect.")
        case (403, .mail), (403, .photo): ("ErrorAccessDenied", "Access is denied. Check credentials and try again.")
        case (403, .drive): ("accessDenied", "Access denied")
        case (403, .directory):
            ("Authorization_RequestDenied", "Insufficient privileges to complete the operation.")
        case (404, .mail): ("ErrorItemNotFound", "The specified object was not found in the store.")
        case (404, _): ("Request_ResourceNotFound", "The resource does not exist.")
        case (409, .drive): ("nameAlreadyExists", "An item with the same name already exists under the parent.")
        case (409, _): ("Request_ResourceConflict", "The request conflicts with the state of the resource.")
        case (412, _): ("resourceModified", "ETag does not match current item's value")
        case (413, .mail): ("ErrorMessageSizeExceeded", "The message exceeds the maximum supported size.")
        case (413, _): ("requestEntityTooLarge", "The request is too large.")
        case (416, _): ("invalidRange", "The specified byte range is invalid or unavailable.")
        case (423, _): ("resourceLocked", "The resource is locked.")
        case (429, .drive): ("activityLimitReached", "The app or user has been throttled.")
        case (429, .mail): ("ApplicationThrottled", "Application is over its MailboxConcurrency limit.")
        case (429, _): ("TooManyRequests", "Too many requests. Please retry after the time that is given.")
        case (501, _): ("notSupported", "The request is not supported by the service.")
        case (502, _): ("BadGateway", "The gateway got no valid answer from the service.")
        case (503, .mail), (503, .photo): ("ErrorServerBusy", "The server cannot service this request right now.")
        case (503, _): ("serviceNotAvailable", "The service is temporarily unavailable. Please retry the request.")
        case (504, _): ("GatewayTimeout", "The gateway got no answer from the service in time.")
        case (507, _): ("quotaLimitReached", "Insufficient Space Available")
        case (509, _): ("bandwidthLimitExceeded", "The bandwidth of the account is exhausted.")
        case (500..., .drive): ("generalException", "An unspecified error has occurred.")
        case (500..., .mail), (500..., .photo): ("ErrorInternalServerError", "An internal server error occurred.")
        case (500..., .directory): ("InternalServerError", "An internal server error occurred.")
        default: ("UnknownError", "The sandbox was asked to answer \(status).")
        }
    }
}
