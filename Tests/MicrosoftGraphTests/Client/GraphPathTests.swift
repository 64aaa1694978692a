import Testing
import MicrosoftGraph

struct GraphPathTests {
    @Test(
        arguments: [
            (nil, "me"), ("megan@contoso.com", "users/megan@contoso.com"),
            ("guest#EXT#@contoso.com", "users/guest%23EXT%23@contoso.com"), ("a/b?c", "users/a%2Fb%3Fc"),
            ("$odd'name", "users('%24odd%27%27name')"), ("‹me.id›", "users/%E2%80%B9me.id%E2%80%BA"),
        ] as [(String?, String)])
    func `a user is one segment`(user: String?, path: String) throws {
        #expect(try GraphPath(user: user).description == path)
    }

    @Test(arguments: ["", ".", ".."])
    func `a user that would change the address is refused`(user: String) {
        #expect(throws: GraphError.self) { try GraphPath(user: user) }
    }

    @Test(arguments: [
        ("me.jpg", "me/drive/root:/me.jpg:"), ("/me.jpg", "me/drive/root:/me.jpg:"),
        ("Pictures/my photo.jpg", "me/drive/root:/Pictures/my%20photo.jpg:"),
        ("100%.txt", "me/drive/root:/100%25.txt:"), ("a#b.txt", "me/drive/root:/a%23b.txt:"),
        ("Bücher/é.txt", "me/drive/root:/B%C3%BCcher/%C3%A9.txt:"),
        ("👩‍💻.png", "me/drive/root:/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.png:"),
        ("a+b&c=d;e.txt", "me/drive/root:/a%2Bb%26c%3Dd%3Be.txt:"), ("%2e%2e/x", "me/drive/root:/%252e%252e/x:"),
    ])
    func `a file's path is encoded segment by segment`(file: String, path: String) throws {
        #expect(try GraphPath(user: nil).adding(file: file).description == path)
    }

    @Test(arguments: [
        "", "/", "a//b", "a/", "../x", "a/../x", "./x", "a:b", "a*", "a?", "a\"b", "a<b", "a>b", "a|b", "a\\b",
        "a\u{0}b",
        "a\nb", "name.", " name", "name ", String(repeating: "x", count: 401),
    ])
    func `a path that OneDrive does not allow is refused`(file: String) {
        #expect(throws: GraphError.self) { try GraphPath(user: nil).adding(file: file) }
    }

    @Test func `an item's id cannot leave its segment`() throws {
        let path = try GraphPath(user: nil).adding("/drive/items").adding(id: "A!1/../../x?y#z", what: "id")
        #expect(path.description == "me/drive/items/A!1%2F..%2F..%2Fx%3Fy%23z")
        #expect(throws: GraphError.self) { try GraphPath(user: nil).adding(id: "..", what: "id") }
        #expect(throws: GraphError.self) { try GraphPath(user: nil).adding(id: "", what: "id") }
    }
}
