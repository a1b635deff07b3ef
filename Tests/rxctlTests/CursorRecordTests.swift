import RxJSON
import Testing

@testable import rxctl

struct CursorRecordTests {
    private func intent(_ batch: String, cursor: String = "7c1f:12") -> WriteIntent {
        Array(batch.utf8).withUnsafeBytes { WriteIntent(file: "1:2", size: 40, batch: $0, cursor: cursor) }
    }

    @Test("the first line is the plain cursor, and every record has the same size and is read again as it was")
    func roundTrip() throws {
        let records = [
            CursorRecord(), CursorRecord(cursor: "7c1f:4183"),
            CursorRecord(cursor: "7c1f:4183", intent: intent("{\"seq\":1}\n{\"seq\":2}\n")),
            CursorRecord(cursor: nil, intent: intent("x\n")),
            CursorRecord(cursor: "7c1f:1", boot: "0123456789abcdef"),
            CursorRecord(cursor: "7c1f:1", sync: SyncPoint(file: 7, size: 0, cursor: "7c1f:1")),
            CursorRecord(
                cursor: "7c1f:1", intent: intent("x\n"), boot: "0",
                sync: SyncPoint(file: 7, size: 9, cursor: "7c1f:1")),
        ]
        for record in records {
            let bytes = record.bytes
            #expect(bytes.count == CursorRecord.size)
            #expect(bytes.last == UInt8(ascii: "\n"))
            let first = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[0]
            #expect(String(decoding: first, as: UTF8.self) == record.cursor ?? "")
            #expect(CursorRecord(bytes) == record)
        }
    }

    @Test("the longest cursors, paths and lines fit")
    func longest() {
        let cursor = String(repeating: "e", count: CursorText.mostBytes - 2) + ":1"
        #expect(CursorText.isCursor(cursor) && !CursorText.isCursor("e" + cursor))
        let batch = Array(String(repeating: "\n", count: WriteIntent.mostLines).utf8)
        let intent = batch.withUnsafeBytes {
            WriteIntent(file: "\(UInt.max):\(UInt.max)", size: .max, batch: $0, cursor: cursor)
        }
        let longest = WriteIntent(
            file: intent.file, size: .max, bytes: .max, head: String(repeating: "f", count: 48),
            hash: String(repeating: "f", count: 16), lines: intent.lines, cursor: cursor)
        let record = CursorRecord(
            cursor: cursor, intent: longest, boot: String(repeating: "f", count: CursorRecord.bootDigits),
            sync: SyncPoint(file: .max, size: .max, cursor: cursor))
        #expect(CursorRecord(record.bytes) == record)
    }

    @Test("an empty file and a typed line are records; anything else is not")
    func typed() {
        func record(_ text: String) -> CursorRecord? { CursorRecord(Array(text.utf8)) }
        #expect(record("") == CursorRecord())
        #expect(record("7c1f:1") == CursorRecord(cursor: "7c1f:1"))
        #expect(record("7c1f:1\n") == CursorRecord(cursor: "7c1f:1"))
        for garbage in [
            "hello", "7c1f:1x\n", "7c1f:\n", ":1\n", "a b:1\n", "7c1f:1\nmore\n", "7c1f:1\n{}\n", "7c1f:1\n\n\n{}x",
            "7c1f:1\n{\"boot\":\"1\",\"inode\":1}\n", "7c1f:1\n{\"boot\":\"1\",\"file\":\"1\"}\n",
            "{\"seq\":1}\n", "a:1\0", String(repeating: " ", count: 513), "a:1:2",
        ] {
            #expect(record(garbage) == nil, "\(garbage)")
        }
    }

    @Test("the files of earlier versions, which have no boot, stay readable")
    func earlier() {
        let text =
            "7c1f:1\n{\"file\":\"1:2\",\"size\":4,\"bytes\":2,\"head\":\"780a\",\"hash\":\"0\",\"lines\":\"abcd\","
            + "\"cursor\":\"7c1f:2\"}   \n"
        let record = CursorRecord(Array(text.utf8))
        #expect(record?.intent?.cursor == "7c1f:2")
        #expect(record?.boot == nil && record?.sync == nil)
    }

    @Test("a batch's lines are distinguished by few digits, and its head by its first bytes")
    func digits() {
        let two = intent("ab\ncd\n")
        #expect(two.lines.count == 2 && two.lines[0] != two.lines[1])
        #expect(two.lines.allSatisfy { $0.count == 4 })
        #expect(intent("ab\n").lines == [two.lines[0]])
        #expect(two.head == "61620a63640a")
        #expect(two.bytes == 6)
    }
}
