import Dispatch
import Essentials
import Promises

extension RunsFolder {
    /// What the event's type is of which an account is made.
    private static let type = "graphflow.effect.recorded.v1"

    /// The effects of all runs, the oldest first.
    /// - Parameter onUnreadable: Called with each run whose journal cannot be read.
    package func effects(onUnreadable: @Sendable (String) -> Void) throws(JournalError) -> [AccountedEffect] {
        let names = try names.reversed().map(\.self)
        let found = Locked([[AccountedEffect]](repeating: [], count: names.count))
        DispatchQueue.concurrentPerform(iterations: names.count) { index in
            do {
                let effects = try self.effects(of: names[index])
                found.withLock { $0[index] = effects }
            } catch let error as SystemError where error.code == ENOENT {
                // It is being made or removed.
            } catch {
                onUnreadable(names[index])
            }
        }
        return found.withLock { $0 }.flatMap(\.self)
    }

    /// The effects of a run, or of all items of a batch.
    ///
    /// Only the lines of the journal that tell of effects are read as JSON.
    package func effects(of run: String) throws -> [AccountedEffect] {
        let folder = try folder(of: run)
        let file = try OpenFile(folder.journal, for: .reading)
        let size = try file.size
        let bytes = try file.read(from: 0, count: size)
        var account = EffectAccount()
        let mark = Array(Self.type.utf8)
        for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() where line.contains(mark) {
            guard let event = try? Value(json: Data(line)), event["type"]?.string == Self.type,
                let data = event["data"], let effect = data["effect"].flatMap({ Effect($0) }),
                let state = data["state"]?.string.flatMap({ Effect.State(rawValue: $0) }),
                let time = event["time"]?.string.flatMap({ Date(iso8601: $0) }),
                let source = event["source"]?.string
            else { continue }
            let name = String(source.split(separator: ":").last ?? "")
            account.take(effect, state, of: name, inside: event["parentrun"]?.string, at: time)
        }
        var effects = account.effects(isAtWork: account.isOpen && FileLock.isHeld(folder.lock))
        guard !effects.isEmpty else { return [] }
        let header = try RunFolder.header(file, size)
        for index in effects.indices {
            effects[index].workflow = header.workflow.name
            effects[index].isSandboxed = header.isSandboxed
        }
        return effects
    }
}

extension ArraySlice<UInt8> {
    /// Whether some bytes are in it.
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
