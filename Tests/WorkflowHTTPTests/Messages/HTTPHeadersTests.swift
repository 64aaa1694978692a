import Testing
import WorkflowHTTP

struct HTTPHeadersTests {
    @Test func `setting a field replaces all of its name at the place of the first`() {
        var headers: HTTPHeaders = ["A": "1", "Link": "2", "B": "3", "link": "4", "C": "5"]
        headers["LINK"] = "6"
        #expect(headers == ["A": "1", "LINK": "6", "B": "3", "C": "5"])
    }

    @Test func `a new field is set last, and nil removes a field`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers["C"] = "3"
        #expect(headers == ["A": "1", "B": "2", "C": "3"])
        headers["a"] = nil
        headers["D"] = nil
        #expect(headers == ["B": "2", "C": "3"])
    }
}
