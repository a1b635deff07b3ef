import Testing

@testable import Systemd

@Suite("JournalRecord")
struct JournalRecordTests {
    @Test("a value of one line stands behind an equals sign")
    func oneLine() {
        var record = JournalRecord()
        record.append("MESSAGE", "a=b \u{0} ü")
        #expect(record.bytes == Array("MESSAGE=a=b \u{0} ü\n".utf8))
    }

    @Test("a value with a newline goes with its length in 64 little-endian bits")
    func severalLines() {
        var record = JournalRecord()
        record.append("MESSAGE", "one\nRXD_ACTION=forged")
        let length: [UInt8] = [21, 0, 0, 0, 0, 0, 0, 0]
        #expect(record.bytes == Array("MESSAGE\n".utf8) + length + Array("one\nRXD_ACTION=forged\n".utf8))
    }

    @Test("an empty value is a field all the same")
    func empty() {
        var record = JournalRecord()
        record.append("MESSAGE", "")
        #expect(record.bytes == Array("MESSAGE=\n".utf8))
    }

    @Test(
        "metadata keys become field names",
        arguments: [
            ("action", "RXD_ACTION"), ("peer-uid", "RXD_PEER_UID"), ("requestID2", "RXD_REQUESTID2"),
            ("a b=c\nd", "RXD_A_B_C_D"), ("ä", "RXD___"), ("", "RXD_"),
        ])
    func names(key: String, name: String) {
        #expect(JournalRecord.fieldName(for: key) == name)
    }

    @Test("a field name is as long as the journal allows at most")
    func longName() {
        let name = JournalRecord.fieldName(for: String(repeating: "k", count: 500))
        #expect(name == "RXD_" + String(repeating: "K", count: 60))
    }
}
