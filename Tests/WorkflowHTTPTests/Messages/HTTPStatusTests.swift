import Testing
import WorkflowHTTP

struct HTTPStatusTests {
    @Test(arguments: [
        (200, "OK"), (201, "Created"), (202, "Accepted"), (204, "No Content"), (301, "Moved Permanently"),
        (302, "Found"), (303, "See Other"), (307, "Temporary Redirect"), (308, "Permanent Redirect"),
        (400, "Bad Request"), (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"),
        (405, "Method Not Allowed"), (406, "Not Acceptable"), (408, "Request Timeout"), (409, "Conflict"),
        (410, "Gone"), (411, "Length Required"), (412, "Precondition Failed"), (413, "Content Too Large"),
        (415, "Unsupported Media Type"), (416, "Range Not Satisfiable"), (422, "Unprocessable Content"),
        (423, "Locked"), (429, "Too Many Requests"), (500, "Internal Server Error"), (501, "Not Implemented"),
        (502, "Bad Gateway"), (503, "Service Unavailable"), (504, "Gateway Timeout"), (507, "Insufficient Storage"),
    ])
    func `a status has the name that RFC 9110 and RFC 4918 give it`(status: Int, name: String) {
        #expect(HTTPStatus.phrase(status) == name)
        #expect(HTTPStatus.words(status) == "\(status) \(name)")
    }

    @Test func `a status without a name is shown as its number`() {
        #expect(HTTPStatus.phrase(299) == "Status 299")
        #expect(HTTPStatus.words(299) == "299")
    }
}
