/// What a link does with the result that it waited for.
@usableFromInline
enum Step<Source: Sendable, T: Sendable>: Sendable {
    case map(@Sendable (Source) throws -> T)
    case settle(@Sendable (Result<Source, any Error>) throws -> T)
    /// Without a promise the result stays as it is, so that `Source` has to be `T`.
    case follow(@Sendable (Result<Source, any Error>) throws -> Promise<T>?)
    /// The result as it is: of a source of type `T`, or of the promise that a handler returned.
    case forward
}
