import Glibc
import RxJSON
import TestSupport
import Testing

@testable import rxctl

@Suite(.ownThreads(limit: .seconds(120)))
struct JobLogTests {
    private let directory = TemporaryDirectory()

    private var path: String { directory.path + "/jobs.log" }

    private var content: String {
        get throws { try String(decoding: bytes(), as: UTF8.self) }
    }

    private func bytes() throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let file = OutputFile(descriptor: descriptor)
        return try #require(file.bytes(0, file.size ?? 0))
    }

    private func write(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Other tests start processes meanwhile, each of which holds the lock for a moment.
    private func opened(action: String = "a", calls: FileCalls = .system) throws -> JobLog {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try JobLog(path, action: action, calls: calls)
            } catch {
                guard case .text(let text) = error.message, text.hasSuffix("by another rxctl"),
                    ContinuousClock.now < deadline
                else { throw error }
                usleep(200)
            }
        }
    }

    private func fault(action: String = "a") -> String {
        do {
            _ = try opened(action: action)
            return ""
        } catch {
            guard case .text(let text)? = (error as? Ending)?.message else { return "?" }
            return text
        }
    }

    private func line(_ number: Int, _ text: String) -> EachLine {
        EachLine(number, Array(text.utf8)[...], keepsText: false)
    }

    private func entry(_ line: EachLine, _ state: JobLogEntry.State) -> JobLogEntry {
        JobLogEntry(line: line.number, input: line.hash, state: state, execution: "E")
    }

    @Test("what has completed is completed for the next run, and the job keeps its id")
    func completed() throws {
        let lines = [line(1, "1"), line(2, #"{"a": 1}"#), line(3, "3")]
        let id: String
        do {
            let log = try opened()
            id = log.id
            try log.append([entry(lines[0], .completed), entry(lines[1], .failed)])
            try log.append([entry(lines[1], .completed)])
            try log.sync()
        }
        let log = try opened()
        #expect(log.id == id)
        #expect(lines.map { log.lines.state(of: $0) } == [.completed, .completed, .open])
        #expect([1, 2, 3].map { log.lines.tries(of: $0) } == [1, 2, 0])
        // White space does not make another input.
        #expect(log.lines.state(of: line(2, #" {"a":1} "#)) == .completed)
        let values = try content.split(separator: "\n").map { try RawJSON(validating: String($0)).value() }
        #expect(values.map { $0["state"] ?? $0["action"] } == ["a", "completed", "failed", "completed"])
    }

    @Test("another input in the place of a completed one is noticed; one that has failed may be edited")
    func edited() throws {
        let log = try opened()
        try log.append([entry(line(1, "1"), .completed), entry(line(2, "2"), .failed)])
        #expect(log.lines.state(of: line(1, "10")) == .edited)
        #expect(log.lines.state(of: line(2, "20")) == .open)
        // The next try of it has another key.
        #expect(log.lines.tries(of: 2) == 1)
        let keys = LineKeys(.job("j"))
        #expect(keys.key(of: line(2, "2"), tries: 0) != keys.key(of: line(2, "2"), tries: 1))
        #expect(keys.key(of: line(2, "2"), tries: 1) != keys.key(of: line(2, "20"), tries: 1))
        #expect(keys.key(of: line(2, "2"), tries: 1) == LineKeys(.job("j")).key(of: line(2, " 2"), tries: 1))
    }

    @Test("a last line that is torn at any byte is removed, and the entries before it are kept")
    func torn() throws {
        do {
            let log = try opened()
            try log.append([entry(line(1, "1"), .completed), entry(line(2, "2"), .completed)])
        }
        let whole = try content
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines[0].utf8.count + lines[1].utf8.count + 2
        for length in start..<whole.utf8.count {
            try write(String(decoding: whole.utf8.prefix(length), as: UTF8.self))
            do {
                let log = try opened()
                #expect(log.lines.state(of: line(1, "1")) == .completed, "\(length) bytes")
                #expect(log.lines.state(of: line(2, "2")) == .open, "\(length) bytes")
                try log.append([entry(line(2, "2"), .completed)])
            }
            #expect(try opened().lines.state(of: line(2, "2")) == .completed, "\(length) bytes")
        }
        // Before the end of the first line nothing was executed.
        for length in 0...lines[0].utf8.count {
            try write(String(decoding: whole.utf8.prefix(length), as: UTF8.self))
            #expect(try opened().lines.tries(of: 1) == 0)
            #expect(try content.hasSuffix("\n"))
        }
    }

    @Test("zeros at the end, as a power cut leaves them, are a torn line")
    func zeros() throws {
        do { try opened().append([entry(line(1, "1"), .completed)]) }
        try write(try content + String(repeating: "\0", count: 100))
        #expect(try opened().lines.state(of: line(1, "1")) == .completed)
        #expect(try !content.contains("\0"))
    }

    @Test("a file that is no job log, or that of another action, is refused and left unchanged")
    func foreign() throws {
        for text in ["hello", "hello\n", "{\"line\":1}\n", "{\"job\":1,\"action\":\"a\"}\n", "[]\n", "\n"] {
            try write(text)
            #expect(fault() == "\(path): not a job log; it was left unchanged", "\(text)")
            #expect(try content == text)
        }
        let other = "{\"job\":\"1\",\"action\":\"b\"}\n"
        try write(other)
        #expect(fault() == "\(path): the job log of the action b; name another file")
        let damaged = "{\"job\":\"1\",\"action\":\"a\"}\n{\"line\":1}\n{\"line\":2}\n"
        try write(damaged)
        #expect(fault() == "\(path): line 2 is not an entry of a job log; it was left unchanged")
        #expect(try content == damaged)
    }

    @Test("a second rxctl is refused while the first one has the file")
    func locked() throws {
        let log = try opened()
        let second: Ending? = {
            do throws(Ending) {
                _ = try JobLog(path, action: "a")
                return nil
            } catch {
                return error
            }
        }()
        guard case .text(let text)? = second?.message else {
            Issue.record("it was opened twice")
            return
        }
        #expect(text == "\(path): in use by another rxctl")
        try log.append([entry(line(1, "1"), .completed)])
    }

    @Test("an entry that does not fit on the disk is reported, and leaves whole lines")
    func full() throws {
        var calls = FileCalls.system
        calls.writeAt = { descriptor, bytes, offset in
            // The first line fits, and half of the next one.
            offset == 0
                ? FileCalls.system.writeAt(descriptor, bytes, offset)
                : FileCalls.system.writeAt(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<10]), offset)
        }
        let log = try opened(calls: calls)
        #expect(throws: Ending.self) { try log.append([entry(line(1, "1"), .completed)]) }
        #expect(try content.split(separator: "\n").count == 1)
        #expect(try content.hasSuffix("\n"))
    }
}
