import Foundation
import Testing
import MicrosoftGraph

struct ServiceErrorTests {
    private func read(_ body: String, _ headers: HTTPHeaders = [:]) -> ServiceError {
        ServiceError(HTTPResponse(status: 400, headers: headers, body: Data(body.utf8)))
    }

    @Test func `the envelope gives code, message, ids and date`() {
        let error = read(
            """
            {"error":{"code":"ImageNotFound","message":"No photo.","innerError":
            {"date":"2026-11-20T10:00:00","request-id":"r","client-request-id":"c"}}}
            """)
        #expect(error.code == "ImageNotFound")
        #expect(error.message == "No photo.")
        #expect(error.requestID == "r")
        #expect(error.date == "2026-11-20T10:00:00")
    }

    @Test func `the innermost code is the most specific one, in both spellings`() {
        let error = read(
            """
            {"error":{"code":"invalidRequest","message":"outer","innererror":
            {"code":"nameInvalid","innerError":{"code":"nameTooLong","message":"inner"}}}}
            """)
        #expect(error.code == "nameTooLong")
        #expect(error.message == "outer")
    }

    @Test func `the request's id comes from the header first`() {
        let error = read(#"{"error":{"innerError":{"request-id":"body"}}}"#, ["request-id": "header"])
        #expect(error.requestID == "header")
    }

    @Test(arguments: [
        "", "503", "{", "[]", "null", "{}", #"{"error":null}"#, #"{"error":[1]}"#,
        #"{"error":{"code":1,"message":{}}}"#, #"{"error":{"code":"","message":""}}"#, "\u{FEFF}", "\u{0}",
    ])
    func `a body that says nothing leaves everything open`(body: String) {
        let error = read(body)
        #expect(error.code == nil)
        #expect(error.message == nil)
    }

    @Test func `a web page is told by its title, and every spelling of a member is understood`() {
        #expect(
            read("<html><head><TITLE>Service\nUnavailable</TITLE>").message
                == "the answer is a web page: Service Unavailable")
        #expect(
            read("<p>Sign in</p>", ["Content-Type": "text/html; charset=utf-8"]).message?.contains("web page") == true)
        let error = read(#"{"Error":{"Code":"a","MESSAGE":"m","InnerError":{"CODE":"b","Request-Id":"r","Date":"d"}}}"#)
        #expect([error.code, error.message, error.requestID, error.date] == ["b", "m", "r", "d"])
    }

    @Test func `bytes that are no text leave everything open`() {
        let error = ServiceError(HTTPResponse(status: 500, body: Data([0xFF, 0xFE, 0x00, 0x80])))
        #expect(error.code == nil)
    }

    @Test func `errors nested without end are left at some depth`() {
        let depth = 500
        let body =
            String(repeating: #"{"code":"a","innerError":"#, count: depth) + "{}" + String(repeating: "}", count: depth)
        #expect(read(#"{"error":\#(body)}"#).code == "a")
    }

    @Test func `a body of many megabytes is not read`() {
        #expect(read(#"{"error":{"code":"\#(String(repeating: "x", count: 2_000_000))"}}"#).code == nil)
    }

    @Test func `what a terminal would obey does not reach it`() {
        let error = read(#"{"error":{"code":"a\u001b[31mb","message":"one\r\ntwo\u0007\u202ethree"}}"#)
        #expect(error.code == "a [31mb")
        #expect(error.message == "one two three")
    }

    @Test func `a long message is cut`() {
        let error = read(#"{"error":{"message":"\#(String(repeating: "x", count: 10_000))"}}"#)
        #expect(error.message?.count == 501)
    }

    @Test func `the sign-in service's shape is understood too`() {
        let error = read(#"{"error":"invalid_grant","error_description":"AADSTS70000: no"}"#)
        #expect(error.code == "invalid_grant")
        #expect(error.message == "AADSTS70000: no")
    }
}
