/// The positions of a document's nodes in its text, in a tree of the same shape as the value.
///
/// A node's children are adjacent, in the order of the array or object. Alias nodes share the anchored node's children.
struct PositionTree: Sendable {
    enum Style: UInt8, Sendable {
        case collection, empty, plain, flowPlain, quoted, block
    }

    struct Node: Sendable {
        var start: UInt32
        var end: UInt32
        var keyStart: UInt32 = 0
        var keyEnd: UInt32 = 0
        var firstChild: UInt32 = 0
        var childCount: UInt32 = 0
        /// The indentation of the collection around a scalar, needed to find its lines.
        var indent: Int32 = -1
        var style: Style

        init(_ style: Style, from start: Int, to end: Int, indent: Int = -1) {
            self.style = style
            self.start = UInt32(start)
            self.end = UInt32(end)
            self.indent = Int32(indent)
        }
    }

    private(set) var nodes: [Node] = []
    var root = Node(.empty, from: 0, to: 0)

    mutating func append(_ children: ArraySlice<Node>, to parent: inout Node) {
        parent.firstChild = UInt32(nodes.count)
        parent.childCount = UInt32(children.count)
        nodes.append(contentsOf: children)
    }

    func child(_ position: Int, of node: Node) -> Node? {
        guard position < Int(node.childCount) else { return nil }
        return nodes[Int(node.firstChild) + position]
    }

    /// The node at a pointer, or its nearest ancestor, and whether the whole pointer was followed.
    func node(at pointer: JSONPointer, in value: Value) -> (node: Node, isExact: Bool) {
        var node = root
        var value = value
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let position = object.position(of: token), let child = child(position, of: node) else {
                    return (node, false)
                }
                (node, value) = (child, object[position].value)
            case .array(let array):
                guard let position = Int(token), array.indices.contains(position), let child = child(position, of: node)
                else { return (node, false) }
                (node, value) = (child, array[position])
            default: return (node, false)
            }
        }
        return (node, true)
    }
}
