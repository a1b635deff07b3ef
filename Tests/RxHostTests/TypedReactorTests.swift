import Dispatch
import Rx
import RxJSON
import RxReactor
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Keeps the texts that it is sent. `twice` makes two mutations, `bad` one and then fails, `wait` one when its stream
/// sends, `double` is two actions to its transform.
private final class Notes: Reactor {
    typealias Action = String
    typealias Mutation = String
    typealias State = [String]

    struct Bad: Error, CustomStringConvertible {
        var description: String { "bad" }
    }

    let initialState: [String] = []
    let store = Store()
    let merged = PublishSubject<String>()
    let waited = PublishSubject<String>()
    let adopted = Locked<[[String]]>([])

    func mutate(action: String) -> Observable<String> {
        switch action {
        case "twice": .of("one", "two")
        case "bad": .concat([.just("before"), .error(Bad())])
        case "wait": waited.asObservable()
        case "ask":
            .deferred { [merged] in
                merged.onNext("told")
                return .empty()
            }
        default: .just(action)
        }
    }

    func transform(mutation: Observable<String>) -> Observable<String> { .merge(mutation, merged) }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
}

private struct NotesState: ReactorState {
    let texts: [String]
    /// How often states were written.
    var written: Locked<Int>?

    func write(to writer: inout JSONWriter) {
        written?.withLock { $0 += 1 }
        writer.value(value)
    }

    func patch(from earlier: any ReactorState) -> JSONPatch {
        JSONPatch(from: (earlier as? NotesState)?.value ?? .null, to: value)
    }

    private var value: JSONValue { .array(texts.map { .string($0) }) }
}

extension ReactorCoding<Notes> {
    fileprivate static let notes = ReactorCoding(
        action: { json throws(InputFault) in
            guard let text = json.value().string else { throw InputFault(path: "", message: "must be a string") }
            return text
        },
        mutation: { RawJSON(.string($0)) },
        replayed: { $0.value().string },
        state: { NotesState(texts: $0) },
        restored: { $0.array?.compactMap(\.string) },
        adopted: { reactor, state in reactor.adopted.withLock { $0.append(state) } })
}

/// An engine and its reports, in lines: `text<action` for a step.
private final class Told: Sendable {
    let reactor = Notes()
    let engine: TypedReactorEngine<Notes>
    let lines = Locked<[String]>([])
    let states = Locked<[[String]]>([])

    init(stateBytes: Int = ReactorDefinition.stateBytes, _ coding: ReactorCoding<Notes> = .notes) {
        engine = TypedReactorEngine(reactor, coding, stateBytes: stateBytes)
    }

    func start(_ kept: JSONValue? = nil) throws(ReactorFault) -> [String] {
        // A state of another type would be a defect of the engine.
        (try engine.start(from: kept, outlet: Hearing(self)) as? NotesState)?.texts ?? ["no state of its own"]
    }

    func dispatch(_ action: JSONValue) {
        engine.dispatch(ReactorInput(RawJSON(action), by: .host)) { [self] fault in
            write("\(RawJSON(action)):\(fault.map(text) ?? "done")")
        }
    }

    func reduced(_ step: ReactorStep) {
        write("\(step.mutation())<\(step.input?.action.text ?? "")")
        if let state = step.state as? NotesState { states.withLock { $0.append(state.texts) } }
    }

    func failed(_ fault: ReactorFault) { write("!" + text(fault)) }

    private func text(_ fault: ReactorFault) -> String { "\(fault.stage)(\(fault.message))\(fault.input?.text ?? "")" }
    private func write(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}

/// An outlet that does not retain its receiver; an engine retains its outlet.
private final class Hearing: ReactorOutlet {
    private unowned let told: Told

    init(_ told: Told) { self.told = told }

    func reduced(_ step: ReactorStep) { told.reduced(step) }
    func failed(_ fault: ReactorFault) { told.failed(fault) }
}

@Suite("Reactors written in Swift, hosted", .leakFree)
struct TypedReactorTests {
    @Test("each step is reported with its action, before the action is answered")
    func steps() throws {
        let told = Told()
        #expect(try told.start() == [])
        told.dispatch("twice")
        told.dispatch("a")
        #expect(
            told.all == [
                #""one"<"twice""#, #""two"<"twice""#, #""twice":done"#, #""a"<"a""#, #""a":done"#,
            ])
        #expect(told.states.withLock { $0 } == [["one"], ["one", "two"], ["one", "two", "a"]])
    }

    @Test("an element of a merged stream belongs to no action, unless an action causes it")
    func merged() throws {
        let told = Told()
        _ = try told.start()
        told.reactor.merged.onNext("m")
        told.dispatch("ask")
        #expect(told.all == [#""m"<"#, #""told"<"ask""#, #""ask":done"#])
    }

    @Test("mutations that come later are of their action, whatever comes in between")
    func later() throws {
        let told = Told()
        _ = try told.start()
        told.dispatch("wait")
        told.dispatch("a")
        told.reactor.waited.onNext("w")
        told.reactor.waited.onCompleted()
        #expect(told.all == [#""a"<"a""#, #""a":done"#, #""w"<"wait""#, #""wait":done"#])
    }

    @Test("a failing action is reported once, with the action, after its earlier mutations")
    func fails() throws {
        let told = Told()
        _ = try told.start()
        told.dispatch("bad")
        told.dispatch(7)
        #expect(
            told.all == [
                #""before"<"bad""#, #"!mutate(bad)"bad""#, #""bad":mutate(bad)"bad""#,
                "!mutate(must be a string)7", "7:mutate(must be a string)7",
            ])
        #expect(told.states.withLock { $0 } == [["before"]])
    }

    @Test("a reactor continues from the stored state, and refuses any other value")
    func restores() throws {
        let told = Told()
        #expect(try told.start(["x", "y"]) == ["x", "y"])
        #expect(told.reactor.adopted.withLock { $0 } == [["x", "y"]])
        told.dispatch("a")
        #expect(told.states.withLock { $0 } == [["x", "y", "a"]])
        let fault = #expect(throws: ReactorFault.self) { _ = try Told().start("no list") }
        #expect(fault?.stage == .restore)
    }

    @Test("a stored mutation is reduced by itself, and reported before the replay returns")
    func replays() throws {
        let told = Told()
        _ = try told.start(["x"])
        // As an action it would be two mutations.
        try told.engine.replay(RawJSON("twice"))
        #expect(told.all == [#""twice"<"#])
        #expect(told.reactor.adopted.withLock { $0 } == [["x"], ["x", "twice"]])
        told.dispatch("a")
        #expect(told.states.withLock { $0 } == [["x", "twice"], ["x", "twice", "a"]])
        let fault = #expect(throws: ReactorFault.self) { try told.engine.replay(RawJSON(7)) }
        #expect(fault?.stage == .restore)
        #expect(fault?.input == RawJSON(7))
    }

    /// The second computes the growth of the list without reading it.
    private static let measured: [ReactorCoding<Notes>] = {
        var growing = ReactorCoding<Notes>.notes
        growing.growth = { mutation, before, _ in mutation.utf8.count + 2 + (before.isEmpty ? 0 : 1) }
        return [.notes, growing]
    }()

    @Test("a state over its limit is refused: the previous one stays, and the dispatch fails", arguments: 0...1)
    func size(coding: Int) throws {
        // ["one","two"], and not a byte more
        let told = Told(stateBytes: 13, Self.measured[coding])
        _ = try told.start(["one"])
        let refused = "size(the state would be longer than 13 bytes)"
        told.dispatch("long")
        told.dispatch("two")
        told.dispatch("")
        #expect(
            told.all == [
                "!" + refused + #""long""#, #""long":"# + refused + #""long""#,
                #""two"<"two""#, #""two":done"#,
                "!" + refused + #""""#, #""":"# + refused + #""""#,
            ])
        #expect(told.states.withLock { $0 } == [["one", "two"]])
        #expect(told.reactor.currentState == ["one", "two"])
        #expect(told.reactor.adopted.withLock { $0 } == [["one"], ["one"], ["one", "two"]], "what else there is, too")
    }

    @Test("states are not written to be known for how long they are, but where it is close")
    func sizeOfPatches() throws {
        let written = Locked(0)
        var coding = ReactorCoding<Notes>.notes
        coding.state = { NotesState(texts: $0, written: written) }
        // ["0",…,"99"] has 10 * 4 + 90 * 5 - 1 + 2 bytes.
        let told = Told(stateBytes: 491, coding)
        _ = try told.start()
        written.withLock { $0 = 0 }
        for number in 0..<100 { told.dispatch(.string("\(number)")) }
        #expect(told.reactor.currentState.count == 100, "none was refused")
        // A patch is longer than the text that it adds, so the sums exceed the limit sometimes, more often near it.
        #expect((1...60).contains(written.withLock { $0 }))
        told.dispatch("")
        #expect(told.reactor.currentState.count == 100)
        let spacious = Told(stateBytes: 100_000, coding)
        _ = try spacious.start()
        written.withLock { $0 = 0 }
        for number in 0..<100 { spacious.dispatch(.string("\(number)")) }
        #expect(written.withLock { $0 } == 0)
    }

    @Test("an action's mutations that fit are reduced; a refused one of a merged stream is only reported")
    func sizeOfSome() throws {
        let told = Told(stateBytes: 12)
        _ = try told.start()
        told.dispatch("twice")
        told.reactor.merged.onNext("merged")
        let refused = "size(the state would be longer than 12 bytes)"
        #expect(
            told.all == [
                #""one"<"twice""#, "!" + refused + #""twice""#, #""twice":"# + refused + #""twice""#, "!" + refused,
            ])
        #expect(told.reactor.currentState == ["one"])
        // Its turn is over: an action that fits is accepted.
        told.dispatch("1")
        #expect(told.reactor.currentState == ["one", "1"])
    }

    @Test("a kept state over the limit is not begun with, and a mutation that leads to one is not replayed")
    func sizeKept() throws {
        let fault = ReactorFault(.restore, "the state is longer than 12 bytes")
        #expect(throws: fault) { _ = try Told(stateBytes: 12).start(["one", "two"]) }
        let told = Told(stateBytes: 12)
        _ = try told.start(["one"])
        #expect(throws: ReactorFault(.size, "the state would be longer than 12 bytes")) {
            try told.engine.replay(RawJSON("two"))
        }
        try told.engine.replay(RawJSON("2"))
        #expect(told.states.withLock { $0 } == [["one", "2"]])
    }

    @Test("a reactor that cannot read its mutations fails to restore")
    func cannotReplay() throws {
        var coding = ReactorCoding<Notes>.notes
        coding.replayed = nil
        let told = Told(coding)
        #expect(try told.start() == [])
        #expect(throws: ReactorFault.self) { try told.engine.replay(RawJSON("a")) }
    }

    @Test("a stop ends pending dispatches with a fault, and nothing is reported after it")
    func stops() throws {
        let told = Told()
        _ = try told.start()
        told.dispatch("wait")
        told.engine.stop { told.lines.withLock { $0.append("stopped") } }
        told.reactor.waited.onNext("late")
        told.reactor.merged.onNext("late")
        told.dispatch("a")
        let stopping = "stopped(the reactor is stopping)"
        #expect(told.all == [#""wait":"# + stopping, "stopped", #""a":"# + stopping])
    }

    @Test("a stop from within a step ends the action that is in hand")
    func stopsWithin() throws {
        let told = Told()
        _ = try told.start()
        let once = told.reactor.state.skip(1).take(1).subscribe(onNext: { _ in
            told.engine.stop { told.lines.withLock { $0.append("stopped") } }
        })
        told.dispatch("twice")
        let stopping = "stopped(the reactor is stopping)"
        #expect(told.all == [#""one"<"twice""#, "stopped", #""twice":"# + stopping])
        once.dispose()
    }

    @Test("with eight threads each action has its steps, one after the other, and one answer after them")
    func threads() async throws {
        let told = Told()
        _ = try told.start()
        let (threads, each) = (8, 100)
        let queue = DispatchQueue(label: "TypedReactorTests", attributes: .concurrent)
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for thread in 0..<threads {
                queue.async(group: group) {
                    for number in 0..<each { told.dispatch(.string("\(thread)-\(number)")) }
                }
            }
            group.notify(queue: queue) { continuation.resume() }
        }
        // Whoever has the turn takes the rest; all have returned.
        let lines = told.all
        #expect(lines.count == 2 * threads * each)
        for (step, answer) in zip(
            lines.enumerated().filter { $0.offset % 2 == 0 }, lines.enumerated().filter { $0.offset % 2 == 1 })
        {
            let action = step.element.prefix { $0 != "<" }
            #expect(step.element == "\(action)<\(action)")
            #expect(answer.element == "\(action):done")
        }
        let state = told.states.withLock { $0.last ?? [] }
        #expect(state.count == threads * each)
        for thread in 0..<threads {
            // In the order in which the thread sent them.
            #expect(state.filter { $0.hasPrefix("\(thread)-") } == (0..<each).map { "\(thread)-\($0)" })
        }
    }

    @Test("a stop while eight threads dispatch leaves no action without an answer, and nothing is reported later")
    func stopsAmongThreads() async throws {
        let told = Told()
        _ = try told.start()
        let (threads, each) = (8, 100)
        let queue = DispatchQueue(label: "TypedReactorTests", attributes: .concurrent)
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for thread in 0..<threads {
                queue.async(group: group) {
                    for number in 0..<each {
                        if thread == 0, number == each / 2 {
                            told.engine.stop { told.lines.withLock { $0.append("stopped") } }
                        }
                        told.dispatch(.string("\(thread)-\(number)"))
                    }
                }
            }
            group.notify(queue: queue) { continuation.resume() }
        }
        let lines = told.all
        #expect(lines.filter { $0.contains(":") }.count == threads * each)
        let steps = lines.filter { $0.contains("<") }
        #expect(steps.count == lines.filter { $0.hasSuffix(":done") }.count)
        #expect(!lines.drop { $0 != "stopped" }.contains { $0.contains("<") })
        #expect(lines.contains("stopped"))
    }
}
