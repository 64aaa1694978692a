import Testing
import WorkflowData

struct `URI templates` {
    @Test(arguments: [
        ("https://example.com/users/{id}", "https://example.com/users/a%20b%2Fc"), ("{id}{id}", "a%20b%2Fca%20b%2Fc"),
        ("/{number}/{flag}", "/7/true"), ("/{missing}/{nothing}", "//"), ("/{letters}", "/%C3%A9-_.~"),
        ("plain", "plain"),
        ("", ""), ("/{list}", "/%5B1%2C2%5D"),
    ])
    func `values are put in percent-encoded`(_ template: String, _ expanded: String) throws {
        let values: Object = [
            "id": "a b/c", "number": 7, "flag": true, "nothing": nil, "letters": "é-_.~", "list": [1, 2],
        ]
        #expect(try URITemplate(template).expand(values) == expanded)
    }

    @Test(arguments: [
        ("/{", 1), ("/}", 1), ("/{}", 2), ("/{a{b}}", 3), ("/{+path}", 2), ("/{?q}", 2), ("/{a,b}", 3), ("/{a b}", 3),
        ("/{a:3}", 3),
    ])
    func `what is more than simple expansion is refused`(_ template: String, _ offset: Int) {
        let error = #expect(throws: ExpressionError.self) { try URITemplate(template) }
        #expect(error?.offset == offset)
    }

    @Test func `names are listed in order`() throws {
        #expect(try URITemplate("/{b}/{a}/{b}").variables == ["b", "a", "b"])
    }
}
