/// `--listen` and `--token-file` of a service: where it receives events, and from whom.
struct ReceptionOption: OptionGroup {
    @Option(
        "listen", "ADDRESS:PORT",
        "Receive CloudEvents over HTTP, for schedules and tasks that listen, and answer\n"
            + "/healthz, /readyz and /metrics. Other machines reach it only with '--token-file'.",
        as: Conversion({ ListeningAddress($0) }) { text, _ in
            UsageError("'\(text)' is not an address to listen at", hint: "write 127.0.0.1:8080 or [::1]:8080")
        })
    private var address: ListeningAddress?
    @Option("token-file", "FILE", "The bearer tokens with which events may be sent, one per line.")
    private var tokenFile: String?
    @Option(
        "hook", "URL",
        "Let Microsoft Graph notify this address when something may have changed, so that\nsources are read early. A proxy "
            + "passes its requests on to '--listen'.",
        as: .pages)
    var hook: URL?

    func validate() throws(UsageError) {
        guard let address else {
            guard hook == nil else {
                throw UsageError("'--hook' needs '--listen', where its requests arrive", hint: "add '--listen'")
            }
            guard tokenFile == nil else { throw UsageError("'--token-file' is for '--listen'", hint: "add '--listen'") }
            return
        }
        guard address.isLoopback || tokenFile != nil else {
            throw UsageError(
                "others can reach '\(address)' and could start workflows: add '--token-file' to say who may",
                hint: "give a file of tokens, one per line, and put a TLS proxy in front of the service, because "
                    + "tokens and events are not encrypted here; or listen at 127.0.0.1:\(address.port)")
        }
    }

    func reception() throws(UsageError) -> Reception? {
        guard let address else { return nil }
        var reception = Reception(
            at: address, tokens: try tokenFile.map { file throws(UsageError) in try Self.tokens(file) })
        reception.hookPath = hook?.path()
        return reception
    }

    static func tokens(_ file: String) throws(UsageError) -> BearerTokens {
        do throws(SystemError) {
            return try BearerTokens(file: file)
        } catch {
            throw UsageError("the file of tokens '\(PlainText.exact(file, limit: 200))' is refused: \(error)")
        }
    }
}

extension Conversion<URL> {
    /// A public address whose requests a proxy passes on.
    static var pages: Conversion {
        Conversion(
            { text in
                guard let address = NotifyOption.notified(text), address.path().count > 1,
                    address.path().last != "/", address.query() == nil, address.fragment() == nil
                else { return nil }
                return address
            },
            or: { _, name in
                let end = name.hasSuffix("hook") ? "changes" : "approve"
                return UsageError(
                    "'\(name)' needs an https address with a path, or an http address of this machine",
                    hint: "write \(name) https://flows.contoso.com/\(end)")
            })
    }
}
