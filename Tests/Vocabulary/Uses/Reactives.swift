import Foundation
import Rx
import RxFoundation

/// A type of the client's own with reactive members.
final class Label: ReactiveCompatible, @unchecked Sendable {
    // Unchecked: only the main thread changes it.
    var text = ""
    var size = 0
    static let made = PublishSubject<String>()
}

extension Reactive where Base: Label {
    var caption: Binder<String> {
        Binder(base) { label, text in label.text = "<\(text)>" }
    }

    var length: Observable<Int> { .just(base.text.count) }
}

extension Reactive where Base == Label {
    static var made: Observable<String> { Label.made.asObservable() }
}

struct Door: ReactiveCompatible, Sendable {
    let number: Int
}

extension Reactive where Base == Door {
    var number: Observable<Int> { .just(base.number) }
}

@MainActor
func reactives() {
    let label = Label()
    let bag = DisposeBag()
    Observable.just("hello").subscribe(label.rx.caption).disposed(by: bag)
    check(label.text, "<hello>")
    Observable.just("direct").subscribe(label.rx.text).disposed(by: bag)
    check(label.text, "direct")
    Observable.of(1, 2).subscribe(label.rx.size).disposed(by: bag)
    check(label.size, 2)
    expect(label.rx.length, gives: [6])
    check(label.rx.base === label, true)
    expect(Reactive(Door(number: 7)).number, gives: [7])
    expect(Door(number: 8).rx.number, gives: [8])
    check(reactiveBase(of: Door(number: 9)).number, 9)

    let log = Log<String>()
    Label.rx.made.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    Label.made.onNext("made")
    check(log.entries, ["made"])

    let queued = Binder<Int>(label, scheduler: CurrentThreadScheduler.instance) { label, size in label.size = size }
    queued.on(.next(5))
    queued.asObserver().onNext(6)
    check(label.size, 6)
    let element: Binder<Int>.Element = 1
    check(element, 1)
    check(NSObject().rx.base.isEqual(nil), false)
}

func reactiveBase<Compatible: ReactiveCompatible>(of compatible: Compatible) -> Compatible
where Compatible.ReactiveBase == Compatible {
    let reactive: Reactive<Compatible.ReactiveBase> = compatible.rx
    return reactive.base
}

func hooks() {
    let log = Log<String>()
    let before: Hooks.DefaultErrorHandler = Hooks.defaultErrorHandler
    let callstack: Hooks.CustomCaptureSubscriptionCallstack = Hooks.customCaptureSubscriptionCallstack
    let recorded = Hooks.recordCallStackOnError
    Hooks.recordCallStackOnError = true
    Hooks.customCaptureSubscriptionCallstack = { ["here"] }
    Hooks.defaultErrorHandler = { callStack, error in log.append("\(callStack) \(error)") }
    Observable<Int>.error(Failure.one).subscribe(onNext: { _ in }).dispose()
    Hooks.recordCallStackOnError = recorded
    Hooks.customCaptureSubscriptionCallstack = callstack
    Hooks.defaultErrorHandler = before
    check(log.entries, [#"["here"] one"#])
}
