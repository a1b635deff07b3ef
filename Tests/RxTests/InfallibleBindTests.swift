import Rx
import Testing
import TestSupport

@Suite("bind of infallibles", .leakFree)
struct InfallibleBindTests {
    private let numbers = Infallible.of(1, 2)
    private let log = Log()

    @Test("to observers and to observers of optionals, one or several, with the completion")
    func observers() {
        func observer<Element>(_ name: String, _: Element.Type) -> AnyObserver<Element> {
            AnyObserver { [log] event in log.note(event.element.map { "\(name)\($0)" } ?? "\(name)|") }
        }
        numbers.bind(to: observer("a", Int.self), observer("b", Int.self)).dispose()
        #expect(log.text == "a1, b1, a2, b2, a|, b|")
        numbers.bind(to: observer("c", Int?.self)).dispose()
        #expect(log.text.hasSuffix("cOptional(1), cOptional(2), c|"))
    }

    @Test("to relays and to relays of optionals, one or several")
    func relays() {
        let (a, b) = (BehaviorRelay(value: 0), BehaviorRelay(value: 0))
        let c = BehaviorRelay<Int?>(value: nil)
        let (d, e) = (PublishRelay<Int>(), PublishRelay<Int?>())
        let (f, g) = (ReplayRelay<Int>.create(bufferSize: 1), ReplayRelay<Int?>.create(bufferSize: 1))
        let notes = [
            d.subscribe(onNext: { [log] in log.note("d\($0)") }),
            e.subscribe(onNext: { [log] in log.note("e\($0 ?? 0)") }),
            f.subscribe(onNext: { [log] in log.note("f\($0)") }),
            g.subscribe(onNext: { [log] in log.note("g\($0 ?? 0)") }),
        ]
        for binding in [
            numbers.bind(to: a, b), numbers.bind(to: c), numbers.bind(to: d), numbers.bind(to: e), numbers.bind(to: f),
            numbers.bind(to: g),
        ] { binding.dispose() }
        #expect(a.value == 2)
        #expect(b.value == 2)
        #expect(c.value == 2)
        #expect(log.text == "d1, d2, e1, e2, f1, f2, g1, g2")
        for note in notes { note.dispose() }
    }

    @Test("to closures, with an object, and to functions")
    func closures() {
        numbers.bind(onNext: { [log] in log.note("a\($0)") }).dispose()
        numbers.bind(with: log, onNext: { $0.note("b\($1)") }).dispose()
        let count: Int = numbers.bind(to: { _ in 3 })
        let sum: Int = numbers.bind(to: { _ in { $0 + count } }, curriedArgument: 4)
        #expect(sum == 7)
        #expect(log.text == "a1, a2, b1, b2")
    }
}
