extension Event.Kind {
    /// The same event without secrets.
    func hidingSecrets(_ secrets: SecretVault) -> Event.Kind {
        mapping(
            values: { secrets.conceal($0) }, errors: { secrets.conceal($0) }, texts: { secrets.conceal($0) })
    }
}
