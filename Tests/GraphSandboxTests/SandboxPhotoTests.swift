import Foundation
import TestSupport
import Testing
import GraphSandbox

@Suite struct SandboxPhotoTests {
    @Test(arguments: SandboxWay.allCases)
    func `the photo is a JPEG picture, in the size asked for or the next smaller one`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let photo = try await client.send("GET", "/me/photo/$value")
            #expect(photo.status == 200)
            #expect(photo.headers["Content-Type"] == "image/jpeg")
            #expect(ContentType.sniff(photo.body) == "image/jpeg")
            #expect(photo.body.count < 10_000)
            let large = try await client.send("GET", "/me/photos/648x648/$value")
            #expect(large.body == photo.body)
            let small = try await client.send("GET", "/users/megan@contoso.com/photos/48X48/$value")
            #expect(small.status == 200)
            #expect(small.body.count < photo.body.count)
            #expect(try await client.send("GET", "/me/photos/120x120/$value").body == small.body)
            let metadata = try await client.get("/me/photo")
            #expect(metadata["id"] == "240x240")
            #expect(metadata["@odata.mediaContentType"] == "image/jpeg")
            #expect(try await client.get("/me/photos/48x48")["width"] == 48)
            #expect(try await client.get("/me/photos")["value"]?.array?.map { $0["height"] } == [48, 240])
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `a photo that was deleted is not there, until another one is stored`(way: SandboxWay) async throws {
        try await way.withSandbox { (_, client) async throws in
            let photo = try await client.send("GET", "/me/photo/$value").body
            #expect(try await client.send("DELETE", "/me/photo/$value").status == 204)
            #expect(try await client.send("GET", "/me/photo/$value").status == 404)
            #expect(try await client.send("DELETE", "/me/photo/$value").status == 404)
            let stored = try await client.send(
                "PUT", "/me/photo/$value", headers: ["Content-Type": "image/jpeg"], body: photo)
            #expect(stored.status == 200)
            #expect(try await client.send("GET", "/me/photo/$value").body == photo)
        }
    }

    @Test(arguments: SandboxWay.allCases)
    func `without a photo it is 404 ImageNotFound`(way: SandboxWay) async throws {
        try await way.withSandbox(.noPhoto) { (_, client) async throws in
            for path in ["/me/photo/$value", "/me/photo", "/me/photos/48x48/$value"] {
                let answer = try await client.send("GET", path)
                #expect(answer.status == 404)
                #expect(answer.errorCode == "ImageNotFound")
            }
        }
        try await way.withSandbox { (_, client) async throws in
            #expect(try await client.send("GET", "/users/alexw@contoso.com/photo/$value").status == 404)
        }
    }

    @Test func `another photo can be put, but only a picture`() async throws {
        try await SandboxWay.inProcess.withSandbox(.noPhoto) { (_, client) async throws in
            let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])
            let wrong = try await client.put("/me/photo/$value", "text", headers: ["Content-Type": "image/jpeg"])
            #expect(wrong.status == 400)
            let put = try await client.send(
                "PUT", "/me/photo/$value", headers: ["Content-Type": "image/png"], body: png)
            #expect(put.status == 200)
            let photo = try await client.send("GET", "/me/photo/$value")
            #expect(photo.body == png)
            #expect(photo.headers["Content-Type"] == "image/png")
        }
    }

    @Test(arguments: ["/me/photos/1x1/$value", "/me/photos/big/$value", "/me/photos/48x64/$value"])
    func `a size that there is not is 400`(path: String) async throws {
        try await SandboxWay.inProcess.withSandbox { (_, client) async throws in
            #expect(try await client.send("GET", path).status == 400)
        }
    }
}
