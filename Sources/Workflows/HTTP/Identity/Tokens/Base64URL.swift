/// Base64 with the URL-safe alphabet and without padding, as defined in RFC 4648, section 5.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes this alphabet or the standard one, with or without padding; nil if it is neither.
    package static func decode(_ text: some StringProtocol) -> Data? {
        var usual = String(text).replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        usual += String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4)
        return Data(base64Encoded: usual)
    }
}
