import Dispatch
import Rx
import RxTraits

/// A screen that uses its state in the operators of controls.
@MainActor
private final class CounterScreen {
    var count = 0
    var title = ""
    private let bag = DisposeBag()
    private var isValid: Bool { count > 0 }
    private func tap() { count += 1 }
    private func show(_ text: String) { title = text }

    func bind(_ tap: ControlEvent<Void>, _ text: ControlProperty<String>) {
        tap.do(onNext: { [weak self] in self?.tap() }).subscribe().disposed(by: bag)
        tap.map { [weak self] in self?.count ?? 0 }.subscribe(onNext: { print($0, terminator: " ") }).disposed(by: bag)
        tap.filter { [unowned self] in isValid }.map { [unowned self] in count }
            .subscribe(onNext: { [weak self] in self?.count = $0 }).disposed(by: bag)
        tap.filter { self.isValid }.flatMapLatest { Observable.just($0) }.subscribe().disposed(by: bag)
        text.map { [unowned self] in title + $0 }.distinctUntilChanged().bind(onNext: show).disposed(by: bag)
        text.distinctUntilChanged().map(\.count).skip(1).take(2).scan(0) { [unowned self] in $0 + $1 + count }
            .subscribe(onNext: { self.count = $0 }).disposed(by: bag)
        text.distinctUntilChanged { $0 == self.title || $1.isEmpty }.subscribe().disposed(by: bag)
        text.distinctUntilChanged { $0.count + self.count }.subscribe().disposed(by: bag)
        text.distinctUntilChanged({ self.title + $0 }, comparer: { $0 == $1 }).subscribe().disposed(by: bag)
        text.distinctUntilChanged(at: \.count).subscribe().disposed(by: bag)
        text.compactMap { [weak self] in Int($0 + (self?.title ?? "")) }.subscribe().disposed(by: bag)
        text.scan(into: [String]()) { [unowned self] in $0.append($1 + title) }.subscribe().disposed(by: bag)
        text.skip(1).debounce(.seconds(1), scheduler: MainScheduler.instance).subscribe().disposed(by: bag)
        text.changed.map { self.title + $0 }.asDriver(onErrorJustReturn: "").drive(onNext: show).disposed(by: bag)
        Observable.merge(tap.map { self.count }, tap.map { 1 }, text.map { $0.count }).subscribe().disposed(by: bag)
        Observable.combineLatest(text.map { !$0.isEmpty }, text) { $0 && $1.isEmpty }.subscribe().disposed(by: bag)
    }

    func counts(_ tap: ControlEvent<Void>) -> Observable<Int> { tap.map { self.count } }
    func driver(_ tap: ControlEvent<Void>) -> Driver<Int> { tap.map { self.count }.asDriver(onErrorJustReturn: 0) }
    func event(_ tap: ControlEvent<Void>) -> ControlEvent<Int> { ControlEvent(events: tap.map { self.count }) }
}

/// Code outside of the main actor.
private func lengths(_ text: ControlProperty<String>, length: @escaping @Sendable (String) -> Int) -> Observable<Int> {
    let suffix = "!"
    return .merge(text.map(length), text.map { ($0 + suffix).count }, text.filter { !$0.isEmpty }.map(\.count))
}

@MainActor
func controlOperators() {
    let (taps, texts, screen) = (PublishSubject<Void>(), BehaviorSubject(value: "a"), CounterScreen())
    let (tap, text) = (ControlEvent(events: taps), ControlProperty(values: texts, valueSink: texts))
    screen.bind(tap, text)
    check(screen.title, "a")
    taps.onNext(())
    check(screen.count, 1)
    expect(screen.counts(ControlEvent(events: Observable.just(()))), gives: [1])
    expect(screen.event(ControlEvent(events: Observable.just(()))).asObservable(), gives: [1])
    screen.driver(tap).drive().dispose()
    expect(lengths(text, length: \.count).take(3), gives: [1, 2, 1])
}
