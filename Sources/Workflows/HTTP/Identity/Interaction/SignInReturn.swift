/// Where a sign-in with a browser comes back with its code, and where the person reads how it ended.
package struct SignInReturn: Sendable {
    /// The redirect address.
    let address: String
    /// The parameters of the redirect.
    let answer: Promise<[String: String]>
    /// Shows how the sign-in ended; the promise is fulfilled when the page was sent, or cannot be.
    let conclude: @Sendable (RedirectPage) -> Promise<Void>
    let stop: @Sendable () -> Void

    package init(
        address: String, answer: Promise<[String: String]>,
        conclude: @escaping @Sendable (RedirectPage) -> Promise<Void>, stop: @escaping @Sendable () -> Void
    ) {
        (self.address, self.answer, self.conclude, self.stop) = (address, answer, conclude, stop)
    }
}
