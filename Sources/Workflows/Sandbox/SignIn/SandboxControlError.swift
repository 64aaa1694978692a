/// What is wrong with something that was asked of the sandbox itself, in words.
struct SandboxControlError: Error, CustomStringConvertible {
    var status: Int
    var description: String

    init(_ description: String, status: Int = 400) {
        self.status = status
        self.description = description
    }
}
