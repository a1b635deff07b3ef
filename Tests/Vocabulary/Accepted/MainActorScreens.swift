import Dispatch
import Rx
import RxTraits

/// A label of a toolkit whose views belong to the main actor.
@MainActor
class TextLabel {
    var text: String?
    var isHidden = false
    init() {}
}

extension Reactive where Base: TextLabel {
    var isHidden: Binder<Bool> { Binder(base) { label, isHidden in label.isHidden = isHidden } }
}

extension TextLabel: ReactiveCompatible {}

/// A controller with everything that is an error without the trait.
@MainActor
class ProfileController {
    var title = ""
    var log: [String] = []
    let label = TextLabel()
    private let disposeBag = DisposeBag()
    private let name = BehaviorRelay(value: "")

    func bind(_ texts: Observable<String>) {
        texts.subscribe(onNext: { self.title = $0 }).disposed(by: disposeBag)
        texts.subscribe(
            onNext: { [weak self] text in
                guard let self = self else { return }
                self.log.append(text)
            },
            onCompleted: { [weak self] in
                self?.log.append("completed")
            },
            onDisposed: { [weak self] in
                self?.label.isHidden = true
            }
        )
        .disposed(by: disposeBag)
        texts.subscribe { [weak self] event in self?.label.text = event.element }.disposed(by: disposeBag)
        texts.subscribe(with: self, onNext: { controller, text in controller.title = text }).disposed(by: disposeBag)
        texts.bind { [unowned self] in self.title = $0 }.disposed(by: disposeBag)
        texts.bind(to: name).disposed(by: disposeBag)
        texts.bind(with: self) { $0.show($1) }.disposed(by: disposeBag)
        texts.map { $0.isEmpty }.bind(to: label.rx.isHidden).disposed(by: disposeBag)
        texts
            .filter { $0 != self.title }
            .do(onNext: { self.show($0) }, onSubscribe: { self.log.append("subscribed") })
            .map { text in self.title + text }
            .flatMapLatest { [weak self] text -> Observable<String> in
                guard let self = self else { return .empty() }
                return self.decorated(text)
            }
            .scan(into: [String]()) { all, text in all.append(text + self.title) }
            .distinctUntilChanged { $0.count == $1.count && self.title.isEmpty }
            .observe(on: MainScheduler.instance)
            .subscribe(onNext: { self.title = $0.last ?? "" })
            .disposed(by: disposeBag)
        name.asDriver().drive(onNext: { self.label.text = $0 }, onDisposed: { self.title = "" }).disposed(
            by: disposeBag)
        Disposables.create { self.title = "disposed" }.disposed(by: disposeBag)
    }

    func decorated(_ text: String) -> Observable<String> {
        Observable.create { observer in
            observer.onNext(self.title + text)
            observer.onCompleted()
            return Disposables.create { self.log.append("created") }
        }
    }

    func deferred() -> Observable<String> {
        .deferred { .just(self.title) }
    }

    func show(_ text: String) { log.append(text) }

    /// The closure runs on a queue, which the compiler warns of and nothing traps.
    func countElsewhere() -> Int {
        var count = 0
        let finished = DispatchSemaphore(value: 0)
        Observable.of(1, 2, 3)
            .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "elsewhere"))
            .subscribe(
                onNext: {
                    count += $0; self.title = "\(count)"
                }, onCompleted: { finished.signal() }
            )
            .disposed(by: disposeBag)
        _ = finished.wait(timeout: .now() + 30)
        return count
    }
}

@MainActor
func mainActorScreens() {
    let texts = PublishSubject<String>()
    do {
        let controller = ProfileController()
        controller.bind(texts)
        texts.onNext("a")
        check(controller.title.isEmpty, false)
        check(controller.log.contains("a"), true)
        check(controller.label.text, "a")
        check(controller.countElsewhere(), 6)
        check(controller.title, "6")
        expect(controller.deferred(), gives: ["6"])
        texts.onCompleted()
        check(controller.log.contains("completed"), true)
    }
}
