import Rx
import RxTraits
import Testing
import TestSupport

/// A view as programs write it: every closure uses state of the main actor, without a word about isolation.
@MainActor
private final class SearchScreen {
    private(set) var title = ""
    private(set) var taps = 0
    private(set) var log: [String] = []
    var prefix = "> "
    private var bag = DisposeBag()

    init(query: BehaviorRelay<String>, tap: PublishRelay<Void>) {
        query.asDriver()
            .do(onNext: { self.log.append("query \($0)") })
            .filter { _ in !self.prefix.isEmpty }
            .map { [unowned self] in prefix + $0 }
            .distinctUntilChanged { $0.count }
            .drive(onNext: { [weak self] in self?.title = $0 })
            .disposed(by: bag)
        query.asDriver().map(\.count).drive(onNext: show).disposed(by: bag)
        tap.asSignal()
            .withLatestFrom(query.asDriver().asObservable().asSignal(onErrorJustReturn: "")) { self.prefix + $1 }
            .scan(0) { count, _ in count + self.prefix.count }
            .emit(with: self, onNext: { screen, count in screen.taps = count })
            .disposed(by: bag)
        Driver.combineLatest(query.asDriver(), Driver.just("!")) { self.prefix + $0 + $1 }
            .flatMapLatest { text in Driver.just(text).startWith(self.prefix) }
            .drive(with: self, onNext: { $0.log.append($1) }, onCompleted: { $0.log.append("|") })
            .disposed(by: bag)
        var last = ""
        query.asDriver().drive(onNext: { last = $0 }).disposed(by: bag)
        log.append("last \(last)")
    }

    /// Ends the subscriptions, whose closures retain this object.
    func close() { bag = DisposeBag() }

    private func show(_ count: Int) { log.append("\(count) characters") }
}

@Suite("Closures in classes of the main actor", .leakFree)
struct MainActorTests {
    @Test("they use the state of their class")
    @MainActor func screen() {
        let (query, tap) = (BehaviorRelay(value: "a"), PublishRelay<Void>())
        let screen = SearchScreen(query: query, tap: tap)
        query.accept("bc")
        tap.accept(())
        #expect(screen.title == "> bc")
        #expect(screen.taps == 2)
        #expect(screen.log.contains("2 characters"))
        #expect(screen.log.contains("> bc!"))
        #expect(screen.log.contains("last a"))
        screen.close()
    }
}

/// A screen that uses a control's events and values.
@MainActor
private final class LoginScreen {
    private(set) var log: [String] = []
    private var bag = DisposeBag()

    init(tap: ControlEvent<Void>, name: ControlProperty<String>) {
        tap.subscribe(onNext: { self.log.append("tap") }).disposed(by: bag)
        tap.subscribe(onNext: { [weak self] in self?.log.append("weak") }).disposed(by: bag)
        tap.subscribe { event in self.log.append("\(event.isCompleted)") }.disposed(by: bag)
        tap.subscribe(with: self, onNext: { screen, _ in screen.log.append("with") }).disposed(by: bag)
        tap.bind(onNext: login).disposed(by: bag)
        tap.bind { self.log.append("bind") }.disposed(by: bag)
        name.subscribe(onNext: { self.log.append($0) }).disposed(by: bag)
        name.bind(with: self, onNext: { $0.log.append("bound \($1)") }).disposed(by: bag)
        name.changed.bind { name in self.log.append("changed \(name)") }.disposed(by: bag)
    }

    /// Ends the subscriptions, whose closures retain this object.
    func close() { bag = DisposeBag() }

    private func login() { log.append("login") }
}

extension MainActorTests {
    @Test("closures of control events and properties use it too")
    @MainActor func controls() {
        let (taps, name) = (PublishRelay<Void>(), BehaviorRelay(value: "a"))
        let screen = LoginScreen(
            tap: ControlEvent(events: taps), name: ControlProperty(values: name, valueSink: AnyObserver { _ in }))
        #expect(screen.log == ["a", "bound a"])
        taps.accept(())
        #expect(screen.log.suffix(6) == ["tap", "weak", "false", "with", "login", "bind"])
        name.accept("b")
        #expect(screen.log.suffix(3) == ["b", "bound b", "changed b"])
        screen.close()
    }
}
