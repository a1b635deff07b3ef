import RxJSON
import RxTerminal
import Testing

@testable import rxctl

@Suite("the keys of top")
struct TopStateTests {
    private func press(_ keys: Key..., in state: TopState = ExampleTop.state()) -> (TopState, TopRequest?) {
        var state = state
        var request: TopRequest?
        for key in keys { request = state.press(key) }
        return (state, request)
    }

    @Test("q quits")
    func quit() { #expect(press(.character("q")).1 == .quit) }

    @Test("the arrows select, and stop at the ends")
    func selection() {
        #expect(press(.down).0.selected?.name == "deploy")
        #expect(press(.up).0.selected?.name == "backup")
        #expect(press(.end).0.selected?.name == "visitors")
        #expect(press(.end, .down).0.selected?.name == "visitors")
        #expect(press(.pageDown, .home).0.selected?.name == "backup")
    }

    @Test("/ filters by a part of the name, Enter keeps the filter, Esc removes it")
    func filter() {
        let (typed, _) = press(.character("/"), .character("P"), .character("l"))
        #expect(typed.items.map(\.name) == ["deploy"])
        #expect(typed.selected?.name == "deploy")
        let (kept, _) = press(.enter, in: typed)
        #expect(kept.mode == .list)
        #expect(kept.items.map(\.name) == ["deploy"])
        #expect(press(.escape, in: kept).0.items.count == 9)
        // A letter that is a key elsewhere is text here.
        #expect(press(.character("/"), .character("q")).1 == nil)
    }

    @Test("x cancels after a yes, and only what has executions")
    func cancel() {
        #expect(press(.down, .character("x"), .character("y")).1 == .cancel("deploy"))
        #expect(press(.down, .character("x"), .character("n")).1 == nil)
        #expect(press(.down, .character("x"), .escape).1 == nil)
        let (state, request) = press(.character("x"))
        #expect(request == nil)
        #expect(state.message?.text == "backup has no executions in flight")
    }

    @Test("x names what waits for its time, which it cancels as well")
    func cancelLater() {
        var state = TopState()
        let next = ExampleTop.text(ExampleTop.now + 60_000)
        state.take(
            TopSnapshot(
                time: ExampleTop.now,
                items: [
                    TopItem(action: ["action": "a", "inFlight": 1, "queued": 2, "enabled": true, "next": .string(next)])
                ]))
        #expect(
            press(.character("x"), in: state).0.mode
                == .confirm(.cancel("a"), question: "Cancel 3 executions of a, and any requested for a later time? y/n")
        )
    }

    @Test("d disables with a reason, and enables what is switched off")
    func disable() {
        let (_, request) = press(.character("d"), .character("o"), .character("k"), .enter)
        #expect(request == .disable(.action, "backup", reason: "ok"))
        #expect(press(.character("d"), .character("o"), .escape).1 == nil)
        #expect(press(.down, .down, .character("d"), .character("y")).1 == .enable(.action, "mail"))
        #expect(press(.end, .character("d"), .character("y")).1 == .enable(.stream, "visitors"))
    }

    @Test("e, y, and o ask for a form, for why, and for the output")
    func others() {
        #expect(press(.character("e")).1 == .form("backup"))
        #expect(press(.character("y")).1 == .why(.action, "backup"))
        #expect(press(.end, .character("y")).1 == .why(.stream, "visitors"))
        #expect(press(.character("o")).1 == .output("backup", execution: nil))
        let (state, request) = press(.end, .character("e"))
        #expect(request == nil)
        #expect(state.message?.text == "visitors is a stream: rxctl fire visitors")
    }

    @Test("a form executes with Enter, and shows what is missing")
    func form() {
        var state = ExampleTop.state()
        state.mode = .form(TopForm(action: "release", schema: ExampleForm.schema))
        #expect(press(.enter, in: state).1 == nil)
        let (filled, _) = press(.down, .down, .character("2"), in: state)
        let (sent, request) = press(.enter, in: filled)
        #expect(request == .execute("release", input: RawJSON(["env": "staging", "version": "", "count": 2])))
        // Until the answer has come, Enter does nothing.
        #expect(press(.enter, in: sent).1 == nil)
        #expect(press(.escape, in: filled).0.mode == .list)
    }

    @Test("left goes back event by event, reads older ones at the beginning, and right returns to the present")
    func time() {
        var state = ExampleTop.state()
        #expect(state.press(.left) == .log(before: nil))
        // Until the answer has come, the key does nothing.
        #expect(state.press(.left) == nil)
        state.isReadingLog = false
        state.past = TopPast(ExampleLog.page)
        #expect(state.time == ExampleTop.now - 79_000)
        #expect(state.press(.left) == nil)
        #expect(state.time == ExampleTop.now - 80_000)
        for _ in 0..<20 where !(state.past?.isAtBeginning ?? true) { _ = state.press(.left) }
        #expect(state.time == ExampleTop.now - 200_000)
        #expect(state.press(.left) == .log(before: "e1"))
        state.isReadingLog = false
        state.past?.addOlder(ExampleLog.older)
        #expect(state.time == ExampleTop.now - 280_000)
        for _ in 0..<20 where state.past != nil { _ = state.press(.right) }
        #expect(state.past == nil)
        #expect(state.time == ExampleTop.now)
    }

    @Test("in the past nothing is changed, and o shows what had been executing then")
    func past() {
        var state = ExampleTop.state { $0.move(by: 1) }
        state.past = TopPast(ExampleLog.page)
        for key: Character in ["x", "e", "d"] {
            #expect(state.press(.character(key)) == nil)
            #expect(state.message?.isFault == true)
        }
        #expect(state.press(.character("o")) == .output("deploy", execution: "e3"))
        _ = state.press(.escape)
        #expect(state.past == nil)
    }

    @Test("the past has what was in flight, queued, and ended at its time")
    func pastLevels() throws {
        var past = TopPast(ExampleLog.page)
        let present = ExampleTop.snapshot().items
        func deploy() throws -> TopItem { try #require(past.items(present).first { $0.name == "deploy" }) }
        // 80 s ago: the third is in flight, and two have ended.
        past.goBack()
        #expect(try deploy().inFlight == 1)
        #expect(try deploy().queued == 0)
        #expect(try deploy().ends?.map(\.state) == [.completed, .failed])
        // 100 s ago: the second has just ended, and the third waits.
        past.goBack()
        past.goBack()
        #expect(past.time == ExampleTop.now - 100_000)
        #expect(try deploy().inFlight == 0)
        #expect(try deploy().queued == 1)
        #expect(try deploy().ends?.count == 2)
    }
}
