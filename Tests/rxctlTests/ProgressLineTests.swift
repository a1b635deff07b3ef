import Testing

@testable import rxctl

/// A terminal's last line, and the calls that wait for their time.
private final class Screen {
    private(set) var writes: [String] = []
    private(set) var pauses: [Duration] = []
    private var calls: [() -> Void] = []
    var width = 80

    func line(_ verb: String = "", onTerminal: Bool = true) -> ProgressLine {
        ProgressLine(
            verb, width: onTerminal ? { self.width } : nil,
            schedule: { pause, body in
                self.pauses.append(pause)
                self.calls.append(body)
            }, write: { self.writes.append($0) })
    }

    /// Lets the time pass.
    func pass() {
        let due = calls
        calls = []
        for call in due { call() }
    }

    /// What is visible on the line.
    var text: String {
        var cells: [Character] = []
        var place = 0
        for character in writes.joined() {
            if character == "\r" {
                place = 0
            } else {
                if place < cells.count { cells[place] = character } else { cells.append(character) }
                place += 1
            }
        }
        return String(cells).trimmingSpaces
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

struct ProgressLineTests {
    @Test("it shows the latest numbers, four times a second at most, and is gone at the end")
    func progress() {
        let screen = Screen()
        let line = screen.line("executed")
        for done in 1...12 { line.show(done, of: 500) }
        #expect(screen.writes.isEmpty)
        screen.pass()
        #expect(screen.text == "12 of 500 executed" && screen.writes.count == 1)
        line.show(13, of: 500)
        line.show(14, of: 500)
        screen.pass()
        #expect(screen.text == "14 of 500 executed" && screen.writes.count == 2)
        #expect(screen.pauses == [.milliseconds(250), .milliseconds(250)])
        line.end()
        #expect(screen.text == "")
        line.show(15, of: 500)
        screen.pass()
        #expect(screen.text == "")
    }

    @Test("a shorter line leaves nothing of a longer one, and the total may be unknown")
    func shorter() {
        let screen = Screen()
        let line = screen.line()
        line.show(1000, of: nil)
        screen.pass()
        #expect(screen.text == "1000")
        line.show(7, of: 8)
        screen.pass()
        #expect(screen.text == "7 of 8")
        line.show(8, of: nil)
        screen.pass()
        #expect(screen.text == "8")
    }

    @Test("it makes way for what is printed, and comes back")
    func clear() {
        let screen = Screen()
        let line = screen.line()
        line.clear()
        screen.pass()
        #expect(screen.writes.isEmpty)
        line.show(1, of: 2)
        screen.pass()
        line.clear()
        #expect(screen.text == "")
        screen.pass()
        #expect(screen.text == "1 of 2")
    }

    @Test("it fits the terminal")
    func narrow() {
        let screen = Screen()
        screen.width = 10
        let line = screen.line("executed")
        line.show(12, of: 500)
        screen.pass()
        #expect(screen.text == "12 of 500")
    }

    @Test("without a terminal there is nothing")
    func noTerminal() {
        let screen = Screen()
        let line = screen.line(onTerminal: false)
        line.show(1, of: 2)
        line.clear()
        line.end()
        #expect(screen.writes.isEmpty && screen.pauses.isEmpty)
    }
}
