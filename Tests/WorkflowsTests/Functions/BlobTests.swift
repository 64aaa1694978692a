import Foundation
import Testing
import Workflows

struct BlobTests {
    @Test func `a blob is named by its bytes`() {
        let blob = Blob(Data("abc".utf8))
        #expect(blob.hash == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(blob.value["size"] == 3)
        #expect(blob.value.object?.keys == ["blob", "contentType", "size"])
    }

    @Test func `the default photo is a small picture`() throws {
        #expect(Blob.defaultPhoto.contentType == "image/png")
        #expect(Blob.defaultPhoto.size <= 4096)
        #expect(try Blob.defaultPhoto.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(try Blob.defaultPhoto.bytes.suffix(8).starts(with: Data("IEND".utf8)))
        #expect(ContentType.sniff(ExamplePhoto.bytes("")) == "image/png")
        #expect(try ExamplePhoto.bytes("") != Blob.defaultPhoto.bytes)
    }

    @Test func `a store gives back what it keeps`() throws {
        let store = BlobStore()
        let value = store.keep(.defaultPhoto)
        #expect(store.keep(.defaultPhoto) == value)
        #expect(try store.blob(value) == .defaultPhoto)
        #expect(try store.blob(["blob": .string(Blob.defaultPhoto.hash)]).contentType == "image/png")
    }

    @Test(
        arguments: [nil, "sha256:00", ["blob": 1], ["blob": "sha256:00"], ["blob": "../../etc/passwd"], []] as [Value])
    func `a store gives nothing for what it does not keep`(value: Value) {
        #expect(throws: FunctionError.self) { try BlobStore().blob(value) }
    }
}
