extension Journal.Header {
    /// What the encryption of its secrets is bound to: no event has the number 0.
    private var place: String { "\(run)-0" }

    /// The header with drawings instead of secrets in the input, which are sealed.
    func sealed(by keys: SealKeys, _ search: SecretSearch) throws -> Journal.Header {
        var concealment = Concealment(search, isForPeople: false)
        var sealed = self
        sealed.input = concealment.conceal(input)
        guard !concealment.findings.isEmpty else { return self }
        sealed.seals = try concealment.findings.map { try keys.seal($0, inside: place, of: run) }
        return sealed
    }

    /// The header as people see it, without its secrets.
    /// - Parameter isBesideDrawings: Whether events of the run have drawings, with which texts can be confused.
    package func shown(besideDrawings isBesideDrawings: Bool) -> Journal.Header {
        guard isBesideDrawings || seals != nil else { return self }
        var shown = self
        shown.input = SealTree(seals ?? []).shown(input)
        shown.seals = nil
        return shown
    }

    /// The input with its secrets, each decrypted by `open`.
    func openedInput(_ open: (_ seal: Seal, _ place: String) throws -> Value) throws -> Value {
        guard let seals else { return input }
        return try SealTree(seals).open(input) { try open($0, place) }
    }
}
