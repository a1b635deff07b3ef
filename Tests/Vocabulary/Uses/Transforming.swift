import Foundation
import Rx
import RxFoundation

struct Person: Sendable, Equatable, Codable {
    var name: String
    var age: Int
}

func transforming() {
    let numbers = Observable.of(1, 2, 3)
    expect(numbers.map { $0 * 2 }, gives: [2, 4, 6])
    expect(numbers.map(String.init), gives: ["1", "2", "3"])
    expect(
        numbers.map { number -> Int in if number == 2 { throw Failure.one } else { return number } }, gives: [1],
        then: .failed)
    expect(numbers.compactMap { $0 == 2 ? nil : "\($0)" }, gives: ["1", "3"])
    expect(Observable.of("1", "x").compactMap(Int.init), gives: [1])
    expect(numbers.flatMap { Observable.of($0, $0) }, gives: [1, 1, 2, 2, 3, 3])
    expect(numbers.flatMap { Single.just($0) }, gives: [1, 2, 3])
    expect(
        numbers.flatMap { number -> Observable<String> in
            guard number > 1 else { return .empty() }
            return .just("\(number)")
        }, gives: ["2", "3"])
    expect(numbers.flatMapFirst { Observable.just($0) }, gives: [1, 2, 3])
    expect(numbers.flatMapLatest { Observable.just($0) }, gives: [1, 2, 3])
    expect(numbers.flatMapLatest { Infallible.just($0) }, gives: [1, 2, 3])
    expect(numbers.concatMap { Observable.of($0, 0) }, gives: [1, 0, 2, 0, 3, 0])
    expect(numbers.scan(0) { $0 + $1 }, gives: [1, 3, 6])
    expect(numbers.scan(0, accumulator: +), gives: [1, 3, 6])
    expect(numbers.scan(into: [Int]()) { $0.append($1) }, gives: [[1], [1, 2], [1, 2, 3]])
    expect(numbers.scan(into: 0, accumulator: { sum, number in sum += number }), gives: [1, 3, 6])
    expect(numbers.reduce(0, accumulator: +), gives: [6])
    expect(numbers.reduce(0) { $0 + $1 }, gives: [6])
    expect(numbers.reduce(0, accumulator: { $0 + $1 }, mapResult: { "\($0)" }), gives: ["6"])
    expect(numbers.toArray(), gives: [[1, 2, 3]])
    expect(numbers.enumerated().map { index, element in index * 10 + element }, gives: [1, 12, 23])
    expect(numbers.enumerated().map { $0.index + $0.element }, gives: [1, 3, 5])
    expect(numbers.materialize().map { $0.isStopEvent }, gives: [false, false, false, true])
    expect(numbers.materialize().dematerialize(), gives: [1, 2, 3])
    expect(numbers.startWith(0), gives: [0, 1, 2, 3])
    expect(numbers.startWith(-1, 0), gives: [-1, 0, 1, 2, 3])
    expect(numbers.asObservable().ifEmpty(default: 9), gives: [1, 2, 3])
    expect(Observable<Int>.empty().ifEmpty(default: 9), gives: [9])
    expect(Observable<Int>.empty().ifEmpty(switchTo: numbers), gives: [1, 2, 3])

    let data = Observable.just(Data(#"{"name":"Ada","age":36}"#.utf8))
    expect(data.decode(type: Person.self, decoder: JSONDecoder()), gives: [Person(name: "Ada", age: 36)])
    expect(data.decode(type: String.self, decoder: TextDecoder()), gives: [#"{"name":"Ada","age":36}"#])

    let grouped = Observable.range(start: 0, count: 6).groupBy { $0 % 2 }
    expect(
        grouped.flatMap { group in group.map { "\(group.key)\($0)" } }, gives: ["00", "11", "02", "13", "04", "15"])
    expect(Observable.of("a", "bb").groupBy(keySelector: { $0.count }).map { $0.key }, gives: [1, 2])
    let group = GroupedObservable(key: "odd", source: Observable.of(1, 3))
    check(group.key, "odd")
    expect(group.asObservable(), gives: [1, 3])
    let keeper = Keeper<Int>()
    group.subscribe(keeper).dispose()
    check(keeper.log.entries.count, 3)

    let person = Screen()
    expect(
        numbers.withUnretained(person).map { screen, number in "\(screen.shown.entries.count)\(number)" },
        gives: ["01", "02", "03"])
    expect(numbers.withUnretained(person) { _, number in number }, gives: [1, 2, 3])
    expect(numbers.withUnretained(person, resultSelector: { $1 }), gives: [1, 2, 3])
}

/// A decoder of the client's own.
struct TextDecoder: DataDecoder {
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item {
        guard let text = String(decoding: data, as: UTF8.self) as? Item else { throw Failure.one }
        return text
    }
}

func decoded<Decoder: DataDecoder>(with decoder: Decoder) throws -> String {
    try decoder.decode(String.self, from: Data("text".utf8))
}

func sideEffects() {
    let log = Log<String>()
    let numbers = Observable.of(1, 2)
    expect(numbers.do(onNext: { log.append("\($0)") }), gives: [1, 2])
    expect(
        numbers.do(
            onNext: { log.append("next \($0)") },
            afterNext: { log.append("after \($0)") },
            onError: { log.append("\($0)") },
            afterError: { log.append("after \($0)") },
            onCompleted: { log.append("completed") },
            afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") },
            onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") }
        ), gives: [1, 2])
    expect(numbers.do(onSubscribe: { log.append("s") }, onDispose: { log.append("d") }), gives: [1, 2])
    expect(numbers.debug(), gives: [1, 2])
    expect(numbers.debug("numbers", trimOutput: true), gives: [1, 2])
    check(log.entries.count, 2 + 9 + 2)
    check((try? decoded(with: TextDecoder())) ?? "", "text")
}
