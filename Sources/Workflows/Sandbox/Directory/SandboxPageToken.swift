import Essentials

struct SandboxPageToken {
    private static let mark = "RFNwdAIAAQAAA"

    var skipped: Int
    var pages: Int

    init(skipped: Int = 0, pages: Int = 0) {
        self.skipped = skipped
        self.pages = pages
    }

    init?(_ text: String) {
        guard text.hasPrefix(Self.mark), let bytes = Data(base64Encoded: String(text.dropFirst(Self.mark.count))) else {
            return nil
        }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: ".").map { Int($0) }
        guard numbers.count == 2, let skipped = numbers[0], let pages = numbers[1], skipped >= 0, pages >= 0 else {
            return nil
        }
        self.init(skipped: skipped, pages: pages)
    }

    var text: String { Self.mark + Data("\(skipped).\(pages)".utf8).base64EncodedString() }
}
