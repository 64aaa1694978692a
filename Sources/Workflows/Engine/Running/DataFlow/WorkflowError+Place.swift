extension Run {
    /// The maximum length of a loop's element in an error.
    private static let mostOfElement = 160

    /// Adds to an error where it happened, or the rounds around a task that calls what failed.
    func locate(_ error: inout WorkflowError, in task: ActiveTask) {
        guard !error.is(.cancelled) else { return }
        var place = error.place ?? WorkflowError.Place()
        guard place.execution == nil else {
            switch task.definition.action {
            case .call, .run: error.place?.rounds.insert(contentsOf: rounds(around: task), at: 0)
            default: break
            }
            return
        }
        place.execution = self.place(of: task)
        place.rounds = rounds(around: task)
        error.place = place
    }

    /// The rounds around a task, each with the key data of its element.
    private func rounds(around task: ActiveTask) -> [String] {
        // Functions and extensions cannot read the elements of the loops around them.
        let parts = task.occurrence.split(separator: "/")
        let own = parts.suffix { !$0.hasPrefix("call:") && !$0.hasPrefix("extend:") }
        let numbers = own.filter { $0.hasPrefix("for") }.compactMap {
            $0.split(separator: ":").last.flatMap { Int($0) }
        }
        let tokens = task.reference.tokens
        let loops = tokens.indices.dropFirst().compactMap { index -> (name: String, item: String)? in
            let definition = workflow.document.value[JSONPointer(Array(tokens[..<index]))]
            switch tokens[index] {
            case "do" where definition?["for"] != nil:
                return (tokens[index - 1], definition?["for"]?["each"]?.string ?? "item")
            case "foreach": return (tokens[index - 1], definition?["foreach"]?["item"]?.string ?? "item")
            default: return nil
            }
        }
        guard loops.count == numbers.count else { return [] }
        return zip(loops, numbers).map { loop, number in
            let words = "round \(number + 1) of '\(loop.name)'"
            // An inner loop with the same variable hides the element of the outer one.
            guard loops.last(where: { $0.item == loop.item })?.name == loop.name,
                let element = task.scope.locals[loop.item]
            else { return words }
            let json = (secrets.areInUse ? secrets.conceal(element) : element).keyData.json()
            return "\(words): \(loop.item) = \(PlainText.cut(json, to: Self.mostOfElement))"
        }
    }
}

extension Value {
    /// The members that identify an object: those that are not objects or arrays.
    fileprivate var keyData: Value {
        guard case .object(let members) = self else { return self }
        var keys = Object()
        for (name, value) in members where value.object == nil && value.array == nil { keys[name] = value }
        return keys.isEmpty ? self : .object(keys)
    }
}

extension Array {
    fileprivate func suffix(while matches: (Element) -> Bool) -> ArraySlice<Element> {
        self[(lastIndex { !matches($0) }.map { $0 + 1 } ?? 0)...]
    }
}
