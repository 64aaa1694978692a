/// The programs that a function can start and talk to.
struct FunctionPrograms: Sendable {
    typealias Work = @Sendable (ProgramConversation) -> Promise<Value>

    /// A program in the workflow's folder, with these variables and the harmless ones of this process.
    let program: @Sendable (_ command: String, _ environment: Object) throws(WorkflowError) -> ChildProgram
    /// Starts a program, answers its requests, and talks to it until the work is done; nil in a plan, which only notes it.
    let talk:
        @Sendable (
            _ program: ChildProgram, _ answer: @escaping RPCConnection.Answering, _ work: @escaping Work
        ) throws -> Promise<Value>?
}
