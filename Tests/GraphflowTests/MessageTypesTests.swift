import Foundation
import TestSupport
import Testing

@testable import Workflows

/// Every type of a message is known by its name, and shows nothing of a secret, wherever it cuts it.
@Suite struct MessageTypesTests {
    /// The stored texts by which a type is one of a message.
    private static let texts: Set = ["message", "hint", "reason", "detail", "headline"]

    /// The types in the sources that are errors, or that have a text of a message.
    private static func found(in files: [SourceFile]) -> Set<String> {
        let all = files.flatMap(\.declarations)
        var kinds: Set = ["Error", "LocalizedError"]
        // A protocol of errors makes its types errors.
        while true {
            let more = all.filter { !kinds.isDisjoint(with: $0.conformances) }.map(\.name)
            guard !kinds.isSuperset(of: more) else { break }
            kinds.formUnion(more)
        }
        kinds.subtract(["Error", "LocalizedError"])
        return kinds.union(all.filter { !texts.isDisjoint(with: $0.texts) }.map(\.name))
    }

    @Test func `every type of a message is listed by its name`() {
        let found = Self.found(in: SourceFile.all)
        let listed = Set(MessageTypes.showing.keys).union(MessageTypes.silent.keys)
        #expect(found.subtracting(listed).sorted() == [], "say how text from outside gets into them, or why none does")
        #expect(listed.subtracting(found).sorted() == [], "these are no types of messages any more")
        #expect(Set(MessageTypes.showing.keys).isDisjoint(with: MessageTypes.silent.keys))
    }

    @Test func `a new type of a message is found`() {
        let file = SourceFile(
            name: "A.swift",
            """
            extension Outer {
                /// A: struct B: Error {
                public struct New: Sendable, Hashable,
                    Error
                {
                    var code: Int
                }
            }
            protocol Kind: Sendable, Error {}
            private enum Other: Kind {
                struct Inner {
                    let hint: String?
                    var reason: String { "a" }
                }
                var detail = 1
            }
            struct Plain: Sendable { var text: String }
            struct After {
                enum Kind { case a }
                private(set) var hint: String?
            }
            extension Late: Error {}

            """)
        #expect(Self.found(in: [file]) == ["Outer.New", "Kind", "Other", "Other.Inner", "After", "Late"])
    }

    private static let secret = MessageSinkTests.secret
    /// How much is before the secret, so that each cut is in it several times.
    private static let starts =
        [0..<2_100, 3_990..<4_110, 7_900..<8_010, 9_900..<10_010].flatMap {
            Array(stride(from: $0.lowerBound, to: $0.upperBound, by: Extent.of(11, or: 47)))
        }

    @Test(.timeLimit(.minutes(60)), arguments: MessageTypes.showing.keys.sorted())
    func `no message shows four characters of a secret, wherever it is cut`(type: String) throws {
        let messages = try #require(MessageTypes.showing[type])
        let known = KnownSecrets()
        known.add(.string(Self.secret), of: ["key"])
        let pieces = SecretPieces(Self.secret)
        var concealed = 0
        for start in Self.starts {
            for message in try messages(String(repeating: "x", count: start) + Self.secret + "zzz") {
                let shown = ConcealedBytes.conceal(message, known)
                if shown.contains("‹secrets.key›") { concealed += 1 }
                let left = pieces.found(in: shown)
                #expect(left.isEmpty, "after \(start): \(left.count) pieces in \(shown.suffix(600))")
            }
        }
        #expect(concealed > 0, "no message shows the text")
    }
}
