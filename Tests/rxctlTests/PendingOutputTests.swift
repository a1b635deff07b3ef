import Testing

@testable import rxctl

struct PendingOutputTests {
    private func pending(_ lines: String...) -> PendingOutput {
        var pending = PendingOutput()
        for line in lines { pending.append(line: line.utf8) }
        return pending
    }

    private func next(_ count: Int, of pending: PendingOutput) -> String {
        pending.withNext(count) { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a portion ends with a line if one ends in it, else after its limit")
    func portions() {
        var pending = pending("abc", "de")
        #expect(next(pending.portion(atMost: 6), of: pending) == "abc\n")
        #expect(next(pending.portion(atMost: 2), of: pending) == "ab")
        pending.wrote(2)
        #expect(next(pending.portion(atMost: 100), of: pending) == "c\nde\n")
    }

    @Test("a batch is whole lines: at least one however long, then as many as are allowed")
    func batches() {
        let pending = pending("long line", "b", "c", "d")
        #expect(next(pending.lines(2, atMost: 1), of: pending) == "long line\n")
        #expect(next(pending.lines(3, atMost: 100), of: pending) == "long line\nb\nc\n")
    }

    @Test("a cursor is taken once everything before it is written, the newest one only")
    func cursors() {
        var pending = PendingOutput()
        pending.reach("e:0")
        pending.append(line: "a".utf8)
        pending.reach("e:1")
        pending.append(line: "b".utf8)
        pending.reach("e:2")
        #expect(pending.cursor(after: 1) == "e:0")
        #expect(pending.cursor(after: 2) == "e:1")
        pending.wrote(3)
        #expect(pending.takeCursor() == "e:1")
        #expect(pending.takeCursor() == nil)
        pending.wrote(1)
        #expect(pending.isEmpty)
        #expect(pending.takeCursor() == "e:2")
    }

    @Test("what is written takes no memory, though the reader never catches up, and cursors keep their places")
    func slowReader() {
        let line = String(repeating: "x", count: 999)
        var pending = PendingOutput()
        var cursors: [String] = []
        for number in 0..<20_000 {
            pending.append(line: line.utf8)
            pending.reach("e:\(number)")
            // It stays 200 lines behind.
            guard number >= 200 else { continue }
            pending.wrote(1000)
            pending.takeCursor().map { cursors.append($0) }
        }
        #expect(pending.count == 200_000)
        #expect(pending.capacity <= PendingOutput.mostSpare)
        #expect(cursors == (0..<19_800).map { "e:\($0)" })
        #expect(next(1001, of: pending) == line + "\nx")
    }

    @Test("the memory of a long line is given back")
    func longLine() {
        var pending = pending(String(repeating: "x", count: 8 << 20))
        pending.wrote(8 << 20)
        #expect(pending.capacity <= PendingOutput.mostSpare)
        pending.append(line: String(repeating: "y", count: 8 << 20).utf8)
        pending.wrote(pending.count)
        pending.reset()
        #expect(pending.capacity <= PendingOutput.mostSpare)
    }

    @Test("dropping keeps the rest of the line that has been begun, and no cursor beyond it")
    func drops() {
        var begun = pending("abc", "de")
        begun.reach("e:2")
        begun.wrote(2)
        begun.dropUnbegun()
        #expect(next(begun.count, of: begun) == "c\n")
        begun.wrote(2)
        #expect(begun.takeCursor() == nil)
        var whole = pending("abc", "de")
        whole.wrote(4)
        whole.dropUnbegun()
        #expect(whole.isEmpty)
    }
}
