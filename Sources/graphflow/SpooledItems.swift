/// The items from standard input, in a file: they are read twice, and again when the batch continues.
final class SpooledItems: Sendable {
    /// The folder of the file until the batch has one.
    private let folder: PrivateFolder
    private var path: String { folder.path(of: "items") }

    private static let pieceSize = 1 << 20

    init(in batches: RunsFolder) throws {
        try batches.folder.makeWithParents()
        folder = PrivateFolder(path: batches.folder.path(of: ".new-\(ULID().description)"))
        try folder.make()
        let file = try OpenFile(path, for: .making)
        while true {
            let piece = try SystemCall.read(STDIN_FILENO, upTo: Self.pieceSize)
            guard !piece.isEmpty else { break }
            try file.write(piece)
        }
        try file.synchronize()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    var source: ItemSource { get throws { try ItemSource(spooled: path) } }

    func keep(in batch: BatchFolder) throws -> ItemSource {
        try FileManager.default.moveItem(atPath: path, toPath: batch.items)
        return try ItemSource(spooled: batch.items)
    }
}
