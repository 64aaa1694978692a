#if canImport(Security)
    import Essentials
    import Security

    /// The login keychain of macOS; as in MSAL's extensions, a generic password of service `graphflow`, one per path.
    struct Keychain: Sendable {
        let account: String

        private var query: [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: "graphflow", kSecAttrAccount: account]
        }

        func read() throws(SystemError) -> Data? {
            var query = query
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw refusal(status) }
            return found as? Data
        }

        func write(_ data: Data) throws(SystemError) {
            let status = SecItemUpdate(query as CFDictionary, [kSecValueData: data] as CFDictionary)
            guard status == errSecItemNotFound else {
                if status != errSecSuccess { throw refusal(status) }
                return
            }
            var item = query
            item[kSecValueData] = data
            item[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            let added = unsafe SecItemAdd(item as CFDictionary, nil)
            guard added == errSecSuccess else { throw refusal(added) }
        }

        private func refusal(_ status: OSStatus) -> SystemError {
            let words = SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
            return SystemError(words)
        }
    }
#endif
