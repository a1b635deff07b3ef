import Rx
import RxAction
import RxTest
import Testing
import TestSupport

@Suite("A login, from taps to greeting, in virtual time", .leakFree)
struct LoginTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private struct Seen {
        let enabled: TestableObserver<Bool>
        let busy: TestableObserver<Bool>
        let greetings: TestableObserver<String>
        let messages: TestableObserver<String>
    }

    /// What the view shows. The service takes 50 and knows one password.
    private func run(
        names: [Recorded<Event<String>>], passwords: [Recorded<Event<String>>], taps: [TestTime],
        calls: Locked<[String]> = Locked([])
    ) -> Seen {
        let model = LoginViewModel { [scheduler] credentials in
            calls.withLock { $0.append(credentials.name) }
            let answer: Recorded<Event<String>> =
                credentials.password == "open sesame" ? .next(50, "Ali Baba") : .error(50, WrongPassword())
            return scheduler.createColdObservable([answer, .completed(50)]).asSingle()
        }
        let output = model.transform(
            input: LoginViewModel.Input(
                name: scheduler.createHotObservable(names).startWith(""),
                password: scheduler.createHotObservable(passwords).startWith(""),
                tap: scheduler.createHotObservable(taps.map { .next($0, ()) }).asObservable()))
        let seen = Seen(
            enabled: scheduler.createObserver(Bool.self), busy: scheduler.createObserver(Bool.self),
            greetings: scheduler.createObserver(String.self), messages: scheduler.createObserver(String.self))
        let view = DisposeBag()
        output.isLoginEnabled.subscribe(seen.enabled).disposed(by: view)
        output.isBusy.subscribe(seen.busy).disposed(by: view)
        output.greeting.subscribe(seen.greetings).disposed(by: view)
        output.message.subscribe(seen.messages).disposed(by: view)
        scheduler.scheduleAt(1_000) { withExtendedLifetime((model, view)) {} }
        scheduler.start()
        return seen
    }

    @Test("both fields enable the button, a tap logs in, a second tap meanwhile does nothing")
    func logsIn() {
        let calls = Locked<[String]>([])
        let seen = run(
            names: [.next(10, "ali")], passwords: [.next(20, "open"), .next(30, "open sesame")], taps: [15, 100, 120],
            calls: calls)
        #expect(seen.enabled.events == [.next(0, false), .next(30, true), .next(100, false), .next(150, true)])
        #expect(seen.busy.events == [.next(0, false), .next(100, true), .next(150, false)])
        #expect(seen.greetings.events == [.next(150, "Hello, Ali Baba")])
        #expect(seen.messages.events.isEmpty)
        #expect(calls.withLock { $0 } == ["ali"])
    }

    @Test("a wrong password shows a message, and the next attempt may succeed")
    func wrongThenRight() {
        let seen = run(
            names: [.next(10, "ali")], passwords: [.next(20, "open barley"), .next(200, "open sesame")],
            taps: [100, 210])
        #expect(seen.messages.events == [.next(150, "Wrong name or password")])
        #expect(seen.greetings.events == [.next(260, "Hello, Ali Baba")])
        #expect(
            seen.busy.events
                == [.next(0, false), .next(100, true), .next(150, false), .next(210, true), .next(260, false)])
    }

    @Test("a field emptied while the login is under way leaves the button disabled after it")
    func emptied() {
        let seen = run(
            names: [.next(10, "ali"), .next(120, "")], passwords: [.next(20, "open sesame")], taps: [100, 200])
        #expect(seen.enabled.events == [.next(0, false), .next(20, true), .next(100, false)])
        #expect(seen.greetings.events == [.next(150, "Hello, Ali Baba")])
    }
}
