import JSONRPC
import Testing

struct RequestIDTests {
    @Test("ids made here are JSON")
    func made() {
        #expect(RequestID(7).text == "7")
        #expect(RequestID(-1).text == "-1")
        #expect(RequestID("a\"b\n").text == #""a\"b\n""#)
        #expect(RequestID.null.text == "null")
    }

    @Test("ids are equal when written the same")
    func equality() {
        #expect(RequestID(1) == RequestID(unchecked: "1"))
        #expect(RequestID(1) != RequestID("1"))
        #expect(RequestID(unchecked: "1") != RequestID(unchecked: "1.0"))
    }
}
