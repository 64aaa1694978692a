/// The source of the keys that seal the secrets of a run on disk.
package struct SealSource: Sendable, Hashable {
    /// The file with the key; nil for a run without a journal, whose seals open in this process only.
    package var file: KeyFile?
    /// The random bytes in the first line of a journal up to version 2; nil for a newer one.
    package var former: Data?

    package init(file: KeyFile? = nil, former: Data? = nil) {
        self.file = file
        self.former = former
    }
}
