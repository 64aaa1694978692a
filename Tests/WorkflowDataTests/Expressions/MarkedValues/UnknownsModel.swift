import WorkflowData

/// Random data with unknowns, and random real data in their place.
struct UnknownsModel {
    var draws: Draws
    /// What the unknowns are in the run; those inside example elements differ from element to element.
    private(set) var values: [Unknown: Value] = [:]
    private var count = 0

    init(_ seed: Int) { draws = Draws(seed) }

    mutating func data() -> Value {
        var members = Object()
        for name in ["a", "b", "c", "d", "e", "f"] where draws.chance(85) { members[name] = value(2) }
        return .object(members)
    }

    mutating func value(_ depth: Int) -> Value {
        if draws.chance(40) { return .unknown(unknown(depth)) }
        switch draws.below(depth > 0 ? 6 : 3) {
        case 0, 1: return plain(0)
        case 2: return draws.chance(50) ? text() : plain(1)
        case 3: return .array((0..<draws.below(4)).map { _ in value(depth - 1) })
        default:
            var members = Object()
            for name in ["b", "a", "c", "key", "value"] where draws.chance(45) { members[name] = value(depth - 1) }
            return .object(members)
        }
    }

    private mutating func plain(_ depth: Int) -> Value {
        var data = RandomData(draws: draws)
        defer { draws = data.draws }
        return data.value(depth)
    }

    private mutating func text() -> Value {
        count += 1
        return .text([.plain("a "), .unknown(Unknown("t\(count)", .text)), .plain(draws.chance(50) ? "" : ",")])
    }

    mutating func unknown(_ depth: Int) -> Unknown {
        count += 1
        let name = "u\(count)"
        switch draws.below(depth > 0 ? 8 : 5) {
        case 0: return Unknown(name, .any)
        case 1, 2: return Unknown(name, .text)
        case 3: return Unknown(name, .number)
        case 4: return Unknown(name, .boolean)
        case 5:
            var members = Object()
            for key in ["a", "b", "value"] where draws.chance(50) { members[key] = value(depth - 1) }
            return Unknown(name, .object(members))
        default: return Unknown(name, .array(value(depth - 1)))
        }
    }

    /// Real data: each unknown is replaced by a random value of its shape.
    mutating func real(_ data: Value, isElement: Bool = false) -> Value {
        switch data {
        case .null, .bool, .integer, .double, .string: return data
        case .array(let elements):
            var real: [Value] = []
            for element in elements { real.append(self.real(element, isElement: isElement)) }
            return .array(real)
        case .object(let members):
            var real = Object()
            for (name, member) in members { real[name] = self.real(member, isElement: isElement) }
            return .object(real)
        case .marked:
            if let unknown = data.unknown { return real(unknown, isElement: isElement) }
            var text = ""
            for part in data.textParts ?? [] {
                switch part {
                case .plain(let plain): text += plain
                case .unknown(let unknown): text += real(unknown, isElement: isElement).string ?? ""
                case .secret: break
                }
            }
            return .string(text)
        }
    }

    private mutating func real(_ unknown: Unknown, isElement: Bool) -> Value {
        if !isElement, let value = values[unknown] { return value }
        let value: Value
        switch unknown.shape {
        case .any: value = plain(2)
        case .boolean: value = .bool(draws.chance(50))
        case .number: value = draws.chance(20) ? .double(1.5) : .integer(draws.below(6) - 2)
        case .text:
            var data = RandomData(draws: draws)
            value = data.text()
            draws = data.draws
        case .object(let members):
            var real = Object()
            if draws.chance(30) { real["z"] = plain(1) }
            for (name, member) in members { real[name] = self.real(member, isElement: isElement) }
            if draws.chance(30) { real["c"] = real["c"] ?? plain(1) }
            value = .object(real)
        case .array(let element):
            value = .array((0..<draws.below(4)).map { _ in real(element, isElement: true) })
        }
        if !isElement { values[unknown] = value }
        return value
    }

    mutating func forget() { values = [:] }
}

extension UnknownsModel {
    /// Why a real result is not one that the plan's result stands for; nil if it is.
    func contradiction(_ planned: Value, _ real: Value, at path: [Value] = [], isExample: Bool = false) -> String? {
        switch (planned, real) {
        case (.array(let elements), .array(let others)):
            guard elements.count == others.count else { return "\(path): \(elements.count) elements" }
            for (position, element) in elements.enumerated() {
                let found = contradiction(
                    element, others[position], at: path + [.integer(position)], isExample: isExample)
                if let found { return found }
            }
            return nil
        case (.object(let members), .object(let others)):
            guard members.keys == others.keys else { return "\(path): names \(members.keys)" }
            for (name, member) in members {
                let found = contradiction(
                    member, others[name] ?? .null, at: path + [.string(name)], isExample: isExample)
                if let found { return found }
            }
            return nil
        case (.marked, _): return contradiction(marked: planned, real, path, isExample)
        default: return planned.json() == real.json() ? nil : "\(path): \(planned.json()) is \(real.json())"
        }
    }

    private func contradiction(marked: Value, _ real: Value, _ path: [Value], _ isExample: Bool) -> String? {
        guard let unknown = marked.unknown else {
            guard let text = real.string else { return "\(path): a text is \(real.json())" }
            if isExample { return nil }
            var expected = ""
            for part in marked.textParts ?? [] {
                switch part {
                case .plain(let plain): expected += plain
                case .unknown(let unknown):
                    guard let value = values[unknown] else { return "\(path): unknown part" }
                    expected += value.string ?? value.json()
                case .secret: return "\(path): secret part"
                }
            }
            return text == expected ? nil : "\(path): '\(expected)' is '\(text)'"
        }
        if !isExample, unknown.origin == .run, let value = values[unknown] {
            return value.json() == real.json() ? nil : "\(path): \(unknown.name) \(value.json()) is \(real.json())"
        }
        if !isExample, unknown.origin == .run { return "\(path): \(unknown.name) has no value" }
        switch unknown.origin {
        case .pending: return "\(path): still pending"
        case .computed(let derivation) where derivation.expression == "." && derivation.input.unknown != nil:
            // A member that is passed on, of an unknown in the data.
            guard !isExample, let owner = derivation.input.unknown.flatMap({ values[$0] }) else { return nil }
            let value = derivation.path.reduce(owner) { $0[$1.string ?? ""] ?? .null }
            return value.json() == real.json() ? nil : "\(path): \(unknown.name) \(value.json()) is \(real.json())"
        case .computed(let derivation): if derivation.path != path { return "\(path): derived as \(derivation.path)" }
        case .run, .secret, .oneOf, .element: break
        }
        switch (unknown.shape, real) {
        case (.any, _), (.text, .string), (.boolean, .bool): return nil
        case (.number, .integer), (.number, .double): return nil
        case (.object(let members), .object(let others)):
            for (name, member) in members {
                guard let other = others[name] else { return "\(path): no \(name)" }
                if let found = contradiction(member, other, at: path + [.string(name)], isExample: isExample) {
                    return found
                }
            }
            return nil
        case (.array(let element), .array(let others)):
            for other in others {
                if let found = contradiction(element, other, at: path + [nil], isExample: true) { return found }
            }
            return nil
        default: return "\(path): \(unknown.shape) is \(real.json())"
        }
    }
}
