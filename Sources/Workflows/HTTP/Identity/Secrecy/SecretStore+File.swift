extension SecretStore {
    private static let largest = 10_000_000

    /// The secrets in a file: a JSON or YAML object of names and secrets, each a string, an object or an array.
    ///
    /// The file is read once. Only its owner may have access to it (mode 0600 or less); otherwise it is refused.
    /// - Throws: ``SecretStoreError`` with the problem, without any content of the file.
    public static func file(_ url: URL) throws(SecretStoreError) -> SecretStore {
        let name = PlainText.line(url.relativePath, limit: 200)
        let data = try contents(of: url, name)
        let object: Value
        do {
            let text = String(decoding: data, as: UTF8.self)
            object = try Document(text: text, name: name).value
        } catch {
            // The diagnostics quote the file, so only the position is shown.
            let place = error.diagnostics.first?.range.map { " at line \($0.start.line), column \($0.start.column)" }
            throw SecretStoreError("the file of secrets '\(name)' is neither JSON nor YAML\(place ?? "")")
        }
        guard let members = object.object else {
            throw SecretStoreError("the file of secrets '\(name)' must hold an object of names and secrets")
        }
        var secrets: [String: SecretValue] = [:]
        for (secret, value) in members where !value.isNull {
            switch value {
            case .string, .object, .array: secrets[secret] = SecretValue(value)
            default:
                // 0123 and 1e5 would not keep their spelling.
                throw SecretStoreError(
                    "the secret '\(PlainText.exact(secret, limit: 100))' in '\(name)' must be a string",
                    hint: "put it in quotes")
            }
        }
        return .values(secrets)
    }

    /// The bytes of a file that only its owner may read or change.
    /// - Parameter what: The file's kind, for messages: `file of secrets`.
    package static func contents(
        of url: URL, _ name: String, what: String = "file of secrets"
    ) throws(SecretStoreError) -> Data {
        let file: Int32
        do throws(SystemError) {
            file = try SystemCall.open(reading: url.path(percentEncoded: false))
        } catch {
            throw SecretStoreError(
                "the \(what) '\(name)' cannot be read", hint: "check that it exists and that you may read it")
        }
        defer { SystemCall.close(file) }
        // The open file is checked, because its path may lead to another file by then.
        var information = stat()
        guard unsafe fstat(file, &information) == 0 else {
            throw SecretStoreError("the \(what) '\(name)' cannot be read")
        }
        // A pipe, as '<(pass show …)' makes one, is filled by a process that could read the secrets anyway.
        guard [S_IFREG, S_IFIFO].contains(information.st_mode & S_IFMT) else {
            throw SecretStoreError("'\(name)' is not a \(what)")
        }
        guard information.st_mode & 0o077 == 0 else {
            throw SecretStoreError(
                "others may read or change the \(what) '\(name)'", hint: "run 'chmod 600 \(name)'")
        }
        let data: Data
        do throws(SystemError) {
            data = try SystemCall.read(file, upTo: largest)
        } catch {
            throw SecretStoreError("the \(what) '\(name)' cannot be read")
        }
        guard data.count <= largest else {
            throw SecretStoreError("the \(what) '\(name)' is larger than \(largest / 1_000_000) MB")
        }
        return data
    }
}
