/// An ordered dictionary: names with their values, in order of insertion.
///
/// Small objects, which are nearly all, are searched linearly; larger ones keep an index.
public struct Object: Sendable {
    /// The value of a member.
    public typealias Value = WorkflowData.Value
    /// A name with its value.
    public typealias Element = (key: String, value: Value)

    private static let indexedFrom = 12

    private struct Name: Hashable {
        let text: String
        static func == (left: Name, right: Name) -> Bool { left.text.hasSameScalars(as: right.text) }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    private var elements: [Element] = []
    private var index: [Name: Int] = [:]

    /// Creates an object without members.
    public init() {}

    /// Creates an object; if a name is given twice, the last value counts.
    public init(_ members: some Sequence<(String, Value)>) {
        for (key, value) in members { self[key] = value }
    }

    init(keys: ArraySlice<String>, values: ArraySlice<Value>) {
        elements.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            if let position = position(of: key) {
                elements[position].value = value
            } else {
                append(key, value)
            }
        }
    }

    /// The names in order of insertion.
    public var keys: [String] { elements.map(\.key) }

    /// The values in order of insertion.
    public var values: [Value] { elements.map(\.value) }

    /// The value of a member; setting nil removes the member, setting a new name appends it.
    public subscript(key: String) -> Value? {
        get { position(of: key).map { elements[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): elements[position].value = value
            case (nil, let value?): append(key, value)
            case (let position?, nil):
                elements.remove(at: position)
                rebuildIndex()
            case (nil, nil): break
            }
        }
    }

    /// Changes a member's value in place; a new member starts with null.
    public mutating func update<Failure: Error>(
        _ key: String, _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        guard let position = position(of: key) else {
            var value = Value.null
            try body(&value)
            append(key, value)
            return
        }
        try body(&elements[position].value)
    }

    /// Reserves capacity for this many members.
    public mutating func reserveCapacity(_ capacity: Int) {
        elements.reserveCapacity(capacity)
    }

    /// Whether there is a member with this name.
    public func contains(_ key: String) -> Bool { position(of: key) != nil }

    /// An object with the same names and transformed values.
    public func mapValues<Failure: Error>(
        _ transform: (Value) throws(Failure) -> Value
    ) throws(Failure) -> Object {
        var result = self
        for position in elements.indices {
            result.elements[position].value = try transform(elements[position].value)
        }
        return result
    }

    /// The members for which the predicate holds, in the same order.
    public func filter(_ isIncluded: (Element) -> Bool) -> Object {
        var result = Object()
        result.elements = elements.filter(isIncluded)
        result.rebuildIndex()
        return result
    }

    func position(of key: String) -> Int? {
        guard elements.count < Self.indexedFrom else { return index[Name(text: key)] }
        // By index: a closure would get a copy of each value.
        for index in elements.indices where elements[index].key.hasSameScalars(as: key) { return index }
        return nil
    }

    /// The name must be new.
    package mutating func append(_ key: String, _ value: Value) {
        elements.append((key, value))
        if elements.count > Self.indexedFrom {
            index[Name(text: key)] = elements.count - 1
        } else if elements.count == Self.indexedFrom {
            rebuildIndex()
        }
    }

    private mutating func rebuildIndex() {
        index.removeAll(keepingCapacity: true)
        guard elements.count >= Self.indexedFrom else { return }
        for (position, element) in elements.enumerated() { index[Name(text: element.key)] = position }
    }
}

extension Object: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { elements.startIndex }
    /// The position after the last member.
    public var endIndex: Int { elements.endIndex }
    /// The member at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Object: Hashable {
    /// Whether both have the same names with equal values, in any order.
    public static func == (left: Object, right: Object) -> Bool { Value.object(left) == Value.object(right) }

    /// Hashes the members independently of their order.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: 16) }

    func hash(into hasher: inout Hasher, levels: Int) {
        var sum = 0
        for (key, value) in elements {
            var member = Hasher()
            member.combine(key)
            if levels > 0 { value.hash(into: &member, levels: levels - 1) }
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}

extension Object: ExpressibleByDictionaryLiteral {
    /// Creates an object; if a name is given twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}
