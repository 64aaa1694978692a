/// Where a sign-in with a browser comes back with its code, and where the person reads how it ended.
package final class SignInReturn: Sendable {
    /// How long a browser waits to be told how the sign-in ended.
    private static let patience = Duration.seconds(60)

    /// The redirect address.
    let address: String
    /// The parameters of the redirect.
    let answer: Promise<[String: String]>
    private let resolver: Resolver<[String: String]>
    /// What the browser shows in the end.
    private let conclusion = Promise<RedirectPage>.pending()
    /// Fulfilled when the browser has it.
    private let shown = Promise<Void>.pending()
    let stop: @Sendable () -> Void

    /// - Parameter stop: Called when no browser needs to come back any more.
    package init(address: String, stop: @escaping @Sendable () -> Void) {
        (self.address, self.stop) = (address, stop)
        (answer, resolver) = Promise<[String: String]>.pending()
        resolver.onCancel(stop)
    }

    /// Shows how the sign-in ended.
    /// - Returns: A promise that is fulfilled when the page was sent, or cannot be.
    func conclude(_ page: RedirectPage) -> Promise<Void> {
        conclusion.resolver.fulfill(page)
        return answer.isFulfilled ? shown.promise : .value(())
    }

    /// Takes what the first browser that came back has, and waits for what it is shown.
    package func take<Sent>(_ parameters: [String: String], send: (RedirectPage) -> Sent) -> Sent {
        resolver.fulfill(parameters)
        defer { shown.resolver.fulfill(()) }
        return send((try? conclusion.promise.timeout(Self.patience).wait()) ?? .slow)
    }
}
