#if os(Linux)
    /// `arc4random`, which Foundation calls, and which the C library has only since version 2.36.
    ///
    /// With it in the program, the Debian package can be installed where the C library is older.
    @c(arc4random)
    func randomNumber() -> UInt32 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
#endif
