import Foundation
import Testing
import WorkflowHTTP

@Suite struct ContentTypeTests {
    @Test(
        arguments: [
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00], "image/png"),
            ([0xff, 0xd8, 0xff, 0xe0], "image/jpeg"),
            (Array("GIF89a..".utf8), "image/gif"),
            (Array("GIF87a..".utf8), "image/gif"),
            (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), "image/webp"),
            ([0x42, 0x4d, 0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0], "image/bmp"),
            (Array("%PDF-1.7\n".utf8), "application/pdf"),
            (Array("BMW is a maker of cars".utf8), "text/plain"),
            (Array("Grüße\r\n\tan alle".utf8), "text/plain"),
            (Array("<html><script>".utf8), "text/plain"),
            ([], "text/plain"), (Array("\u{1B}[1mbold".utf8), "text/plain"),
            ([0x00, 0x01, 0x02], "application/octet-stream"),
            ([0x41, 0xff, 0x42], "application/octet-stream"),
            ([0x89, 0x50, 0x4e, 0x47], "application/octet-stream"),
            (Array("RIFF....WAVE\u{0}".utf8), "application/octet-stream"),
        ] as [([UInt8], String)])
    func `tells the type by the first bytes`(bytes: [UInt8], type: String) {
        #expect(ContentType.sniff(Data(bytes)) == type)
    }

    @Test func `reads a slice of data from its own beginning`() {
        let data = Data([0, 0, 0] + Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBP".utf8))
        #expect(ContentType.sniff(data.dropFirst(3)) == "image/webp")
    }

    @Test(arguments: [
        ("image/jpeg", "jpg"), ("Image/PNG", "png"), ("text/plain; charset=utf-8", "txt"), ("what/ever", "bin"),
    ])
    func `knows the ending of a file's name`(type: String, ending: String) {
        #expect(ContentType.fileExtension(for: type) == ending)
    }
}
