extension RunsFolder {
    private static let type = "graphflow.effect.recorded.v1"

    /// The effects of all runs, the oldest first.
    /// - Parameters:
    ///   - address: Runs whose journals do not have this address are left out; nil for none.
    ///   - onUnreadable: Called with each run whose journal cannot be read.
    package func effects(
        of address: String? = nil, onUnreadable: @Sendable (String) -> Void
    ) throws(JournalError) -> [AccountedEffect] {
        let names = try names.reversed().map(\.self)
        let found = Locked([[AccountedEffect]](repeating: [], count: names.count))
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            do {
                let effects = try self.effects(of: names[index], to: address)
                found.withLock { $0[index] = effects }
            } catch let error as SystemError where error.code == ENOENT {
                // It is being created or removed.
            } catch {
                onUnreadable(names[index])
            }
        }
        return found.withLock { $0 }.flatMap(\.self)
    }

    /// The runs whose journals were written since a time.
    package func names(writtenSince time: Date) throws(JournalError) -> [String] {
        try names.filter { name in
            let file = (try? folder(of: name)).flatMap { try? OpenFile($0.journal, for: .reading) }
            return (try? file?.changedAt).map { $0 >= time } ?? false
        }
    }

    /// The effects of a run, or of all items of a batch; empty if its journal does not have the address.
    ///
    /// Only the lines of the journal about effects are read as JSON.
    package func effects(of run: String, to address: String? = nil) throws -> [AccountedEffect] {
        let folder = try folder(of: run)
        let file = try OpenFile(folder.journal, for: .reading)
        let size = try file.size
        let bytes = try file.read(from: 0, count: size)
        if let address, !bytes.mayHave(address) { return [] }
        var account = EffectAccount()
        let mark = Array(Self.type.utf8)
        for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() where line.contains(mark) {
            guard let event = try? Value(json: Data(line)), event["type"]?.string == Self.type,
                let data = event["data"], let effect = data["effect"].flatMap({ Effect($0) }),
                let state = data["state"]?.string.flatMap({ Effect.State(rawValue: $0) }),
                let time = event["time"]?.string.flatMap({ Date(iso8601: $0) }),
                let source = event["source"]?.string, let id = event["id"]?.string
            else { continue }
            let name = String(source.split(separator: ":").last ?? "")
            account.take(effect, state, of: name, inside: event["parentrun"]?.string, at: time, as: id)
        }
        guard !account.isEmpty else { return [] }
        return account.effects(
            isAtWork: account.isOpen && FileLock.isHeld(folder.lock), of: try RunFolder.header(file, size))
    }
}

extension EffectAccount {
    /// The effects of a run that has ended, with what its journal says of the run.
    package func effects(isAtWork: Bool = false, of header: Journal.Header) -> [AccountedEffect] {
        effects(isAtWork: isAtWork).map { accounted in
            var accounted = accounted
            (accounted.workflow, accounted.isSandboxed) = (header.workflow.name, header.isSandboxed)
            return accounted
        }
    }
}

extension [UInt8] {
    /// Whether JSON may contain an address, in upper or lower case.
    fileprivate func mayHave(_ address: String) -> Bool {
        let wanted = Array(address.lowercased().utf8)
        // Other characters may be escaped.
        let isPlain = wanted.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "@._-+".utf8.contains(byte)
        }
        guard isPlain, let anchor = wanted.firstIndex(of: UInt8(ascii: "@")) else { return true }
        return unsafe withUnsafeBytes { bytes in
            guard let text = bytes.baseAddress else { return false }
            var start = anchor
            while start < bytes.count,
                let found = unsafe memchr(text + start, Int32(wanted[anchor]), bytes.count - start)
            {
                let place = unsafe UnsafeRawPointer(found) - text
                let first = place - anchor
                if first + wanted.count <= bytes.count,
                    wanted.indices.allSatisfy({ unsafe bytes[first + $0].lowercasedASCII == wanted[$0] })
                {
                    return true
                }
                start = place + 1
            }
            return false
        }
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, count >= bytes.count else { return false }
        var rest = self
        while let start = rest.firstIndex(of: first), endIndex - start >= bytes.count {
            if self[start..<start + bytes.count].elementsEqual(bytes) { return true }
            rest = self[(start + 1)...]
        }
        return false
    }
}
