/// The objects whose effects are taken back, in the order that their dependencies demand.
struct UndoneObjects {
    /// What each effect writes, and which objects that others may have made or deleted it needs.
    private struct Effects {
        var writes: Set<String>
        var needs: Set<String> = []
        var isContainer = false
        var isRestored = false
    }

    private let all: [Effects]
    /// The representatives of the effects that are taken back one after the other.
    private var parents: [Int]

    /// - Parameter effects: The effects, the last first, each with what identifies its object, and the number of folders
    ///   above it that it made.
    init(_ effects: [(effect: Effect, object: String?, folders: Int)]) {
        all = effects.map { effect, object, folders in
            let names = [object, effect.object?.path, effect.objectChange?.id.string, effect.object?.id].compactMap(
                \.self)
            var found = Effects(writes: Set(names.map { $0.lowercased() }))
            let parts = (effect.object?.path ?? "").split(separator: "/").map { $0.lowercased() }
            let directory = "\(effect.file?.owner.string ?? "") \(effect.path.string ?? "")".lowercased()
            switch effect.details {
            case .folder:
                found.isContainer = true
                found.writes.insert(directory)
                found.needs = Set(Self.ancestors(of: directory))
            case .file:
                let ancestors = Self.ancestors(of: directory)
                found.isContainer = folders > 0
                found.writes.formUnion(ancestors.prefix(folders))
                found.needs = Set(ancestors.dropFirst(folders))
            case .change(let object):
                let folder = object.properties?["parentReference"]?["after"]?["id"]?.string
                found.needs = Set([folder?.lowercased()].compactMap(\.self))
            case .create(let object), .delete(let object):
                let isRestorable = ["user", "group"].contains(object.what)
                found.isContainer = effect.kind == .create && (isRestorable || object.isContainer)
                guard isRestorable else { break }
                found.isRestored = effect.kind == .delete
                let name = object.properties?["userPrincipalName"]?["after"]?.string
                found.writes.formUnion([name?.lowercased(), parts.last].compactMap(\.self))
            default: break
            }
            // What the run put into what it had made goes first.
            found.needs.formUnion(parts.dropLast())
            return found
        }
        parents = Array(all.indices)
        var writers: [String: Int] = [:]
        for (number, effects) in all.enumerated() {
            for name in effects.writes { join(number, writers.updateValue(number, forKey: name) ?? number) }
        }
        let groups = groups
        for (number, effects) in all.enumerated() {
            for name in effects.needs {
                guard let writer = writers[name], let group = groups[root(of: writer)] else { continue }
                // One folder inside another; and what came and went cannot be first and last.
                let isBoth = group.contains { all[$0].isContainer } && group.contains { all[$0].isRestored }
                if isBoth || effects.isContainer && all[writer].isContainer { join(number, writer) }
            }
        }
    }

    /// The folders around it, the innermost first.
    private static func ancestors(of directory: String) -> [String] {
        var (rest, found) = (directory[...], [String]())
        while let end = rest.lastIndex(of: "/") {
            rest = rest[..<end]
            found.append(String(rest))
        }
        return found
    }

    private func root(of number: Int) -> Int {
        var number = number
        while parents[number] != number { number = parents[number] }
        return number
    }

    /// The first effect of both, which is the last that happened, represents them.
    private mutating func join(_ one: Int, _ other: Int) {
        let (one, other) = (root(of: one), root(of: other))
        parents[max(one, other)] = min(one, other)
    }

    private var groups: [Int: [Int]] { Dictionary(grouping: all.indices, by: root) }

    /// The numbers of the effects, by their objects, in the order in which they are taken back.
    var waves: [[[Int]]] {
        let waves = Dictionary(grouping: groups.sorted { $0.key < $1.key }.map(\.value)) { group in
            group.contains { all[$0].isRestored } ? 0 : group.contains { all[$0].isContainer } ? 2 : 1
        }
        return waves.sorted { $0.key < $1.key }.map(\.value)
    }
}
